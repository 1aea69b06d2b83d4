#pragma once

#include <mutex>

#include "lab/call.h"

namespace s3tug::lab {

// One function per operation. Each takes the store's mutex for the time it looks or changes.
[[nodiscard]] Answer put_object(Service& service, const Call& call);
[[nodiscard]] Answer get_object(Service& service, const Call& call);  ///< HeadObject too
[[nodiscard]] Answer delete_object(Service& service, const Call& call);
[[nodiscard]] Answer delete_objects(Service& service, const Call& call);
[[nodiscard]] Answer copy_object(Service& service, const Call& call);

[[nodiscard]] Answer list_buckets(Service& service, const Call& call);
[[nodiscard]] Answer bucket_operation(Service& service, const Call& call);
[[nodiscard]] Answer list_objects(Service& service, const Call& call);
[[nodiscard]] Answer list_versions(Service& service, const Call& call);

[[nodiscard]] Answer create_upload(Service& service, const Call& call);
[[nodiscard]] Answer upload_part(Service& service, const Call& call);  ///< UploadPartCopy too
[[nodiscard]] Answer complete_upload(Service& service, const Call& call);
[[nodiscard]] Answer abort_upload(Service& service, const Call& call);
[[nodiscard]] Answer list_parts(Service& service, const Call& call);
[[nodiscard]] Answer list_uploads(Service& service, const Call& call);

/// If-Match and If-None-Match of a write against what stands there now. Caller holds the mutex.
[[nodiscard]] std::optional<S3Error> check_write_conditions(const Service& service, const Call& call,
                                                            const ObjectPtr& current);
/// Whether a list of ETags, or `*`, names this one. Quotes may be missing on either side.
[[nodiscard]] bool etag_listed(std::string_view list, std::string_view etag);

/// `hide`: look-ups of the key say 404 for a while. Caller holds the mutex.
void hide_if_told(Bucket& bucket, const Call& call);

/// The headers that S3 keeps with an object.
[[nodiscard]] Fields kept_headers(const Head& head);

[[nodiscard]] std::string quoted_etag(const Service& service, std::string_view etag);
[[nodiscard]] std::string etag_of(const Service& service, std::string_view md5);

/// `x-amz-checksum-*` headers, and the type of an object's (parts have none).
void add_checksum_headers(Fields& headers, const Checksums& checksums, std::optional<bool> composite);
[[nodiscard]] std::string checksum_elements(const Checksums& checksums, std::optional<bool> composite);
/// "ChecksumCRC32C"
[[nodiscard]] std::string checksum_element_name(Algorithm algorithm);
[[nodiscard]] std::string digest_of(Algorithm algorithm, const Content& content);

/// The source of a copy, pinned and checked.
struct CopySource {
    ObjectPtr object;
    std::string bucket;
    std::string key;
    bool version_named = false;
};
[[nodiscard]] std::variant<CopySource, S3Error> find_copy_source(Service& service, const Call& call);

/// `bytes=a-b` cut to the size. Empty: no usable range, the whole is meant. `unsatisfiable`: 416.
struct Range {
    uint64_t offset = 0;
    uint64_t length = 0;
    bool unsatisfiable = false;
};
[[nodiscard]] std::optional<Range> parse_range(std::string_view text, uint64_t size);

}  // namespace s3tug::lab
