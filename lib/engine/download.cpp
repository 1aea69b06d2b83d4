#include "engine/download.h"

#include <algorithm>

#include "base/bytes.h"

namespace s3tug::engine {

Download::Download(port::TargetFile& target, Wish wish) : target_(target), wish_(std::move(wish)) {}

bool Download::refuse(ErrorKind kind, std::string message) {
    error_ = Error{kind, std::move(message)};
    return true;  // the body is ours to refuse: write() then ends the attempt with the latched error
}

bool Download::begin(const wire::HttpAnswer& head) {
    // Without an ETag it is no object (a captive portal, an error document in a 200): not a byte of it is written.
    if ((head.status != 200 && head.status != 206) || !head.headers.find("etag")) return false;
    skip_ = 0;
    if (!have_facts_ || received_ == 0) return adopt_first(head);
    return continue_with(head);
}

bool Download::adopt_first(const wire::HttpAnswer& head) {
    facts_ = wire::parse_object_facts(head);
    have_facts_ = true;
    choose_digests();
    if (wish_.expect_size && facts_.size && *facts_.size != *wish_.expect_size) {
        return refuse(ErrorKind::integrity, "the object has " + std::to_string(*facts_.size) + " bytes, not the " +
                                                std::to_string(*wish_.expect_size) + " of --expect-size");
    }
    if (facts_.size) {
        if (Status room = target_.reserve(*facts_.size); !room) { error_ = std::move(room).error(); }
    }
    return true;
}

bool Download::continue_with(const wire::HttpAnswer& head) {
    const wire::ObjectFacts now = wire::parse_object_facts(head);
    const bool same_object = now.etag == facts_.etag && (!now.size || now.size == facts_.size);
    if (!same_object) {
        if (restart()) return adopt_first(head);
        if (error_) return true;
        return refuse(ErrorKind::integrity, "the object changed while it was read, and " + std::to_string(received_) +
                                                " bytes of the old one are written already");
    }
    if (head.status == 200) {
        // The store ignored the Range: the whole object comes again.
        if (restart()) return adopt_first(head);
        skip_ = received_;
        return true;
    }
    const auto range = wire::parse_content_range(head.headers.find("content-range").value_or(""));
    if (!range || range->first != received_) {
        return refuse(ErrorKind::refused, "the store answered another range than the one asked for (from byte " +
                                              std::to_string(received_) + ")");
    }
    return true;
}

void Download::choose_digests() {
    checksum_.reset();
    md5_.reset();
    sha256_.reset();
    proof_ = wish_.verify ? proof_of(facts_) : Proof{};
    if (proof_.checksum) checksum_.emplace(proof_.checksum->algorithm);
    if (!proof_.md5.empty()) md5_.emplace(DigestKind::md5);
    if (!wish_.expect_sha256.empty()) sha256_.emplace(DigestKind::sha256);
}

Status Download::write(ByteSpan bytes) {
    if (error_) return *error_;
    if (skip_ > 0) {
        const auto n = static_cast<std::size_t>(std::min<uint64_t>(skip_, bytes.size()));
        skip_ -= n;
        bytes = bytes.subspan(n);
    }
    if (bytes.empty()) return {};
    Status done = consume(bytes);
    if (!done) error_ = done.error();
    return done;
}

Status Download::consume(ByteSpan bytes) {
    Status written = target_.seekable() ? target_.write_at(received_, bytes) : target_.write_next(bytes, wish_.until);
    if (!written) return written;
    if (checksum_) checksum_->update(bytes);
    if (md5_) md5_->update(bytes);
    if (sha256_) sha256_->update(bytes);
    received_ += bytes.size();
    return {};
}

bool Download::restart() {
    if (received_ > 0) {
        if (!target_.seekable()) return false;
        if (Status cut = target_.truncate(0); !cut) {
            error_ = std::move(cut).error();
            return false;
        }
    }
    received_ = 0;
    have_facts_ = false;
    return true;
}

std::optional<std::string> Download::mismatch() {
    if (facts_.size && received_ != *facts_.size) {
        return "got " + std::to_string(received_) + " of " + std::to_string(*facts_.size) + " bytes";
    }
    if (wish_.expect_size && received_ != *wish_.expect_size) {
        return "got " + std::to_string(received_) + " bytes, not the " + std::to_string(*wish_.expect_size) +
               " of --expect-size";
    }
    if (checksum_) {
        const Checksum have = checksum_->finish();
        const std::string name(wire_name(have.algorithm));
        if (have != *proof_.checksum) {
            return name + " of the bytes is " + have.base64 + ", the store says " + proof_.checksum->base64;
        }
        verified_by_ = name + ":" + have.base64;
    }
    if (md5_) {
        const std::string have = to_hex(md5_->finish());
        if (have != proof_.md5) return "MD5 of the bytes is " + have + ", the ETag says " + proof_.md5;
        verified_by_ = "md5:" + have;
    }
    if (sha256_) {
        const std::string have = to_hex(sha256_->finish());
        if (have != wish_.expect_sha256) {
            return "SHA-256 of the bytes is " + have + ", not the " + wish_.expect_sha256 + " of --expect-sha256";
        }
    }
    return std::nullopt;
}

}  // namespace s3tug::engine
