#include "support/sim_s3.h"

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/hash.h"
#include "base/text.h"
#include "wire/object_headers.h"

namespace s3tug::sim {
namespace {

std::string http_date(WallTime t) {
    using namespace std::chrono;
    const auto day = floor<days>(t.time_since_epoch());
    const year_month_day ymd{sys_days(day)};
    const hh_mm_ss time{floor<std::chrono::seconds>(t.time_since_epoch()) - day};
    static constexpr const char* names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    static constexpr const char* weekdays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    const auto two = [](auto n) { return (n < 10 ? "0" : "") + std::to_string(n); };
    return std::string(weekdays[weekday(sys_days(day)).c_encoding()]) + ", " + two(unsigned(ymd.day())) + " " +
           names[unsigned(ymd.month()) - 1] + " " + std::to_string(int(ymd.year())) + " " + two(time.hours().count()) +
           ":" + two(time.minutes().count()) + ":" + two(time.seconds().count()) + " GMT";
}

std::string object_name(const std::string& url) {
    const std::size_t path = url.find('/', url.find("://") + 3);
    const std::string raw = url.substr(path + 1, url.find('?') - path - 1);
    return percent_decode(raw).value();
}

wire::HttpAnswer answer(int status) {
    wire::HttpAnswer out;
    out.status = status;
    out.headers.add("x-amz-request-id", "SIM");
    return out;
}

}  // namespace

wire::HttpAnswer SimS3::error(int status, const std::string& code) {
    wire::HttpAnswer out = answer(status);
    out.body = "<Error><Code>" + code + "</Code><Message>sim</Message><RequestId>SIM</RequestId></Error>";
    return out;
}

wire::HttpAnswer SimS3::serve(const wire::SignedRequest& request, const std::string& body, WallTime local) {
    const WallTime now = local + clock_ahead;
    const std::string name = object_name(request.url);
    wire::HttpAnswer out;
    const std::string auth(request.headers.find("authorization").value_or(""));
    const std::string date(request.headers.find("x-amz-date").value_or(""));
    if (!valid_access_key.empty() && auth.find("Credential=" + valid_access_key + "/") == std::string::npos) {
        out = error(400, "ExpiredToken");
    } else if (checks_skew && date.substr(0, 13) != [&] {
                   const std::string utc = format_utc(now);  // 2026-11-29T21:01:30.123Z
                   return utc.substr(0, 4) + utc.substr(5, 2) + utc.substr(8, 5) + utc.substr(14, 2);
               }()) {
        out = error(403, "RequestTimeTooSkewed");
    } else if (has_query(request.url, "list-type")) {
        out = list(name.substr(0, name.find('/')), request);
    } else if (has_query(request.url, "delete")) {
        out = delete_many(name.substr(0, name.find('/')), body);
    } else if (has_query(request.url, "uploads") || has_query(request.url, "uploadId")) {
        out = multipart(name, request, body, now);
    } else if (request.method == wire::Method::put && request.headers.find("x-amz-copy-source")) {
        out = copy(name, request, now);
    } else if (request.method == wire::Method::put) {
        out = put(name, request, body, now);
    } else if (request.method == wire::Method::del) {
        effects.push_back("DELETE " + name);
        objects.erase(name);
        out = answer(204);
    } else {
        out = get(name, request, request.method == wire::Method::head);
    }
    out.headers.set("date", http_date(now));
    return out;
}

/// What a condition says against a write; status 0 = nothing.
wire::HttpAnswer SimS3::refusal(const std::string& name, const wire::SignedRequest& request) const {
    wire::HttpAnswer fine;
    fine.status = 0;
    if (!honours_conditions) return fine;
    const auto found = objects.find(name);
    if (request.headers.find("if-none-match") && found != objects.end()) return error(412, "PreconditionFailed");
    if (const auto wanted = request.headers.find("if-match")) {
        if (found == objects.end()) return error(404, "NoSuchKey");
        const std::string compared = compares_quotes ? std::string(*wanted) : wire::unquote_etag(*wanted);
        if (compared != found->second.etag) return error(412, "PreconditionFailed");
    }
    return fine;
}

wire::HttpAnswer SimS3::multipart(const std::string& name, const wire::SignedRequest& request, const std::string& body,
                                  WallTime now) {
    wire::HttpAnswer out = answer(200);
    const bool reads = request.method == wire::Method::get;
    if (reads && !uploads.lists_allowed) return error(403, "AccessDenied");
    if (reads && has_query(request.url, "uploads")) {
        out.body = uploads.list_uploads(name.substr(0, name.find('/')), query_value(request.url, "prefix"));
        return out;
    }
    if (has_query(request.url, "uploads")) {
        if (refuses_checksums && request.headers.find("x-amz-checksum-algorithm")) return error(501, "NotImplemented");
        out.body = uploads.create(name, request, now);
        return out;
    }
    const std::string id = query_value(request.url, "uploadId");
    const auto found = uploads.open.find(id);
    if (found == uploads.open.end() || found->second.name != name) return error(404, "NoSuchUpload");
    if (reads) {
        const std::string after = query_value(request.url, "part-number-marker");
        const std::string max = query_value(request.url, "max-parts");
        out.body = uploads.list_parts(id, after.empty() ? 0 : static_cast<unsigned>(std::stoul(after)),
                                      max.empty() ? 1000 : std::stoul(max));
        return out;
    }
    if (request.method == wire::Method::put) return part(found->second, request, body);
    if (request.method == wire::Method::post) return complete(id, request, body);
    uploads.open.erase(found);
    return answer(204);
}

wire::HttpAnswer SimS3::part(SimUpload& upload, const wire::SignedRequest& request, const std::string& body) {
    std::string bytes = body;
    const auto source = request.headers.find("x-amz-copy-source");
    if (source) {
        std::string from = percent_decode(*source).value();
        if (from.starts_with('/')) from.erase(0, 1);
        const auto object = objects.find(from);
        if (object == objects.end()) return error(404, "NoSuchKey");
        const auto pin = request.headers.find("x-amz-copy-source-if-match");
        if (honours_pin && pin && wire::unquote_etag(*pin) != object->second.etag)
            return error(412, "PreconditionFailed");
        const std::string range(*request.headers.find("x-amz-copy-source-range"));
        const std::size_t first = std::stoull(range.substr(6));
        bytes = object->second.bytes.substr(first, std::stoull(range.substr(range.find('-') + 1)) - first + 1);
    }
    const auto sent_crc = request.headers.find("x-amz-checksum-crc64nvme");
    if (sent_crc && refuses_checksums) return error(501, "NotImplemented");
    Checksummer crc(ChecksumAlgorithm::crc64nvme);
    crc.update(as_bytes(bytes));
    const std::string have = crc.finish().base64;
    if (sent_crc && checks_checksums && *sent_crc != have) return error(400, "BadDigest");
    SimPart& stored = upload.parts[static_cast<unsigned>(std::stoul(query_value(request.url, "partNumber")))];
    uploads.part_bytes_stored += bytes.size();
    stored.etag = to_hex(md5(as_bytes(bytes)));
    stored.bytes = std::move(bytes);
    stored.crc64 = have;
    ++stored.stored;
    wire::HttpAnswer out = answer(200);
    if (source) {
        out.body = "<CopyPartResult><ETag>&quot;" + stored.etag + "&quot;</ETag>";
        if (!upload.algorithm.empty()) out.body += "<ChecksumCRC64NVME>" + have + "</ChecksumCRC64NVME>";
        out.body += "</CopyPartResult>";
        return out;
    }
    out.headers.add("etag", "\"" + stored.etag + "\"");
    if (sent_crc && echoes_checksums) out.headers.add("x-amz-checksum-crc64nvme", have);
    return out;
}

wire::HttpAnswer SimS3::complete(const std::string& id, const wire::SignedRequest& request, const std::string& body) {
    SimUpload& upload = uploads.open.at(id);
    if (wire::HttpAnswer refused = refusal(upload.name, request); refused.status != 0) return refused;
    SimObject object;
    std::string md5s;
    unsigned last = 0;
    const std::vector<NamedPart> named = parts_of(body);
    for (const NamedPart& wanted : named) {
        if (wanted.number <= last) return error(400, "InvalidPartOrder");
        last = wanted.number;
        const auto stored = upload.parts.find(wanted.number);
        if (stored == upload.parts.end() || stored->second.etag != wanted.etag) return error(400, "InvalidPart");
        object.bytes += stored->second.bytes;
        const std::vector<std::byte> raw = from_hex(wanted.etag).value();
        for (const std::byte b : raw) md5s += static_cast<char>(b);
    }
    if (named.empty()) return error(400, "MalformedXML");
    Checksummer crc(ChecksumAlgorithm::crc64nvme);
    crc.update(as_bytes(object.bytes));
    object.crc64 = crc.finish().base64;
    const auto sent_crc = request.headers.find("x-amz-checksum-crc64nvme");
    if (sent_crc && (misreads_complete_checksum || *sent_crc != object.crc64)) return error(400, "BadDigest");
    const auto size = request.headers.find("x-amz-mp-object-size");
    if (size && *size != std::to_string(object.bytes.size())) return error(400, "InvalidRequest");
    object.etag = to_hex(md5(as_bytes(md5s))) + "-" + std::to_string(named.size());
    object.content_type = upload.content_type;
    object.modified = upload.initiated;
    object.metadata = upload.metadata;
    wire::HttpAnswer out = answer(200);
    out.body = "<CompleteMultipartUploadResult><ETag>&quot;" + object.etag + "&quot;</ETag>";
    if (echoes_checksums && !upload.algorithm.empty())
        out.body +=
            "<ChecksumCRC64NVME>" + object.crc64 + "</ChecksumCRC64NVME><ChecksumType>FULL_OBJECT</ChecksumType>";
    out.body += "</CompleteMultipartUploadResult>";
    effects.push_back("COMPLETE " + upload.name);
    objects[upload.name] = std::move(object);
    uploads.open.erase(id);
    return out;
}

wire::HttpAnswer SimS3::put(const std::string& name, const wire::SignedRequest& request, const std::string& body,
                            WallTime now) {
    if (wire::HttpAnswer refused = refusal(name, request); refused.status != 0) return refused;
    const auto sent_crc = request.headers.find("x-amz-checksum-crc64nvme");
    if (sent_crc && refuses_checksums) return error(501, "NotImplemented");
    Checksummer crc(ChecksumAlgorithm::crc64nvme);
    crc.update(as_bytes(body));
    const std::string have = crc.finish().base64;
    if (sent_crc && checks_checksums && *sent_crc != have) return error(400, "BadDigest");
    SimObject object;
    object.bytes = body;
    object.etag = to_hex(md5(as_bytes(body)));
    object.content_type = request.headers.find("content-type").value_or("");
    object.modified = now;
    object.crc64 = have;
    for (const wire::Header& header : request.headers) {
        if (header.name.starts_with("x-amz-meta-")) object.metadata.add(header.name, header.value);
    }
    wire::HttpAnswer out = answer(200);
    out.headers.add("etag", "\"" + object.etag + "\"");
    if (sent_crc && echoes_checksums) out.headers.add("x-amz-checksum-crc64nvme", have);
    objects[name] = std::move(object);
    effects.push_back("PUT " + name);
    return out;
}

wire::HttpAnswer SimS3::copy(const std::string& name, const wire::SignedRequest& request, WallTime now) {
    std::string source = percent_decode(*request.headers.find("x-amz-copy-source")).value();
    if (source.starts_with('/')) source.erase(0, 1);
    const auto found = objects.find(source);
    if (found == objects.end()) return error(404, "NoSuchKey");
    const auto pin = request.headers.find("x-amz-copy-source-if-match");
    if (pin && wire::unquote_etag(*pin) != found->second.etag) return error(412, "PreconditionFailed");
    SimObject object = found->second;
    object.modified = now;
    const std::string etag = object.etag;
    objects[name] = std::move(object);
    effects.push_back("COPY " + name);
    wire::HttpAnswer out = answer(200);
    out.body = "<CopyObjectResult><ETag>&quot;" + etag + "&quot;</ETag></CopyObjectResult>";
    return out;
}

wire::HttpAnswer SimS3::get(const std::string& name, const wire::SignedRequest& request, bool head) {
    const auto found = objects.find(name);
    if (found == objects.end()) return head ? answer(404) : error(404, "NoSuchKey");
    const SimObject& object = found->second;
    const auto wanted = request.headers.find("if-match");
    const std::string number = query_value(request.url, "partNumber");
    const std::string etag = parts_have_etags && !number.empty() ? "part-" + number : object.etag;
    if (honours_get_if_match && wanted && wire::unquote_etag(*wanted) != etag) {
        return head ? answer(412) : error(412, "PreconditionFailed");
    }
    std::size_t first = 0;
    std::size_t last = object.bytes.empty() ? 0 : object.bytes.size() - 1;
    wire::HttpAnswer out = answer(200);
    if (const auto range = request.headers.find("range"); range && !ignores_ranges) {
        const std::string asked(range->substr(6));
        first = std::stoull(asked);
        if (first >= object.bytes.size()) return error(416, "InvalidRange");
        if (const std::string to = asked.substr(asked.find('-') + 1); !to.empty())
            last = std::min<std::size_t>(last, std::stoull(to));
        out.status = 206;
        out.headers.add("content-range", "bytes " + std::to_string(first) + "-" + std::to_string(last) + "/" +
                                             std::to_string(object.bytes.size()));
    }
    if (!number.empty() && knows_part_number) {
        const std::size_t part = std::stoull(number);
        if (part == 0 || part > object.parts.size()) return head ? answer(416) : error(416, "InvalidPartNumber");
        for (std::size_t i = 0; i + 1 < part; ++i) first += object.parts[i];
        last = first + object.parts[part - 1] - 1;
        out.status = 206;
        out.headers.add("content-range", "bytes " + std::to_string(first) + "-" + std::to_string(last) + "/" +
                                             std::to_string(object.bytes.size()));
        if (counts_parts) out.headers.add("x-amz-mp-parts-count", std::to_string(object.parts.size()));
    }
    if (says_ranges) out.headers.add("accept-ranges", "bytes");
    out.headers.add("content-length", std::to_string(object.bytes.empty() ? 0 : last + 1 - first));
    out.headers.add("etag", "\"" + etag + "\"");
    out.headers.add("last-modified", http_date(object.modified));
    if (echoes_checksums && !object.crc64.empty()) out.headers.add("x-amz-checksum-crc64nvme", object.crc64);
    for (const wire::Header& header : object.composite) out.headers.add(header.name, header.value);
    for (const wire::Header& header : object.metadata) out.headers.add(header.name, header.value);
    if (!head) out.body = object.bytes.substr(first, last + 1 - first);
    return out;
}

}  // namespace s3tug::sim
