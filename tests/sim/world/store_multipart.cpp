#include <charconv>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/text.h"
#include "sim/world/store.h"

namespace s3tug::simworld {
namespace {

unsigned to_number(std::string_view digits) {
    unsigned n = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), n);
    return n;
}

std::string_view inside(std::string_view text, std::string_view name) {
    const std::string open = "<" + std::string(name) + ">";
    const std::size_t begin = text.find(open);
    if (begin == std::string_view::npos) return {};
    const std::size_t from = begin + open.size();
    return text.substr(from, text.find("</" + std::string(name) + ">", from) - from);
}

std::string plain_etag(std::string_view text) {
    std::string out(text);
    for (const std::string_view quote : {"&quot;", "\""}) {
        for (std::size_t at; (at = out.find(quote)) != std::string::npos;) out.erase(at, quote.size());
    }
    return out;
}

std::string quoted(std::string_view etag) { return "&quot;" + std::string(etag) + "&quot;"; }

}  // namespace

wire::HttpAnswer Store::create(const Incoming& in) {
    const auto checksums = checksum_from_name(in.header("x-amz-checksum-algorithm"));
    if (checksums && options_.refuses_checksums) return error(501, "NotImplemented");
    const std::string id = "upload-" + std::to_string(++made_);
    Upload upload;
    upload.name = in.name;
    upload.initiated = now();
    upload.request = in.serial;
    upload.metadata = metadata_of(in.request->headers);
    if (options_.echoes_checksums) upload.checksums = checksums;
    uploads.emplace(id, std::move(upload));
    tell({wire::Op::create_multipart_upload, in.name, in.serial, {}, nullptr, true, id});
    wire::HttpAnswer out = plain_answer(200);
    out.body = "<InitiateMultipartUploadResult>" + element("UploadId", id) + "</InitiateMultipartUploadResult>";
    return out;
}

wire::HttpAnswer Store::part(const Incoming& in, Upload& upload) {
    const unsigned number = to_number(in.value("partNumber"));
    Upload::Part part;
    wire::HttpAnswer out = plain_answer(200);
    if (!in.header("x-amz-copy-source").empty()) {
        wire::HttpAnswer refusal;
        const Version* source = source_of(in, refusal);
        if (source == nullptr) return refusal;
        const std::string_view range = in.header("x-amz-copy-source-range");
        std::size_t first = 0;
        std::size_t last = 0;
        std::from_chars(range.data() + 6, range.data() + range.size(), first);
        const std::size_t dash = range.find('-');
        std::from_chars(range.data() + dash + 1, range.data() + range.size(), last);
        if (last >= source->blob->bytes.size()) return error(400, "InvalidArgument");
        part.blob = make_blob(source->blob->bytes.substr(first, last - first + 1));
        out.body = "<CopyPartResult>" + element("ETag", quoted(part.blob->md5));
        if (upload.checksums)
            out.body += element(checksum_name(*upload.checksums), digest_of(*upload.checksums, *part.blob));
        out.body += "</CopyPartResult>";
    } else {
        if (wire::HttpAnswer no = damaged(in); no.status != 0) return no;
        part.blob = in.body;
        out.headers.add("etag", "\"" + in.body->md5 + "\"");
        const std::optional<SentChecksum> sum = sent_checksum(in);
        if (sum && options_.echoes_checksums)
            out.headers.add(checksum_header(sum->algorithm), digest_of(sum->algorithm, *in.body));
    }
    part.etag = part.blob->md5;
    if (upload.checksums) part.checksum = digest_of(*upload.checksums, *part.blob);
    upload.parts[number] = std::move(part);
    return out;
}

