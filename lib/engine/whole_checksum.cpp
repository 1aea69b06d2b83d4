#include "engine/whole_checksum.h"

#include <algorithm>
#include <vector>

#include "base/bytes.h"
#include "engine/part_digests.h"
#include "wire/multipart_requests.h"

namespace s3tug::engine {

std::optional<wire::StoredChecksum> whole_checksum(const DoneParts& parts) {
    if (parts.empty() || !parts.begin()->second.checksum) return std::nullopt;
    return whole_checksum(parts, wire::multipart_scope(parts.begin()->second.checksum->algorithm));
}

std::optional<wire::StoredChecksum> whole_checksum(const DoneParts& parts, wire::ChecksumScope scope) {
    std::vector<PartChecksum> values;
    values.reserve(parts.size());
    for (const auto& [number, part] : parts) {
        if (!part.checksum) return std::nullopt;
        values.push_back({*part.checksum, part.size});
    }
    if (values.empty()) return std::nullopt;
    if (scope == wire::ChecksumScope::composite) return composite_checksum(values);
    const std::optional<Checksum> value = full_object_checksum(values);
    if (!value) return std::nullopt;
    return wire::StoredChecksum{*value, scope, static_cast<unsigned>(parts.size())};
}

std::string multipart_etag(const DoneParts& parts) {
    std::vector<Md5Digest> digests;
    digests.reserve(parts.size());
    for (const auto& [number, part] : parts) {
        const Result<std::vector<std::byte>> raw = from_hex(part.etag);
        Md5Digest digest{};
        if (!raw || raw->size() != digest.size()) return {};
        std::copy(raw->begin(), raw->end(), digest.begin());
        digests.push_back(digest);
    }
    return multipart_etag(digests);
}

}  // namespace s3tug::engine
