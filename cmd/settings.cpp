#include "cmd/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"
#include "cmd/item_settings.h"
#include "cmd/proxy.h"
#include "cmd/reader.h"
#include "wire/endpoint.h"

namespace s3tug::cmd {
namespace {

void read_output(Reader& read, Settings& out) {
    read.toggle(FlagId::json, out.output.json);
    read.toggle(FlagId::quiet, out.output.quiet);
    if (const auto level = read.number(FlagId::verbose, 0, 9)) out.output.verbosity = static_cast<unsigned>(*level);
    read.text(FlagId::trace, out.output.trace_file);
    constexpr std::array by_place = {ProgressMode::automatic, ProgressMode::bar, ProgressMode::log, ProgressMode::none};
    if (const auto mode = read.choice(FlagId::progress)) out.output.progress = by_place.at(*mode);
}

void read_bookkeeping(Reader& read, Settings& out) {
    BookkeepingSettings& keep = out.bookkeeping;
    if (const std::optional<Found> file = read.layers().find(FlagId::failed_to)) {
        if (file->text.empty() || file->text == "-") return read.fail(*file, "a file name is needed");
        keep.failed_to = file->text;
    }
    read.toggle(FlagId::fail_fast, keep.fail_fast);
    keep.max_failures = read.number(FlagId::max_failures, 1, limits::failures_set_max);
}

void read_state(Reader& read, Settings& out) {
    bool no_state = false;
    read.toggle(FlagId::no_state, no_state);
    out.use_state = !no_state;
    const std::optional<Found> file = read.layers().find(FlagId::state_file);
    if (file && file->text.empty()) return read.fail(*file, "a file name is missing");
    if (file) out.state_file = file->text;
    if (file && file->typed && no_state) read.fail(*file, "contradicts --no-state");
}

void read_profile(Reader& read, Settings& out) {
    const std::optional<Found> profile = read.layers().find(FlagId::profile);
    if (!profile) return;
    if (profile->text.empty()) return read.fail(*profile, "a profile name is missing");
    out.profile = profile->text;
    out.profile_explicit = profile->typed || profile->origin == environment_name(flag(FlagId::profile));
}

void read_endpoint(Reader& read, Settings& out) {
    constexpr std::array by_place = {wire::Addressing::automatic, wire::Addressing::path,
                                     wire::Addressing::virtual_host};
    const auto style = read.choice(FlagId::addressing);
    const wire::Addressing addressing = style ? by_place.at(*style) : wire::Addressing::automatic;

    const std::optional<Found> region = read.layers().find(FlagId::region);
    const std::string region_name = region ? region->text : std::string(flag(FlagId::region).standard);
    if (region && !wire::valid_region(region_name)) {
        return read.fail(*region, fmt::format("'{}' is not a region: letters, digits and '-', as in eu-central-1",
                                              printable(region_name, 63)));
    }
    const std::optional<Found> url = read.layers().find(FlagId::endpoint_url);
    Result<wire::Endpoint> endpoint =
        url ? wire::parse_endpoint(url->text, region_name, addressing) : wire::aws_endpoint(region_name, addressing);
    if (endpoint) {
        out.engine.endpoint = *std::move(endpoint);
    } else if (url) {
        read.fail(*url, endpoint.error().message);
    } else {
        read.fail(std::move(endpoint).error());
    }
}

/// [+]HOST:PORT:ADDRESS[,ADDRESS]; what the addresses are is left to libcurl.
bool is_resolve_entry(std::string_view text) {
    const std::size_t host_end = text.find(':');
    if (host_end == std::string_view::npos || host_end == 0) return false;
    const std::size_t port_end = text.find(':', host_end + 1);
    if (port_end == std::string_view::npos || port_end + 1 == text.size()) return false;
    unsigned port = 0;
    const char* end = text.data() + port_end;
    const auto [rest, error] = std::from_chars(text.data() + host_end + 1, end, port);
    return error == std::errc() && rest == end && port >= 1 && port <= 65535;
}

void read_connection(Reader& read, Settings& out) {
    read.text(FlagId::ca_file, out.connection.ca_file);
    if (const std::optional<Found> proxy = read.layers().find(FlagId::proxy)) {
        if (const Status fine = check_proxy(proxy->text); !fine) return read.fail(*proxy, fine.error().message);
        out.connection.proxy = proxy->text;
    }
    out.engine.proxy =
        out.connection.proxy ? *out.connection.proxy : proxy_from_environment(read.layers(), out.engine.endpoint);
    for (Found& entry : read.layers().all(FlagId::resolve)) {
        if (!is_resolve_entry(entry.text)) {
            return read.fail(entry, fmt::format("'{}' is not HOST:PORT:ADDRESS", printable(entry.text)));
        }
        out.connection.resolve.push_back(std::move(entry.text));
    }
    bool v4 = false;
    bool v6 = false;
    read.toggle(FlagId::ipv4, v4);
    read.toggle(FlagId::ipv6, v6);
    if (v4 && v6) return read.fail(Error{ErrorKind::usage, "-4 and -6 contradict each other"});
    out.connection.ip = v4 ? IpChoice::v4 : v6 ? IpChoice::v6 : IpChoice::any;
    std::optional<uint64_t> rate;
    read.size(FlagId::limit_rate, 1, rate);
    out.connection.limit_rate = rate.value_or(0);
    bool unsigned_requests = false;
    read.toggle(FlagId::no_sign_request, unsigned_requests);
    out.sign = !unsigned_requests;
}

void read_bounds(Reader& read, Settings& out) {
    engine::Timeouts& bounds = out.engine.timeouts;
    read.duration(FlagId::connect_timeout, limits::deadline_max, bounds.connect);
    read.duration(FlagId::answer_timeout, limits::deadline_max, bounds.answer);
    bounds.slow_answer = std::max(bounds.slow_answer, bounds.answer);
    read.duration(FlagId::stall_timeout, limits::deadline_max, bounds.stall_window);
    Duration deadline{};
    read.duration(FlagId::deadline, limits::deadline_max, deadline);
    if (deadline > Duration::zero()) out.engine.deadline = deadline;

    std::optional<uint64_t> memory;
    read.size(FlagId::memory, limits::memory_least, memory);
    out.engine.multipart.stream_memory = memory.value_or(limits::memory_default) - limits::memory_fixed;

    const std::optional<Found> concurrency = read.layers().find(FlagId::concurrency);
    if (!concurrency || concurrency->text == "auto") return;
    if (const auto n = read.number(FlagId::concurrency, 1, limits::concurrency_set_max)) {
        out.engine.pace.concurrency_start = out.engine.pace.concurrency_max = static_cast<unsigned>(*n);
        out.engine.pace.pinned = true;
    }
}

void read_retries(Reader& read, Settings& out) {
    constexpr std::array by_place = {policy::BackoffKind::exponential,  policy::BackoffKind::full_jitter,
                                     policy::BackoffKind::equal_jitter, policy::BackoffKind::decorrelated,
                                     policy::BackoffKind::linear,       policy::BackoffKind::fixed};
    policy::RetryConfig& retry = out.engine.retry;
    if (const auto n = read.number(FlagId::retries, 0, limits::retries_max)) retry.retries = static_cast<unsigned>(*n);
    if (const auto kind = read.choice(FlagId::backoff)) retry.backoff.kind = by_place.at(*kind);
    read.duration(FlagId::backoff_base, limits::backoff_max, retry.backoff.base);
    read.duration(FlagId::backoff_max, limits::backoff_max, retry.backoff.max);
    if (retry.backoff.base > retry.backoff.max) {
        // Named is the one that was set; a base alone above the built-in longest wait raises that.
        if (const auto longest = read.layers().find(FlagId::backoff_max)) {
            read.fail(*longest, fmt::format("{} is less than the first wait, {}", format_duration(retry.backoff.max),
                                            format_duration(retry.backoff.base)));
        } else {
            retry.backoff.max = retry.backoff.base;
        }
    }
    const policy::BackoffConfig standard;
    retry.backoff.eases =
        retry.backoff.kind == standard.kind && retry.backoff.base == standard.base && retry.backoff.max == standard.max;
    if (const auto n = read.number(FlagId::retry_budget, static_cast<uint64_t>(limits::budget_cost_transient),
                                   limits::budget_tokens_set_max)) {
        out.engine.budget.capacity = static_cast<int64_t>(*n);
    }
}

void read_breaker(Reader& read, Settings& out) {
    constexpr std::array by_place = {engine::BreakerMode::on, engine::BreakerMode::off, engine::BreakerMode::wait};
    policy::BreakerConfig& breaker = out.engine.breaker;
    const auto count = [&read](FlagId id, uint64_t lowest, uint64_t highest, unsigned& value) {
        if (const auto n = read.number(id, lowest, highest)) value = static_cast<unsigned>(*n);
    };
    if (const auto mode = read.choice(FlagId::breaker)) out.engine.breaker_mode = by_place.at(*mode);
    out.engine.breaker_per_bucket = read.choice(FlagId::breaker_scope).value_or(0) == 1;
    read.duration(FlagId::breaker_patience, limits::deadline_max, out.engine.breaker_patience);
    count(FlagId::breaker_threshold, 1, limits::breaker_threshold_set_max, breaker.threshold);
    count(FlagId::breaker_trials, 1, limits::breaker_trials_set_max, breaker.trials);
    count(FlagId::breaker_growth, 100, limits::breaker_growth_percent_set_max, breaker.growth_percent);
    read.duration(FlagId::breaker_window, limits::deadline_max, breaker.failure_window);
    read.duration(FlagId::breaker_open, limits::deadline_max, breaker.open_for);
    read.duration(FlagId::breaker_open_max, limits::deadline_max, breaker.open_for_max);
    read.duration(FlagId::breaker_idle, limits::deadline_max, breaker.half_open_idle);
    breaker.open_for_max = std::max(breaker.open_for_max, breaker.open_for);
}

void read_proof(Reader& read, Settings& out) {
    constexpr std::array by_place = {engine::TokenMode::automatic, engine::TokenMode::on, engine::TokenMode::off};
    if (const auto mode = read.choice(FlagId::write_token)) out.engine.write_token = by_place.at(*mode);
    read.text(FlagId::spool_dir, out.engine.spool_folder);
    if (out.engine.spool_folder.empty()) out.engine.spool_folder = read.layers().variable("TMPDIR").value_or("/tmp");
}

void read_multipart(Reader& read, Settings& out) {
    engine::MultipartConfig& multipart = out.engine.multipart;
    std::optional<uint64_t> part_size;
    read.size(FlagId::part_size, limits::part_min_bytes, part_size);
    if (part_size && *part_size > limits::part_max_bytes)
        return read.fail(*read.layers().find(FlagId::part_size), "S3's largest part has 5 GiB");
    // A size that was asked for is that of every request; without one they grow where that costs nothing.
    if (part_size) {
        multipart.part_size = *part_size;
        out.engine.download.part_bytes = *part_size;
        out.engine.download.parts_per_request = 1;
        out.engine.download.threshold = 2 * *part_size;
    } else {
        multipart.part_growth = limits::part_growth;
    }
    std::optional<uint64_t> threshold;
    read.size(FlagId::multipart_threshold, 0, threshold);
    multipart.threshold = threshold.value_or(multipart.threshold);
    if (const auto n = read.number(FlagId::max_parts, 1, limits::parts_max))
        multipart.parts_max = static_cast<unsigned>(*n);
    bool no_resume = false;
    read.toggle(FlagId::no_resume, no_resume);
    multipart.resume = !no_resume;
    read.toggle(FlagId::abort_on_interrupt, multipart.abort_on_interrupt);
    out.engine.download.resume = !no_resume;
}

}  // namespace

Result<Settings> make_settings(const Layers& layers) {
    Settings out;
    Reader read(layers);
    read_output(read, out);
    read_profile(read, out);
    read_state(read, out);
    read_breaker(read, out);
    if ((set_of(layers.invocation().command->id) & sends) != 0) {
        read_bookkeeping(read, out);
        read_endpoint(read, out);
        read_connection(read, out);
        read_bounds(read, out);
        read_retries(read, out);
        read_proof(read, out);
        read_multipart(read, out);
        read_item(read, out);
    }
    if (Status status = read.status(); !status) return std::move(status).error();
    for (const std::string& name : layers.ignored_variables()) {
        out.warnings.push_back(
            fmt::format("{} is set and ignored: this option is taken from the command line only", name));
    }
    return out;
}

}  // namespace s3tug::cmd
