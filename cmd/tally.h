#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "base/error.h"
#include "engine/transfer.h"

namespace s3tug::cmd {

/// What the items of a run have come to so far. Its size does not depend on their number.
class Tally {
  public:
    struct Failure {
        std::string item;  ///< engine::item_name
        Error error;
    };

    /// @param signal  that the run was told to stop by; 0 = none
    void add(const engine::Transfer& transfer, const engine::Outcome& outcome, int signal = 0);

    /// So many items the source has done by itself up to now (ItemSource::done_itself).
    void done_besides(uint64_t count) { done_besides_ = count; }

    /// The run ended before its items did.
    /// @param left  how many were not begun; nullopt: nobody knows
    /// @param code  of what ended it, where that is no failure of an item: a signal, the deadline
    void not_begun(std::optional<uint64_t> left, std::optional<int> code = std::nullopt);

    [[nodiscard]] uint64_t items() const { return done() + failed_; }      ///< that ended, however they did
    [[nodiscard]] uint64_t done() const { return done_ + done_besides_; }  ///< those that were skipped among them
    [[nodiscard]] uint64_t failed() const { return failed_; }
    [[nodiscard]] uint64_t skipped() const { return skipped_; }
    [[nodiscard]] uint64_t bytes() const { return bytes_; }  ///< of the items that were done
    [[nodiscard]] bool cut_short() const { return cut_short_; }
    [[nodiscard]] std::optional<uint64_t> left() const { return left_; }
    [[nodiscard]] const std::optional<Failure>& first() const { return first_; }

    /// The code of the whole command: 0 when all items ended well; the one code of all failures when every item failed
    /// with it; else 1. An interruption or a broken pipe wins over all, since the program then dies by that signal;
    /// then the deadline, where it ended the run.
    [[nodiscard]] int exit_code() const;

  private:
    uint64_t done_ = 0;
    uint64_t done_besides_ = 0;
    uint64_t failed_ = 0;
    uint64_t skipped_ = 0;
    uint64_t bytes_ = 0;
    bool cut_short_ = false;
    std::optional<uint64_t> left_;
    std::optional<Failure> first_;
    std::set<int> codes_;  ///< exit codes of what went wrong
};

}  // namespace s3tug::cmd
