#pragma once

#include <optional>
#include <string>

#include "engine/download_record.h"
#include "engine/services.h"
#include "port/files.h"

namespace s3tug::engine {

/// The part file and its record in the state file, which stay or go together. Written once a second while bytes
/// come, and where they come fast, each time that DownloadConfig::record_bytes have come. A state file that does not
/// work only means that nothing is kept.
class KeptDownload {
  public:
    /// `target` outlives it. With `wanted` false, or a target that cannot keep anything, all calls do nothing.
    KeptDownload(Services& services, const Transfer& transfer, port::TargetFile& target, bool wanted);

    /// What an earlier run left for this transfer. From then on it stays however this one ends, unless drop() is
    /// called.
    [[nodiscard]] std::optional<DownloadRecord> find();
    void save(const DownloadRecord& record);
    void save_now_and_then(const DownloadRecord& record);
    /// Forgets the record; the part file goes when the target does.
    void drop();
    [[nodiscard]] bool stays() const { return recorded_; }

  private:
    Services& services_;
    port::TargetFile& target_;
    /// Empty: nothing is kept. Asked for only when something is, since it costs system calls.
    const std::string& key();
    const Transfer& transfer_;
    bool wanted_;
    std::optional<std::string> key_;
    std::string last_;
    Instant saved_at_{};
    uint64_t saved_bytes_ = 0;  ///< that the last record tells of
    bool recorded_ = false;
};

}  // namespace s3tug::engine
