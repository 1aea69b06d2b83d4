#include "cmd/run.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <optional>
#include <system_error>

#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/exit_code.h"
#include "cmd/help.h"
#include "cmd/load_settings.h"
#include "cmd/man_page.h"
#include "cmd/output.h"
#include "cmd/plan_items.h"
#include "cmd/report.h"
#include "cmd/state_command.h"
#include "cmd/trace_printer.h"
#include "cmd/version.h"
#include "engine/engine.h"
#include "host/append_file.h"
#include "host/credential_chain.h"
#include "host/curl_transport.h"
#include "host/entropy.h"
#include "host/memory_state_store.h"
#include "host/posix_files.h"
#include "host/process_table.h"
#include "host/signal_flag.h"
#include "host/sqlite_state_store.h"
#include "host/system_clock.h"

namespace s3tug::cmd {
namespace {

int fail(Output& output, const Error& error) {
    output.talk("s3tug: " + error.message);
    return exit_code_of(error.kind);
}

/// What could not be written to standard output changes the end: the reader went away, or the disk is full.
int end_with(int code, Output& output) {
    const int failure = output.data_error();
    if (failure == 0) return code;
    if (failure == EPIPE) return exit_code_of(ErrorKind::broken_pipe);
    return fail(output, {ErrorKind::cannot_write, "standard output: " + std::generic_category().message(failure)});
}

int print_page(std::string text, Output& output) {
    if (text.ends_with('\n')) text.pop_back();
    output.data(text);
    return end_with(exit_ok, output);
}

int generate(const Invocation& call, Output& output) {
    const std::string what = call.operands.size() == 1 ? call.operands.front() : "";
    if (what == "man") return print_page(man_page(), output);
    if (what == "examples") return print_page(example_lines(), output);
    return fail(output,
                {ErrorKind::usage, fmt::format("generate: right form: s3tug generate {}", call.command->operands)});
}

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

/// Everything of the world that a command needs, made once, in the order of need.
class Session {
  public:
    Session(const Settings& settings, host::Environment environment, Output& output)
        : settings_(settings),
          environment_(std::move(environment)),
          output_(output),
          files_(clock_, signals_.stop()),
          printer_(settings.output, output) {}

    Status open_trace();
    Status open_state();
    [[nodiscard]] int transfer(CommandId command, const std::vector<std::string>& operands);
    [[nodiscard]] int state(const std::vector<std::string>& operands);

  private:
    void tell(port::EventKind kind, std::string text);
    [[nodiscard]] host::CredentialOptions credential_options() const;
    [[nodiscard]] int code_of(const std::vector<engine::Outcome>& outcomes) const;

    const Settings& settings_;
    host::Environment environment_;
    Output& output_;
    host::SystemClock clock_;
    host::SignalFlag signals_;
    host::ProcessTable processes_;
    host::PosixFiles files_;
    std::optional<host::AppendFile> trace_file_;
    TracePrinter printer_;
    std::optional<host::SqliteStateStore> sqlite_;
    bool state_checked_ = false;
    std::unique_ptr<port::StateStore> memory_;
};

void Session::tell(port::EventKind kind, std::string text) {
    if (!printer_.wants(kind)) return;
    port::TraceEvent event;
    event.kind = kind;
    event.wall = clock_.wall();
    event.why = std::move(text);
    printer_.on(event);
}

Status Session::open_trace() {
    if (settings_.output.trace_file.empty()) return {};
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

host::CredentialOptions Session::credential_options() const {
    host::CredentialOptions options;
    options.sign = settings_.sign;
    if (settings_.profile_explicit) options.profile = settings_.profile;
    options.interrupted = [stop = signals_.stop()] { return stop.raised(); };
    return options;
}

int Session::code_of(const std::vector<engine::Outcome>& outcomes) const {
    const int code = exit_code_of(outcomes);
    // Only the signal itself says which of the two it was.
    const int signal = signals_.number().load();
    return code == exit_code_of(ErrorKind::interrupted) && signal != 0 ? exit_code_of_signal(signal) : code;
}

int Session::transfer(CommandId command, const std::vector<std::string>& operands) {
    const Result<std::vector<engine::Transfer>> items = plan_items(command, operands, settings_, files_);
    if (!items) return fail(output_, items.error());
    if (Status status = open_trace(); !status) return fail(output_, status.error());
    if (Status status = open_state(); !status) return fail(output_, status.error());
    Result<std::unique_ptr<host::CurlTransport>> transport =
        host::CurlTransport::create(transport_config(settings_, signals_.stop()), clock_);
    if (!transport) return fail(output_, transport.error());
    if (printer_.wants(port::EventKind::note)) tell(port::EventKind::note, in_force(settings_));

    host::CredentialChain credentials(environment_, credential_options());
    port::StateStore& state = sqlite_ ? *sqlite_ : *memory_;
    engine::Engine engine({clock_, processes_, **transport, files_, state, credentials, printer_}, settings_.engine,
                          Rng(host::random_seed()));
    Report report(settings_.output, output_, items->size() > 1);
    const std::vector<engine::Outcome> outcomes = engine.run(
        *items,
        [&report](const engine::Transfer& item, const engine::Outcome& outcome) { report.item_done(item, outcome); },
        signals_.number());
    report.all_done(*items, outcomes);
    return end_with(code_of(outcomes), output_);
}

int Session::state(const std::vector<std::string>& operands) {
    if (!settings_.use_state) {
        return fail(output_, {ErrorKind::usage, "state: needs the state file, which --no-state switches off"});
    }
    if (Status status = open_state(); !status) return fail(output_, status.error());
    policy::BreakerNow now;
    now.now = clock_.now();
    now.wall = clock_.wall();
    now.boot_id = processes_.self().boot_id;
    const Status done = run_state_command(operands, settings_, sqlite_->describe(), *sqlite_, now, output_);
    return end_with(done ? exit_ok : fail(output_, done.error()), output_);
}

}  // namespace

int run(std::span<const std::string> args) {
    StandardOutput output;
    Result<Invocation> call = parse_command_line(args);
    if (!call) return fail(output, call.error());
    if (call->mode == Invocation::Mode::help) return print_page(help_text(call->command), output);
    if (call->mode == Invocation::Mode::version) return print_page(version_text(), output);
    if (call->command->id == CommandId::generate) return generate(*call, output);

    host::Environment environment = host::Environment::system();
    Result<Settings> settings = load_settings(*call, environment);
    if (!settings) return fail(output, settings.error());
    Session session(*settings, std::move(environment), output);
    if (call->command->id == CommandId::state) return session.state(call->operands);
    return session.transfer(call->command->id, call->operands);
}

}  // namespace s3tug::cmd
