#include "engine/early_retry.h"

#include <algorithm>

#include "base/limits.h"

namespace s3tug::engine {

void EarlyRetry::begin(Instant due, bool may_shorten, const Traffic& traffic) {
    due_ = due;
    may_shorten_ = may_shorten;
    recoveries_ = traffic.recoveries();
}

EarlyRetry::Answer EarlyRetry::ask(const Traffic& traffic, Instant now) const {
    if (now >= due_) return Answer::go;
    if (!may_shorten_) return Answer::wait;
    if (traffic.recoveries() != recoveries_) return Answer::go;
    return traffic.wants_probe(now) ? Answer::probe : Answer::wait;
}

Instant EarlyRetry::look_at(Instant now) const {
    return may_shorten_ ? std::min(due_, now + limits::early_retry_look_every) : due_;
}

}  // namespace s3tug::engine
