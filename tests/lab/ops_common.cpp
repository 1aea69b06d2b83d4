#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/ops.h"

namespace s3tug::lab {

namespace {

std::string_view unquoted(std::string_view etag) {
    etag = trim(etag);
    if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') etag = etag.substr(1, etag.size() - 2);
    return etag;
}

constexpr std::array kept_names = {"content-type",
                                   "content-encoding",
                                   "content-language",
                                   "content-disposition",
                                   "cache-control",
                                   "expires",
                                   "x-amz-storage-class",
                                   "x-amz-website-redirect-location",
                                   "x-amz-server-side-encryption"};

/// aws-chunked is how the body travelled, not how it is encoded.
std::string without_aws_chunked(std::string_view encoding) {
    std::string out;
    for (const std::string_view item : split(encoding, ','))
        if (trim(item) != "aws-chunked") out += (out.empty() ? "" : ",") + std::string(trim(item));
    return out;
}

std::string upper(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    return out;
}

std::optional<S3Error> check_source_conditions(const Call& call, const Object& source) {
    const std::string* match = call.head.header("x-amz-copy-source-if-match");
    const std::string* none_match = call.head.header("x-amz-copy-source-if-none-match");
    const auto since = parse_http_date(call.head.header_or("x-amz-copy-source-if-modified-since", ""));
    const auto unmodified = parse_http_date(call.head.header_or("x-amz-copy-source-if-unmodified-since", ""));
    const int64_t modified = source.modified_ms / 1000;
    if ((match != nullptr && !etag_listed(*match, source.etag)) ||
        (none_match != nullptr && etag_listed(*none_match, source.etag)) || (since && modified <= *since) ||
        (unmodified && match == nullptr && modified > *unmodified))
        return s3_error("PreconditionFailed");
    return std::nullopt;
}

}  // namespace

bool etag_listed(std::string_view list, std::string_view etag) {
    return std::ranges::any_of(
        split(list, ','), [&](std::string_view item) { return trim(item) == "*" || unquoted(item) == unquoted(etag); });
}

std::optional<S3Error> check_write_conditions(const Service& service, const Call& call, const ObjectPtr& current) {
    const std::string* match = call.head.header("if-match");
    const std::string* none_match = call.head.header("if-none-match");
    if (service.quirks.ignore_if_match || call.faults.ignore_conditions) match = nullptr;
    if (service.quirks.ignore_if_none_match || call.faults.ignore_conditions) none_match = nullptr;
    if (match != nullptr && none_match != nullptr)
        return s3_error("NotImplemented", "If-Match and If-None-Match together are not implemented.");
    if (match != nullptr && !current) return s3_error(trim(*match) == "*" ? "PreconditionFailed" : "NoSuchKey");
    if (match != nullptr && !etag_listed(*match, current->etag)) {
        S3Error error = s3_error("PreconditionFailed");
        error.elements = {{"Condition", "If-Match"}};
        return error;
    }
    if (none_match == nullptr) return std::nullopt;
    if (trim(*none_match) != "*") return s3_error("NotImplemented", "If-None-Match of a write takes * only.");
    if (!current) return std::nullopt;
    S3Error error = s3_error("PreconditionFailed");
    error.elements = {{"Condition", "If-None-Match"}};
    return error;
}

Fields kept_headers(const Head& head) {
    Fields out;
    for (const Field& field : head.headers) {
        const std::string name = to_lower(field.name);
        const bool kept = std::ranges::find(kept_names, name) != kept_names.end() || name.starts_with("x-amz-meta-");
        if (!kept) continue;
        const std::string value = name == "content-encoding" ? without_aws_chunked(field.value) : field.value;
        if (name != "content-encoding" || !value.empty()) out.push_back({name, value});
    }
    if (find_field(out, "content-type") == nullptr) out.push_back({"content-type", "binary/octet-stream"});
    return out;
}

std::string quoted_etag(const Service& service, std::string_view etag) {
    return service.quirks.unquoted_etag ? std::string(etag) : fmt::format("\"{}\"", etag);
}

std::string etag_of(const Service& service, std::string_view md5) {
    if (!service.quirks.etag_not_md5) return to_hex(md5);
    return to_hex(digest(Algorithm::md5, std::string(md5) + "another etag"));
}

void add_checksum_headers(Fields& headers, const Checksums& checksums, std::optional<bool> composite) {
    for (const auto& [algorithm, value] : checksums)
        headers.push_back({fmt::format("x-amz-checksum-{}", to_string(algorithm)), value});
    if (!checksums.empty() && composite)
        headers.push_back({"x-amz-checksum-type", *composite ? "COMPOSITE" : "FULL_OBJECT"});
}

std::string checksum_elements(const Checksums& checksums, std::optional<bool> composite) {
    std::string out;
    for (const auto& [algorithm, value] : checksums)
        out += fmt::format("<{0}>{1}</{0}>", checksum_element_name(algorithm), value);
    if (!checksums.empty() && composite)
        out += fmt::format("<ChecksumType>{}</ChecksumType>", *composite ? "COMPOSITE" : "FULL_OBJECT");
    return out;
}

std::string checksum_element_name(Algorithm algorithm) { return "Checksum" + upper(to_string(algorithm)); }

void hide_if_told(Bucket& bucket, const Call& call) {
    if (call.faults.hide && *call.faults.hide > 0) bucket.hidden[call.key] = *call.faults.hide;
}

std::string digest_of(Algorithm algorithm, const Content& content) {
    constexpr uint64_t step = uint64_t{1} << 20U;
    Digest running(algorithm);
    for (uint64_t at = 0; at < content.size(); at += step) running.update(content.read(at, step));
    return running.finish();
}

std::variant<CopySource, S3Error> find_copy_source(Service& service, const Call& call) {
    std::string_view text = *call.head.header("x-amz-copy-source");
    std::string version;
    const size_t mark = text.find("?versionId=");
    if (mark != std::string_view::npos) {
        version = percent_decode(text.substr(mark + 11));
        text = text.substr(0, mark);
    }
    const std::string path = percent_decode(text);
    const size_t start = path.starts_with('/') ? 1 : 0;
    const size_t slash = path.find('/', start);
    if (slash == std::string::npos || slash + 1 == path.size())
        return s3_error("InvalidArgument", "The copy source is not BUCKET/KEY.");
    CopySource source{nullptr, path.substr(start, slash - start), path.substr(slash + 1), !version.empty()};
    const std::lock_guard lock(service.store.mutex);
    const Bucket* bucket = service.store.find(source.bucket);
    if (bucket == nullptr) return s3_error("NoSuchBucket");
    source.object = version.empty() ? bucket->current(source.key) : bucket->version(source.key, version);
    if (!source.object) return s3_error(version.empty() ? "NoSuchKey" : "NoSuchVersion");
    if (source.object->delete_marker)
        return s3_error("InvalidRequest", "The source of a copy request may not be a delete marker.");
    const bool ignored = service.quirks.ignore_if_match || call.faults.ignore_conditions;
    if (ignored) return source;
    if (auto error = check_source_conditions(call, *source.object)) return *error;
    return source;
}

std::optional<Range> parse_range(std::string_view text, uint64_t size) {
    if (!text.starts_with("bytes=")) return std::nullopt;
    text.remove_prefix(6);
    const size_t dash = text.find('-');
    if (dash == std::string_view::npos || text.find(',') != std::string_view::npos) return std::nullopt;
    const auto first = to_number(text.substr(0, dash));
    const auto last = to_number(text.substr(dash + 1));
    if (dash == 0) {
        if (!last) return std::nullopt;
        const uint64_t length = std::min(*last, size);
        return Range{size - length, length, length == 0};
    }
    if (!first || (!last && dash + 1 != text.size()) || (last && *last < *first)) return std::nullopt;
    if (*first >= size) return Range{0, 0, true};
    const uint64_t end = last ? std::min(*last, size - 1) : size - 1;
    return Range{*first, end - *first + 1, false};
}

}  // namespace s3tug::lab
