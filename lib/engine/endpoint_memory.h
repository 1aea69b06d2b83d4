#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/time.h"
#include "policy/pace.h"
#include "port/clock.h"
#include "port/state_store.h"
#include "wire/endpoint.h"

namespace s3tug::engine {

/// What was learned about the store and outlives the process: clock offset, quirks and pace by origin, region by
/// bucket. Read once at the start; written only when something new was learned. A record that cannot be read is an
/// empty one.
class EndpointMemory {
  public:
    EndpointMemory(wire::Endpoint endpoint, port::StateStore& state, port::Clock& clock);

    void load(policy::Pace& pace);

    [[nodiscard]] const wire::Endpoint& endpoint_for(const std::string& bucket);
    [[nodiscard]] WallTime corrected_now() const;  ///< local wall time plus the learned offset
    [[nodiscard]] bool refuses_checksums() const { return refuses_checksums_; }
    [[nodiscard]] bool wants_bare_etags() const { return wants_bare_etags_; }
    [[nodiscard]] bool ignores_expect() const { return ignores_expect_; }
    [[nodiscard]] Duration clock_offset() const { return clock_offset_; }

    void learn_clock_offset(Duration offset);
    void learn_region(const std::string& bucket, std::string_view region);
    void learn_refuses_checksums();
    /// If-Match of a put matches only with the ETag without quotes (Ceph 16 and 18), or only with them after all.
    void learn_bare_etags(bool wanted);
    /// No 100 Continue came, which cost a second, or the store refuses to be asked for one (design section 4).
    void learn_ignores_expect();
    /// Keeps the pace when a throttle taught one, forgets it when it healed.
    void save_pace(const policy::Pace& pace);

  private:
    void save();

    wire::Endpoint endpoint_;
    port::StateStore& state_;
    port::Clock& clock_;
    std::unordered_map<std::string, wire::Endpoint> by_bucket_;
    std::string origin_;
    Duration clock_offset_{};
    bool refuses_checksums_ = false;
    bool wants_bare_etags_ = false;
    bool ignores_expect_ = false;
    std::string pace_record_;
};

}  // namespace s3tug::engine
