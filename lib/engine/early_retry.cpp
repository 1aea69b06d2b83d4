#include "engine/early_retry.h"

#include <algorithm>

#include "base/limits.h"

namespace s3tug::engine {

void EarlyRetry::begin(Instant now, Instant due, bool may_shorten, const Traffic& traffic) {
    due_ = due;
    try_after_ = limits::served_probe_first;
    try_at_ = due - now >= limits::served_probe_waits ? now + try_after_ : due;
    may_shorten_ = may_shorten;
    recoveries_ = traffic.recoveries();
}

void EarlyRetry::probed(Instant now) {
    try_after_ *= 2;
    try_at_ = now + try_after_;
}

EarlyRetry::Answer EarlyRetry::ask(const Traffic& traffic, Instant now) const {
    if (!may_shorten_) return now >= due_ ? Answer::go : Answer::wait;
    if (now >= due_) return traffic.holds(now) && now < due_ + limits::hold_max ? Answer::wait : Answer::go;
    if (traffic.recoveries() != recoveries_) return Answer::go;
    const bool others_served = traffic.served() != policy::Served::few;
    return traffic.wants_probe(now) || (others_served && now >= try_at_) ? Answer::probe : Answer::wait;
}

Instant EarlyRetry::look_at(Instant now) const {
    if (!may_shorten_) return due_;
    return std::min(now < due_ ? due_ : due_ + limits::hold_max, now + limits::early_retry_look_every);
}

}  // namespace s3tug::engine
