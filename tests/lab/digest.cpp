#include "lab/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <stdexcept>

#include "lab/bytes.h"

namespace s3tug::lab {

namespace {

/// Tables for eight bytes a step ("slicing by 8") of a reflected CRC, so that a 1 GiB body is no test of patience.
using Tables = std::array<std::array<uint64_t, 256>, 8>;

Tables make_tables(uint64_t reflected_polynomial) {
    Tables tables{};
    for (uint64_t byte = 0; byte < 256; ++byte) {
        uint64_t value = byte;
        for (int bit = 0; bit < 8; ++bit) value = (value >> 1U) ^ ((value & 1U) != 0 ? reflected_polynomial : 0);
        tables[0][byte] = value;
    }
    for (size_t k = 1; k < 8; ++k)
        for (size_t byte = 0; byte < 256; ++byte)
            tables[k][byte] = (tables[k - 1][byte] >> 8U) ^ tables[0][tables[k - 1][byte] & 0xFFU];
    return tables;
}

const Tables& tables_of(Algorithm algorithm) {
    static const Tables crc32 = make_tables(0xEDB88320U);
    static const Tables crc32c = make_tables(0x82F63B78U);
    static const Tables crc64nvme = make_tables(0x9A6C9329AC4BC9B5U);
    return algorithm == Algorithm::crc32 ? crc32 : algorithm == Algorithm::crc32c ? crc32c : crc64nvme;
}

uint64_t crc_step(const Tables& tables, uint64_t crc, std::string_view bytes) {
    const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
    size_t left = bytes.size();
    for (; left >= 8; left -= 8, p += 8) {
        uint64_t word = 0;
        for (size_t k = 0; k < 8; ++k) word |= static_cast<uint64_t>(p[k]) << (8 * k);
        word ^= crc;
        crc = 0;
        for (size_t k = 0; k < 8; ++k) crc ^= tables[7 - k][word >> (8 * k) & 0xFFU];
    }
    for (; left > 0; --left, ++p) crc = (crc >> 8U) ^ tables[0][(crc ^ *p) & 0xFFU];
    return crc;
}

uint64_t all_ones(Algorithm algorithm) { return algorithm == Algorithm::crc64nvme ? ~uint64_t{0} : 0xFFFFFFFFU; }

const EVP_MD* evp_of(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::md5: return EVP_md5();
        case Algorithm::sha1: return EVP_sha1();
        case Algorithm::sha256: return EVP_sha256();
        default: return nullptr;
    }
}

}  // namespace

struct Digest::Evp {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    Evp() = default;
    Evp(const Evp&) = delete;
    Evp& operator=(const Evp&) = delete;
    ~Evp() { EVP_MD_CTX_free(context); }
};

Digest::Digest(Algorithm algorithm) : algorithm_(algorithm), crc_(all_ones(algorithm)) {
    if (const EVP_MD* md = evp_of(algorithm)) {
        evp_ = std::make_unique<Evp>();
        if (EVP_DigestInit_ex(evp_->context, md, nullptr) != 1) throw std::runtime_error("digest not available");
    }
}

Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

void Digest::update(std::string_view bytes) {
    if (evp_)
        EVP_DigestUpdate(evp_->context, bytes.data(), bytes.size());
    else
        crc_ = crc_step(tables_of(algorithm_), crc_, bytes);
}

std::string Digest::finish() {
    if (evp_) {
        std::string out(EVP_MAX_MD_SIZE, '\0');
        unsigned length = 0;
        EVP_DigestFinal_ex(evp_->context, reinterpret_cast<unsigned char*>(out.data()), &length);
        out.resize(length);
        return out;
    }
    const uint64_t value = crc_ ^ all_ones(algorithm_);
    const size_t width = algorithm_ == Algorithm::crc64nvme ? 8 : 4;
    std::string out;
    for (size_t k = width; k > 0; --k) out += static_cast<char>(value >> (8 * (k - 1)) & 0xFFU);
    return out;
}

std::string_view to_string(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::md5: return "md5";
        case Algorithm::sha1: return "sha1";
        case Algorithm::sha256: return "sha256";
        case Algorithm::crc32: return "crc32";
        case Algorithm::crc32c: return "crc32c";
        case Algorithm::crc64nvme: return "crc64nvme";
    }
    return "";
}

std::optional<Algorithm> algorithm_named(std::string_view name) {
    const auto found =
        std::ranges::find_if(checksum_algorithms, [&](Algorithm a) { return equal_nocase(to_string(a), name); });
    return found == checksum_algorithms.end() ? std::nullopt : std::optional(*found);
}

std::string digest(Algorithm algorithm, std::string_view bytes) {
    Digest running(algorithm);
    running.update(bytes);
    return running.finish();
}

std::string sha256_hex(std::string_view bytes) { return to_hex(digest(Algorithm::sha256, bytes)); }

std::string hmac_sha256(std::string_view key, std::string_view message) {
    std::string out(EVP_MAX_MD_SIZE, '\0');
    unsigned length = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(message.data()),
         message.size(), reinterpret_cast<unsigned char*>(out.data()), &length);
    out.resize(length);
    return out;
}

}  // namespace s3tug::lab
