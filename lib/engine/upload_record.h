#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process_id.h"
#include "base/time.h"
#include "engine/part_supply.h"
#include "port/files.h"
#include "wire/list_answers.h"

namespace s3tug::engine {

/// What is remembered of a multipart upload, so that another process can go on with it (tables upload and upload_part;
/// design section 4, Resume). Pure: texts in, values and decisions out.
struct UploadRecord {
    std::string origin;  ///< of the store: "https://host:port"
    std::string bucket;
    std::string key;
    std::string path;       ///< of the source; empty: cannot be resumed, kept only to be aborted
    std::string upload_id;  ///< empty: Create is on its way, or its answer was lost
    uint64_t part_size = 0;
    port::FileFacts source;
    std::string write_token;
    std::string options;             ///< digest of what else makes the object: properties, checksum, signature style
    std::optional<ProcessId> owner;  ///< at work on it; none: left for whoever comes
    WallTime started{};
    WallTime touched{};        ///< the owner's last sign of life
    bool create_lost = false;  ///< the answer to a Create was lost since `started`
    bool completing = false;   ///< a Complete was sent: never to be aborted blindly
};
/// In place of the digest of options: equals none, so that nobody goes on with it.
inline constexpr std::string_view only_to_abort = "abort";
/// Is it of a stream, a copy, or a run that may not be gone on with?
[[nodiscard]] bool good_only_to_abort(const UploadRecord& record);
[[nodiscard]] std::string encode(const UploadRecord& record);
[[nodiscard]] std::optional<UploadRecord> decode_upload(std::string_view text);

/// Key of table upload. A changed source has the same key, so that its old upload is found and aborted.
[[nodiscard]] std::string upload_key(const UploadRecord& record);

/// Table upload_part holds up to limits::upload_parts_per_record parts in each record.
[[nodiscard]] std::string parts_key(std::string_view upload_id, unsigned number);
[[nodiscard]] std::string encode(const std::vector<DonePart>& parts);
[[nodiscard]] std::vector<DonePart> decode_parts(std::string_view text);  ///< what is malformed is left out

[[nodiscard]] bool same_source(const port::FileFacts& a, const port::FileFacts& b);
/// An owner that cannot be asked, in another container for example, is believed for a while after its last sign.
[[nodiscard]] bool may_be_at_work(const UploadRecord& record, Liveness owner, WallTime now);

enum class Resume : uint8_t {
    fresh,        ///< nothing known: begin
    leased,       ///< another live process is at it: begin an own upload, leave no record
    lost_create,  ///< a Create whose answer nobody has: begin, then look for what it left
    other,        ///< of another source or with other options: abort it, begin
    go_on,        ///< ask what the store has, send the rest
};
/// @param owner  of the process that `found` names
[[nodiscard]] Resume plan_resume(const std::optional<UploadRecord>& found, const UploadRecord& wanted, Liveness owner,
                                 const ProcessId& self, WallTime now);

/// Is what the store lists as this part our local part? The size and a checksum must be equal: the one in the listing,
/// else the MD5 where the ETag is one.
/// @param local_md5  called only when nothing cheaper decides; lower-case hex. What it fails with is returned.
[[nodiscard]] Result<bool> is_our_part(const wire::ListedPart& listed, const Part& local,
                                       const std::function<Result<std::string>()>& local_md5);

}  // namespace s3tug::engine
