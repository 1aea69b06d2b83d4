#pragma once

#include <string_view>

namespace s3tug::cmd {

/// Standard output and standard error of the command: data and talk (design, promise 6). Whole lines only, each in one
/// write, so that lines of several processes on one log do not mix.
class Output {
  public:
    virtual ~Output() = default;
    virtual void data(std::string_view line) = 0;  ///< the line's end is added
    virtual void talk(std::string_view line) = 0;
    /// Somebody looks at standard output: bytes that drive a terminal must not reach it.
    [[nodiscard]] virtual bool data_is_shown() const { return false; }
    /// errno of the first write to standard output that failed, else 0. EPIPE: the reader went away.
    [[nodiscard]] virtual int data_error() const = 0;
};

class StandardOutput final : public Output {
  public:
    void data(std::string_view line) override;
    void talk(std::string_view line) override;
    [[nodiscard]] bool data_is_shown() const override;
    [[nodiscard]] int data_error() const override { return data_error_; }

  private:
    int data_error_ = 0;
};

}  // namespace s3tug::cmd
