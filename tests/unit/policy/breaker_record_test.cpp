#include <doctest/doctest.h>

#include <string>

#include "base/rng.h"
#include "policy/breaker.h"

namespace s3tug::policy {

namespace {

BreakerRecord full_record() {
    BreakerRecord record;
    record.state = BreakerState::half_open;
    record.generation = 12;
    record.successes = 1;
    record.failed_rounds = 2;
    record.changed_at = Instant(milliseconds(41'500));
    record.last_failure_at = Instant(seconds(11));
    record.changed_wall = wall_from_unix_seconds(1'796'000'000);
    record.last_failure_wall = wall_from_unix_seconds(1'795'999'970);
    record.boot_id = "6f1c3a52-8f5e-4a59-9d49-0f2f7c1f9a11";
    record.last_error = "503 SlowDown";
    record.permits = {{0xFFFF'FFFF'FFFF'FFFFULL,
                       {4242, 123'456, "6f1c3a52-8f5e-4a59-9d49-0f2f7c1f9a11", 4'026'531'836},
                       Instant(seconds(99))},
                      {7, {1, 0, "", 0}, Instant(seconds(100))}};
    return record;
}

/// The record with one line replaced; an empty replacement removes it.
std::string with_line(std::string text, std::string_view name, std::string_view line) {
    const std::size_t begin = text.find(std::string(name) + '=');
    REQUIRE(begin != std::string::npos);
    const std::size_t end = text.find('\n', begin) + 1;
    return text.replace(begin, end - begin, line.empty() ? std::string() : std::string(line) + '\n');
}

}  // namespace

TEST_SUITE("policy/breaker_record") {
    TEST_CASE("a record survives the state file with every field") {
        const BreakerRecord in = full_record();
        const auto out = decode_breaker(encode(in));
        REQUIRE(out.has_value());
        CHECK(out->state == in.state);
        CHECK(out->generation == in.generation);
        CHECK(out->failures == in.failures);
        CHECK(out->successes == in.successes);
        CHECK(out->failed_rounds == in.failed_rounds);
        CHECK(out->changed_at == in.changed_at);
        CHECK(out->last_failure_at == in.last_failure_at);
        CHECK(out->changed_wall == in.changed_wall);
        CHECK(out->last_failure_wall == in.last_failure_wall);
        CHECK(out->boot_id == in.boot_id);
        CHECK(out->last_error == in.last_error);
        REQUIRE(out->permits.size() == in.permits.size());
        for (std::size_t i = 0; i < in.permits.size(); ++i) {
            CHECK(out->permits[i].id == in.permits[i].id);
            CHECK(out->permits[i].owner == in.permits[i].owner);
            CHECK(out->permits[i].lease_end == in.permits[i].lease_end);
        }
    }

    TEST_CASE("people can read the record in the database") {
        const std::string text = encode(full_record());
        CHECK(text.find("state=half-open\n") != std::string::npos);
        CHECK(text.find("last_error=503 SlowDown\n") != std::string::npos);
        CHECK(text.find("changed_at_ns=41500000000\n") != std::string::npos);
    }

    TEST_CASE("a field of a later version does no harm") {
        CHECK(decode_breaker(encode(full_record()) + "mode=rate\n").has_value());
    }

    TEST_CASE("absurd and damaged records are refused") {
        struct Row {
            std::string_view what, name, line;
        };
        const Row rows[] = {
            {"no state", "state", ""},
            {"a state that does not exist", "state", "state=ajar"},
            {"a negative generation", "generation", "generation=-1"},
            {"a generation that would overflow", "generation", "generation=9223372036854775807"},
            {"a count that is not a number", "failures", "failures=many"},
            {"more than a million failures", "failures", "failures=1000001"},
            {"a negative number of successes", "successes", "successes=-1"},
            {"more successes than trials can be", "successes", "successes=65"},
            {"a missing time", "changed_at_ns", ""},
            {"a time of 300 years of uptime", "changed_at_ns", "changed_at_ns=9223372036854775807"},
            {"a time long before any boot", "last_failure_at_ns", "last_failure_at_ns=-9223372036854775808"},
            {"a wall time before 1970", "changed_wall_ns", "changed_wall_ns=-1"},
            {"no boot id", "boot_id", ""},
            {"a bad escape", "last_error", "last_error=503\\"},
            {"a line without =", "last_error", "last_error"},
            {"permits while closed", "state", "state=closed"},
            {"permits while open", "state", "state=open"},
            {"a permit without owner", "permit", "permit=7 99000000000"},
            {"a permit with half a number", "permit", "permit=7x 99000000000 1 2 3 boot"},
            {"a permit of a negative pid", "permit", "permit=8 99000000000 -1 2 3 boot"},
            {"a permit with a lease of centuries", "permit", "permit=8 9223372036854775807 1 2 3 boot"},
            {"one permit twice", "permit", "permit=7 99000000000 1 2 3 boot"},
        };
        for (const Row& row : rows) {
            CAPTURE(row.what);
            CHECK_FALSE(decode_breaker(with_line(encode(full_record()), row.name, row.line)).has_value());
        }
        std::string crowded = encode(full_record());
        for (int i = 0; i < 100; ++i) crowded += "permit=" + std::to_string(1000 + i) + " 1 1 2 3 boot\n";
        CHECK_FALSE(decode_breaker(crowded).has_value());
    }

    TEST_CASE("empty, zeroed, random and oversized bytes are refused and do no harm") {
        CHECK_FALSE(decode_breaker("").has_value());
        CHECK_FALSE(decode_breaker(std::string(4096, '\0')).has_value());
        CHECK_FALSE(decode_breaker(std::string(limits::state_value_max_bytes + 1, 'a')).has_value());
        CHECK_FALSE(
            decode_breaker(encode(full_record()) + "note=" + std::string(limits::state_value_max_bytes, 'a') + "\n")
                .has_value());
        Rng rng(20261129);
        for (int round = 0; round < 500; ++round) {
            std::string bytes(rng.up_to(300), '\0');
            for (char& c : bytes) c = static_cast<char>(rng.up_to(255));
            CHECK_FALSE(decode_breaker(bytes).has_value());
        }
    }

    TEST_CASE("a record cut anywhere is refused, or differs only in what is of no weight") {
        const std::string text = encode(full_record());
        for (std::size_t length = 0; length < text.size(); ++length) {
            CAPTURE(length);
            const auto cut = decode_breaker(std::string_view(text).substr(0, length));
            if (!cut) continue;
            CHECK(cut->state == BreakerState::half_open);
            CHECK(cut->generation == 12);
            CHECK(cut->changed_at == full_record().changed_at);
            CHECK(cut->boot_id == full_record().boot_id);
        }
    }

    TEST_CASE("one flipped bit never brings the reader down") {
        const std::string text = encode(full_record());
        for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
            std::string damaged = text;
            damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
            const auto record = decode_breaker(damaged);
            if (record) CHECK(record->permits.size() <= limits::breaker_trials_max);
        }
    }
}

}  // namespace s3tug::policy
