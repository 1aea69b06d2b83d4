#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "sim/world/options.h"
#include "sim/world/timeline.h"
#include "wire/reply.h"
#include "wire/request.h"

namespace s3tug::simworld {

/// Bytes with what a store computes of them, once.
struct Blob {
    std::string bytes;
    std::string md5;    ///< hex
    std::string crc64;  ///< base64
};
using BlobPtr = std::shared_ptr<const Blob>;
[[nodiscard]] BlobPtr make_blob(std::string bytes);

/// What an object was put together from.
struct Piece {
    std::size_t bytes = 0;
    std::string etag;
    std::string checksum;  ///< of the algorithm of the object
};

struct Version {
    std::string id;
    BlobPtr blob;  ///< null: a delete marker
    std::string etag;
    WallTime modified{};
    std::vector<wire::Header> metadata;
    std::string checksum;  ///< where one was sent and is kept; "...-N": of the checksums of the parts
    ChecksumAlgorithm algorithm = ChecksumAlgorithm::crc64nvme;
    std::vector<Piece> pieces = {};  ///< none: it was put at once
    [[nodiscard]] bool composite() const { return checksum.find('-') != std::string::npos; }
};

/// A checksum that a request carries.
struct SentChecksum {
    ChecksumAlgorithm algorithm{};
    std::string_view text;
};

/// One change that a request made.
struct Effect {
    wire::Op op{};
    std::string name;  ///< "b/k"
    uint64_t request = 0;
    Instant at{};
    BlobPtr blob;
    bool residue = true;  ///< false: deleted what was not there, nothing to be seen of it
    std::string version;
    bool by_version = false;  ///< that version was removed for good
};

struct Upload {
    std::string name;
    WallTime initiated{};
    uint64_t request = 0;  ///< the Create
    std::vector<wire::Header> metadata;
    std::optional<ChecksumAlgorithm> checksums;  ///< that are kept
    struct Part {
        BlobPtr blob;
        std::string etag;
        std::string checksum;
    };
    std::map<unsigned, Part> parts;
};

/// A request as a store reads it.
struct Incoming {
    const wire::SignedRequest* request = nullptr;
    BlobPtr body;
    uint64_t serial = 0;
    std::string name;  ///< "b/k"
    std::string_view query;
    Fault fault = Fault::none;  ///< as far as it is the store's: of some keys, of a page
    [[nodiscard]] std::string_view header(std::string_view lower) const {
        return request->headers.find(lower).value_or(std::string_view());
    }
    [[nodiscard]] bool has(std::string_view parameter) const;
    [[nodiscard]] std::string value(std::string_view parameter) const;  ///< decoded
};

/// The reference S3: versions, locks, conditions and uploads as AWS documents them, and as other stores differ
/// (facts/idempotency.md sections 3 to 5). Written from those facts, not from the engine.
class Store {
  public:
    Store(const StoreOptions& options, const Timeline& timeline) : options_(options), timeline_(timeline) {}

    [[nodiscard]] wire::HttpAnswer serve(const wire::SignedRequest& request, std::string body, uint64_t serial,
                                         Fault fault);

    /// Another client's write; `bytes` null deletes.
    void write_by_other(const std::string& name, BlobPtr blob);
    /// What is current becomes this, and was from the beginning.
    void amend(const std::string& name, const std::function<void(Version&)>& change);

    std::function<void(const Effect&)> on_effect;
    std::function<void(uint64_t request, const std::string& name)> on_look;  ///< a HEAD of an object was served
    /// A Complete of what had been completed was answered with the same 200.
    std::function<void(uint64_t request, const std::string& name)> on_completed_again;
    std::string valid_key = "AKIDCANARY0";
    StoreOptions options_;
    std::map<std::string, std::vector<Version>> objects;  ///< the newest last
    std::map<std::string, Upload> uploads;
    struct Moment {
        Instant at;
        BlobPtr blob;  ///< null: nothing stands there from then on
        std::string etag;
        bool whole = false;                 ///< it has a checksum of the whole
        std::vector<std::size_t> cut = {};  ///< sizes of its parts, where it has only one of their checksums
    };
    std::map<std::string, std::vector<Moment>> history;  ///< of what is current

