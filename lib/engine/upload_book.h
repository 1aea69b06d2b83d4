#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/upload_record.h"
#include "port/clock.h"
#include "port/state_store.h"
#include "wire/uri.h"

namespace s3tug::engine {

/// A multipart upload that the state file knows.
struct KnownUpload {
    UploadRecord record;
    bool at_work = false;  ///< a process that lives holds it
    uint64_t bytes = 0;    ///< of the parts that are recorded as sent
    std::string source;    ///< path; empty where it is of no file: of a stream, a copy
};

/// All of them. What cannot be read is left out: nothing could be done with it.
[[nodiscard]] std::vector<KnownUpload> known_uploads(port::StateStore& state, port::Processes& processes, WallTime now);

/// The upload is no more: its records go.
void forget_upload(port::StateStore& state, const wire::S3Uri& target, const std::string& upload_id);

}  // namespace s3tug::engine
