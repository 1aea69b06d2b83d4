#include "engine/body_parts.h"

#include <algorithm>
#include <set>

#include "wire/multipart_requests.h"

namespace s3tug::engine {
namespace {

/// A stretch of a body as a request's own.
class Window final : public port::BodySource {
  public:
    Window(UploadBody& body, uint64_t offset, uint64_t size) : body_(body), offset_(offset), size_(size) {}
    Result<std::size_t> read(uint64_t offset, MutableByteSpan out) override {
        const uint64_t left = offset < size_ ? size_ - offset : 0;
        if (left == 0) return std::size_t{0};
        return body_.read(offset_ + offset, out.first(static_cast<std::size_t>(std::min<uint64_t>(left, out.size()))));
    }

  private:
    UploadBody& body_;
    uint64_t offset_;
    uint64_t size_;
};

class BodyParts final : public PartSupply {
  public:
    BodyParts(std::shared_ptr<UploadBody> body, PartPlan plan, PartStyle style)
        : body_(std::move(body)), plan_(plan), style_(std::move(style)) {}

    Result<std::unique_ptr<Part>> next(bool) override {
        const unsigned number = take_number();
        if (number == 0) return std::unique_ptr<Part>();
        auto part = std::make_unique<Part>();
        part->number = number;
        part->offset = plan_.offset(number);
        part->size = plan_.size(number);
        part->body = std::make_unique<Window>(*body_, part->offset, part->size);
        if (Status digested = digest_part(*part, style_); !digested) return std::move(digested).error();
        return part;
    }

    bool ended() const override { return next_ > plan_.count() && again_.empty(); }
    wire::Request request(const Part& part, const std::string& upload_id, bool with_checksum) const override {
        return part_request(style_, part, upload_id, with_checksum);
    }
    Status final_check() override { return body_->unchanged(); }
    uint64_t object_size() const override { return plan_.object_size; }
    std::optional<Error> error() const override { return body_->error(); }
    bool source_holds() override { return body_->unchanged().ok(); }
    bool takes_anew(bool possible) override { return body_->takes_anew(possible && !style_.whole_known); }
    bool repeatable() const override { return true; }
    void resend(unsigned number) override { again_.insert(number); }

  private:
    unsigned take_number() {
        if (again_.empty()) return next_ <= plan_.count() ? next_++ : 0;
        const unsigned number = *again_.begin();
        again_.erase(again_.begin());
        return number;
    }

    std::shared_ptr<UploadBody> body_;
    PartPlan plan_;
    PartStyle style_;
    unsigned next_ = 1;
    std::set<unsigned> again_;
};

}  // namespace

wire::Request part_request(const PartStyle& style, const Part& part, const std::string& upload_id, bool with_checksum) {
    wire::UploadPartInput input;
    input.target = style.target;
    input.upload_id = upload_id;
    input.number = part.number;
    input.size = part.size;
    input.payload_word = part.payload_word;
    if (with_checksum) input.checksum = part.checksum;
    input.extra = style.extra;
    return wire::upload_part(input);
}

Status digest_part(Part& part, const PartStyle& style) {
    const DigestWish wish{.sha256 = style.sign_payload, .md5 = false, .checksum = style.checksum};
    Result<BodyDigests> digests = digest_bytes(*part.body, part.size, wish);
    if (!digests) return std::move(digests).error();
    part.payload_word = style.sign_payload ? digests->sha256_hex : std::string(wire::unsigned_payload);
    part.checksum = digests->checksum;
    return {};
}

std::unique_ptr<PartSupply> body_parts(std::shared_ptr<UploadBody> body, PartPlan plan, PartStyle style) {
    return std::make_unique<BodyParts>(std::move(body), plan, std::move(style));
}

}  // namespace s3tug::engine
