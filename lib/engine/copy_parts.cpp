#include "engine/copy_parts.h"

#include <set>

#include "wire/multipart_requests.h"

namespace s3tug::engine {
namespace {

class CopyParts final : public PartSupply {
  public:
    CopyParts(wire::S3Uri target, CopySource source, PartPlan plan)
        : target_(std::move(target)), source_(std::move(source)), plan_(plan) {}

    Result<std::unique_ptr<Part>> next(bool) override {
        auto part = std::make_unique<Part>();
        if (!again_.empty()) {
            part->number = *again_.begin();
            again_.erase(again_.begin());
        } else if (next_ <= plan_.count()) {
            part->number = next_++;
        } else {
            return std::unique_ptr<Part>();
        }
        part->offset = plan_.offset(part->number);
        part->size = plan_.size(part->number);
        return part;
    }
    bool ended() const override { return next_ > plan_.count() && again_.empty(); }
    wire::Request request(const Part& part, const std::string& upload_id, bool) const override {
        wire::UploadPartCopyInput input;
        input.target = target_;
        input.upload_id = upload_id;
        input.number = part.number;
        input.source = source_.uri;
        input.source_version_id = source_.version_id;
        input.source_if_match = source_.etag;
        input.first = part.offset;
        input.last = part.offset + part.size - 1;
        input.extra = source_.extra;
        return wire::upload_part_copy(input);
    }
    Status final_check() override { return {}; }
    uint64_t object_size() const override { return plan_.object_size; }
    bool repeatable() const override { return true; }
    void resend(unsigned number) override { again_.insert(number); }

  private:
    wire::S3Uri target_;
    CopySource source_;
    PartPlan plan_;
    unsigned next_ = 1;
    std::set<unsigned> again_;
};

}  // namespace

std::unique_ptr<PartSupply> copy_parts(wire::S3Uri target, CopySource source, PartPlan plan) {
    return std::make_unique<CopyParts>(std::move(target), std::move(source), plan);
}

wire::ObjectProperties properties_of_source(const wire::HttpAnswer& head, const wire::ObjectProperties& wished) {
    const auto header = [&](std::string_view name) { return std::string(head.headers.find(name).value_or("")); };
    const wire::ObjectFacts facts = wire::parse_object_facts(head);
    wire::ObjectProperties out = wished;
    out.content_type = facts.content_type;
    out.cache_control = header("cache-control");
    out.content_encoding = header("content-encoding");
    out.content_disposition = header("content-disposition");
    out.metadata = facts.metadata;
    for (const std::string_view name : {"content-language", "expires"}) {
        if (std::string value = header(name); !value.empty())
            out.extra.push_back({std::string(name), std::move(value)});
    }
    return out;
}

}  // namespace s3tug::engine
