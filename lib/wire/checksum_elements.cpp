#include "wire/checksum_elements.h"

#include <algorithm>
#include <array>
#include <string>

#include "wire/xml.h"

namespace s3tug::wire {

namespace {

struct Element {
    ChecksumAlgorithm algorithm;
    std::string_view name;
};
constexpr std::array<Element, 5> elements = {{{ChecksumAlgorithm::crc64nvme, "ChecksumCRC64NVME"},
                                              {ChecksumAlgorithm::crc32c, "ChecksumCRC32C"},
                                              {ChecksumAlgorithm::crc32, "ChecksumCRC32"},
                                              {ChecksumAlgorithm::sha256, "ChecksumSHA256"},
                                              {ChecksumAlgorithm::sha1, "ChecksumSHA1"}}};

}  // namespace

std::string_view checksum_element(ChecksumAlgorithm algorithm) {
    return std::ranges::find(elements, algorithm, &Element::algorithm)->name;
}

std::vector<StoredChecksum> parse_checksum_elements(pugi::xml_node parent) {
    const std::string type = xml::child_text(parent, "ChecksumType");
    std::vector<StoredChecksum> found;
    for (const Element& element : elements) {
        const std::string text = xml::child_text(parent, element.name);
        if (text.empty()) continue;
        if (auto checksum = parse_checksum(element.algorithm, text, type)) found.push_back(*std::move(checksum));
    }
    return found;
}

}  // namespace s3tug::wire
