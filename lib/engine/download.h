#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/checksum.h"
#include "base/hash.h"
#include "engine/proof.h"
#include "port/files.h"
#include "port/transport.h"
#include "wire/object_headers.h"

namespace s3tug::engine {

/// One object that comes in order: the digests that will prove it, and how far it has come. A cut download
/// continues at the byte reached, pinned to the ETag of the first answer; bytes are never repeated nor dropped, also on
/// a stream that cannot be rewound.
class Download : public port::BodySink {
  public:
    struct Wish {
        bool verify = true;  ///< against what the store says (checksum, or ETag where it is an MD5)
        std::optional<uint64_t> expect_size;
        std::string expect_sha256;
        std::optional<Instant> until;  ///< bound on waiting for the reader of a stream
    };
    Download(port::TargetFile& target, Wish wish);  ///< `target` outlives it

    bool begin(const wire::HttpAnswer& head) override;
    Status write(ByteSpan bytes) override;

    [[nodiscard]] uint64_t received() const { return received_; }
    [[nodiscard]] const wire::ObjectFacts& facts() const { return facts_; }  ///< of the first answer
    [[nodiscard]] const std::optional<Error>& error() const { return error_; }

    /// Starts again from byte 0; false when bytes have left for good.
    [[nodiscard]] bool restart();

    /// After a complete answer: what does not match, in words, or nothing.
    [[nodiscard]] std::optional<std::string> mismatch();
    [[nodiscard]] const Proof& proof() const { return proof_; }
    [[nodiscard]] std::string verified_by() const { return verified_by_; }  ///< "crc64nvme:...", "md5:..."; empty: none

  private:
    bool adopt_first(const wire::HttpAnswer& head);
    bool continue_with(const wire::HttpAnswer& head);
    bool refuse(ErrorKind kind, std::string message);
    void choose_digests();
    Status consume(ByteSpan bytes);

    port::TargetFile& target_;
    Wish wish_;
    wire::ObjectFacts facts_;
    bool have_facts_ = false;
    uint64_t received_ = 0;
    uint64_t skip_ = 0;  ///< bytes of a full answer that the stream has had already
    std::optional<Error> error_;
    std::optional<Checksummer> checksum_;
    Proof proof_;
    std::optional<Digest> md5_;
    std::optional<Digest> sha256_;
    std::string verified_by_;
};

}  // namespace s3tug::engine
