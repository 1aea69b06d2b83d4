#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/services.h"
#include "engine/upload_record.h"
#include "engine/whole_checksum.h"

namespace s3tug::engine {

/// As much of a record as makes its key in the state file. `path`: of the source; empty where it is no file.
[[nodiscard]] UploadRecord page_of(Services& services, const wire::S3Uri& target, const std::string& path);

/// The state file's page about one upload: written at its start, at most once a second while parts arrive, and at its
/// end (design section 5). A page that another live process holds is left alone, and nothing is recorded then.
class UploadJournal {
  public:
    /// @param target  origin, bucket and key, and the path where the source is a file. Until open(), or where another
    ///                process holds the page, what is begun is recorded under a name of its own: nobody goes on with
    ///                it, but it is known, and the next upload to this key aborts it when its process has died.
    UploadJournal(Services& services, UploadRecord target);

    struct Opened {
        Resume resume = Resume::fresh;
        std::optional<UploadRecord> found;  ///< what was there
    };
    /// Claims the page for `wanted`. The found record of an upload that is to be gone on with, or to be aborted first,
    /// stays and is ours now.
    [[nodiscard]] Opened open(UploadRecord wanted);

    [[nodiscard]] bool recorded() const { return ours_ && resumable_; }
    [[nodiscard]] const UploadRecord& record() const { return record_; }

    void set_aside(
        WallTime touched);  ///< the upload found by open() may be completing: its page stays, under a name of its own
    void begin_anew();      ///< the intent of a Create; forgets the parts of before
    void created(const std::string& upload_id, bool create_lost);
    void part_done(const DonePart& part);
    void completing();
    [[nodiscard]] std::vector<DonePart> recorded_parts() const;

    void forget();      ///< done, or aborted
    void leave();       ///< kept for another process
    void leave_lost();  ///< what a Create left whose answer was lost was not found: the next upload looks again
    /// Only good for being aborted later: could not be aborted, or a Complete that was sent `may_land`.
    void leave_to_abort(bool may_land);

    /// What no living process is at work on and nobody will go on with: key of the page, and the page.
    [[nodiscard]] std::vector<std::pair<std::string, UploadRecord>> strays() const;
    void forget_stray(const std::string& key);

  private:
    void take_own_page();
    bool write();
    void flush();
    void erase_parts();

    Services& services_;
    const std::string source_path_;  ///< for a page of its own to tell; empty: of no file
    bool ours_ = false;
    bool resumable_ = false;
    UploadRecord record_;
    UploadRecord wanted_;
    std::vector<DonePart> unwritten_;
    std::optional<Instant> written_at_;
    unsigned highest_part_ = 0;
};

}  // namespace s3tug::engine
