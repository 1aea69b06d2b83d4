#include "lab/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace s3tug::lab {

namespace {

struct QuirkName {
    std::string_view name;
    bool Quirks::*flag;
};
constexpr std::array quirk_table = {
    QuirkName{"ignore-if-none-match", &Quirks::ignore_if_none_match},
    QuirkName{"ignore-if-match", &Quirks::ignore_if_match},
    QuirkName{"etag-not-md5", &Quirks::etag_not_md5},
    QuirkName{"unquoted-etag", &Quirks::unquoted_etag},
    QuirkName{"no-range", &Quirks::no_range},
    QuirkName{"no-checksums", &Quirks::no_checksums},
    QuirkName{"no-default-checksum", &Quirks::no_default_checksum},
    QuirkName{"refuse-checksums", &Quirks::refuse_checksums},
    QuirkName{"no-head", &Quirks::no_head},
    QuirkName{"no-list-parts", &Quirks::no_list_parts},
    QuirkName{"empty-messages", &Quirks::empty_messages},
    QuirkName{"no-request-id", &Quirks::no_request_id},
    QuirkName{"no-continue", &Quirks::no_continue},
    QuirkName{"keeps-short-bodies", &Quirks::keeps_short_bodies},
    QuirkName{"complete-twice", &Quirks::complete_twice},
    QuirkName{"small-parts", &Quirks::small_parts},
    QuirkName{"anonymous", &Quirks::anonymous},
};

Fields parse_query(std::string_view raw) {
    Fields out;
    for (const std::string_view item : split(raw, '&')) {
        if (item.empty()) continue;
        const size_t equals = item.find('=');
        const std::string_view value = equals == std::string_view::npos ? "" : item.substr(equals + 1);
        out.push_back({percent_decode(item.substr(0, equals)), percent_decode(value)});
    }
    return out;
}

/// "bucket" of "bucket.localhost:9000"; empty in path style.
std::string bucket_in_host(std::string_view host, const std::vector<std::string>& domains) {
    host = host.substr(0, host.find(':'));
    for (const std::string& domain : domains) {
        if (host.size() > domain.size() + 1 && host.ends_with("." + domain))
            return std::string(host.substr(0, host.size() - domain.size() - 1));
    }
    return {};
}

std::string object_operation(const Call& call) {
    const std::string& method = call.head.method;
    const bool upload = call.parameter("uploadId") != nullptr;
    const bool copy = call.head.header("x-amz-copy-source") != nullptr;
    if (method == "GET") return upload ? "ListParts" : "GetObject";
    if (method == "HEAD") return "HeadObject";
    if (method == "DELETE") return upload ? "AbortMultipartUpload" : "DeleteObject";
    if (method == "PUT" && upload) return copy ? "UploadPartCopy" : "UploadPart";
    if (method == "PUT") return copy ? "CopyObject" : "PutObject";
    if (method == "POST" && call.parameter("uploads") != nullptr) return "CreateMultipartUpload";
    if (method == "POST" && upload) return "CompleteMultipartUpload";
    return "Unknown";
}

std::string bucket_operation(const Call& call) {
    const std::string& method = call.head.method;
    const bool versioning = call.parameter("versioning") != nullptr;
    if (method == "HEAD") return "HeadBucket";
    if (method == "PUT") return versioning ? "PutBucketVersioning" : "CreateBucket";
    if (method == "DELETE") return "DeleteBucket";
    if (method == "POST") return call.parameter("delete") != nullptr ? "DeleteObjects" : "Unknown";
    if (method != "GET") return "Unknown";
    if (versioning) return "GetBucketVersioning";
    if (call.parameter("location") != nullptr) return "GetBucketLocation";
    if (call.parameter("versions") != nullptr) return "ListObjectVersions";
    if (call.parameter("uploads") != nullptr) return "ListMultipartUploads";
    if (call.parameter("list-type") == nullptr) return "ListObjects";
    return call.parameter_or("list-type", "") == "2" ? "ListObjectsV2" : "Unknown";
}

/// Sub-resources that the lab does not have: an object operation with one of them must not be taken for a plain one.
constexpr std::array unknown_subresources = {
    "acl",     "tagging", "retention", "legal-hold", "attributes",  "policy",  "lifecycle",   "encryption",  "cors",
    "torrent", "restore", "select",    "website",    "replication", "logging", "object-lock", "notification"};

}  // namespace

bool set_quirk(Quirks& quirks, std::string_view name) {
    if (name.starts_with("discard=")) {
        quirks.discard = to_number(name.substr(8));
        return quirks.discard.has_value();
    }
    const auto* found = std::ranges::find(quirk_table, name, &QuirkName::name);
    if (found == quirk_table.end()) return false;
    quirks.*(found->flag) = true;
    return true;
}

std::vector<std::string_view> quirk_names() {
    std::vector<std::string_view> names = {"discard=BYTES"};
    for (const QuirkName& entry : quirk_table) names.push_back(entry.name);
    return names;
}

const std::string* Call::parameter(std::string_view name) const {
    const auto found = std::ranges::find(query, name, &Field::name);
    return found == query.end() ? nullptr : &found->value;
}

std::string Call::parameter_or(std::string_view name, std::string_view otherwise) const {
    const std::string* found = parameter(name);
    return found != nullptr ? *found : std::string(otherwise);
}

uint64_t Call::part_number() const { return to_number(parameter_or("partNumber", "")).value_or(0); }

Call understand(Head head, const std::vector<std::string>& domains) {
    Call call;
    call.head = std::move(head);
    const std::string& target = call.head.target;
    const size_t mark = target.find('?');
    std::string_view path = std::string_view(target).substr(0, mark);
    if (mark != std::string::npos) call.query = parse_query(std::string_view(target).substr(mark + 1));
    path.remove_prefix(1);
    call.bucket = bucket_in_host(call.head.header_or("host", ""), domains);
    if (call.bucket.empty()) {
        const size_t slash = path.find('/');
        call.bucket = percent_decode(path.substr(0, slash));
        path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    }
    call.key = percent_decode(path);
    if (std::ranges::any_of(unknown_subresources, [&](const char* name) { return call.parameter(name) != nullptr; }))
        call.op = "Unknown";
    else if (call.bucket.empty())
        call.op = call.head.method == "GET" ? "ListBuckets" : "Unknown";
    else
        call.op = call.key.empty() ? bucket_operation(call) : object_operation(call);
    return call;
}

Answer refuse(S3Error error) {
    Answer answer;
    answer.status = error.status;
    answer.headers = error.headers;
    answer.error = std::move(error);
    return answer;
}

Answer refuse(std::string_view code) { return refuse(s3_error(code)); }

Answer xml_answer(std::string text) {
    Answer answer;
    answer.headers = {{"Content-Type", "application/xml"}};
    answer.text = R"(<?xml version="1.0" encoding="UTF-8"?>)" + std::string("\n") + std::move(text);
    return answer;
}

}  // namespace s3tug::lab
