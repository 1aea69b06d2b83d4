#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "cmd/output.h"
#include "cmd/settings.h"
#include "cmd/tally.h"
#include "engine/transfer.h"

namespace s3tug::cmd {

/// What `list` has printed.
struct Listed {
    uint64_t objects = 0;
    uint64_t bytes = 0;
};

/// How a run came to its end.
struct RunEnd {
    Duration elapsed{};
    uint64_t requests = 0;
    uint64_t retries = 0;
    bool progress_shown = false;    ///< whoever watched it wants to know the end
    std::string_view why_cut = {};  ///< why the rest was not begun: "--fail-fast"
    int exit_code = 0;
    std::optional<Listed> listed = std::nullopt;  ///< of `list` only
};

/// Tells how items ended; the only printer of results. Silent on success unless --json, --dry-run or -v was given. The
/// last line on standard error says why the exit code is not 0, once.
class Report {
  public:
    /// @param several  the command may have more than one item: failures are told as they come, and summed up at the
    ///                 end
    /// @param stop     the signal that interrupted, 0 while there is none
    Report(const OutputSettings& settings, Output& output, bool several, const std::atomic<int>& stop);

    void item_done(const engine::Transfer& transfer, const engine::Outcome& outcome);
    void all_done(const Tally& tally, const RunEnd& end);

  private:
    const OutputSettings& settings_;
    Output& output_;
    bool several_;
    const std::atomic<int>& stop_;
};

/// "2 of 3 items failed, 1 done (1 skipped), 12.0 MiB in 4.20s; the first: put s3://b/k: access denied (...)".
[[nodiscard]] std::string summary_text(const Tally& tally, const RunEnd& end);

/// The last line of --json where there may be several items, and of every listing (man page, "--json").
[[nodiscard]] std::string json_summary(const Tally& tally, const RunEnd& end);

/// One line of --json (man page, "--json").
[[nodiscard]] std::string json_result(const engine::Transfer& transfer, const engine::Outcome& outcome, int signal = 0);

/// "put a.txt to s3://b/k": both ends of an item, printable.
[[nodiscard]] std::string both_ends(const engine::Transfer& transfer);

/// "s3tug: put s3://b/k: access denied (...)".
[[nodiscard]] std::string failure_line(const engine::Transfer& transfer, const Error& error);

}  // namespace s3tug::cmd
