#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace s3tug::cmd {

/// Standard output and standard error of the command: data and talk (design, promise 6). Whole lines only, each in one
/// write, so that lines of several processes on one log do not mix.
class Output {
  public:
    virtual ~Output() = default;
    virtual void data(std::string_view line) = 0;  ///< the line's end is added
    virtual void talk(std::string_view line) = 0;
    /// A line at the bottom of the terminal on standard error that is drawn over itself; other lines go above it.
    /// Empty: gone. For terminals only; `width` is that of the moment, since a window that has become narrower has
    /// broken the line that stands there.
    virtual void live(std::string_view line, std::size_t width) = 0;
    /// Somebody looks at standard output: bytes that drive a terminal must not reach it.
    [[nodiscard]] virtual bool data_is_shown() const { return false; }
    /// errno of the first write to standard output that failed, else 0. EPIPE: the reader went away.
    [[nodiscard]] virtual int data_error() const = 0;
};

class StandardOutput final : public Output {
  public:
    void data(std::string_view line) override;
    void talk(std::string_view line) override;
    void live(std::string_view line, std::size_t width) override;
    [[nodiscard]] bool data_is_shown() const override;
    [[nodiscard]] int data_error() const override { return data_error_; }

  private:
    void hide();
    void redraw();

    std::string live_;  ///< what stands at the bottom now; empty = nothing
    int data_error_ = 0;
};

}  // namespace s3tug::cmd
