#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/commands.h"

namespace s3tug::cmd {

/// Every option, in the order of the table (flags_run.h, flags_store.h, flags_trouble.h). A new one needs a row there,
/// a reader in settings.cpp, and nothing else: parser, --help, man page, environment names and config keys follow.
enum class FlagId : uint8_t {
    // General
    config,
    profile,
    state_file,
    no_state,
    json,
    quiet,
    verbose,
    trace,
    progress,
    help,
    version,
    // This run
    dry_run,
    deadline,
    fail_fast,
    max_failures,
    failed_to,
    idempotency_key,
    idempotency_keep,
    no_overwrite,
    if_match,
    no_clobber,
    raw,
    expect_size,
    expect_sha256,
    version_id,
    summarize,
    force,
    older_than,
    abort_on_interrupt,
    // This run: which files and objects
    recursive,
    include,
    exclude,
    files_from,
    from0,
    no_follow_symlinks,
    // Store and connection
    endpoint_url,
    region,
    addressing,
    no_sign_request,
    header,
    ca_file,
    proxy,
    resolve,
    ipv4,
    ipv6,
    connect_timeout,
    answer_timeout,
    stall_timeout,
    limit_rate,
    concurrency,
    memory,
    // When things go wrong
    retries,
    backoff,
    backoff_base,
    backoff_max,
    retry_budget,
    breaker,
    breaker_scope,
    breaker_patience,
    breaker_threshold,
    breaker_window,
    breaker_open,
    breaker_open_max,
    breaker_growth,
    breaker_trials,
    breaker_idle,
    // Proof
    checksum,
    unsigned_payload,
    write_token,
    source_changed,
    part_size,
    multipart_threshold,
    max_parts,
    no_resume,
    spool_dir,
    // Object
    content_type,
    cache_control,
    content_encoding,
    content_disposition,
    storage_class,
    metadata,
};

/// Where else than on the command line an option may be given (design section 2).
enum class Use : uint8_t {
    setting,      ///< S3TUG_ variable and key of the config file
    environment,  ///< S3TUG_ variable only: it says which file or profile is read
    this_time,    ///< command line only: a forgotten export must not delete a tree
};

enum class ValueType : uint8_t {
    toggle,    ///< no value, or =true/=false
    count,     ///< no value, counts; or =N
    text,      ///< any text
    number,    ///< whole number
    size,      ///< base/text.h parse_size
    duration,  ///< base/text.h parse_duration
    choice,    ///< one of `choices`
    list,      ///< text, may be given several times
};

enum class Group : uint8_t { general, run, store, trouble, proof, object };

/// What a SIZE and a DUR may be.
inline constexpr std::string_view value_forms =
    "Sizes take KiB, MiB, GiB (or K, M, G: powers of 1024), KB, MB, GB (of 1000); durations take ms, s, m, h, d, and "
    "without a unit are seconds.";

struct Flag {
    FlagId id;
    std::string_view name;        ///< without dashes
    std::string_view alias = {};  ///< second long name
    char letter = 0;              ///< short name
    ValueType type = ValueType::text;
    std::string_view value = {};  ///< name of the value in help; for choices the choices, separated by '|'
    Use use = Use::setting;
    Group group = Group::general;
    CommandSet commands = sends;
    std::string_view aws = {};       ///< AWS variables with this meaning, blank-separated, strongest first
    std::string_view aws_key = {};   ///< the same for keys of the AWS config file
    std::string_view standard = {};  ///< built-in value, as it would be typed
    std::string_view brief = {};     ///< one line of --help
    std::string_view text = {};      ///< paragraph of the man page, after the brief
    std::string_view example = {};   ///< how it is typed
};

[[nodiscard]] std::span<const Flag> flags();
[[nodiscard]] const Flag& flag(FlagId id);
[[nodiscard]] const Flag* find_flag(std::string_view long_name);  ///< name or alias, without dashes
[[nodiscard]] const Flag* find_flag(char letter);

[[nodiscard]] constexpr bool takes_value(const Flag& f) {
    return f.type != ValueType::toggle && f.type != ValueType::count;
}
[[nodiscard]] std::string environment_name(const Flag& f);  ///< "S3TUG_BACKOFF_BASE"
[[nodiscard]] std::string_view title(Group group);          ///< heading of help and man page
[[nodiscard]] std::vector<std::string_view> choices(const Flag& f);

/// Every long name, with dashes, for "did you mean".
[[nodiscard]] std::vector<std::string> flag_names();

}  // namespace s3tug::cmd
