#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "engine/download.h"
#include "engine/download_record.h"
#include "port/files.h"

namespace s3tug::engine {

/// An object that is fetched in parts to a target that takes bytes by offset: what is there, what is still to be
/// proven, and whether the whole is right. Hashing what lies on disk is done in steps of limits::hash_step_bytes.
class RangedDownload {
  public:
    /// `target` outlives it. Unproven parts of the record are hashed before they count.
    RangedDownload(port::TargetFile& target, DownloadRecord record, Download::Wish wish);
    /// The target cannot be read back: whoever writes to it tells passed() of all bytes, in order.
    void hash_as_they_pass();
    void passed(ByteSpan bytes);

    /// The record for the first answer of an object that is to be fetched in parts.
    [[nodiscard]] static DownloadRecord plan(const wire::ObjectFacts& facts, const std::string& asked_version,
                                             uint64_t part_bytes, std::string endpoint, bool verify);

    [[nodiscard]] const DownloadRecord& record() const { return record_; }
    [[nodiscard]] PartTable& parts() { return record_.parts; }
    [[nodiscard]] const ObjectPin& pin() const { return record_.pin; }

    /// Is there local work to do?
    [[nodiscard]] bool busy() const { return checking_.has_value() || hashing_; }
    [[nodiscard]] Status work();

    /// Call when all parts are done: begins what can only be hashed in order; busy() until then.
    void begin_proof();
    [[nodiscard]] bool proof_begun() const { return proof_begun_; }
    /// After the proof: what does not match, in words, or nothing.
    [[nodiscard]] std::optional<std::string> mismatch();
    [[nodiscard]] const std::string& verified_by() const { return verified_by_; }

    /// A second request brought this part while a first one wrote to it too: it counts once a hash of the disk agrees.
    void take_over(std::size_t part, uint64_t crc);

    /// After a mismatch: hashes every part on disk again, since it may have been damaged there.
    void doubt();
    [[nodiscard]] bool doubted() const { return doubted_; }

  private:
    [[nodiscard]] Status check_step(MutableByteSpan chunk);
    [[nodiscard]] Status hash_step(MutableByteSpan chunk);
    void begin_digests();
    void digest(ByteSpan bytes);
    [[nodiscard]] Result<ByteSpan> read(uint64_t offset, uint64_t most, MutableByteSpan chunk) const;

    port::TargetFile& target_;
    DownloadRecord record_;
    Download::Wish wish_;

    std::optional<std::size_t> checking_;  ///< part
    uint64_t checked_ = 0;                 ///< bytes of it
    uint64_t check_crc_ = 0;
    bool doubted_ = false;

    bool proof_begun_ = false;
    bool hashing_ = false;
    bool in_passing_ = false;
    uint64_t hashed_ = 0;
    std::optional<Checksummer> checksum_;
    std::optional<Digest> md5_;
    std::optional<Digest> sha256_;
    std::string verified_by_;
};

}  // namespace s3tug::engine
