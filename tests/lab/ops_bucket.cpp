#include <fmt/format.h>

#include <algorithm>

#include "lab/ops.h"
#include "lab/xml.h"

namespace s3tug::lab {

namespace {

constexpr std::string_view xmlns = "http://s3.amazonaws.com/doc/2006-03-01/";

bool valid_bucket_name(std::string_view name) {
    return name.size() >= 3 && name.size() <= 63 && std::ranges::all_of(name, [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
           });
}

Answer create_bucket(Service& service, const Call& call) {
    if (!valid_bucket_name(call.bucket)) return refuse("InvalidBucketName");
    if (service.store.find(call.bucket) != nullptr) return refuse("BucketAlreadyOwnedByYou");
    service.store.buckets[call.bucket].created_ms = call.now_ms;
    Answer answer;
    answer.headers = {{"Location", "/" + call.bucket}};
    return answer;
}

Answer delete_bucket(Service& service, const Call& call, const Bucket& bucket) {
    if (!bucket.keys.empty() || !bucket.uploads.empty()) return refuse("BucketNotEmpty");
    service.store.buckets.erase(call.bucket);
    Answer answer;
    answer.status = 204;
    return answer;
}

Answer put_versioning(const Call& call, Bucket& bucket) {
    const auto document = parse_xml(call.body.content.all());
    const std::string status = document ? document->text_of("Status") : "";
    if (status != "Enabled" && status != "Suspended") return refuse("MalformedXML");
    bucket.versioning = status == "Enabled" ? Bucket::Versioning::enabled : Bucket::Versioning::suspended;
    return {};
}

Answer get_versioning(const Bucket& bucket) {
    std::string status;
    if (bucket.versioning == Bucket::Versioning::enabled) status = "<Status>Enabled</Status>";
    if (bucket.versioning == Bucket::Versioning::suspended) status = "<Status>Suspended</Status>";
    return xml_answer(fmt::format("<VersioningConfiguration xmlns=\"{}\">{}</VersioningConfiguration>", xmlns, status));
}

/// What a page of a listing is made of.
struct Page {
    std::string prefix;
    std::string delimiter;
    std::string after;  ///< keys up to and with this one were seen
    bool after_is_prefix = false;
    size_t max_keys = 1000;
    bool url = false;

