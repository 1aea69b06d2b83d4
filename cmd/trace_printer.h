#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "base/result.h"
#include "cmd/output.h"
#include "cmd/settings.h"
#include "port/observer.h"

namespace s3tug::cmd {

/// Shows what the engine does: warnings once each (not with --quiet), traces by -v, -vv and -vvv on standard error, and
/// everything as JSON lines in the file of --trace, up to limits::trace_file_max_bytes.
class TracePrinter final : public port::Observer {
  public:
    /// Appends one line to the trace file.
    using TraceFile = std::function<Status(std::string_view line)>;

    TracePrinter(const OutputSettings& settings, Output& output) : settings_(settings), output_(output) {}

    void write_to(TraceFile file, uint64_t bytes_max = limits::trace_file_max_bytes) {
        file_ = std::move(file);
        file_bytes_max_ = bytes_max;
    }

    [[nodiscard]] bool wants(port::EventKind kind) const override;
    void on(const port::TraceEvent& event) override;

  private:
    [[nodiscard]] bool shown(port::EventKind kind) const;
    void warn(const port::TraceEvent& event);
    void write_file(const port::TraceEvent& event);
    void append(const std::string& line);

    const OutputSettings& settings_;
    Output& output_;
    TraceFile file_;
    uint64_t file_bytes_ = 0;
    uint64_t file_bytes_max_ = 0;
    std::set<std::string> warned_;
};

}  // namespace s3tug::cmd
