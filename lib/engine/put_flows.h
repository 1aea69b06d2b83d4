#pragma once

#include <memory>

#include "engine/bodies.h"
#include "engine/body_parts.h"
#include "engine/flow.h"
#include "engine/multipart_flow.h"

/// The ways to put one object; make_put() (engine/flow.h) takes the one that fits the source, once it is open.
namespace s3tug::engine {

/// One PutObject.
[[nodiscard]] std::unique_ptr<Flow> make_single_put(Services& services, const Transfer& transfer,
                                                    std::unique_ptr<UploadBody> body);

/// A multipart upload of a body that is there as a whole. With `source` it is a file, and another process can go on
/// with the upload.
[[nodiscard]] Result<std::unique_ptr<Flow>> make_multipart_put(Services& services, const Transfer& transfer,
                                                               std::unique_ptr<UploadBody> body,
                                                               const std::optional<port::FileFacts>& source);

/// A multipart upload of a stream whose length nobody knows, begun with what was read of it. Cannot be gone on with by
/// another process: aborted when it fails.
[[nodiscard]] std::unique_ptr<Flow> make_stream_put(Services& services, const Transfer& transfer,
                                                    std::unique_ptr<port::SourceFile> stream,
                                                    std::unique_ptr<UploadBody> beginning);

/// What puts have in common with each other, for those that are made of parts.
[[nodiscard]] MultipartJob put_job(const Transfer& transfer);
[[nodiscard]] PartStyle part_style(const Services& services, const Transfer& transfer);

/// What makes the object besides its bytes and its key (UploadRecord::options): an upload that was begun with other
/// properties is not gone on with.
[[nodiscard]] std::string upload_options(const Transfer& put, TokenMode token);

/// Over plain HTTP the body's SHA-256 goes into the signature, unless the user does without.
[[nodiscard]] inline bool signs_payload(const EngineConfig& config, const Transfer& transfer) {
    return !config.endpoint.tls && !transfer.unsigned_payload;
}

}  // namespace s3tug::engine
