#pragma once

#include <optional>
#include <string>

#include "port/clock.h"

namespace s3tug::host {

/// Processes through /proc. A process is named by pid, start time, boot id and pid namespace, so that a reused pid, a
/// reboot or a container cannot be taken for it (facts/breaker.md section 4, "Crash while holding a permit").
class ProcessTable final : public port::Processes {
  public:
    /// Reads nothing yet: most runs never ask.
    explicit ProcessTable(std::string proc_folder = "/proc");

    /// Fields that /proc does not give stay 0 or empty.
    [[nodiscard]] const ProcessId& self() override;

    /// dead: another boot, no such process, another start time, or a zombie. unknown: another pid namespace (a
    /// container on this machine), or /proc cannot tell; then only the end of its lease counts.
    [[nodiscard]] Liveness liveness(const ProcessId& other) override;

  private:
    std::string proc_;
    std::optional<ProcessId> self_;
};

}  // namespace s3tug::host
