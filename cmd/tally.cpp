#include "cmd/tally.h"

#include "cmd/exit_code.h"

namespace s3tug::cmd {

void Tally::add(const engine::Transfer& transfer, const engine::Outcome& outcome, int signal) {
    if (outcome.ok()) {
        ++done_;
        if (outcome.skipped) ++skipped_;
        if (!outcome.skipped && !outcome.dry_run && !outcome.cached) bytes_ += outcome.size;
        return;
    }
    ++failed_;
    codes_.insert(exit_code_of(outcome.error->kind, signal));
    if (!first_) first_ = Failure{engine::item_name(transfer), *outcome.error};
}

void Tally::not_begun(std::optional<uint64_t> left, std::optional<int> code) {
    cut_short_ = left != 0U;
    left_ = left;
    if (cut_short_ && code) codes_.insert(*code);
}

int Tally::exit_code() const {
    for (const int code : codes_) {
        if (signal_of(code) != 0) return code;
    }
    if (const int deadline = exit_code_of(ErrorKind::deadline); codes_.contains(deadline)) return deadline;
    if (codes_.empty()) return cut_short_ ? exit_mixed : exit_ok;
    if (done() > 0) return exit_mixed;
    if (codes_.size() == 1) return *codes_.begin();
    // What gave up first opened the breaker that refused the rest: one outage, and "run again later" is all of it.
    const int later = exit_code_of(ErrorKind::gave_up);
    return codes_ == std::set{exit_code_of(ErrorKind::breaker_open), later} ? later : exit_mixed;
}

}  // namespace s3tug::cmd
