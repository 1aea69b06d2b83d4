#include "engine/whole_checksum.h"

#include <array>

#include "base/bytes.h"
#include "base/hash.h"
#include "wire/multipart_requests.h"

namespace s3tug::engine {
namespace {

constexpr std::size_t md5_hex_digits = 32;

uint64_t from_big_endian(ByteSpan bytes) {
    uint64_t value = 0;
    for (const std::byte b : bytes) value = value << 8 | std::to_integer<uint64_t>(b);
    return value;
}

std::string big_endian_base64(uint64_t value, std::size_t size) {
    std::array<std::byte, 8> bytes{};
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(value >> (8 * (size - 1 - i)));
    return to_base64(ByteSpan(bytes).first(size));
}

uint64_t combine(ChecksumAlgorithm algorithm, uint64_t a, uint64_t b, uint64_t b_bytes) {
    const auto a32 = static_cast<uint32_t>(a);
    const auto b32 = static_cast<uint32_t>(b);
    switch (algorithm) {
        case ChecksumAlgorithm::crc64nvme: return crc64nvme_combine(a, b, b_bytes);
        case ChecksumAlgorithm::crc32: return crc32_combine(a32, b32, b_bytes);
        case ChecksumAlgorithm::crc32c: return crc32c_combine(a32, b32, b_bytes);
        case ChecksumAlgorithm::sha1:
        case ChecksumAlgorithm::sha256: break;
    }
    return 0;
}

std::optional<Checksum> combined(ChecksumAlgorithm algorithm, const DoneParts& parts) {
    uint64_t whole = 0;
    std::size_t value_bytes = 0;
    for (const auto& [number, part] : parts) {
        const Result<std::vector<std::byte>> value = from_base64(part.checksum->base64);
        if (!value) return std::nullopt;
        value_bytes = value->size();
        whole = combine(algorithm, whole, from_big_endian(*value), part.size);
    }
    return Checksum{algorithm, big_endian_base64(whole, value_bytes)};
}

std::optional<Checksum> composite(ChecksumAlgorithm algorithm, const DoneParts& parts) {
    Checksummer sum(algorithm);
    for (const auto& [number, part] : parts) {
        const Result<std::vector<std::byte>> value = from_base64(part.checksum->base64);
        if (!value) return std::nullopt;
        sum.update(*value);
    }
    return sum.finish();
}

}  // namespace

std::optional<wire::StoredChecksum> whole_checksum(const DoneParts& parts) {
    if (parts.empty() || !parts.begin()->second.checksum) return std::nullopt;
    const ChecksumAlgorithm algorithm = parts.begin()->second.checksum->algorithm;
    for (const auto& [number, part] : parts) {
        if (!part.checksum || part.checksum->algorithm != algorithm) return std::nullopt;
    }
    const wire::ChecksumScope scope = wire::multipart_scope(algorithm);
    const std::optional<Checksum> value =
        scope == wire::ChecksumScope::full_object ? combined(algorithm, parts) : composite(algorithm, parts);
    if (!value) return std::nullopt;
    return wire::StoredChecksum{*value, scope, static_cast<unsigned>(parts.size())};
}

std::string multipart_etag(const DoneParts& parts) {
    Digest md5(DigestKind::md5);
    for (const auto& [number, part] : parts) {
        if (part.etag.size() != md5_hex_digits) return {};
        const Result<std::vector<std::byte>> raw = from_hex(part.etag);
        if (!raw) return {};
        md5.update(*raw);
    }
    return to_hex(md5.finish()) + "-" + std::to_string(parts.size());
}

}  // namespace s3tug::engine
