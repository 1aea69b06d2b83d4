#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "wire/batch_requests.h"
#include "wire/reply.h"

/// The answer to DeleteObjects: a 200 in which each key has its own outcome (facts/errors.csv, "200 DeleteObjects with
/// <Error> entries").
namespace s3tug::wire {

enum class KeyOutcome : uint8_t {
    deleted,     ///< answered as deleted, or not mentioned in a quiet answer
    failed,      ///< answered with an error
    unanswered,  ///< not mentioned: may be deleted or not
};

struct DeletedKey {
    KeyOutcome outcome = KeyOutcome::unanswered;
    std::string code;  ///< of the error: S3's code, to be classified as that of an answer of its own
    std::string message;
    std::string version_id;      ///< the version that was removed; with `delete_marker` the marker's
    bool delete_marker = false;  ///< a marker was made, or a marker is what was removed
};

/// One outcome for each target, in the order of the request (stores answer in theirs). Needs <DeleteResult>, else
/// `refused`: the outcome of all keys is not known. Where an error cannot be assigned to a key, no silence of a quiet
/// answer counts as success.
[[nodiscard]] Result<std::vector<DeletedKey>> parse_delete_objects(const HttpAnswer& answer,
                                                                   const DeleteObjectsInput& asked);

/// Does a <DeleteResult> hold an error at all? False for what is none.
[[nodiscard]] bool has_failed_keys(const HttpAnswer& answer);

}  // namespace s3tug::wire
