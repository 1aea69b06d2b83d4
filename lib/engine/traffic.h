#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <unordered_map>

#include "base/limits.h"
#include "base/time.h"
#include "policy/backoff.h"
#include "policy/fading_share.h"
#include "policy/pace.h"
#include "port/transport.h"

namespace s3tug::engine {

class Item;

/// Who of a run has requests in flight, and who waits in line for one. The pace's concurrency counts requests in
/// flight only: what waits for a retry, for the breaker or for its own files holds nobody up.
class Traffic {
  public:
    explicit Traffic(policy::Pace& pace) : pace_(pace) {}

    /// May a request be added without waiting? Those in line come first.
    [[nodiscard]] bool room() const { return flights_.size() + line_.size() < pace_.concurrency(); }

    void join(Item& item) { line_.push_back(&item); }  ///< once for each request that is ready
    /// Whose request may be sent now; taken from the line. Null: nobody's.
    [[nodiscard]] Item* next(Instant now);
    /// When next() may have an answer though nothing completes.
    [[nodiscard]] std::optional<Instant> opens_at(Instant now) const;

    void sent(port::AttemptId id, Item& item) { flights_.insert_or_assign(id, &item); }
    [[nodiscard]] Item* owner(port::AttemptId id) const;  ///< null: nobody's any more
    void ended(port::AttemptId id) { flights_.erase(id); }
    /// With the attempt that has just ended: were all slots in use?
    [[nodiscard]] bool was_full() const { return flights_.size() + 1 + line_.size() >= pace_.concurrency(); }
    [[nodiscard]] bool any_in_flight() const { return !flights_.empty(); }

    /// No item is still to come.
    void drained(bool yes) { drained_ = yes; }
    [[nodiscard]] bool nothing_waits() const { return drained_ && line_.empty(); }

    void leave_line(Item& item) { std::erase(line_, &item); }

    /// Every attempt that ended. `served`: with an answer that is final. True: with this one the run, which was served
    /// before, is failing as a whole.
    [[nodiscard]] bool heard(bool served, Instant now) {
        if (served && failing()) {
            ++recoveries_;
            pace_.on_recovery();
            served_.forget();  // what was heard in the outage says nothing of the store as it is now
        }
        failures_ = served ? 0 : failures_ + 1;
        if (failures_ == 1) failing_since_ = now;
        served_once_ |= served;
        heard_last_ = now;
        served_.add(served);
        const bool fell = !fallen_ && served_once_ && failing();
        fallen_ = !served && (fallen_ || fell);
        return fell;
    }
    /// Was a good part of the latest attempts served? Less than half will do: towards its end a run consists of those
    /// that had no luck yet.
    [[nodiscard]] bool serving() const { return served_.one_in(limits::eased_served_one_in); }
    /// One request's trouble is not the store's, so a single answer tells nothing.
    [[nodiscard]] policy::Served served() const {
        if (served_.answers() >= limits::eased_most_answers_min &&
            limits::eased_most_failed_one_in * (served_.answers() - served_.hits()) <= served_.answers())
            return policy::Served::most;
        const bool part = served_.answers() >= limits::eased_answers_min && served_.one_in(limits::eased_served_one_in);
        return part ? policy::Served::part : policy::Served::few;
    }
    /// Several attempts in a row came to nothing: what is begun finds out how the store is, and nothing else is begun.
    [[nodiscard]] bool struggling() const { return failures_ >= limits::failures_paused; }
    /// As many attempts in a row as may be in flight came to nothing: more of them would not help the store.
    [[nodiscard]] bool failing() const {
        return failures_ >= std::max<std::size_t>(limits::failures_noted, pace_.concurrency());
    }

    /// How often an attempt was served after the run had been failing.
    [[nodiscard]] uint64_t recoveries() const { return recoveries_; }
    /// A run that was served before is failing, and it is time to see whether it still would.
    [[nodiscard]] bool wants_probe(Instant now) const {
        return served_once_ && failing() && flights_.empty() &&
               now - heard_last_ >= std::max(limits::probe_every, hold_gap(now));
    }
    /// It is failing, and somebody is finding out or has just found out.
    [[nodiscard]] bool holds(Instant now) const {
        return served_once_ && failing() && (!flights_.empty() || now - heard_last_ < hold_gap(now));
    }

  private:
    static constexpr unsigned answers_remembered = 32;

    /// The longer an outage lasts, the less it matters to know of its end a moment sooner.
    [[nodiscard]] Duration hold_gap(Instant now) const {
        return std::clamp<Duration>((now - failing_since_) / limits::hold_gap_share, limits::hold_gap,
                                    limits::hold_gap_max);
    }

    policy::Pace& pace_;
    std::unordered_map<port::AttemptId, Item*> flights_;
    std::deque<Item*> line_;
    std::size_t failures_ = 0;
    policy::FadingShare served_{answers_remembered};
    uint64_t recoveries_ = 0;
    bool served_once_ = false;
    bool fallen_ = false;  ///< since the last attempt that was served
    Instant heard_last_{};
    Instant failing_since_{};
    bool drained_ = false;
};

}  // namespace s3tug::engine
