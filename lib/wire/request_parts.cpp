#include "wire/request_parts.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/hash.h"
#include "wire/user_headers.h"

namespace s3tug::wire {

Request object_request(Op op, Method method, const S3Uri& uri) {
    Request request;
    request.op = op;
    request.method = method;
    request.bucket = uri.bucket;
    request.key = uri.key;
    request.payload_word = empty_payload_sha256;
    return request;
}

Request bucket_request(Op op, Method method, std::string_view bucket) {
    return object_request(op, method, {.bucket = std::string(bucket), .key = {}});
}

void add_parameter(Request& request, std::string_view name, std::string_view value) {
    request.query.push_back({.name = std::string(name), .value = std::string(value)});
}

void add_version(Request& request, std::string_view version_id) {
    if (!version_id.empty()) add_parameter(request, "versionId", version_id);
}

void add_extra(Request& request, const std::vector<Header>& extra) {
    for (const Header& line : extra) request.headers.set(line.name, line.value);
}

void add_request_extra(Request& request, const std::vector<Header>& extra) {
    for (const Header& line : extra) {
        if (goes_with_every_request(line.name)) request.headers.set(line.name, line.value);
    }
}

std::string upper_name(ChecksumAlgorithm algorithm) {
    std::string name(wire_name(algorithm));
    std::ranges::transform(name, name.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return name;
}

void add_checksum(Headers& headers, const Checksum& checksum) {
    headers.set("x-amz-sdk-checksum-algorithm", upper_name(checksum.algorithm));
    headers.set("x-amz-checksum-" + std::string(wire_name(checksum.algorithm)), checksum.base64);
}

void set_xml_body(Request& request, std::string xml) {
    request.headers.set("content-type", "application/xml");
    request.payload_word = to_hex(sha256(as_bytes(xml)));
    request.body_bytes = xml.size();
    request.has_body = true;
    request.body = std::move(xml);
}

}  // namespace s3tug::wire
