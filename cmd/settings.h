#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cmd/layers.h"
#include "engine/engine.h"
#include "engine/glob.h"
#include "engine/transfer.h"

namespace s3tug::cmd {

enum class IpChoice : uint8_t { any, v4, v6 };

/// How connections are made; what the transport must know beyond the engine's settings.
struct ConnectionSettings {
    std::string ca_file;
    std::optional<std::string> proxy;  ///< as given; empty = none, nullopt = by the environment, as curl reads it
    std::vector<std::string> resolve;
    IpChoice ip = IpChoice::any;
    uint64_t limit_rate = 0;  ///< bytes per second, 0 = no limit
};

enum class ProgressMode : uint8_t { automatic, bar, log, none };

/// What is told to whom.
struct OutputSettings {
    bool json = false;
    bool quiet = false;
    unsigned verbosity = 0;
    std::string trace_file = {};
    ProgressMode progress = ProgressMode::automatic;
};

/// Which files and objects are meant, where an operand may mean many.
struct TreeSettings {
    bool recursive = false;
    bool follow_links = true;
    bool filtered = false;  ///< there are rules in `filter`
    engine::PathFilter filter;
    std::string files_from = {};  ///< "-" = standard input; empty = no list
};

/// What is kept of many items, and when the run ends before they do.
struct BookkeepingSettings {
    std::string failed_to;                      ///< file for the items that failed; empty = none
    bool zero_ended = false;                    ///< names in it and in --files-from end with NUL
    bool fail_fast = false;                     ///< the first failure ends the run
    std::optional<uint64_t> max_failures = {};  ///< so many failures end the run
};

/// What the command was asked for, all layers taken together: checked, complete, not changed after.
struct Settings {
    OutputSettings output;
    std::vector<std::string> warnings;  ///< about settings; to be told before the command begins
    BookkeepingSettings bookkeeping;

    std::string profile = "default";
    bool profile_explicit = false;  ///< by --profile or S3TUG_PROFILE: then it beats keys in the environment
    bool sign = true;

    bool use_state = true;
    std::string state_file;  ///< empty = the usual places

    ConnectionSettings connection;
    engine::EngineConfig engine;

    /// What every item of this command has in common; its ends are filled in by plan_items.
    engine::Transfer item;
    bool raw_keys = false;
    TreeSettings tree;
    bool summarize = false;              ///< list
    bool force = false;                  ///< uploads
    std::optional<Duration> older_than;  ///< uploads
};

/// Reads every option that applies to the command. Errors: `usage` for what was typed, `config` for variables and
/// files; both name the place and the right form.
[[nodiscard]] Result<Settings> make_settings(const Layers& layers);

}  // namespace s3tug::cmd
