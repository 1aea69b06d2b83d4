#include <fmt/format.h>

#include <algorithm>

#include "lab/ops.h"
#include "lab/xml.h"

namespace s3tug::lab {

namespace {

constexpr std::string_view xmlns = "http://s3.amazonaws.com/doc/2006-03-01/";

struct Found {
    Bucket* bucket = nullptr;
    Upload* upload = nullptr;
    std::string id;
};

/// The upload that the call names. Caller holds the mutex.
std::variant<Found, S3Error> find_upload(Service& service, const Call& call) {
    Found found{service.store.find(call.bucket), nullptr, call.parameter_or("uploadId", "")};
    if (found.bucket == nullptr) return s3_error("NoSuchBucket");
    const auto upload = found.bucket->uploads.find(found.id);
    if (upload == found.bucket->uploads.end() || upload->second.key != call.key) return s3_error("NoSuchUpload");
    found.upload = &upload->second;
    return found;
}

/// A part list as the client sent it, checked against the parts that are there.
std::variant<std::vector<Part>, S3Error> chosen_parts(const Service& service, const Call& call, const Upload& upload) {
    const auto document = parse_xml(call.body.content.all());
    if (!document || document->name != "CompleteMultipartUpload") return s3_error("MalformedXML");
    const std::vector<const XmlElement*> listed = document->children_named("Part");
    if (listed.empty() || listed.size() > 10'000) return s3_error("MalformedXML");
    std::vector<Part> parts;
    uint64_t previous = 0;
    for (const XmlElement* element : listed) {
        const uint64_t number = to_number(element->text_of("PartNumber")).value_or(0);
        if (number <= previous) return s3_error("InvalidPartOrder");
        previous = number;
        const auto part = upload.parts.find(number);
        if (part == upload.parts.end() || !etag_listed(element->text_of("ETag"), part->second.etag))
            return s3_error("InvalidPart");
        for (const auto& [algorithm, value] : part->second.checksums) {
            const std::string given = element->text_of(checksum_element_name(algorithm));
            if (!given.empty() && given != value) return s3_error("InvalidPart");
        }
        parts.push_back(part->second);
    }
    for (size_t i = 0; i + 1 < parts.size(); ++i)
        if (parts[i].content.size() < service.min_part_size) return s3_error("EntityTooSmall");
    return parts;
}

/// Of the bytes that were sent, also where `flip stored` keeps others.
std::string raw_checksum(Algorithm algorithm, const Part& part) {
    const auto sent = part.checksums.find(algorithm);
    const auto raw = sent != part.checksums.end() ? from_base64(sent->second) : std::nullopt;
    return raw ? *raw : digest_of(algorithm, part.content);
}

/// The checksum of the whole: over all bytes, or over the raw values of the parts with -N behind it.
void set_checksum(Object& object, const Service& service, const Upload& upload, const std::vector<Part>& parts) {
    if (service.quirks.no_checksums || (!upload.checksum && service.quirks.no_default_checksum)) return;
    const Algorithm algorithm = upload.checksum.value_or(Algorithm::crc64nvme);
    if (upload.full_object || !upload.checksum) {
        object.checksums = {{algorithm, to_base64(digest_of(algorithm, object.content))}};
        return;
    }
    std::string values;
    for (const Part& part : parts) values += raw_checksum(algorithm, part);
    object.composite = true;
    object.checksums = {{algorithm, fmt::format("{}-{}", to_base64(digest(algorithm, values)), parts.size())}};
}

Object assemble(const Service& service, const Call& call, const Upload& upload, const std::vector<Part>& parts) {
    Object object;
    std::string digests;
    for (const Part& part : parts) {
        object.content.append(part.content);
        object.parts.push_back({part.content.size(), part.checksums});
        digests += part.md5;
    }
    object.etag = fmt::format("{}-{}", etag_of(service, digest(Algorithm::md5, digests)), parts.size());
    object.headers = upload.headers;
    object.modified_ms = call.now_ms;
    set_checksum(object, service, upload, parts);
    return object;
}

std::optional<S3Error> check_whole(const Call& call, const Object& object) {
    const std::string* size = call.head.header("x-amz-mp-object-size");
    if (size != nullptr && to_number(*size) != std::optional(object.content.size()))
        return s3_error("InvalidRequest", "x-amz-mp-object-size differs from the size of the parts.");
    for (const auto& [algorithm, value] : object.checksums) {
        const std::string* given = call.head.header(fmt::format("x-amz-checksum-{}", to_string(algorithm)));
        if (given != nullptr && *given != value)
            return s3_error("BadDigest", "The checksum of the whole object did not match the one you specified.");
    }
    return std::nullopt;
}

Answer completed(const Service& service, const Call& call, std::string_view etag, const std::string& checksums) {
    return xml_answer(
        fmt::format("<CompleteMultipartUploadResult xmlns=\"{}\"><Location>/{}/{}</Location><Bucket>{}</Bucket><Key>{}"
                    "</Key><ETag>{}</ETag>{}</CompleteMultipartUploadResult>",
                    xmlns, call.bucket, percent_encode(call.key, true), call.bucket, xml_escape(call.key),
                    xml_escape(quoted_etag(service, etag)), checksums));
}

/// Bytes of a part: the body, or a range of another object.
std::variant<Part, S3Error> make_part(Service& service, const Call& call) {
    Part part;
    part.modified_ms = call.now_ms;
    if (call.op == "UploadPart") {
        part.content =
            call.faults.flip_stored ? call.body.content.with_flipped_bit(*call.faults.flip_stored) : call.body.content;
        part.md5 = call.body.md5;
        part.checksums = call.body.checksums;
    } else {
        auto found = find_copy_source(service, call);
        if (const auto* error = std::get_if<S3Error>(&found)) return *error;
        part.content = std::get<CopySource>(found).object->content;
        if (const std::string* text = call.head.header("x-amz-copy-source-range")) {
            const auto range = parse_range(*text, part.content.size());
            if (!range || range->unsatisfiable) return s3_error("InvalidArgument", "The copy range is not valid.");
            part.content = part.content.range(range->offset, range->length);
        }
        part.md5 = digest_of(Algorithm::md5, part.content);
    }
    part.etag = etag_of(service, part.md5);
    return part;
}

std::string part_elements(const Service& service, uint64_t number, const Part& part) {
    return fmt::format(
        "<Part><PartNumber>{}</PartNumber><LastModified>{}</LastModified><ETag>{}</ETag><Size>{}</Size>{}</Part>",
        number, iso_date(part.modified_ms), xml_escape(quoted_etag(service, part.etag)), part.content.size(),
        checksum_elements(part.checksums, std::nullopt));
}

}  // namespace

Answer create_upload(Service& service, const Call& call) {
    if (call.key.size() > 1024) return refuse("KeyTooLongError");
    Upload upload;
    upload.key = call.key;
    upload.started_ms = call.now_ms;
    upload.headers = kept_headers(call.head);
    const std::string algorithm = call.head.header_or("x-amz-checksum-algorithm", "");
    const std::string type = call.head.header_or("x-amz-checksum-type", "");
    upload.checksum = algorithm_named(algorithm);
    if (!algorithm.empty() && !upload.checksum)
        return refuse(s3_error("InvalidRequest", "Unknown checksum algorithm."));
    upload.full_object = type == "FULL_OBJECT" || (type.empty() && upload.checksum == Algorithm::crc64nvme);
    const bool sha = upload.checksum == Algorithm::sha1 || upload.checksum == Algorithm::sha256;
    if ((upload.full_object && sha) || (type == "COMPOSITE" && upload.checksum == Algorithm::crc64nvme))
        return refuse(s3_error("InvalidRequest", "This checksum algorithm does not have that type."));
    const std::lock_guard lock(service.store.mutex);
    Bucket* bucket = service.store.find(call.bucket);
    if (bucket == nullptr) return refuse("NoSuchBucket");
    const std::string id = service.store.new_id();
    Answer answer = xml_answer(fmt::format(
        "<InitiateMultipartUploadResult xmlns=\"{}\"><Bucket>{}</Bucket><Key>{}</Key><UploadId>{}</UploadId>"
        "</InitiateMultipartUploadResult>",
        xmlns, call.bucket, xml_escape(call.key), id));
    if (upload.checksum) {
        answer.headers.push_back({"x-amz-checksum-algorithm", algorithm});
        answer.headers.push_back({"x-amz-checksum-type", upload.full_object ? "FULL_OBJECT" : "COMPOSITE"});
    }
    bucket->uploads[id] = std::move(upload);
    return answer;
}

Answer upload_part(Service& service, const Call& call) {
    const uint64_t number = call.part_number();
    if (number < 1 || number > 10'000)
        return refuse(s3_error("InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive"));
    auto made = make_part(service, call);
    if (const auto* error = std::get_if<S3Error>(&made)) return refuse(*error);
    const Part& part = std::get<Part>(made);
    const std::lock_guard lock(service.store.mutex);
    auto found = find_upload(service, call);
    if (const auto* error = std::get_if<S3Error>(&found)) return refuse(*error);
    Upload& upload = *std::get<Found>(found).upload;
    if (upload.completed) return refuse("NoSuchUpload");
    upload.parts[number] = part;
    Answer answer;
    if (call.op == "UploadPartCopy") {
        answer = xml_answer(
            fmt::format("<CopyPartResult xmlns=\"{}\"><LastModified>{}</LastModified><ETag>{}</ETag></CopyPartResult>",
                        xmlns, iso_date(part.modified_ms), xml_escape(quoted_etag(service, part.etag))));
    } else {
        answer.headers = {{"ETag", quoted_etag(service, part.etag)}};
        add_checksum_headers(answer.headers, part.checksums, std::nullopt);
    }
    return answer;
}

Answer complete_upload(Service& service, const Call& call) {
    Upload upload;
    {
        const std::lock_guard lock(service.store.mutex);
        auto found = find_upload(service, call);
        if (const auto* error = std::get_if<S3Error>(&found)) return refuse(*error);
        upload = *std::get<Found>(found).upload;
    }
    if (upload.completed) return completed(service, call, upload.completed_etag, "");
    auto parts = chosen_parts(service, call, upload);
    if (const auto* error = std::get_if<S3Error>(&parts)) return refuse(*error);
    Object object = assemble(service, call, upload, std::get<std::vector<Part>>(parts));
    if (auto error = check_whole(call, object)) return refuse(*error);
    const std::string checksums = checksum_elements(object.checksums, object.composite);

    const std::lock_guard lock(service.store.mutex);
    auto found = find_upload(service, call);
    if (const auto* error = std::get_if<S3Error>(&found)) return refuse(*error);
    auto& [bucket, live, id] = std::get<Found>(found);
    if (auto error = check_write_conditions(service, call, bucket->current(call.key))) return refuse(*error);
    const ObjectPtr stored = bucket->add(call.key, std::move(object), service.store.new_id());
    if (service.quirks.complete_twice) {
        live->completed = true;
        live->completed_etag = stored->etag;
        live->parts.clear();
    } else {
        bucket->uploads.erase(id);
    }
    hide_if_told(*bucket, call);
    Answer answer = completed(service, call, stored->etag, checksums);
    if (bucket->versioning != Bucket::Versioning::never)
        answer.headers.push_back({"x-amz-version-id", stored->version_id});
    return answer;
}

Answer abort_upload(Service& service, const Call& call) {
    const std::lock_guard lock(service.store.mutex);
    auto found = find_upload(service, call);
    if (const auto* error = std::get_if<S3Error>(&found)) return refuse(*error);
    std::get<Found>(found).bucket->uploads.erase(std::get<Found>(found).id);
    Answer answer;
    answer.status = 204;
    return answer;
}

Answer list_parts(Service& service, const Call& call) {
    if (service.quirks.no_list_parts) return refuse("AccessDenied");
    const uint64_t after = to_number(call.parameter_or("part-number-marker", "0")).value_or(0);
    const uint64_t most =
        std::clamp<uint64_t>(to_number(call.parameter_or("max-parts", "1000")).value_or(1000), 1, 1000);
    const std::lock_guard lock(service.store.mutex);
    auto found = find_upload(service, call);
    if (const auto* error = std::get_if<S3Error>(&found)) return refuse(*error);
    const Upload& upload = *std::get<Found>(found).upload;
    if (upload.completed) return refuse("NoSuchUpload");
    std::string out;
    uint64_t count = 0;
    uint64_t last = after;
    auto it = upload.parts.upper_bound(after);
    for (; it != upload.parts.end() && count < most; ++it, ++count) {
        out += part_elements(service, it->first, it->second);
        last = it->first;
    }
    return xml_answer(fmt::format(
        "<ListPartsResult xmlns=\"{}\"><Bucket>{}</Bucket><Key>{}</Key><UploadId>{}</UploadId><PartNumberMarker>{}"
        "</PartNumberMarker><NextPartNumberMarker>{}</NextPartNumberMarker><MaxParts>{}</MaxParts><IsTruncated>{}"
        "</IsTruncated>{}</ListPartsResult>",
        xmlns, call.bucket, xml_escape(call.key), std::get<Found>(found).id, after, last, most,
        it != upload.parts.end(), out));
}

Answer list_uploads(Service& service, const Call& call) {
    const std::string prefix = call.parameter_or("prefix", "");
    const std::pair marker(call.parameter_or("key-marker", ""), call.parameter_or("upload-id-marker", ""));
    const bool url = call.parameter_or("encoding-type", "") == "url";
    const size_t most = std::clamp<size_t>(to_number(call.parameter_or("max-uploads", "1000")).value_or(1000), 1, 1000);
    const std::lock_guard lock(service.store.mutex);
    const Bucket* bucket = service.store.find(call.bucket);
    if (bucket == nullptr) return refuse("NoSuchBucket");
    std::map<std::pair<std::string, std::string>, const Upload*> sorted;
    for (const auto& [id, upload] : bucket->uploads)
        if (!upload.completed && upload.key.starts_with(prefix)) sorted[{upload.key, id}] = &upload;
    // Without an upload id the marker means all uploads of its key; an id sorts before '\xff'.
    auto it =
        sorted.upper_bound({marker.first, marker.first.empty() || !marker.second.empty() ? marker.second : "\xff"});
    std::string out;
    std::pair<std::string, std::string> last;
    for (size_t count = 0; it != sorted.end() && count < most; ++it, ++count) {
        last = it->first;
        out += fmt::format(
            "<Upload><Key>{}</Key><UploadId>{}</UploadId><Initiator><ID>lab</ID></Initiator><StorageClass>STANDARD"
            "</StorageClass><Initiated>{}</Initiated></Upload>",
            url ? percent_encode(last.first, true) : xml_escape(last.first), last.second,
            iso_date(it->second->started_ms));
    }
    std::string head = fmt::format("<Bucket>{}</Bucket><MaxUploads>{}</MaxUploads><IsTruncated>{}</IsTruncated>",
                                   call.bucket, most, it != sorted.end());
    if (url) head += "<EncodingType>url</EncodingType>";
    if (it != sorted.end())
        head += fmt::format("<NextKeyMarker>{}</NextKeyMarker><NextUploadIdMarker>{}</NextUploadIdMarker>",
                            url ? percent_encode(last.first, true) : xml_escape(last.first), last.second);
    return xml_answer(
        fmt::format("<ListMultipartUploadsResult xmlns=\"{}\">{}{}</ListMultipartUploadsResult>", xmlns, head, out));
}

}  // namespace s3tug::lab
