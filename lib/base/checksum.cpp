#include "base/checksum.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <array>
#include <climits>

#include "base/hash.h"
#include "base/text.h"

namespace s3tug {

namespace {

constexpr std::array<std::pair<ChecksumAlgorithm, std::string_view>, 5> names = {{
    {ChecksumAlgorithm::crc64nvme, "crc64nvme"},
    {ChecksumAlgorithm::crc32, "crc32"},
    {ChecksumAlgorithm::crc32c, "crc32c"},
    {ChecksumAlgorithm::sha1, "sha1"},
    {ChecksumAlgorithm::sha256, "sha256"},
}};

template <class Word>
std::string base64_big_endian(Word value) {
    std::array<std::byte, sizeof(Word)> bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::byte>(value >> (8 * (bytes.size() - 1 - i)) & 0xFF);
    }
    return to_base64(bytes);
}

std::optional<Digest> digest_for(ChecksumAlgorithm algorithm) {
    if (algorithm == ChecksumAlgorithm::sha1) return Digest(DigestKind::sha1);
    if (algorithm == ChecksumAlgorithm::sha256) return Digest(DigestKind::sha256);
    return std::nullopt;
}

}  // namespace

std::string_view wire_name(ChecksumAlgorithm algorithm) {
    for (const auto& [value, name] : names) {
        if (value == algorithm) return name;
    }
    return {};
}

std::optional<ChecksumAlgorithm> checksum_from_name(std::string_view name) {
    const std::string wanted = to_lower(name);
    for (const auto& [value, known] : names) {
        if (known == wanted) return value;
    }
    return std::nullopt;
}

uint32_t crc32(uint32_t crc, ByteSpan bytes) {
    return crc32_gzip_refl(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

uint32_t crc32c(uint32_t crc, ByteSpan bytes) {
    // ISA-L takes the length as an int, does not invert, and lacks a const that it could have.
    uint32_t state = ~crc;
    while (!bytes.empty()) {
        const std::size_t n = std::min<std::size_t>(bytes.size(), INT_MAX);
        auto* const data = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
        state = crc32_iscsi(data, static_cast<int>(n), state);
        bytes = bytes.subspan(n);
    }
    return ~state;
}

struct Checksummer::State {
    ChecksumAlgorithm algorithm;
    uint64_t crc = 0;
    std::optional<Digest> digest;
};

Checksummer::Checksummer(ChecksumAlgorithm algorithm) : state_(new State{algorithm, 0, digest_for(algorithm)}) {}
Checksummer::Checksummer(Checksummer&&) noexcept = default;
Checksummer& Checksummer::operator=(Checksummer&&) noexcept = default;
Checksummer::~Checksummer() = default;

void Checksummer::update(ByteSpan bytes) {
    State& s = *state_;
    switch (s.algorithm) {
        case ChecksumAlgorithm::crc64nvme: s.crc = crc64nvme(s.crc, bytes); break;
        case ChecksumAlgorithm::crc32: s.crc = crc32(static_cast<uint32_t>(s.crc), bytes); break;
        case ChecksumAlgorithm::crc32c: s.crc = crc32c(static_cast<uint32_t>(s.crc), bytes); break;
        case ChecksumAlgorithm::sha1:
        case ChecksumAlgorithm::sha256: s.digest->update(bytes); break;
    }
}

Checksum Checksummer::finish() {
    State& s = *state_;
    const uint64_t crc = std::exchange(s.crc, 0);
    if (s.digest) return {s.algorithm, to_base64(s.digest->finish())};
    if (s.algorithm == ChecksumAlgorithm::crc64nvme) return {s.algorithm, base64_big_endian(crc)};
    return {s.algorithm, base64_big_endian(static_cast<uint32_t>(crc))};
}

}  // namespace s3tug
