#include "cmd/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "cmd/version.h"
#include "host/entropy.h"
#include "host/memory_state_store.h"
#include "host/terminal.h"

namespace s3tug::cmd {
namespace {

/// Which settings are in force, for the trace: an incident often begins with a wrong belief about them.
std::string in_force(const Settings& settings) {
    const engine::EngineConfig& e = settings.engine;
    return fmt::format(
        "s3tug {} {} region {}; {} retries, {} from {} to {}; connect {}, answer {}, stall {}; deadline {}", version(),
        wire::origin(e.endpoint), e.endpoint.region, e.retry.retries, policy::to_string(e.retry.backoff.kind),
        format_duration(e.retry.backoff.base), format_duration(e.retry.backoff.max),
        format_duration(e.timeouts.connect), format_duration(e.timeouts.answer),
        format_duration(e.timeouts.stall_window), e.deadline ? format_duration(*e.deadline) : "none");
}

host::TransportConfig transport_config(const Settings& settings, const host::StopSignal& stop) {
    host::TransportConfig config;
    config.user_agent = fmt::format("s3tug/{}", version());
    config.ca_file = settings.connection.ca_file;
    config.proxy = settings.connection.proxy;
    config.resolve = settings.connection.resolve;
    config.ip_version = settings.connection.ip == IpChoice::v4   ? host::IpVersion::v4
                        : settings.connection.ip == IpChoice::v6 ? host::IpVersion::v6
                                                                 : host::IpVersion::any;
    config.connect_timeout = settings.engine.timeouts.connect;
    config.limit_rate = settings.connection.limit_rate;
    config.max_connections = settings.engine.pace.concurrency_max;
    config.wake_fd = stop.wake_fd;
    return config;
}

}  // namespace

Session::Session(const Settings& settings, host::Environment environment, Output& output)
    : settings_(settings),
      environment_(std::move(environment)),
      output_(output),
      files_(clock_, signals_.stop()),
      printer_(settings.output, output) {}

ProgressStyle Session::progress(bool to_stdout) const {
    ProgressPlace place;
    place.terminal = host::terminal_width(STDERR_FILENO).has_value();
    const std::string term = environment_.get("TERM").value_or("");
    place.dumb = term.empty() || term == "dumb";
    const std::string ci = environment_.get("CI").value_or("");
    place.ci = !ci.empty() && ci != "false" && ci != "0";
    place.shared_with_data = to_stdout && host::terminal_width(STDOUT_FILENO).has_value();
    return progress_style(settings_.output.progress, settings_.output.quiet, place);
}

void Session::tell(port::EventKind kind, std::string text) {
    if (!printer_.wants(kind)) return;
    port::TraceEvent event;
    event.kind = kind;
    event.wall = clock_.wall();
    event.why = std::move(text);
    printer_.on(event);
}

Status Session::open() {
    if (Status status = open_trace(); !status) return status;
    if (Status status = open_state(); !status) return status;
    if (const std::string& ca = settings_.connection.ca_file; !ca.empty()) {
        if (const auto found = files_.stat(ca); !found)
            return Error{ErrorKind::config, "--ca-file: " + found.error().message};
    }
    Result<std::unique_ptr<host::CurlTransport>> transport =
        host::CurlTransport::create(transport_config(settings_, signals_.stop()), clock_);
    if (!transport) return std::move(transport).error();
    transport_ = *std::move(transport);
    if (printer_.wants(port::EventKind::note)) tell(port::EventKind::note, in_force(settings_));
    credentials_.emplace(environment_, credential_options());
    engine_.emplace(engine::Ports{clock_, processes_, *transport_, files_, state(), *credentials_, printer_},
                    settings_.engine, Rng(host::random_seed()));
    return {};
}

Status Session::open_state_only() {
    if (!settings_.use_state) {
        return Error{ErrorKind::usage, "state: needs the state file, which --no-state switches off"};
    }
    return open_state();
}

Status Session::open_trace() {
    if (settings_.output.trace_file.empty()) return {};
    if (settings_.output.trace_file == "-") {
        printer_.write_to([this](std::string_view line) {
            output_.talk(line);
            return Status();
        });
        return {};
    }
    Result<host::AppendFile> file = host::AppendFile::open(settings_.output.trace_file);
    if (!file) return std::move(file).error().with_context("trace file");
    trace_file_ = *std::move(file);
    printer_.write_to([this](std::string_view line) { return trace_file_->write_line(line); });
    return {};
}

Status Session::open_state() {
    if (!settings_.use_state) {
        memory_ = std::make_unique<host::MemoryStateStore>(clock_);
        return {};
    }
    host::SqliteStateStoreOptions options;
    options.place.explicit_file = settings_.state_file;
    options.place.environment = environment_;
    // A file that was asked for and does not work ends the command: then "goes on without it" would be wrong.
    options.warn = [this, required = !settings_.state_file.empty()](std::string text) {
        if (!required || state_checked_) tell(port::EventKind::warning, std::move(text));
    };
    options.note = [this](std::string text) { tell(port::EventKind::note, std::move(text)); };
    options.seed = host::random_seed();
    sqlite_.emplace(std::move(options), clock_);
    if (settings_.state_file.empty()) return {};
    Status usable = sqlite_->check();
    state_checked_ = true;
    return usable;
}

port::StateStore& Session::state() {
    if (sqlite_) return *sqlite_;
    return *memory_;
}

host::StateDescription Session::state_file() { return sqlite_ ? sqlite_->describe() : host::StateDescription(); }

host::CredentialOptions Session::credential_options() const {
    host::CredentialOptions options;
    options.sign = settings_.sign;
    if (settings_.profile_explicit) options.profile = settings_.profile;
    options.interrupted = [stop = signals_.stop()] { return stop.raised(); };
    if (settings_.engine.deadline)
        options.process_timeout = std::min(options.process_timeout, *settings_.engine.deadline);
    return options;
}

}  // namespace s3tug::cmd
