#include "engine/ranged_download.h"

#include <algorithm>

#include "base/limits.h"
#include "engine/range_crc.h"

namespace s3tug::engine {

RangedDownload::RangedDownload(port::TargetFile& target, DownloadRecord record, Download::Wish wish)
    : target_(target), record_(std::move(record)), wish_(std::move(wish)), checking_(record_.parts.unproven()) {}

DownloadRecord RangedDownload::plan(const wire::ObjectFacts& facts, const std::string& asked_version,
                                    uint64_t part_bytes, std::string endpoint, bool verify) {
    Proof proof = verify ? proof_of(facts) : Proof{};
    // The CRC that proves the whole, where there is one, also proves the parts to a later run.
    const bool combines = proof.checksum && crc_combines(proof.checksum->algorithm);
    const ChecksumAlgorithm crc = combines ? proof.checksum->algorithm : ChecksumAlgorithm::crc64nvme;
    ObjectPin pin{facts.etag, asked_version, facts.size.value_or(0)};
    if (pin.etag.empty() && pin.version_id.empty()) pin.version_id = facts.version_id;
    const uint64_t size = pin.size;
    return {.endpoint = std::move(endpoint),
            .pin = std::move(pin),
            .answered_version = facts.version_id,
            .last_modified = facts.last_modified,
            .proof = std::move(proof),
            .parts = PartTable(size, part_bytes, crc)};
}

Result<ByteSpan> RangedDownload::read(uint64_t offset, uint64_t most, MutableByteSpan chunk) const {
    const MutableByteSpan wanted = chunk.first(static_cast<std::size_t>(std::min<uint64_t>(most, chunk.size())));
    Result<std::size_t> n = target_.read_at(offset, wanted);
    if (!n) return std::move(n).error();
    return ByteSpan(wanted.first(*n));
}

Status RangedDownload::work() {
    std::vector<std::byte> chunk(limits::io_chunk_bytes);  // of this turn: there may be very many downloads
    return checking_ ? check_step(chunk) : hash_step(chunk);
}

Status RangedDownload::check_step(MutableByteSpan chunk) {
    PartTable& table = record_.parts;
    for (uint64_t budget = limits::hash_step_bytes; checking_ && budget > 0;) {
        const std::size_t index = *checking_;
        const PartTable::Part& part = table.part(index);
        Result<ByteSpan> bytes = read(table.first(index) + checked_, std::min(budget, part.reached - checked_), chunk);
        if (!bytes) return std::move(bytes).error();
        check_crc_ = crc_update(table.algorithm(), check_crc_, *bytes);
        checked_ += bytes->size();
        budget -= bytes->size();
        const bool ends_early = bytes->empty();
        if (!ends_early && checked_ < part.reached) continue;
        table.judge(index, !ends_early && check_crc_ == part.crc);
        checked_ = 0;
        check_crc_ = 0;
        checking_ = table.unproven();
    }
    return {};
}

void RangedDownload::hash_as_they_pass() {
    in_passing_ = true;
    begin_digests();
}

void RangedDownload::passed(ByteSpan bytes) { digest(bytes); }

void RangedDownload::digest(ByteSpan bytes) {
    if (checksum_) checksum_->update(bytes);
    if (md5_) md5_->update(bytes);
    if (sha256_) sha256_->update(bytes);
}

void RangedDownload::begin_proof() {
    proof_begun_ = true;
    if (in_passing_) return;
    begin_digests();
    hashing_ = checksum_.has_value() || md5_.has_value() || sha256_.has_value();
    hashed_ = 0;
}

void RangedDownload::begin_digests() {
    const std::optional<Checksum>& expected = record_.proof.checksum;
    if (expected && !crc_combines(expected->algorithm)) checksum_.emplace(expected->algorithm);
    if (!record_.proof.md5.empty()) md5_.emplace(DigestKind::md5);
    if (!wish_.expect_sha256.empty()) sha256_.emplace(DigestKind::sha256);
}

Status RangedDownload::hash_step(MutableByteSpan chunk) {
    for (uint64_t budget = limits::hash_step_bytes; hashing_ && budget > 0;) {
        Result<ByteSpan> bytes = read(hashed_, std::min(budget, record_.pin.size - hashed_), chunk);
        if (!bytes) return std::move(bytes).error();
        digest(*bytes);
        hashed_ += bytes->size();
        budget -= bytes->size();
        // A file that somebody cut short has a digest too, only not the right one.
        if (bytes->empty() || hashed_ == record_.pin.size) hashing_ = false;
    }
    return {};
}

std::optional<std::string> RangedDownload::mismatch() {
    proof_begun_ = false;
    if (const auto& expected = record_.proof.checksum) {
        const Checksum have = checksum_ ? checksum_->finish() : record_.parts.whole();
        const std::string name(wire_name(have.algorithm));
        if (have != *expected) return name + " of the bytes is " + have.base64 + ", the store says " + expected->base64;
        verified_by_ = name + ":" + have.base64;
    }
    if (md5_) {
        const std::string have = to_hex(md5_->finish());
        if (have != record_.proof.md5) return "MD5 of the bytes is " + have + ", the ETag says " + record_.proof.md5;
        verified_by_ = "md5:" + have;
    }
    if (sha256_) {
        const std::string have = to_hex(sha256_->finish());
        if (have != wish_.expect_sha256)
            return "SHA-256 of the bytes is " + have + ", not the " + wish_.expect_sha256 + " of --expect-sha256";
    }
    return std::nullopt;
}

void RangedDownload::take_over(std::size_t part, uint64_t crc) {
    record_.parts.recall(part, record_.parts.bytes(part), crc);
    if (!checking_) checking_ = record_.parts.unproven();
}

void RangedDownload::doubt() {
    doubted_ = true;
    record_.parts.doubt();
    checking_ = record_.parts.unproven();
}

}  // namespace s3tug::engine
