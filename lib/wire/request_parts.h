#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "wire/request.h"
#include "wire/uri.h"

/// Private to lib/wire: what the builders of requests share.
namespace s3tug::wire {

/// Without a body.
[[nodiscard]] Request object_request(Op op, Method method, const S3Uri& uri);
[[nodiscard]] Request bucket_request(Op op, Method method, std::string_view bucket);

void add_parameter(Request& request, std::string_view name, std::string_view value);
void add_version(Request& request, std::string_view version_id);  ///< nothing when it is empty
void add_extra(Request& request, const std::vector<Header>& extra);
/// Of the headers that a user gave for an object, those that every request about it needs (wire/user_headers.h).
void add_request_extra(Request& request, const std::vector<Header>& extra);

/// x-amz-checksum-<name>, and its name in the header that makes RGW 20 check it at all (facts/servers.md).
void add_checksum(Headers& headers, const Checksum& checksum);

/// "CRC64NVME": how S3 names an algorithm in values.
[[nodiscard]] std::string upper_name(ChecksumAlgorithm algorithm);

/// Makes `xml` the inline body.
void set_xml_body(Request& request, std::string xml);

inline constexpr std::string_view xml_namespace = "http://s3.amazonaws.com/doc/2006-03-01/";

}  // namespace s3tug::wire
