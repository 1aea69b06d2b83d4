#include "base/hash.h"
#include "engine/body_parts.h"
#include "engine/inner_flow.h"
#include "engine/multipart_flow.h"
#include "engine/put_flows.h"
#include "engine/stream_parts.h"
#include "wire/multipart_requests.h"

namespace s3tug::engine {
namespace {

/// A multipart upload whose bytes are all there: what must hold of the whole is checked before anything is sent.
class MultipartPut final : public InnerFlow {
  public:
    MultipartPut(Services& services, const Transfer& transfer, std::shared_ptr<UploadBody> body,
                 std::unique_ptr<MultipartFlow> upload)
        : services_(services), transfer_(transfer), body_(std::move(body)) {
        inner_ = std::move(upload);
    }

    Result<std::string> prepare() override {
        if (Status kept = condition_is_kept_by_complete(services_.config.endpoint, transfer_.conditions); !kept)
            return std::move(kept).error();
        if (body_ == nullptr) return std::string();  // a stream, judged when it has ended
        if (transfer_.expect_size && *transfer_.expect_size != body_->size()) {
            return Error{ErrorKind::integrity, "the source has " + std::to_string(body_->size()) + " bytes, not the " +
                                                   std::to_string(*transfer_.expect_size) +
                                                   " of --expect-size; nothing was sent"};
        }
        if (transfer_.expect_sha256.empty() && transfer_.idempotency_key.empty()) return std::string();
        const Result<BodyDigests> digests = digest_body(*body_, {.sha256 = true, .md5 = false, .checksum = {}});
        if (!digests) return digests.error();
        if (!transfer_.expect_sha256.empty() && digests->sha256_hex != transfer_.expect_sha256) {
            return Error{ErrorKind::integrity, "the SHA-256 of the source is " + digests->sha256_hex + ", not the " +
                                                   transfer_.expect_sha256 + " of --expect-sha256; nothing was sent"};
        }
        return digests->sha256_hex;
    }

    [[nodiscard]] std::optional<uint64_t> size() const override {
        return body_ ? std::optional(body_->size()) : std::nullopt;
    }

  private:
    Services& services_;
    const Transfer& transfer_;
    std::shared_ptr<UploadBody> body_;
};

}  // namespace

std::string upload_options(const Transfer& put, TokenMode token) {
    wire::CreateMultipartUploadInput create;
    create.target = put.target;
    create.properties = put.properties;
    create.checksum = put.checksum;
    std::string text = token != TokenMode::off ? "token\n" : "\n";
    for (const wire::Header& line : wire::create_multipart_upload(create).headers)
        text.append(line.name).append(":").append(line.value).append("\n");
    return to_hex(sha256(as_bytes(text)));
}

MultipartJob put_job(const Transfer& transfer) {
    MultipartJob job;
    job.target = transfer.target;
    job.properties = transfer.properties;
    job.conditions = transfer.conditions;
    job.checksum = transfer.checksum;
    job.checksum_by_user = transfer.checksum_by_user;
    job.no_clobber = transfer.no_clobber;
    job.keyed = !transfer.idempotency_key.empty();
    return job;
}

PartStyle part_style(const Services& services, const Transfer& transfer) {
    return {transfer.target, transfer.properties.extra, transfer.checksum, signs_payload(services.config, transfer),
            !transfer.expect_sha256.empty() || !transfer.idempotency_key.empty()};
}

Result<std::unique_ptr<Flow>> make_multipart_put(Services& services, const Transfer& transfer,
                                                 std::unique_ptr<UploadBody> body,
                                                 const std::optional<port::FileFacts>& source) {
    const std::shared_ptr<UploadBody> bytes = std::move(body);
    const Result<PartPlan> plan =
        plan_parts(bytes->size(), for_store(services.config.multipart, services.config.endpoint.host));
    if (!plan) return plan.error();
    MultipartJob job = put_job(transfer);
    if (source) job.source_path = transfer.local.path;
    if (source && services.config.multipart.resume) {
        UploadRecord record = page_of(services, transfer.target, transfer.local.path);
        record.part_size = plan->part_size;
        record.source = *source;
        record.options = upload_options(transfer, services.config.write_token);
        job.record = std::move(record);
    }
    auto supply = [bytes, plan = *plan, style = part_style(services, transfer)](uint64_t part_size) {
        PartPlan used = plan;
        if (part_size != 0) used.part_size = part_size;
        return body_parts(bytes, used, style);
    };
    auto upload = std::make_unique<MultipartFlow>(services, item_name(transfer), std::move(job), std::move(supply));
    return std::unique_ptr<Flow>(std::make_unique<MultipartPut>(services, transfer, bytes, std::move(upload)));
}

std::unique_ptr<Flow> make_stream_put(Services& services, const Transfer& transfer,
                                      std::unique_ptr<port::SourceFile> stream, std::unique_ptr<UploadBody> beginning) {
    auto head = std::make_shared<StreamHead>(std::move(stream), std::move(beginning));
    auto supply = [&services, &transfer, head](uint64_t) {
        return stream_parts(services, std::move(*head), part_style(services, transfer),
                            {transfer.expect_size, transfer.expect_sha256});
    };
    auto upload = std::make_unique<MultipartFlow>(services, item_name(transfer), put_job(transfer), std::move(supply));
    return std::make_unique<MultipartPut>(services, transfer, nullptr, std::move(upload));
}

}  // namespace s3tug::engine
