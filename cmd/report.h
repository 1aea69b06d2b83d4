#pragma once

#include <string>

#include "base/error.h"
#include "cmd/output.h"
#include "cmd/settings.h"
#include "cmd/tally.h"
#include "engine/transfer.h"

namespace s3tug::cmd {

/// Tells how items ended; the only printer of results. Silent on success unless --json or --dry-run was given. The last
/// line on standard error says why the exit code is not 0, once.
class Report {
  public:
    /// @param several  the command has more than one item: failures are told as they come, and summed up at the end
    Report(const OutputSettings& settings, Output& output, bool several);

    void item_done(const engine::Transfer& transfer, const engine::Outcome& outcome);
    void all_done(const Tally& tally);

  private:
    const OutputSettings& settings_;
    Output& output_;
    bool several_;
};

/// One line of --json (man page, "--json").
[[nodiscard]] std::string json_result(const engine::Transfer& transfer, const engine::Outcome& outcome);

/// "put a.txt to s3://b/k": both ends of an item, printable.
[[nodiscard]] std::string both_ends(const engine::Transfer& transfer);

/// "s3tug: put s3://b/k: access denied (...)".
[[nodiscard]] std::string failure_line(const engine::Transfer& transfer, const Error& error);

}  // namespace s3tug::cmd
