#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace s3tug::lab {

using Milliseconds = std::chrono::milliseconds;

/// Where in the life of one request something happens, in order of time.
enum class Stage {
    before_read,    ///< the head is known, nothing was answered
    after_headers,  ///< before the body is asked for (no "100 Continue" yet)
    mid_body,       ///< `at` body bytes were read (half of it, if not said)
    after_body,     ///< the whole body was read, nothing was applied
    before_answer,  ///< the effect is applied, the answer is not sent
    mid_head,       ///< `at` bytes of the answer's head were sent
    mid_answer,     ///< the answer's head and `at` bytes of its body were sent (half of it, if not said)
    after_answer,   ///< the answer was sent whole; the connection is not kept, and this was not announced
};

struct Point {
    Stage stage;
    std::optional<uint64_t> at;
};

/// How the connection ends.
struct Break {
    enum class Kind { reset, close, hang } kind;
    Point point;
};

struct Delay {
    Milliseconds time;
    Point point;
};

/// An answer that the store did not mean.
struct Synthetic {
    enum class Form { xml, html, empty, garbage } form = Form::xml;
    int status = 500;
    std::string code;
    std::string message;
    std::optional<int64_t> retry_after;       ///< seconds
    std::optional<int64_t> retry_after_date;  ///< seconds from now, sent as a date
    std::optional<int64_t> amz_retry_after;   ///< milliseconds
    std::string host;                         ///< of a redirect
    std::string region;                       ///< x-amz-bucket-region
    std::optional<Stage> stage;               ///< after_headers or after_body; else after the body unless asked before
    bool apply_first = false;                 ///< the effect is applied all the same
};

struct Drip {
    uint64_t bytes;
    Milliseconds interval;
};

/// Keys of a DeleteObjects that are answered with an error and not deleted.
struct FailKeys {
    std::string glob;
    std::string code;
};

/// What goes wrong with one request. Several rules may add to it; where two say the same thing the first one counts.
struct Faults {
    std::optional<Break> ending;
    std::optional<Delay> delay;
    std::optional<Synthetic> synthetic;
    std::optional<Drip> drip_down;
    std::optional<Drip> drip_up;
    std::optional<uint64_t> cut;          ///< bytes missing at the end of the answer
    std::optional<uint64_t> flip_up;      ///< this body byte is damaged on its way in
    std::optional<uint64_t> flip_stored;  ///< ... after it was verified
    std::optional<uint64_t> flip_down;    ///< ... on its way out
    std::optional<Milliseconds> late;     ///< connection lost now, effect applied then
    std::optional<uint64_t> hide;         ///< so many look-ups of the key say 404
    std::optional<FailKeys> fail_keys;
    std::optional<int64_t> skew;     ///< seconds added to the server's clock
    std::optional<int> no_checksum;  ///< checksum headers are refused with this status
    std::string region;              ///< the bucket lives there
    bool expire = false;
    bool ignore_conditions = false;
    bool duplicate = false;  ///< applied twice, as by a proxy that repeats
    bool chunked = false;    ///< the answer has no length but chunks
    bool no_length = false;  ///< the answer ends with the connection
    bool refuse = false;     ///< the port is closed (windows only)

    void merge(const Faults& other);
};

/// When a rule fires, counted in matching requests from 1.
struct When {
    uint64_t first = 1;
    uint64_t last = UINT64_MAX;
    uint64_t every = 1;
    std::optional<double> percent;
    std::optional<Milliseconds> from;  ///< since start or reset
    std::optional<Milliseconds> until;
    std::optional<Milliseconds> lasting;  ///< since the rule fired first
};

/// Facts about one request that rules look at. `op` is "Connection" for a connection before its first request.
struct Occasion {
    std::string op;
    std::string method;
    std::string bucket;
    std::string key;
    uint64_t part = 0;
    bool reused_connection = false;
};

struct Rule {
    std::string op;
    std::string bucket = "*";
    std::string key = "*";
    std::optional<uint64_t> part;
    std::optional<bool> reused;
    When when;
    Faults faults;
    std::string text;

    [[nodiscard]] bool matches(const Occasion& occasion) const;
};

/// The rules in force and their counters. Safe to use from all connections.
class Forecast {
  public:
    explicit Forecast(uint64_t seed) : seed_(seed), random_(seed) {}

    void replace(std::vector<Rule> rules);
    void add(std::vector<Rule> rules);
    /// Counters, seeded randomness and windows begin again.
    void restart(Milliseconds now);
    /// @param now  on a steady clock
    [[nodiscard]] Faults next(const Occasion& occasion, Milliseconds now);
    /// Whether a `refuse` window is open, and how long this will hold at least.
    [[nodiscard]] bool refusing(Milliseconds now) const;
    /// The rules as text, each with how often it matched and fired.
    [[nodiscard]] std::string describe() const;

  private:
    struct State {
        Rule rule;
        uint64_t matched = 0;
        uint64_t fired = 0;
        Milliseconds fired_first{0};
    };
    [[nodiscard]] bool in_window(const When& when, Milliseconds now) const;

    mutable std::mutex mutex_;
    std::vector<State> rules_;
    uint64_t seed_;
    std::mt19937_64 random_;
    Milliseconds start_{0};
};

}  // namespace s3tug::lab
