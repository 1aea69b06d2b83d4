#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/ops.h"
#include "lab/xml.h"

namespace s3tug::lab {

namespace {

void add_version_header(Fields& headers, const Bucket& bucket, const Object& object) {
    if (bucket.versioning != Bucket::Versioning::never) headers.push_back({"x-amz-version-id", object.version_id});
}

/// `hide`: a store whose look-ups lag behind its writes.
bool still_hidden(Bucket& bucket, const std::string& key) {
    const auto found = bucket.hidden.find(key);
    if (found == bucket.hidden.end()) return false;
    if (--found->second == 0) bucket.hidden.erase(found);
    return true;
}

/// The object that a read means, or why there is none.
std::variant<ObjectPtr, Answer> find_object(Service& service, const Call& call) {
    Bucket* bucket = service.store.find(call.bucket);
    if (bucket == nullptr) return refuse("NoSuchBucket");
    if (still_hidden(*bucket, call.key)) return refuse("NoSuchKey");
    const std::string* version = call.parameter("versionId");
    ObjectPtr object = version != nullptr ? bucket->version(call.key, *version) : bucket->newest(call.key);
    if (!object) return refuse(version != nullptr ? "NoSuchVersion" : "NoSuchKey");
    if (!object->delete_marker) return object;
    S3Error error = s3_error(version != nullptr ? "MethodNotAllowed" : "NoSuchKey");
    error.headers = {{"x-amz-delete-marker", "true"}, {"x-amz-version-id", object->version_id}};
    return refuse(std::move(error));
}

/// 412 or 304 of a conditional read.
std::optional<Answer> check_read_conditions(const Call& call, const Object& object) {
    const std::string* match = call.head.header("if-match");
    const std::string* none_match = call.head.header("if-none-match");
    const auto since = parse_http_date(call.head.header_or("if-modified-since", ""));
    const auto unmodified = parse_http_date(call.head.header_or("if-unmodified-since", ""));
    const int64_t modified = object.modified_ms / 1000;
    if (call.faults.ignore_conditions) return std::nullopt;
    if ((match != nullptr && !etag_listed(*match, object.etag)) ||
        (match == nullptr && unmodified && modified > *unmodified))
        return refuse("PreconditionFailed");
    if ((none_match != nullptr && etag_listed(*none_match, object.etag)) ||
        (none_match == nullptr && since && modified <= *since)) {
        Answer answer;
        answer.status = 304;
        return answer;
    }
    return std::nullopt;
}

/// `response-content-type=` and its kin, as presigned links use them.
void override_headers(Answer& answer, const Call& call) {
    for (const std::string_view name :
         {"content-type", "content-language", "expires", "cache-control", "content-disposition", "content-encoding"}) {
        const std::string* value = call.parameter(fmt::format("response-{}", name));
        if (value == nullptr) continue;
        std::erase_if(answer.headers, [&](const Field& field) { return equal_nocase(field.name, name); });
        answer.headers.push_back({std::string(name), *value});
    }
}

std::optional<Range> part_range(const Object& object, uint64_t part) {
    if (part == 0 || part > std::max<size_t>(object.parts.size(), 1)) return std::nullopt;
    if (object.parts.empty()) return Range{0, object.content.size(), false};
    uint64_t offset = 0;
    for (uint64_t i = 0; i + 1 < part; ++i) offset += object.parts[i].size;
    return Range{offset, object.parts[part - 1].size, false};
}

/// Cuts the answer to what Range or partNumber ask for.
std::optional<Answer> apply_range(Answer& answer, const Service& service, const Call& call, const Object& object) {
    if (service.quirks.no_range) return std::nullopt;
    const uint64_t size = object.content.size();
    auto range = parse_range(call.head.header_or("range", ""), size);
    if (call.parameter("partNumber") != nullptr) {
        range = part_range(object, call.part_number());
        if (!range) return refuse("InvalidRange");
        if (!object.parts.empty())
            answer.headers.push_back({"x-amz-mp-parts-count", std::to_string(object.parts.size())});
    }
    if (!range) return std::nullopt;
    if (range->unsatisfiable) {
        S3Error error = s3_error("InvalidRange");
        error.elements = {{"RangeRequested", call.head.header_or("range", "")},
                          {"ActualObjectSize", std::to_string(size)}};
        error.headers = {{"Content-Range", fmt::format("bytes */{}", size)}};
        return refuse(std::move(error));
    }
    answer.status = 206;
    answer.content = object.content.range(range->offset, range->length);
    if (range->length > 0)
        answer.headers.push_back(
            {"Content-Range", fmt::format("bytes {}-{}/{}", range->offset, range->offset + range->length - 1, size)});
    return std::nullopt;
}

std::string delete_result(const std::string& key, const std::string& version, const Answer& answer) {
    std::string out = fmt::format("<Key>{}</Key>", xml_escape(key));
    if (!version.empty()) out += fmt::format("<VersionId>{}</VersionId>", xml_escape(version));
    if (answer.error)
        return fmt::format("<Error>{}<Code>{}</Code><Message>{}</Message></Error>", out, answer.error->code,
                           xml_escape(answer.error->message));
    const std::string* marker = find_field(answer.headers, "x-amz-delete-marker");
    const std::string* id = find_field(answer.headers, "x-amz-version-id");
    if (marker != nullptr && id != nullptr)
        out += fmt::format("<DeleteMarker>true</DeleteMarker><DeleteMarkerVersionId>{}</DeleteMarkerVersionId>", *id);
    return fmt::format("<Deleted>{}</Deleted>", out);
}

}  // namespace

Answer put_object(Service& service, const Call& call) {
    if (call.key.size() > 1024) return refuse("KeyTooLongError");
    const std::lock_guard lock(service.store.mutex);
    Bucket* bucket = service.store.find(call.bucket);
    if (bucket == nullptr) return refuse("NoSuchBucket");
    if (auto error = check_write_conditions(service, call, bucket->current(call.key))) return refuse(*error);
    Object object;
    object.content =
        call.faults.flip_stored ? call.body.content.with_flipped_bit(*call.faults.flip_stored) : call.body.content;
    object.etag = etag_of(service, call.body.md5);
    object.modified_ms = call.now_ms;
    object.headers = kept_headers(call.head);
    object.checksums = call.body.checksums;
    const ObjectPtr stored = bucket->add(call.key, std::move(object), service.store.new_id());
    hide_if_told(*bucket, call);
    Answer answer;
    answer.headers = {{"ETag", quoted_etag(service, stored->etag)}};
    add_version_header(answer.headers, *bucket, *stored);
    add_checksum_headers(answer.headers, stored->checksums, false);
    return answer;
}

Answer get_object(Service& service, const Call& call) {
    if (call.op == "HeadObject" && service.quirks.no_head) return refuse("AccessDenied");
    ObjectPtr object;
    Answer answer;
    {
        const std::lock_guard lock(service.store.mutex);
        auto found = find_object(service, call);
        if (auto* refusal = std::get_if<Answer>(&found)) return std::move(*refusal);
        object = std::get<ObjectPtr>(found);
        add_version_header(answer.headers, *service.store.find(call.bucket), *object);
    }
    answer.headers.push_back({"ETag", quoted_etag(service, object->etag)});
    answer.headers.push_back({"Last-Modified", http_date(object->modified_ms / 1000)});
    if (auto other = check_read_conditions(call, *object)) {
        if (other->status == 304) other->headers = std::move(answer.headers);
        return std::move(*other);
    }
    answer.headers.insert(answer.headers.end(), object->headers.begin(), object->headers.end());
    if (!service.quirks.no_range) answer.headers.push_back({"Accept-Ranges", "bytes"});
    answer.content = object->content;
    if (auto refusal = apply_range(answer, service, call, *object)) return std::move(*refusal);
    const bool whole = answer.content.size() == object->content.size();
    if (whole && equal_nocase(call.head.header_or("x-amz-checksum-mode", ""), "ENABLED"))
        add_checksum_headers(answer.headers, object->checksums, object->composite);
    override_headers(answer, call);
    return answer;
}

Answer delete_object(Service& service, const Call& call) {
    const std::lock_guard lock(service.store.mutex);
    Bucket* bucket = service.store.find(call.bucket);
    if (bucket == nullptr) return refuse("NoSuchBucket");
    Answer answer;
    answer.status = 204;
    if (const std::string* version = call.parameter("versionId")) {
        const ObjectPtr object = bucket->version(call.key, *version);
        if (object && object->delete_marker) answer.headers.push_back({"x-amz-delete-marker", "true"});
        answer.headers.push_back({"x-amz-version-id", *version});
        bucket->remove_version(call.key, *version);
        return answer;
    }
    if (call.head.header("if-match") != nullptr)
        if (auto error = check_write_conditions(service, call, bucket->current(call.key))) return refuse(*error);
    if (bucket->versioning == Bucket::Versioning::never) {
        bucket->keys.erase(call.key);
        return answer;
    }
    Object marker;
    marker.delete_marker = true;
    marker.modified_ms = call.now_ms;
    const ObjectPtr stored = bucket->add(call.key, std::move(marker), service.store.new_id());
    answer.headers = {{"x-amz-delete-marker", "true"}, {"x-amz-version-id", stored->version_id}};
    return answer;
}

Answer delete_objects(Service& service, const Call& call) {
    const auto document = parse_xml(call.body.content.all());
    if (!document || document->name != "Delete") return refuse("MalformedXML");
    const std::vector<const XmlElement*> objects = document->children_named("Object");
    if (objects.empty() || objects.size() > 1000) return refuse("MalformedXML");
    const bool quiet = document->text_of("Quiet") == "true";
    std::string results;
    for (const XmlElement* element : objects) {
        Call one;
        one.head.method = "DELETE";
        one.bucket = call.bucket;
        one.key = element->text_of("Key");
        one.now_ms = call.now_ms;
        one.faults.ignore_conditions = call.faults.ignore_conditions;
        const std::string version = element->text_of("VersionId");
        if (!version.empty()) one.query.push_back({"versionId", version});
        if (const std::string etag = element->text_of("ETag"); !etag.empty())
            one.head.headers.push_back({"if-match", etag});
        const std::optional<FailKeys>& fail = call.faults.fail_keys;
        const bool fails = fail && glob_match(fail->glob, one.key);
        const Answer answer = fails ? refuse(fail->code) : delete_object(service, one);
        if (answer.error && answer.error->code == "NoSuchBucket") return answer;
        if (answer.error || !quiet) results += delete_result(one.key, version, answer);
    }
    return xml_answer("<DeleteResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">" + results + "</DeleteResult>");
}

Answer copy_object(Service& service, const Call& call) {
    auto found = find_copy_source(service, call);
    if (const auto* error = std::get_if<S3Error>(&found)) return refuse(*error);
    const CopySource& source = std::get<CopySource>(found);
    const bool replace = equal_nocase(call.head.header_or("x-amz-metadata-directive", "COPY"), "REPLACE");
    // A named version may be copied onto its own key: that is how an old one is brought back.
    const std::string* storage_class = call.head.header("x-amz-storage-class");
    const bool changes = replace || source.version_named || storage_class != nullptr;
    if (!changes && source.bucket == call.bucket && source.key == call.key)
        return refuse(s3_error("InvalidRequest",
                               "This copy request is illegal: it copies an object to itself without "
                               "changing anything."));
    Object object;
    object.content = source.object->content;
    object.etag = etag_of(service, digest_of(Algorithm::md5, object.content));
    object.headers = replace ? kept_headers(call.head) : source.object->headers;
    if (!replace && storage_class != nullptr) {
        std::erase_if(object.headers, [](const Field& f) { return f.name == "x-amz-storage-class"; });
        object.headers.push_back({"x-amz-storage-class", *storage_class});
    }
    object.modified_ms = call.now_ms;
    if (!source.object->composite) object.checksums = source.object->checksums;
    if (const auto algorithm = algorithm_named(call.head.header_or("x-amz-checksum-algorithm", "")))
        object.checksums = {{*algorithm, to_base64(digest_of(*algorithm, object.content))}};
    if (object.checksums.empty() && !service.quirks.no_checksums && !service.quirks.no_default_checksum)
        object.checksums = {{Algorithm::crc64nvme, to_base64(digest_of(Algorithm::crc64nvme, object.content))}};
    const std::lock_guard lock(service.store.mutex);
    Bucket* bucket = service.store.find(call.bucket);
    if (bucket == nullptr) return refuse("NoSuchBucket");
    if (auto error = check_write_conditions(service, call, bucket->current(call.key))) return refuse(*error);
    const ObjectPtr stored = bucket->add(call.key, std::move(object), service.store.new_id());
    hide_if_told(*bucket, call);
    Answer answer = xml_answer(
        fmt::format("<CopyObjectResult "
                    "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><LastModified>{}</LastModified><ETag>{}</ETag>"
                    "{}</CopyObjectResult>",
                    iso_date(stored->modified_ms), xml_escape(quoted_etag(service, stored->etag)),
                    checksum_elements(stored->checksums, false)));
    add_version_header(answer.headers, *bucket, *stored);
    if (source.object->version_id != "null")
        answer.headers.push_back({"x-amz-copy-source-version-id", source.object->version_id});
    return answer;
}

}  // namespace s3tug::lab
