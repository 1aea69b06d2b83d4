#include "lab/journal.h"

#include <fmt/format.h>

namespace s3tug::lab {

uint64_t Journal::begin(Seen seen) {
    const std::lock_guard lock(mutex_);
    seen.number = next_++;
    ++counts_[seen.op];
    ++under_way_;
    seen_.push_back(std::move(seen));
    if (seen_.size() > limit) seen_.pop_front();
    return next_ - 1;
}

void Journal::update(uint64_t number, const std::function<void(Seen&)>& change) {
    const std::lock_guard lock(mutex_);
    if (!seen_.empty() && number >= seen_.front().number && number <= seen_.back().number)
        change(seen_[number - seen_.front().number]);
}

void Journal::end() {
    const std::lock_guard lock(mutex_);
    if (--under_way_ == 0) idle_.notify_all();
}

std::vector<Seen> Journal::all() const {
    const std::lock_guard lock(mutex_);
    return {seen_.begin(), seen_.end()};
}

std::map<std::string, uint64_t> Journal::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

void Journal::clear() {
    const std::lock_guard lock(mutex_);
    seen_.clear();
    counts_.clear();
}

bool Journal::wait_idle(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return idle_.wait_for(lock, patience, [&] { return under_way_ == 0; });
}

std::string to_json(const Seen& seen) {
    std::string headers;
    for (const Field& field : seen.headers)
        headers +=
            fmt::format("{}[{},{}]", headers.empty() ? "" : ",", json_quote(field.name), json_quote(field.value));
    return fmt::format(
        R"({{"number":{},"connection":{},"ordinal":{},"at_ms":{},"op":{},"method":{},"target":{},"bucket":{},"key":{},)"
        R"("body_size":{},"body_received":{},"body_sent":{},"applied":{},"status":{},"code":{},"request_id":{},"ending":{},"headers":[{}]}})",
        seen.number, seen.connection, seen.ordinal, seen.at_ms, json_quote(seen.op), json_quote(seen.method),
        json_quote(seen.target), json_quote(seen.bucket), json_quote(seen.key), seen.body_size, seen.body_received,
        seen.body_sent, seen.applied, seen.status, json_quote(seen.code), json_quote(seen.request_id),
        json_quote(seen.ending), headers);
}

}  // namespace s3tug::lab
