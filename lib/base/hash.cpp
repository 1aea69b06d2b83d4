#include "base/hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <new>
#include <stdexcept>

namespace s3tug {

namespace {

/// Fetched once: OpenSSL 3 looks the algorithm up again in every init with EVP_sha256(), which costs more than hashing
/// a header does. Lives until the process ends.
const EVP_MD* algorithm(DigestKind kind) {
    const auto fetch = [](const char* name) {
        const EVP_MD* md = EVP_MD_fetch(nullptr, name, nullptr);
        if (md == nullptr) throw std::runtime_error(std::string("libcrypto has no ") + name);
        return md;
    };
    switch (kind) {
        case DigestKind::md5: {
            static const EVP_MD* const md = fetch("MD5");
            return md;
        }
        case DigestKind::sha1: {
            static const EVP_MD* const md = fetch("SHA1");
            return md;
        }
        case DigestKind::sha256: break;
    }
    static const EVP_MD* const md = fetch("SHA256");
    return md;
}

void require(int result) {
    if (result != 1) throw std::runtime_error("libcrypto digest failed");
}

class Context {
  public:
    Context() : context_(EVP_MD_CTX_new()) {
        if (context_ == nullptr) throw std::bad_alloc();
    }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() { EVP_MD_CTX_free(context_); }

    void begin(const EVP_MD* md) { require(EVP_DigestInit_ex2(context_, md, nullptr)); }
    void update(ByteSpan bytes) { require(EVP_DigestUpdate(context_, bytes.data(), bytes.size())); }
    void finish(MutableByteSpan out) {
        require(EVP_DigestFinal_ex(context_, reinterpret_cast<unsigned char*>(out.data()), nullptr));
    }

  private:
    EVP_MD_CTX* context_;
};

/// Signing hashes a few hundred bytes at a time; the context is kept so that each costs no allocation.
Context& scratch() {
    thread_local Context context;
    return context;
}

template <class Array>
Array one_shot(DigestKind kind, ByteSpan bytes) {
    Array out;
    Context& context = scratch();
    context.begin(algorithm(kind));
    context.update(bytes);
    context.finish(out);
    return out;
}

}  // namespace

struct Digest::State {
    const EVP_MD* md;
    Context context;
};

Digest::Digest(DigestKind kind) : state_(new State{algorithm(kind), {}}) { state_->context.begin(state_->md); }
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;
Digest::~Digest() = default;

void Digest::update(ByteSpan bytes) { state_->context.update(bytes); }

std::vector<std::byte> Digest::finish() {
    std::vector<std::byte> out(static_cast<std::size_t>(EVP_MD_get_size(state_->md)));
    state_->context.finish(out);
    state_->context.begin(state_->md);
    return out;
}

Sha256Digest sha256(ByteSpan bytes) { return one_shot<Sha256Digest>(DigestKind::sha256, bytes); }
Md5Digest md5(ByteSpan bytes) { return one_shot<Md5Digest>(DigestKind::md5, bytes); }

Sha256Digest hmac_sha256(ByteSpan key, ByteSpan message) {
    // RFC 2104 by hand: libcrypto's EVP_MAC fetches and allocates on each call.
    constexpr std::size_t block_bytes = 64;
    std::array<std::byte, block_bytes> block{};
    if (key.size() > block_bytes) {
        const Sha256Digest short_key = sha256(key);
        std::copy(short_key.begin(), short_key.end(), block.begin());
    } else {
        std::copy(key.begin(), key.end(), block.begin());
    }
    Sha256Digest digest;
    Context& context = scratch();
    const EVP_MD* md = algorithm(DigestKind::sha256);

    for (std::byte& b : block) b ^= std::byte{0x36};
    context.begin(md);
    context.update(block);
    context.update(message);
    context.finish(digest);

    for (std::byte& b : block) b ^= std::byte{0x36 ^ 0x5C};
    context.begin(md);
    context.update(block);
    context.update(digest);
    context.finish(digest);

    OPENSSL_cleanse(block.data(), block.size());
    return digest;
}

}  // namespace s3tug
