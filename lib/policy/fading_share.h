#pragma once

namespace s3tug::policy {

/// Of the latest answers, how many were of one kind. Whenever `remembered` have come, those counted so far count half
/// (rounded down): what was long ago fades, and the memory is two numbers. `remembered` is at least 2. Not thread-safe.
class FadingShare {
  public:
    explicit constexpr FadingShare(unsigned remembered) : remembered_(remembered) {}

    constexpr void add(bool of_the_kind) {
        if (answers_ >= remembered_) {
            answers_ /= 2;
            hits_ /= 2;
        }
        ++answers_;
        hits_ += of_the_kind ? 1 : 0;
    }

    constexpr void forget() { answers_ = hits_ = 0; }

    [[nodiscard]] constexpr unsigned answers() const { return answers_; }  ///< at most `remembered`
    [[nodiscard]] constexpr unsigned hits() const { return hits_; }        ///< of them
    /// At least half of them; false while there are none.
    [[nodiscard]] constexpr bool half() const { return one_in(2); }
    /// The same for a share of 1 / n.
    [[nodiscard]] constexpr bool one_in(unsigned n) const { return answers_ > 0 && n * hits_ >= answers_; }

  private:
    unsigned remembered_;
    unsigned answers_ = 0;
    unsigned hits_ = 0;
};

}  // namespace s3tug::policy
