#pragma once

#include <pugixml.hpp>
#include <string_view>
#include <vector>

#include "wire/object_headers.h"

/// Private to lib/wire: checksums as elements of S3's XML, in answers and in the body of Complete.
namespace s3tug::wire {

/// "ChecksumCRC64NVME"
[[nodiscard]] std::string_view checksum_element(ChecksumAlgorithm algorithm);

/// All well-formed Checksum* children, in the order of parse_checksums().
[[nodiscard]] std::vector<StoredChecksum> parse_checksum_elements(pugi::xml_node parent);

}  // namespace s3tug::wire
