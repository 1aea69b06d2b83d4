#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "base/error.h"
#include "base/time.h"
#include "wire/batch_requests.h"
#include "wire/object_headers.h"
#include "wire/uri.h"

namespace s3tug::engine {

enum class TransferKind : uint8_t {
    put,
    get,
    remove,
    copy,
    stat,          ///< HEAD of `target`
    abort_upload,  ///< `target` and `upload_id`
    list,          ///< a listing below `target`: never an item of its own, only what names one that failed
};
[[nodiscard]] std::string_view to_string(TransferKind kind);  ///< "put", "get", "delete", "copy", "stat", ...

/// The local side of a put or get.
struct LocalEnd {
    enum class Kind : uint8_t { none, path, stdio } kind = Kind::none;
    std::string path;
    /// Above 0: a file of a tree, and so many bytes of `path`, with their '/', are the folder that the user named; what
    /// follows is its name in the tree.
    std::size_t root_bytes = 0;
};

enum class SourceChanged : uint8_t { fail, warn, snapshot };

/// What the answer of a store said of a failure; zero and empty where there was none.
struct StoreSaid {
    int status = 0;  ///< HTTP
    std::string code = {};
    std::string request_id = {};
};

/// One item: what the user asked for, checked and complete, before anything of the world was touched. Folder targets
/// are resolved already: `target` has its full key, `local` its full path.
struct Transfer {
    TransferKind kind = TransferKind::put;
    LocalEnd local;
    wire::S3Uri source;  ///< get, copy
    wire::S3Uri target;  ///< put, copy, delete
    std::string version_id;
    std::string upload_id;  ///< abort_upload

    /// Planning found that this item cannot be done (a key that would leave the folder, a socket, a listing that
    /// failed): it ends with this error, is counted like any other, and nothing is sent.
    std::optional<Error> refused;
    StoreSaid refused_by;  ///< where an answer to planning is why
    /// remove: these keys of target.bucket go in one DeleteObjects; target.key is empty then. Each is reported as an
    /// item of its own.
    std::vector<wire::DeleteTarget> batch;
    /// move: once the transfer is verified its source is deleted; the item is done when both are.
    bool then_delete_source = false;
    /// Line of the `run` file that it belongs to, from 1; 0 = none.
    std::size_t group = 0;
    /// Names it in messages where it has no end that could: "run line 3".
    std::string label;
    /// What was typed, where the kind does not say it: `cat`, `pipe`, the command that named objects of which there are
    /// none, that of a refused line of a `run` file. Empty text: nobody knows.
    std::optional<std::string> command;
    /// What --failed-to is to write of an item that has no name of its own: a line of --files-from that was refused.
    std::string listed_as;

    wire::ObjectProperties properties;
    bool replace_metadata = false;  ///< copy: properties were given
    wire::WriteConditions conditions;
    bool no_clobber = false;  ///< put/copy: HEAD first, racy, said so; get: do not replace a local file
    bool dry_run = false;
    bool hint_below = false;  ///< get, delete: its key was typed, perhaps for a folder; say where something is below

    std::optional<uint64_t> expect_size;
    std::string expect_sha256;  ///< lower-case hex; empty = none

    std::optional<ChecksumAlgorithm> checksum = ChecksumAlgorithm::crc64nvme;  ///< nullopt: --checksum none
    bool checksum_by_user = false;                                             ///< then never dropped to please a store
    bool unsigned_payload = false;  ///< --unsigned-payload over plain HTTP too
    SourceChanged source_changed = SourceChanged::fail;

    std::string idempotency_key;  ///< full record key (item name added when there are several); empty = none
    Duration idempotency_keep{};
};

/// How one item ended.
struct Outcome {
    std::optional<Error> error;  ///< empty = done and verified
    uint64_t size = 0;
    std::string etag;
    std::string version_id;
    std::string source_etag;  ///< copy: of what was copied
    std::string checksum;     ///< "crc64nvme:BASE64", empty = none known
    unsigned attempts = 0;    ///< requests sent for it, verification included
    Duration elapsed{};
    bool cached = false;   ///< the kept result of an idempotency key; nothing was sent
    bool skipped = false;  ///< --no-clobber and something stands there
    bool dry_run = false;
    bool source_remains = false;             ///< of the error: a move has come to its target, and no further
    int status = 0;                          ///< of the error: HTTP status, 0 when none
    std::string code;                        ///< of the error: S3 code
    std::string request_id;                  ///< of the error
    std::optional<wire::ObjectFacts> facts;  ///< stat
    std::vector<Outcome> of_batch;           ///< one for each of Transfer::batch, in its order

    [[nodiscard]] bool ok() const { return !error.has_value(); }
};

/// "put", "get", ... and "move" for one whose source goes: what it does, by whatever name it was typed.
[[nodiscard]] std::string_view effect_name(const Transfer& transfer);
/// Its command where that is named, else what it does.
[[nodiscard]] std::string_view verb(const Transfer& transfer);

/// "put s3://b/k": how messages and traces name an item.
[[nodiscard]] std::string item_name(const Transfer& transfer);

}  // namespace s3tug::engine
