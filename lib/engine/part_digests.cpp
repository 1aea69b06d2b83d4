#include "engine/part_digests.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/bytes.h"

namespace s3tug::engine {

namespace {

std::size_t value_bytes(ChecksumAlgorithm algorithm) {
    switch (algorithm) {
        case ChecksumAlgorithm::crc64nvme: return 8;
        case ChecksumAlgorithm::crc32:
        case ChecksumAlgorithm::crc32c: return 4;
        case ChecksumAlgorithm::sha1: return 20;
        case ChecksumAlgorithm::sha256: break;
    }
    return 32;
}

/// The raw bytes of all values, one after the other; nullopt as the functions that use it.
std::optional<std::vector<std::byte>> raw_values(std::span<const PartChecksum> parts) {
    if (parts.empty()) return std::nullopt;
    const ChecksumAlgorithm algorithm = parts.front().value.algorithm;
    std::vector<std::byte> all;
    all.reserve(parts.size() * value_bytes(algorithm));
    for (const PartChecksum& part : parts) {
        const auto raw = from_base64(part.value.base64);
        if (part.value.algorithm != algorithm || !raw || raw->size() != value_bytes(algorithm)) return std::nullopt;
        all.insert(all.end(), raw->begin(), raw->end());
    }
    return all;
}

uint64_t big_endian(ByteSpan bytes) {
    uint64_t value = 0;
    for (const std::byte b : bytes) value = value << 8 | static_cast<uint64_t>(b);
    return value;
}

std::string big_endian_base64(uint64_t value, std::size_t bytes) {
    std::array<std::byte, 8> raw{};
    for (std::size_t i = bytes; i-- > 0; value >>= 8) raw[i] = static_cast<std::byte>(value & 0xFF);
    return to_base64(ByteSpan(raw).first(bytes));
}

uint64_t combine(ChecksumAlgorithm algorithm, uint64_t a, uint64_t b, uint64_t b_bytes) {
    const auto low = [](uint64_t value) { return static_cast<uint32_t>(value); };
    if (algorithm == ChecksumAlgorithm::crc64nvme) return crc64nvme_combine(a, b, b_bytes);
    if (algorithm == ChecksumAlgorithm::crc32) return crc32_combine(low(a), low(b), b_bytes);
    return crc32c_combine(low(a), low(b), b_bytes);
}

}  // namespace

std::optional<Checksum> full_object_checksum(std::span<const PartChecksum> parts) {
    const auto raw = raw_values(parts);
    if (!raw) return std::nullopt;
    const ChecksumAlgorithm algorithm = parts.front().value.algorithm;
    if (algorithm == ChecksumAlgorithm::sha1 || algorithm == ChecksumAlgorithm::sha256) return std::nullopt;
    const std::size_t width = value_bytes(algorithm);
    uint64_t crc = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const uint64_t next = big_endian(ByteSpan(*raw).subspan(i * width, width));
        crc = i == 0 ? next : combine(algorithm, crc, next, parts[i].bytes);
    }
    return Checksum{.algorithm = algorithm, .base64 = big_endian_base64(crc, width)};
}

std::optional<wire::StoredChecksum> composite_checksum(std::span<const PartChecksum> parts) {
    const auto raw = raw_values(parts);
    if (!raw) return std::nullopt;
    Checksummer sum(parts.front().value.algorithm);
    sum.update(*raw);
    return wire::StoredChecksum{
        .value = sum.finish(), .scope = wire::ChecksumScope::composite, .parts = static_cast<unsigned>(parts.size())};
}

std::string multipart_etag(std::span<const Md5Digest> parts) {
    Digest digest(DigestKind::md5);
    for (const Md5Digest& part : parts) digest.update(part);
    return to_hex(digest.finish()) + "-" + std::to_string(parts.size());
}

}  // namespace s3tug::engine
