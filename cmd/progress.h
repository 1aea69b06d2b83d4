#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "base/time.h"
#include "cmd/output.h"
#include "cmd/progress_line.h"
#include "cmd/settings.h"
#include "cmd/tally.h"
#include "engine/run_counters.h"

namespace s3tug::cmd {

/// Bytes per second over the last limits::rate_window. What an attempt that failed had moved is taken back.
class RateMeter {
  public:
    void add(Instant now, uint64_t bytes);
    [[nodiscard]] std::optional<uint64_t> rate() const;  ///< nullopt: too early to say

  private:
    std::deque<std::pair<Instant, uint64_t>> samples_;  ///< at most limits::rate_samples_max
};

/// How progress is shown, once all that decides it is known.
enum class ProgressStyle : uint8_t { none, bar, log };

/// What the world says about showing progress.
struct ProgressPlace {
    bool terminal = false;          ///< standard error is one
    bool dumb = false;              ///< one that cannot rewrite a line: TERM is dumb or not set
    bool ci = false;                ///< CI is set: its log keeps every line
    bool shared_with_data = false;  ///< the bytes of an object go to the same terminal
};

/// `auto` is a bar on a terminal of a person, else nothing. A bar that was asked for where there can be none is a log.
[[nodiscard]] ProgressStyle progress_style(ProgressMode mode, bool quiet, const ProgressPlace& place);

/// The numbers that are shown, from what is under way and what has ended.
[[nodiscard]] ProgressFacts facts_of(const engine::RunCounters& counters, const Tally& tally,
                                     std::optional<uint64_t> rate, Duration elapsed);

/// Shows where a run is, on standard error.
class Progress {
  public:
    /// @param width  of the terminal, asked at each draw
    using Width = std::function<std::size_t()>;

    Progress(ProgressStyle style, Output& output, Width width, Instant began)
        : style_(style), output_(output), width_(std::move(width)), began_(began) {}

    void show(const engine::RunCounters& counters, const Tally& tally);
    void end();                                          ///< the live line goes away
    [[nodiscard]] bool shown() const { return shown_; }  ///< there was one

  private:
    ProgressStyle style_;
    Output& output_;
    Width width_;
    Instant began_;
    RateMeter meter_;
    std::optional<Instant> last_log_;
    bool shown_ = false;
};

}  // namespace s3tug::cmd
