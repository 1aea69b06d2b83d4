#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cmd/output.h"
#include "cmd/progress.h"
#include "cmd/settings.h"
#include "cmd/trace_printer.h"
#include "engine/engine.h"
#include "host/append_file.h"
#include "host/credential_chain.h"
#include "host/curl_transport.h"
#include "host/environment.h"
#include "host/posix_files.h"
#include "host/process_table.h"
#include "host/signal_flag.h"
#include "host/sqlite_state_store.h"
#include "host/system_clock.h"

namespace s3tug::cmd {

/// Everything of the world that a command needs, made once, in the order of need. What runs a command takes a Session
/// and uses what it has opened; nothing else in cmd makes a clock, a transport or a store.
class Session {
  public:
    /// @param settings  outlives the session, as `output` does
    Session(const Settings& settings, host::Environment environment, Output& output);

    /// For commands that send: trace file, state file, certificates, transport, credentials, engine.
    Status open();
    /// For commands that only look at the state file. Fails (`usage`) with --no-state.
    Status open_state_only();

    [[nodiscard]] const Settings& settings() const { return settings_; }
    [[nodiscard]] const host::Environment& environment() const { return environment_; }
    [[nodiscard]] Output& output() { return output_; }
    [[nodiscard]] port::Files& files() { return files_; }
    [[nodiscard]] port::Clock& clock() { return clock_; }
    [[nodiscard]] port::Processes& processes() { return processes_; }
    [[nodiscard]] const std::atomic<int>& stop() const { return signals_.number(); }

    // After open():
    [[nodiscard]] engine::Engine& engine() { return *engine_; }
    [[nodiscard]] port::CredentialSource& credentials() { return *credentials_; }

    // After open() or open_state_only():
    [[nodiscard]] port::StateStore& state();
    [[nodiscard]] host::StateDescription state_file();  ///< nothing in it with --no-state

    /// How progress is shown here. @param to_stdout  the bytes of an object go to standard output
    [[nodiscard]] ProgressStyle progress(bool to_stdout) const;

    void warn(std::string text) { tell(port::EventKind::warning, std::move(text)); }

  private:
    void tell(port::EventKind kind, std::string text);
    Status open_trace();
    Status open_state();
    [[nodiscard]] host::CredentialOptions credential_options() const;

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
    std::unique_ptr<host::CurlTransport> transport_;
    std::optional<host::CredentialChain> credentials_;
    std::optional<engine::Engine> engine_;
};

}  // namespace s3tug::cmd
