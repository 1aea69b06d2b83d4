#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"
#include "support/sim_multipart.h"
#include "wire/reply.h"
#include "wire/request.h"

namespace s3tug::sim {

/// A reference S3 for virtual time: one bucket namespace, last writer wins, conditions honoured unless told otherwise.
/// Every effect is logged, so that a test can count them.
struct SimObject {
    std::string bytes{};
    std::string etag{};
    std::string content_type{};
    WallTime modified{};
    wire::Headers metadata{};  ///< x-amz-meta-* lines
    std::string crc64{};
    std::vector<std::size_t> parts{};  ///< sizes, of an object that was uploaded in parts
    wire::Headers composite{};         ///< x-amz-checksum-*: "...-N", in place of crc64
};

class SimS3 {
  public:
    std::map<std::string, SimObject> objects;  ///< "bucket/key"
    std::vector<std::string> effects;          ///< "PUT b/k", "DELETE b/k", "COPY b/k", "COMPLETE b/k"
    SimUploads uploads;
    bool honours_conditions = true;
    bool honours_get_if_match = true;
    bool echoes_checksums = true;
    bool checks_checksums = true;  ///< false: takes a body that is not what its checksum header says
    bool ignores_ranges = false;
    bool says_ranges = true;                  ///< Accept-Ranges
    bool knows_part_number = true;            ///< of a HEAD; else it answers for the whole
    bool parts_have_etags = false;            ///< of their own, which If-Match is held against: Ceph, moto
    bool counts_parts = true;                 ///< x-amz-mp-parts-count
    bool misreads_complete_checksum = false;  ///< takes that of the whole for one of the request's body
    bool compares_quotes = false;             ///< If-Match of a write matches only without quotes
    bool honours_pin = true;                  ///< x-amz-copy-source-if-match of parts
    bool refuses_checksums = false;           ///< 501 to any x-amz-checksum header
    std::string valid_access_key;             ///< empty: all
    Duration clock_ahead{};                   ///< of the store against the local wall clock
    bool checks_skew = false;
    std::size_t list_page = 1000;  ///< objects of one page of a listing
    bool knows_batch_delete = true;
    /// Code for a key of DeleteObjects; empty: deleted, "-": not answered and not deleted.
    std::function<std::string(const std::string& key)> refuses_delete;

    [[nodiscard]] wire::HttpAnswer serve(const wire::SignedRequest& request, const std::string& body, WallTime local);

    [[nodiscard]] static wire::HttpAnswer error(int status, const std::string& code);

  private:
    wire::HttpAnswer put(const std::string& name, const wire::SignedRequest& request, const std::string& body,
                         WallTime now);
    wire::HttpAnswer copy(const std::string& name, const wire::SignedRequest& request, WallTime now);
    wire::HttpAnswer multipart(const std::string& name, const wire::SignedRequest& request, const std::string& body,
                               WallTime now);
    wire::HttpAnswer part(SimUpload& upload, const wire::SignedRequest& request, const std::string& body);
    wire::HttpAnswer complete(const std::string& id, const wire::SignedRequest& request, const std::string& body);
    wire::HttpAnswer list(const std::string& bucket, const wire::SignedRequest& request);
    wire::HttpAnswer delete_many(const std::string& bucket, const std::string& body);
    wire::HttpAnswer refusal(const std::string& name, const wire::SignedRequest& request) const;
    wire::HttpAnswer get(const std::string& name, const wire::SignedRequest& request, bool head);
};

}  // namespace s3tug::sim