    std::vector<std::pair<std::string, std::string>> made_versions;  ///< all that ever were: name and id

    [[nodiscard]] const Version* current(const std::string& name) const;  ///< null: nothing, or a marker
    [[nodiscard]] const Version* version(const std::string& name, std::string_view id) const;  ///< markers too
    /// Something stood there from then on without a gap.
    [[nodiscard]] bool stood_since(const std::string& name, Instant from) const;
    [[nodiscard]] static wire::HttpAnswer error(int status, std::string_view code, std::string_view more = {});

  private:
    wire::HttpAnswer route(Incoming& in);
    wire::HttpAnswer refused_by_auth(const Incoming& in) const;
    wire::HttpAnswer condition(const Incoming& in, Condition kind) const;
    wire::HttpAnswer damaged(const Incoming& in) const;
    wire::HttpAnswer put(const Incoming& in);
    wire::HttpAnswer copy(const Incoming& in);
    wire::HttpAnswer remove(const Incoming& in);
    /// The id of the marker, if one was made.
    std::string take_away(const Incoming& in, wire::Op op, const std::string& name);
    wire::HttpAnswer get(const Incoming& in, bool head) const;
    wire::HttpAnswer answer_with(const Version& found, const Incoming& in, bool head) const;
    // store_checksums.cpp
    wire::HttpAnswer part_of(const Version& found, const Incoming& in, bool head) const;
    wire::HttpAnswer fits_parts(const Incoming& in, const Upload& upload, const Version& made) const;
    void sum_up(const Upload& upload, Version& made) const;
    // store_versions.cpp
    wire::HttpAnswer remove_version(const Incoming& in);
    const Version* wanted(const Incoming& in, wire::HttpAnswer& refusal) const;  ///< by a GET or HEAD
    // store_buckets.cpp
    wire::HttpAnswer list(const Incoming& in) const;
    wire::HttpAnswer delete_many(const Incoming& in);
    // store_multipart.cpp
    wire::HttpAnswer create(const Incoming& in);
    wire::HttpAnswer part(const Incoming& in, Upload& upload);
    wire::HttpAnswer complete(const Incoming& in);
    wire::HttpAnswer abort(const Incoming& in);
    wire::HttpAnswer list_parts(const Incoming& in) const;
    wire::HttpAnswer list_uploads(const Incoming& in) const;

    [[nodiscard]] const Version* source_of(const Incoming& in, wire::HttpAnswer& refusal) const;
    [[nodiscard]] Moment moment_of(const Version& version) const;
    std::string place(const std::string& name, Version version);
    void tell(Effect effect);
    [[nodiscard]] WallTime now() const { return timeline_.wall() + options_.clock_ahead; }

    const Timeline& timeline_;
    uint64_t made_ = 0;
    std::map<std::string, std::pair<std::string, std::string>> completed_;  ///< upload id -> name and answer
};

[[nodiscard]] std::string digest_of(ChecksumAlgorithm algorithm, const Blob& blob);                  ///< base64
[[nodiscard]] std::string digest_of(ChecksumAlgorithm algorithm, const std::vector<Piece>& pieces);  ///< "...-N"
[[nodiscard]] std::optional<SentChecksum> sent_checksum(const Incoming& in);
[[nodiscard]] std::string checksum_header(ChecksumAlgorithm algorithm);
[[nodiscard]] std::string checksum_name(ChecksumAlgorithm algorithm);  ///< of an element
[[nodiscard]] std::string_view plain_tag(std::string_view etag);       ///< without quotes
[[nodiscard]] wire::HttpAnswer plain_answer(int status);
[[nodiscard]] std::string http_date(WallTime t);
[[nodiscard]] std::string element(std::string_view name, std::string_view text);
[[nodiscard]] std::string escaped(std::string_view text);  ///< for XML
[[nodiscard]] std::vector<wire::Header> metadata_of(const wire::Headers& headers);

}  // namespace s3tug::simworld