wire::HttpAnswer Store::complete(const Incoming& in) {
    const std::string id = in.value("uploadId");
    const auto found = uploads.find(id);
    if (found == uploads.end() || found->second.name != in.name) {
        const auto before = completed_.find(id);
        if (!options_.complete_again_is_200 || before == completed_.end() || before->second.first != in.name)
            return error(404, "NoSuchUpload");
        if (on_completed_again) on_completed_again(in.serial, in.name);
        wire::HttpAnswer again = plain_answer(200);
        again.body = before->second.second;
        return again;
    }
    if (wire::HttpAnswer no = condition(in, options_.complete); no.status != 0) return no;
    const std::string_view payload = in.header("x-amz-content-sha256");
    if (payload.size() == 64 && payload != to_hex(sha256(as_bytes(in.body->bytes))))
        return error(400, "XAmzContentSHA256Mismatch");
    const Upload& upload = found->second;
    std::string bytes;
    std::string md5s;
    Version version;
    unsigned last = 0;
    for (std::string_view rest = in.body->bytes; rest.find("<Part>") != std::string_view::npos;) {
        const std::string_view part = inside(rest, "Part");
        rest.remove_prefix(static_cast<std::size_t>(part.data() + part.size() - rest.data()));
        const unsigned number = to_number(inside(part, "PartNumber"));
        const auto have = upload.parts.find(number);
        if (have == upload.parts.end() || have->second.etag != plain_etag(inside(part, "ETag")))
            return error(400, "InvalidPart");
        if (number <= last) return error(400, "InvalidPartOrder");
        if (upload.checksums) {
            const std::string_view sum = inside(part, checksum_name(*upload.checksums));
            if (!sum.empty() && sum != have->second.checksum) return error(400, "InvalidPart");
        }
        last = number;
        version.pieces.push_back({have->second.blob->bytes.size(), have->second.etag, have->second.checksum});
        bytes += have->second.blob->bytes;
        md5s += have->second.blob->md5;
    }
    if (version.pieces.empty()) return error(400, "MalformedXML");
    version.blob = make_blob(std::move(bytes));
    sum_up(upload, version);
    if (wire::HttpAnswer no = fits_parts(in, upload, version); no.status != 0) return no;
    const std::string parts = "-" + std::to_string(version.pieces.size());
    version.etag = to_hex(md5(from_hex(md5s).value())) + parts;
    if (options_.etags_are_random) version.etag = to_hex(md5(as_bytes(id))) + parts;
    version.modified = upload.initiated;
    version.metadata = upload.metadata;
    const BlobPtr blob = version.blob;
    std::string body = "<CompleteMultipartUploadResult>" + element("ETag", quoted(version.etag));
    if (upload.checksums)
        body += element(checksum_name(*upload.checksums), version.checksum) +
                element("ChecksumType", version.composite() ? "COMPOSITE" : "FULL_OBJECT");
    body += "</CompleteMultipartUploadResult>";
    uploads.erase(found);
    completed_[id] = {in.name, body};
    const std::string made = place(in.name, std::move(version));
    tell({wire::Op::complete_multipart_upload, in.name, in.serial, {}, blob, true, made});
    wire::HttpAnswer out = plain_answer(200);
    if (!made.empty()) out.headers.add("x-amz-version-id", made);
    out.body = std::move(body);
    return out;
}

wire::HttpAnswer Store::abort(const Incoming& in) {
    const auto found = uploads.find(in.value("uploadId"));
    const bool there = found != uploads.end() && found->second.name == in.name;
    if (!there && options_.abort_again_is_404) return error(404, "NoSuchUpload");
    if (there) {
        tell({wire::Op::abort_multipart_upload, in.name, in.serial, {}, nullptr, true, found->first});
        uploads.erase(found);
    }
    return plain_answer(204);
}

wire::HttpAnswer Store::list_parts(const Incoming& in) const {
    if (!options_.list_parts_allowed) return error(403, "AccessDenied");
    const std::string id = in.value("uploadId");
    const auto found = uploads.find(id);
    if (found == uploads.end() || found->second.name != in.name) return error(404, "NoSuchUpload");
    const unsigned after = to_number(in.value("part-number-marker"));
    const std::string asked = in.value("max-parts");
    std::size_t room = asked.empty() ? 3 : std::min(3U, to_number(asked));  // small pages, so that there are several
    wire::HttpAnswer out = plain_answer(200);
    out.body = "<ListPartsResult>" + element("UploadId", id);
    auto it = found->second.parts.upper_bound(after);
    unsigned last = after;
    for (; it != found->second.parts.end() && room > 0; ++it, --room) {
        last = it->first;
        out.body += "<Part>" + element("PartNumber", std::to_string(last)) + element("ETag", quoted(it->second.etag)) +
                    element("Size", std::to_string(it->second.blob->bytes.size()));
        if (const auto kept = found->second.checksums) out.body += element(checksum_name(*kept), it->second.checksum);
        out.body += "</Part>";
    }
    const bool more = it != found->second.parts.end();
    out.body += element("IsTruncated", more ? "true" : "false");
    if (more) out.body += element("NextPartNumberMarker", std::to_string(last));
    out.body += "</ListPartsResult>";
    return out;
}

wire::HttpAnswer Store::list_uploads(const Incoming& in) const {
    if (!options_.list_uploads_allowed) return error(403, "AccessDenied");
    const std::string bucket = in.name.substr(0, in.name.find('/')) + "/";
    const std::string prefix = bucket + in.value("prefix");
    wire::HttpAnswer out = plain_answer(200);
    out.body = "<ListMultipartUploadsResult>" + element("IsTruncated", "false");
    for (const auto& [id, upload] : uploads) {
        if (!upload.name.starts_with(prefix)) continue;
        out.body += "<Upload>" + element("Key", escaped(upload.name.substr(bucket.size()))) + element("UploadId", id) +
                    element("Initiated", format_utc(upload.initiated)) + "</Upload>";
    }
    out.body += "</ListMultipartUploadsResult>";
    return out;
}

}  // namespace s3tug::simworld
