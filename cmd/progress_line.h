#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace s3tug::cmd {

/// How far a run is, in the terms that people see.
struct ProgressFacts {
    uint64_t items_ended = 0;
    std::optional<uint64_t> items_total = std::nullopt;  ///< nullopt: nobody knows yet
    uint64_t failed = 0;
    uint64_t bytes = 0;
    std::optional<uint64_t> bytes_total = std::nullopt;
    uint64_t retries = 0;
    std::optional<uint64_t> rate = std::nullopt;     ///< bytes per second; nullopt: too early to say
    std::optional<Duration> waiting = std::nullopt;  ///< nothing is in flight, and nothing will be for so long
    std::string waiting_for = {};                    ///< "503 SlowDown"
    Duration elapsed{};
};

/// 0 to 100 by bytes where their sum is known, else by items; nullopt: nothing is known. 100 only when all is done.
[[nodiscard]] std::optional<unsigned> percent(const ProgressFacts& facts);

/// What is left, by the rate of bytes or of items; nullopt: cannot be said.
[[nodiscard]] std::optional<Duration> time_left(const ProgressFacts& facts);

/// One line for a terminal, at most `width` columns: "42% [=====>     ] 1.2 GiB of 2.9 GiB, 85.3 MiB/s, ETA 20s".
/// What does not fit is left out, the least important first: retries, items, time left, rate.
[[nodiscard]] std::string progress_bar(const ProgressFacts& facts, std::size_t width);

/// The same for a log, without a bar: "s3tug: 42%, 1.2 GiB of 2.9 GiB, 85.3 MiB/s, ETA 20s".
[[nodiscard]] std::string progress_log(const ProgressFacts& facts);

}  // namespace s3tug::cmd
