#pragma once

#include <cstdint>
#include <string>

namespace s3tug {

/// Names one process beyond pid reuse, reboots and containers (facts/breaker.md section 4, "Crash while holding a
/// permit"): the start time tells a reused pid apart, the boot id another boot, the namespace another container.
struct ProcessId {
    int64_t pid = 0;
    uint64_t start_ticks = 0;    ///< field 22 of /proc/PID/stat
    std::string boot_id;         ///< /proc/sys/kernel/random/boot_id
    uint64_t pid_namespace = 0;  ///< inode of /proc/self/ns/pid
    bool operator==(const ProcessId&) const = default;
};

enum class Liveness { alive, dead, unknown };  ///< unknown: another pid namespace, or /proc cannot tell

}  // namespace s3tug
