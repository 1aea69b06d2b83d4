#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lab/bytes.h"
#include "lab/content.h"
#include "lab/digest.h"

namespace s3tug::lab {

using Checksums = std::map<Algorithm, std::string>;  ///< base64 values

struct PartInfo {
    uint64_t size = 0;
    Checksums checksums;
};

/// One version of an object, or a delete marker. Immutable once stored.
struct Object {
    std::string version_id = "null";
    bool delete_marker = false;
    Content content;
    std::string etag;         ///< without quotes
    int64_t modified_ms = 0;  ///< the server's clock
    Fields headers;           ///< what is kept and echoed: content-type, x-amz-meta-*, ...
    Checksums checksums;
    bool composite = false;  ///< checksums are over those of the parts, with -N
    std::vector<PartInfo> parts;
};

using ObjectPtr = std::shared_ptr<const Object>;

struct Part {
    Content content;
    std::string etag;
    std::string md5;  ///< raw
    Checksums checksums;
    int64_t modified_ms = 0;
};

struct Upload {
    std::string key;
    int64_t started_ms = 0;
    Fields headers;
    std::optional<Algorithm> checksum;
    bool full_object = false;
    std::map<uint64_t, Part> parts;
    bool completed = false;  ///< kept for stores that answer a second Complete with 200
    std::string completed_etag;
};

struct Bucket {
    enum class Versioning { never, enabled, suspended } versioning = Versioning::never;
    int64_t created_ms = 0;
    std::map<std::string, std::vector<ObjectPtr>> keys;  ///< versions of each, oldest first
    std::map<std::string, Upload> uploads;
    std::map<std::string, uint64_t> hidden;  ///< key -> how many look-ups still say 404

    /// The current version; null when there is none or it is a delete marker.
    [[nodiscard]] ObjectPtr current(const std::string& key) const;
    /// Also a delete marker.
    [[nodiscard]] ObjectPtr newest(const std::string& key) const;
    [[nodiscard]] ObjectPtr version(const std::string& key, const std::string& id) const;
    /// Stores it as the new version, or in place of the "null" version.
    ObjectPtr add(const std::string& key, Object object, std::string new_version_id);
    /// True when there was such a version.
    bool remove_version(const std::string& key, const std::string& id);
};

/// All buckets. Whoever looks inside holds the mutex; objects themselves may be used without it.
struct Store {
    std::mutex mutex;
    std::map<std::string, Bucket> buckets;
    uint64_t next_id = 1;

    [[nodiscard]] Bucket* find(const std::string& name);
    /// An id for versions and uploads: unique, and of characters that must be encoded in a query.
    [[nodiscard]] std::string new_id();
};

}  // namespace s3tug::lab
