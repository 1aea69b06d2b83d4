#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "engine/part_table.h"
#include "engine/proof.h"
#include "engine/range_sink.h"
#include "engine/transfer.h"

namespace s3tug::engine {

/// What the state file remembers of a download in parts (table `download`), so that the next run with the same source
/// and target fetches only what is missing. It is never believed by itself: the ETag pins every request, and what it
/// says lies on disk is hashed first.
struct DownloadRecord {
    std::string endpoint;  ///< origin
    ObjectPin pin;
    std::string answered_version;  ///< of the object, for the result
    std::optional<WallTime> last_modified;
    Proof proof;
    PartTable parts;  ///< after decode() all that is there is unproven
};

/// Key of the record. `kept_as` is what port::TargetFile::kept_as() gives.
[[nodiscard]] std::string download_key(std::string_view kept_as, const Transfer& transfer);

/// At most limits::state_value_max_bytes: finished parts as a bit map and their CRCs, of unfinished ones the first
/// limits::download_partial_max.
[[nodiscard]] std::string encode(const DownloadRecord& record);
/// nullopt for what is corrupt or contradicts itself.
[[nodiscard]] std::optional<DownloadRecord> decode_download(std::string_view text);

/// Does what is there serve this transfer on this endpoint?
[[nodiscard]] bool serves(const DownloadRecord& record, const Transfer& transfer, std::string_view endpoint);

/// Is it worth keeping when a get ends so? Yes for what is temporary, or what the user can mend without another object
/// or another target (design section 4, Resume).
[[nodiscard]] bool worth_keeping(ErrorKind kind);

}  // namespace s3tug::engine
