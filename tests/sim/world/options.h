#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/rng.h"
#include "base/time.h"
#include "policy/idempotency.h"
#include "wire/operation.h"

namespace s3tug::simworld {

/// What can happen to one request on its way. `before` and `after` mean the store's effect.
enum class Fault : uint8_t {
    none,
    refused,
    unresolved,
    tls_failed,
    connect_hangs,
    cut_sending,
    stall_sending,
    drip_sending,
    reset_before,
    reset_after,
    fin_before,
    fin_after,
    second_send_before,
    second_send_after,
    hang_before,
    hang_after,
    late,       ///< connection lost, and the store does it later
    duplicate,  ///< something on the way sends it again, later
    flip_request,
    flip_answer,
    cut_answer,
    stall_answer,
    drip_answer,
    throttle,
    throttle_hint,
    throttle_amz_hint,
    error_500_before,
    error_500_after,
    gateway_502_after,
    gateway_503_after,
    gateway_504_after,
    error_in_200_before,
    error_in_200_after,
    html_200,
    no_etag_200,
    conflict_409,
    list_denied,  ///< a page of a listing is refused
    list_cut,     ///< its document ends too early, which the connection does not show
    // Of a DeleteObjects, some of whose keys:
    keys_slow_down,
    keys_denied,
    keys_internal_before,
    keys_internal_after,
    keys_silent_before,  ///< do not stand in the answer
    keys_silent_after,
};
inline constexpr std::size_t fault_count = static_cast<std::size_t>(Fault::keys_silent_after) + 1;
[[nodiscard]] std::string_view to_string(Fault fault);
/// Some faults are of one operation.
[[nodiscard]] bool can_have(wire::Op op, Fault fault);

/// How the store treats a conditional header.
enum class Condition : uint8_t { honoured, ignored, refused };

/// How the store answers a HEAD with partNumber.
enum class PartNumbers : uint8_t {
    told,          ///< 206 with a range, the size of the part, and their number
    told_by_200,   ///< the same without a range
    told_all_but,  ///< the number of parts is not told
    ignored,       ///< the answer is for the whole
    refused,
};

struct StoreOptions {
    policy::BucketKind bucket = policy::BucketKind::plain;
    Condition put = Condition::honoured;
    Condition complete = Condition::honoured;
    Condition copy = Condition::honoured;
    Condition remove = Condition::honoured;
    bool honours_pin = true;
    bool head_allowed = true;
    bool list_parts_allowed = true;
    bool list_uploads_allowed = true;
    bool echoes_checksums = true;
    bool refuses_checksums = false;
    bool ignores_checksums = false;  ///< stores what does not match them (facts/idempotency.md fact 9)
    bool ignores_ranges = false;
    bool keeps_short_bodies = false;
    bool etags_are_random = false;  ///< of objects of parts (R2)
    bool complete_again_is_200 = false;
    bool abort_again_is_404 = false;
    bool checks_skew = false;
    bool batch_delete = true;      ///< else DeleteObjects is 501
    bool retains = false;          ///< versions cannot be removed, only hidden (object lock)
    unsigned page = 3;             ///< entries of a listing: small, so that there are several
    bool encodes_listings = true;  ///< else encoding-type=url is ignored, as older stores do
    Duration clock_ahead{};
    std::string region = "us-east-1";
    // Of objects of parts:
    bool only_composite = false;         ///< CRC32 and CRC32C are kept as those of the parts' too, whatever was asked
    bool complete_takes_no_sum = false;  ///< then Complete refuses a checksum of the whole; else it ignores it
    PartNumbers part_numbers = PartNumbers::told;
    int part_number_refusal = 501;
    bool part_etags = false;  ///< a part has its own, which If-Match is held against (Ceph, moto)
};

/// Everything about one run; drawn from its seed alone. Swarm testing: in each run most faults are off and some wild.
struct SimOptions {
    uint64_t seed = 0;
    std::string host = "store.test";
    bool tls = false;
    StoreOptions store;
    std::array<unsigned, fault_count> per_mille{};  ///< of the requests
    unsigned outages = 0;                           ///< intervals in which all connections are refused or throttled
    unsigned crash_per_cent = 0;                    ///< of the processes started
    bool torn_writes = false;
    unsigned disk_full_per_mille = 0;  ///< of the writes
    unsigned read_trouble = 0;         ///< per mille of the reads of files, folders and lists
    bool sources_change = false;
    bool others_write = false;  ///< another client writes to keys of ours
    bool keys_expire = false;   ///< credentials are exchanged now and then
    bool clock_steps = false;   ///< of this machine's wall clock
    bool reboots = false;
    bool containers = false;          ///< some processes cannot see whether others live
    unsigned state_trouble = 0;       ///< per mille of the updates that are not recorded
    unsigned switch_per_mille = 100;  ///< at a look at the state file another process goes on
    bool listens = false;             ///< the observer wants all events, and they are searched for secrets
    unsigned commands = 6;
    unsigned trees = 0;      ///< commands over many files or objects
    bool versions = false;   ///< some commands delete one version
    bool links = false;      ///< symbolic links stand where files are read
    bool wide = false;       ///< one more tree, of some hundred things, and a transfer of some hundred parts
    bool composite = false;  ///< objects of parts have a checksum of the parts' checksums, many of them
    unsigned starts = 2;     ///< of each command in the phase with faults
    unsigned slow = 1;       ///< factor of the delays
    // The engine's settings.
    unsigned retries = 6;
    unsigned concurrency = 16;
    bool breaker = true;
    bool breaker_waits = false;
    bool token = true;
    uint64_t stream_memory = 200;  ///< --memory, as far as streams have it
    uint64_t stream_part = 100;    ///< of a download to a stream
    std::string text() const;
};
/// @param composite  has SimOptions::composite whatever the seed says
[[nodiscard]] SimOptions draw_options(uint64_t seed, bool composite = false);

}  // namespace s3tug::simworld
