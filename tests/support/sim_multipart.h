#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"
#include "wire/reply.h"
#include "wire/request.h"

namespace s3tug::sim {

struct SimPart {
    std::string bytes;
    std::string etag;
    std::string crc64;
    unsigned stored = 0;  ///< how often this number was stored
};

struct SimUpload {
    std::string name{};  ///< "bucket/key"
    WallTime initiated{};
    wire::Headers metadata{};
    std::string content_type{};
    std::string algorithm{};  ///< x-amz-checksum-algorithm of Create
    std::map<unsigned, SimPart> parts{};
};

/// The multipart half of the reference S3: uploads by their id. Complete takes the parts that its body names and
/// refuses what does not match, as AWS does.
class SimUploads {
  public:
    std::map<std::string, SimUpload> open;
    bool lists_allowed = true;
    bool lists_checksums = true;
    std::size_t page = 1000;
    uint64_t part_bytes_stored = 0;  ///< of all UploadPart requests

    [[nodiscard]] std::string create(const std::string& name, const wire::SignedRequest& request, WallTime now);
    [[nodiscard]] std::string list_parts(const std::string& id, unsigned after, std::size_t max) const;
    [[nodiscard]] std::string list_uploads(const std::string& bucket, const std::string& prefix) const;

  private:
    unsigned created_ = 0;
};

/// Value of one parameter of the request's query, decoded; empty when it is not there.
[[nodiscard]] std::string query_value(const std::string& url, const std::string& name);
[[nodiscard]] bool has_query(const std::string& url, const std::string& name);

/// <Part> entries of a Complete's body.
struct NamedPart {
    unsigned number = 0;
    std::string etag;
};
[[nodiscard]] std::vector<NamedPart> parts_of(const std::string& complete_body);

}  // namespace s3tug::sim
