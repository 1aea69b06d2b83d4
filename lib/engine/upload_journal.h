#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/services.h"
#include "engine/upload_record.h"
#include "engine/whole_checksum.h"

namespace s3tug::engine {

/// The state file's page about one upload: written at its start, at most once a second while parts arrive, and at its
/// end (design section 5). A page that another live process holds is left alone, and nothing is recorded then.
class UploadJournal {
  public:
    UploadJournal(Services& services, bool enabled) : services_(services), enabled_(enabled) {}

    struct Opened {
        Resume resume = Resume::fresh;
        std::optional<UploadRecord> found;  ///< what was there
    };
    /// Claims the page for `wanted`. The found record of an upload that is to be gone on with, or to be aborted first,
    /// stays and is ours now.
    [[nodiscard]] Opened open(UploadRecord wanted);

    [[nodiscard]] bool recorded() const { return ours_; }
    [[nodiscard]] const UploadRecord& record() const { return record_; }

    void begin_anew();  ///< the intent of a Create; forgets the parts of before
    void created(const std::string& upload_id, bool create_lost);
    void part_done(const DonePart& part);
    void completing();
    [[nodiscard]] std::vector<DonePart> recorded_parts() const;

    void forget();          ///< done, or aborted
    void leave();           ///< kept for another process
    void leave_to_abort();  ///< could not be aborted: only good for being aborted later

  private:
    bool write();
    void flush();
    void erase_parts();

    Services& services_;
    bool enabled_;
    bool ours_ = false;
    UploadRecord record_;
    UploadRecord wanted_;
    std::vector<DonePart> unwritten_;
    std::optional<Instant> written_at_;
    unsigned highest_part_ = 0;
};

}  // namespace s3tug::engine
