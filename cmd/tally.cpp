#include "cmd/tally.h"

#include "cmd/exit_code.h"

namespace s3tug::cmd {

void Tally::add(const engine::Transfer& transfer, const engine::Outcome& outcome) {
    requests_ += outcome.attempts;
    if (outcome.ok()) {
        ++done_;
        if (outcome.skipped) ++skipped_;
        if (!outcome.skipped && !outcome.dry_run && !outcome.cached) bytes_ += outcome.size;
        return;
    }
    ++failed_;
    ++by_code_[exit_code_of(outcome.error->kind)];
    if (!first_) first_ = Failure{engine::item_name(transfer), *outcome.error};
}

void Tally::not_begun(std::optional<uint64_t> left) {
    cut_short_ = left != 0U;
    left_ = left;
}

int Tally::exit_code() const {
    for (const auto& [code, count] : by_code_) {
        if (signal_of(code) != 0) return code;
    }
    if (by_code_.empty()) return cut_short_ ? exit_mixed : exit_ok;
    return by_code_.size() > 1 || done_ > 0 ? exit_mixed : by_code_.begin()->first;
}

}  // namespace s3tug::cmd
