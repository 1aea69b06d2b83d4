#include "sim/world/options.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace s3tug::simworld {
namespace {

constexpr std::array<std::string_view, fault_count> names{
    "none",
    "refused",
    "unresolved",
    "tls_failed",
    "connect_hangs",
    "cut_sending",
    "stall_sending",
    "drip_sending",
    "reset_before",
    "reset_after",
    "fin_before",
    "fin_after",
    "second_send_before",
    "second_send_after",
    "hang_before",
    "hang_after",
    "late",
    "duplicate",
    "flip_request",
    "flip_answer",
    "cut_answer",
    "stall_answer",
    "drip_answer",
    "throttle",
    "throttle_hint",
    "throttle_amz_hint",
    "error_500_before",
    "error_500_after",
    "gateway_502_after",
    "gateway_503_after",
    "gateway_504_after",
    "error_in_200_before",
    "error_in_200_after",
    "html_200",
    "no_etag_200",
    "conflict_409",
    "list_denied",
    "list_cut",
    "keys_slow_down",
    "keys_denied",
    "keys_internal_before",
    "keys_internal_after",
    "keys_silent_before",
    "keys_silent_after",
};

/// Named after what facts/idempotency.md section 5 tells of; half of them stand under a host name that the engine
/// knows.
void draw_conditions(SimOptions& o, Rng& rng) {
    const auto all = [&](Condition c) { o.store.put = o.store.complete = o.store.copy = o.store.remove = c; };
    const bool named = rng.chance(1, 2);
    switch (rng.up_to(7)) {
        case 0:  // Backblaze B2
            all(Condition::refused);
            if (named) o.host = "s3.us-west-1.backblazeb2.com";
            break;
        case 1:  // Wasabi
            all(Condition::ignored);
            o.store.honours_pin = false;
            if (named) o.host = "s3.wasabisys.com";
            break;
        case 2:  // Hetzner
            o.store.complete = o.store.copy = Condition::ignored;
            o.store.ignores_checksums = true;
            if (named) o.host = "fsn1.your-objectstorage.com";
            break;
        case 3:  // VersityGW
            o.store.copy = Condition::ignored;
            o.store.keeps_short_bodies = rng.chance(1, 2);
            break;
        default: break;
    }
}

void draw_store(SimOptions& o, Rng& rng) {
    StoreOptions& s = o.store;
    constexpr std::array kinds{policy::BucketKind::plain, policy::BucketKind::versioned, policy::BucketKind::versioned,
                               policy::BucketKind::locked};
    s.bucket = kinds[rng.up_to(3)];
    draw_conditions(o, rng);
    s.head_allowed = !rng.chance(1, 10);
    s.list_parts_allowed = !rng.chance(1, 10);
    s.list_uploads_allowed = !rng.chance(1, 10);
    s.echoes_checksums = !rng.chance(1, 4);
    s.refuses_checksums = s.bucket != policy::BucketKind::locked && rng.chance(1, 12);
    s.ignores_ranges = rng.chance(1, 12);
    s.etags_are_random = rng.chance(1, 8);
    s.complete_again_is_200 = rng.chance(1, 8);
    s.abort_again_is_404 = rng.chance(1, 3);
    s.checks_skew = rng.chance(1, 3);
    if (s.checks_skew && rng.chance(1, 3)) s.clock_ahead = minutes(static_cast<int64_t>(rng.up_to(200))) - minutes(100);
    if (rng.chance(1, 10)) s.region = "eu-south-7";
}

void draw_faults(SimOptions& o, Rng& rng) {
    unsigned total = 0;
    const bool calm = rng.chance(1, 10);
    for (std::size_t i = 1; i < fault_count && !calm; ++i) {
        if (!rng.chance(1, 3)) continue;
        const auto most = rng.chance(1, 6) ? 150U : 30U;
        o.per_mille[i] = std::min(static_cast<unsigned>(1 + rng.up_to(most)), 600 - std::min(600U, total));
        total += o.per_mille[i];
    }
    o.outages = calm ? 0 : static_cast<unsigned>(rng.up_to(2));
    o.crash_per_cent = rng.chance(1, 3) ? 0 : static_cast<unsigned>(10 + rng.up_to(70));
    o.torn_writes = rng.chance(1, 2);
    o.disk_full_per_mille = rng.chance(1, 6) ? static_cast<unsigned>(1 + rng.up_to(60)) : 0;
    o.sources_change = rng.chance(1, 4);
    o.others_write = rng.chance(1, 4);
    o.keys_expire = rng.chance(1, 5);
    o.containers = rng.chance(1, 8);
    o.state_trouble = rng.chance(1, 20) ? static_cast<unsigned>(1 + rng.up_to(300)) : 0;
    o.switch_per_mille = rng.chance(1, 2) ? 0 : static_cast<unsigned>(rng.up_to(500));
}

void draw_parts(SimOptions& o, Rng& rng) {
    StoreOptions& s = o.store;
    s.only_composite = rng.chance(1, 2);
    s.complete_takes_no_sum = rng.chance(1, 3);
    constexpr std::array numbers{PartNumbers::told_by_200, PartNumbers::told_all_but, PartNumbers::ignored,
                                 PartNumbers::refused};
    if (rng.chance(2, 5)) s.part_numbers = numbers[rng.up_to(3)];
    constexpr std::array refusals{400, 405, 501};
    s.part_number_refusal = refusals[rng.up_to(2)];
    s.part_etags = rng.chance(1, 4);
}

/// Drawn from numbers of its own, so that the seeds without it are what they were before it came.
void draw_extras(SimOptions& o, Rng rng, bool composite) {
    o.versions = rng.chance(1, 3) && o.store.bucket != policy::BucketKind::plain;
    o.store.retains = rng.chance(1, 3) && o.store.bucket == policy::BucketKind::locked;
    o.links = rng.chance(1, 3);
    o.wide = rng.chance(1, 40);
    if (o.wide) o.store.page = 40;
    o.composite = rng.chance(1, 3) || composite;
    if (o.composite) draw_parts(o, rng);
}

}  // namespace