    [[nodiscard]] std::string show(std::string_view key) const {
        return url ? percent_encode(key, true) : xml_escape(key);
    }
    /// The common prefix that this key falls under, if any.
    [[nodiscard]] std::string group(std::string_view key) const {
        const size_t at = delimiter.empty() ? std::string::npos : key.find(delimiter, prefix.size());
        return at == std::string::npos ? std::string() : std::string(key.substr(0, at + delimiter.size()));
    }
    [[nodiscard]] bool seen(std::string_view key) const {
        return !after.empty() && (key <= after || (after_is_prefix && key.starts_with(after)));
    }
};

Page page_of(const Call& call) {
    Page page;
    page.prefix = call.parameter_or("prefix", "");
    page.delimiter = call.parameter_or("delimiter", "");
    page.url = call.parameter_or("encoding-type", "") == "url";
    page.max_keys =
        static_cast<size_t>(std::min<uint64_t>(1000, to_number(call.parameter_or("max-keys", "1000")).value_or(1000)));
    return page;
}

std::string content_element(const Service& service, const Page& page, const std::string& key, const Object& object) {
    return fmt::format(
        "<Contents><Key>{}</Key><LastModified>{}</LastModified><ETag>{}</ETag><Size>{}</Size>"
        "<StorageClass>STANDARD</StorageClass></Contents>",
        page.show(key), iso_date(object.modified_ms), xml_escape(quoted_etag(service, object.etag)),
        object.content.size());
}

std::string version_element(const Service& service, const Page& page, const std::string& key, const Object& object,
                            bool latest) {
    const std::string head =
        fmt::format("<Key>{}</Key><VersionId>{}</VersionId><IsLatest>{}</IsLatest><LastModified>{}</LastModified>",
                    page.show(key), xml_escape(object.version_id), latest, iso_date(object.modified_ms));
    if (object.delete_marker) return fmt::format("<DeleteMarker>{}</DeleteMarker>", head);
    return fmt::format("<Version>{}<ETag>{}</ETag><Size>{}</Size><StorageClass>STANDARD</StorageClass></Version>", head,
                       xml_escape(quoted_etag(service, object.etag)), object.content.size());
}

}  // namespace

Answer list_buckets(Service& service, const Call&) {
    const std::lock_guard lock(service.store.mutex);
    std::string out;
    for (const auto& [name, bucket] : service.store.buckets)
        out += fmt::format("<Bucket><Name>{}</Name><CreationDate>{}</CreationDate></Bucket>", name,
                           iso_date(bucket.created_ms));
    return xml_answer(
        fmt::format("<ListAllMyBucketsResult xmlns=\"{}\"><Owner><ID>lab</ID></Owner><Buckets>{}</Buckets>"
                    "</ListAllMyBucketsResult>",
                    xmlns, out));
}

Answer bucket_operation(Service& service, const Call& call) {
    const std::lock_guard lock(service.store.mutex);
    if (call.op == "CreateBucket") return create_bucket(service, call);
    Bucket* bucket = service.store.find(call.bucket);
    if (bucket == nullptr) return refuse("NoSuchBucket");
    if (call.op == "DeleteBucket") return delete_bucket(service, call, *bucket);
    if (call.op == "PutBucketVersioning") return put_versioning(call, *bucket);
    if (call.op == "GetBucketVersioning") return get_versioning(*bucket);
    const std::string& region = call.faults.region.empty() ? service.region : call.faults.region;
    if (call.op == "GetBucketLocation")
        return xml_answer(fmt::format("<LocationConstraint xmlns=\"{}\">{}</LocationConstraint>", xmlns,
                                      region == "us-east-1" ? "" : region));
    Answer answer;
    answer.headers = {{"x-amz-bucket-region", region}};
    return answer;
}

/// Both versions of the request: the first, which other tools still send, marks the next page by its last name.
Answer list_objects(Service& service, const Call& call) {
    const bool first_version = call.parameter("list-type") == nullptr;
    Page page = page_of(call);
    page.after = call.parameter_or(first_version ? "marker" : "start-after", "");
    page.after_is_prefix = first_version && !page.delimiter.empty() && page.after.ends_with(page.delimiter);
    if (const std::string* token = call.parameter("continuation-token")) {
        const auto decoded = from_base64(*token);
        if (!decoded || decoded->empty())
            return refuse(s3_error("InvalidArgument", "The continuation token is not valid."));
        page.after = decoded->substr(1);
        page.after_is_prefix = decoded->front() == 'p';
    }
    const std::lock_guard lock(service.store.mutex);
    const Bucket* bucket = service.store.find(call.bucket);
    if (bucket == nullptr) return refuse("NoSuchBucket");
    std::string contents;
    std::string prefixes;
    std::string last;
    std::string next;
    size_t count = 0;
    for (auto it = bucket->keys.lower_bound(page.prefix); it != bucket->keys.end(); ++it) {
        const std::string& key = it->first;
        if (!key.starts_with(page.prefix)) break;
        const ObjectPtr object = bucket->current(key);
        if (!object || page.seen(key)) continue;
        const std::string group = page.group(key);
        if (!group.empty() && (last == "p" + group || (page.after_is_prefix && page.after == group))) continue;
        if (count == page.max_keys) {
            next = last;
            break;
        }
        ++count;
        last = group.empty() ? "k" + key : "p" + group;
        if (group.empty())
            contents += content_element(service, page, key, *object);
        else
            prefixes += fmt::format("<CommonPrefixes><Prefix>{}</Prefix></CommonPrefixes>", page.show(group));
    }
    std::string head = fmt::format(
        "<Name>{}</Name><Prefix>{}</Prefix><MaxKeys>{}</MaxKeys><KeyCount>{}</KeyCount>"
        "<IsTruncated>{}</IsTruncated>",
        call.bucket, page.show(page.prefix), page.max_keys, count, !next.empty());
    if (!page.delimiter.empty()) head += fmt::format("<Delimiter>{}</Delimiter>", page.show(page.delimiter));
    if (page.url) head += "<EncodingType>url</EncodingType>";
    if (!next.empty() && first_version)
        head += fmt::format("<NextMarker>{}</NextMarker>", page.show(next.substr(1)));
    else if (!next.empty())
        head += fmt::format("<NextContinuationToken>{}</NextContinuationToken>", to_base64(next));
    return xml_answer(
        fmt::format("<ListBucketResult xmlns=\"{}\">{}{}{}</ListBucketResult>", xmlns, head, contents, prefixes));
}

Answer list_versions(Service& service, const Call& call) {
    const Page page = page_of(call);
    const std::string key_marker = call.parameter_or("key-marker", "");
    const std::lock_guard lock(service.store.mutex);
    const Bucket* bucket = service.store.find(call.bucket);
    if (bucket == nullptr) return refuse("NoSuchBucket");
    std::string out;
    std::string next_key;
    size_t count = 0;
    for (auto it = bucket->keys.lower_bound(page.prefix); it != bucket->keys.end(); ++it) {
        if (!it->first.starts_with(page.prefix)) break;
        if (!key_marker.empty() && it->first <= key_marker) continue;
        // A page holds all versions of a key, so that the key alone marks where it ends.
        if (count >= page.max_keys) {
            next_key = std::prev(it)->first;
            break;
        }
        for (auto version = it->second.rbegin(); version != it->second.rend(); ++version, ++count)
            out += version_element(service, page, it->first, **version, version == it->second.rbegin());
    }
    std::string head =
        fmt::format("<Name>{}</Name><Prefix>{}</Prefix><MaxKeys>{}</MaxKeys><IsTruncated>{}</IsTruncated>", call.bucket,
                    page.show(page.prefix), page.max_keys, !next_key.empty());
    if (page.url) head += "<EncodingType>url</EncodingType>";
    if (!next_key.empty())
        head += fmt::format("<NextKeyMarker>{}</NextKeyMarker><NextVersionIdMarker></NextVersionIdMarker>",
                            page.show(next_key));
    return xml_answer(fmt::format("<ListVersionsResult xmlns=\"{}\">{}{}</ListVersionsResult>", xmlns, head, out));
}

}  // namespace s3tug::lab