std::string_view to_string(Fault fault) { return names[static_cast<std::size_t>(fault)]; }

bool can_have(wire::Op op, Fault fault) {
    if (fault >= Fault::keys_slow_down) return op == wire::Op::delete_objects;
    if (fault >= Fault::list_denied) return op == wire::Op::list_objects_v2;
    return true;
}

SimOptions draw_options(uint64_t seed, bool composite) {
    SimOptions o;
    o.seed = seed;
    Rng rng(seed ^ 0x5EED0F0D710A5ULL);
    o.tls = rng.chance(1, 2);
    draw_store(o, rng);
    draw_faults(o, rng);
    o.listens = rng.chance(1, 8);
    o.commands = static_cast<unsigned>(3 + rng.up_to(7));
    o.starts = static_cast<unsigned>(1 + rng.up_to(3));
    o.slow = rng.chance(1, 4) ? 20 : 1;
    o.retries = rng.chance(1, 3) ? static_cast<unsigned>(rng.up_to(5)) : 6;
    o.concurrency = rng.chance(1, 4) ? static_cast<unsigned>(1 + rng.up_to(3)) : 16;
    o.breaker = !rng.chance(1, 6);
    o.breaker_waits = rng.chance(1, 6);
    o.token = !rng.chance(1, 6);
    o.clock_steps = rng.chance(1, 8);
    o.reboots = rng.chance(1, 8);
    o.trees = static_cast<unsigned>(rng.up_to(2));
    o.store.batch_delete = !rng.chance(1, 8);
    o.store.encodes_listings = !rng.chance(1, 8);
    o.read_trouble = rng.chance(1, 8) ? static_cast<unsigned>(1 + rng.up_to(40)) : 0;
    constexpr std::array<uint64_t, 4> memory{150, 200, 350, 700};
    o.stream_memory = memory[rng.up_to(3)];
    o.stream_part = 40 + rng.up_to(60);
    draw_extras(o, Rng(seed ^ 0x7E25109511BULL), composite);
    return o;
}

std::string SimOptions::text() const {
    std::string out = "host=" + host + (tls ? " tls" : "");
    const auto flag = [&](bool on, std::string_view name) {
        if (on) out.append(" ").append(name);
    };
    const auto number = [&](std::string_view name, uint64_t n) {
        out.append(" ").append(name) += "=" + std::to_string(n);
    };
    constexpr std::array<std::string_view, 4> buckets{"plain", "versioned", "locked", "unknown"};
    constexpr std::array<std::string_view, 3> conditions{"honoured", "ignored", "refused"};
    out.append(" bucket=").append(buckets[static_cast<std::size_t>(store.bucket)]);
    out.append(" put-conditions=").append(conditions[static_cast<std::size_t>(store.put)]);
    out.append(" complete-conditions=").append(conditions[static_cast<std::size_t>(store.complete)]);
    flag(!store.honours_pin, "pin-ignored");
    flag(!store.head_allowed, "head-denied");
    flag(!store.list_parts_allowed, "list-parts-denied");
    flag(!store.list_uploads_allowed, "list-uploads-denied");
    flag(!store.echoes_checksums, "no-echo");
    flag(store.refuses_checksums, "refuses-checksums");
    flag(store.ignores_checksums, "ignores-checksums");
    flag(store.ignores_ranges, "ignores-ranges");
    flag(store.keeps_short_bodies, "keeps-short-bodies");
    flag(store.etags_are_random, "random-etags");
    flag(store.complete_again_is_200, "complete-again-200");
    flag(store.clock_ahead != Duration::zero(), "skewed");
    flag(store.region != "us-east-1", "other-region");
    flag(!store.batch_delete, "no-batch-delete");
    flag(!store.encodes_listings, "plain-listings");
    flag(store.retains, "retains-versions");
    constexpr std::array<std::string_view, 5> numbers{"told", "told-by-200", "uncounted", "ignored", "refused"};
    flag(composite, "composite");
    flag(store.only_composite, "only-composite");
    flag(composite && store.complete_takes_no_sum, "no-sum-at-complete");
    flag(store.part_etags, "part-etags");
    if (composite) out.append(" part-numbers=").append(numbers[static_cast<std::size_t>(store.part_numbers)]);
    flag(versions, "versions");
    flag(links, "links");
    flag(wide, "wide");
    number("commands", commands);
    number("trees", trees);
    number("stream-memory", stream_memory);
    number("stream-part", stream_part);
    number("starts", starts);
    number("slow", slow);
    number("retries", retries);
    number("concurrency", concurrency);
    number("crash%", crash_per_cent);
    number("outages", outages);
    flag(!breaker, "breaker-off");
    flag(breaker_waits, "breaker-waits");
    flag(!token, "no-token");
    flag(torn_writes, "torn-writes");
    number("disk-full", disk_full_per_mille);
    number("read-trouble", read_trouble);
    flag(sources_change, "sources-change");
    flag(others_write, "others-write");
    flag(keys_expire, "keys-expire");
    flag(containers, "containers");
    flag(clock_steps, "clock-steps");
    flag(reboots, "reboots");
    number("state-trouble", state_trouble);
    out += " faults:";
    for (std::size_t i = 1; i < fault_count; ++i) {
        if (per_mille[i] != 0) number(names[i], per_mille[i]);
    }
    return out;
}

}  // namespace s3tug::simworld
