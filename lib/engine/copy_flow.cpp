#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "engine/condition_look.h"
#include "engine/copy_parts.h"
#include "engine/flow.h"
#include "wire/answers.h"
#include "wire/multipart_requests.h"
#include "wire/object_requests.h"

namespace s3tug::engine {
namespace {

enum Tag : unsigned { tag_source, tag_look_first, tag_condition, tag_copy, tag_confirm };

/// Server-side copy, by one CopyObject where it is not too large: the source is looked at and pinned, the copy made,
/// its size or ETag confirmed.
class CopyFlow final : public Flow {
  public:
    CopyFlow(Services& services, const Transfer& transfer) : services_(services), transfer_(transfer) {}

    Result<std::string> prepare() override {
        if (Status kept = condition_is_kept(services_.config.endpoint, transfer_.conditions, true); !kept)
            return std::move(kept).error();
        return std::string();
    }

    void begin(Desk& desk, const std::string& write_token, bool resumed) override;
    void on_result(Desk& desk, unsigned tag, OperationResult result) override;
    void more(Desk& desk) override {
        if (in_parts_) in_parts_->more(desk);
    }
    Turn turn() const override { return in_parts_ ? in_parts_->turn() : Turn::no; }
    bool tidying() const override { return in_parts_ && in_parts_->tidying(); }
    void stop(Desk& desk, Outcome outcome) override {
        if (in_parts_) return in_parts_->stop(desk, std::move(outcome));
        desk.finish(std::move(outcome));
    }

  private:
    OperationSpec head(const wire::S3Uri& uri, const std::string& version_id) const;
    void on_source(Desk& desk, const OperationResult& result);
    void copy_in_parts(Desk& desk, const wire::HttpAnswer& source_head);
    void on_confirmed(Desk& desk, const OperationResult& result);
    void send_copy(Desk& desk);
    void review(policy::Verdict& verdict);
    wire::Request build() const;
    LookTarget look() const;

    Services& services_;
    const Transfer& transfer_;
    wire::ObjectFacts source_;
    std::string write_token_;
    std::string item_token_;                   ///< the same, also where CopyObject cannot carry it
    std::unique_ptr<MultipartFlow> in_parts_;  ///< above what one request copies
    bool resumed_ = false;
    bool pinned_ = true;
    Outcome outcome_;
};

OperationSpec CopyFlow::head(const wire::S3Uri& uri, const std::string& version_id) const {
    return head_of(uri, version_id, transfer_.properties.extra);
}

void CopyFlow::begin(Desk& desk, const std::string& write_token, bool resumed) {
    const bool own_metadata = transfer_.replace_metadata && services_.config.write_token != TokenMode::off;
    if (own_metadata) write_token_ = write_token;
    item_token_ = write_token;
    resumed_ = resumed;
    desk.send(tag_source, head(transfer_.source, transfer_.version_id));
}

wire::Request CopyFlow::build() const {
    wire::CopyObjectInput input;
    input.source = transfer_.source;
    input.source_version_id = transfer_.version_id;
    if (pinned_) input.source_if_match = source_.etag;
    input.target = transfer_.target;
    input.replace_metadata = transfer_.replace_metadata;
    input.properties = transfer_.properties;
    input.conditions = transfer_.conditions;
    input.write_token = write_token_;
    return wire::copy_object(input);
}

LookTarget CopyFlow::look() const {
    LookTarget look;
    look.uri = transfer_.target;
    look.extra = transfer_.properties.extra;
    look.expected.proof = write_token_.empty() ? policy::Proof::modified_since : policy::Proof::write_token;
    look.expected.write_token = write_token_;
    look.expected.size = source_.size;
    look.expected.conditional = transfer_.conditions.any();
    look.expected.condition_etag = wire::unquote_etag(transfer_.conditions.if_match);
    look.expected.metadata = transfer_.replace_metadata ? transfer_.properties.metadata : source_.metadata;
    // A multipart source gets another ETag on some stores (facts/idempotency.md fact 8), so only a plain one is proof.
    if (wire::etag_as_md5(source_)) look.expected.etag = source_.etag;
    return look;
}

/// Some stores keep another ETag inside than the one they show for an object made of parts, and fail our own pin with
/// it (Swift 2.30, measured; GCS, facts/idempotency.md section 5). The pin is ours, no condition of the user's: without
/// it the copy's size is still compared.
void CopyFlow::review(policy::Verdict& verdict) {
    const bool of_parts = !wire::etag_as_md5(source_).has_value();
    if (verdict.cls != policy::FailureClass::precondition || !pinned_ || !of_parts || transfer_.conditions.any())
        return;
    verdict.retry = policy::RetryRule::once_after_fix;
    verdict.repair = policy::Repair::restart;
}

void CopyFlow::send_copy(Desk& desk) {
    OperationSpec spec;
    spec.op = wire::Op::copy_object;
    spec.build = [this] { return build(); };
    spec.slow_answer = true;
    spec.condition = conditional_of(transfer_.conditions);
    spec.token_sent = !write_token_.empty();
    spec.look = look();
    // What an earlier run copied may have been another source than the one that a move removes now.
    spec.begin_with_look = resumed_ && spec.token_sent && !transfer_.then_delete_source;
    spec.review = [this](const wire::Reply&, policy::Verdict& verdict) { review(verdict); };
    spec.repair = [this](policy::Repair repair) {
        return repair == policy::Repair::restart && std::exchange(pinned_, false);
    };
    desk.send(tag_copy, std::move(spec));
}

void CopyFlow::on_source(Desk& desk, const OperationResult& result) {
    if (result.error) {
        Outcome outcome = failed(result);
        if (result.verdict.status != 0)
            outcome.error->message = wire::to_text(transfer_.source) + ": " + outcome.error->message;
        return desk.finish(std::move(outcome));
    }
    source_ = wire::parse_object_facts(result.answer);
    outcome_.source_etag = source_.etag;
    if (transfer_.expect_size && source_.size != transfer_.expect_size) {
        return desk.finish(
            failed(Error{ErrorKind::integrity, "the source has " + std::to_string(source_.size.value_or(0)) +
                                                   " bytes, not the " + std::to_string(*transfer_.expect_size) +
                                                   " of --expect-size; nothing was copied"}));
    }
    if (source_.size.value_or(0) > services_.config.multipart.copy_threshold) return copy_in_parts(desk, result.answer);
    if (transfer_.no_clobber) return desk.send(tag_look_first, head(transfer_.target, ""));
    // What stands there after a dead process may be ours; then the operation looks.
    if (!resumed_ &&
        condition_wants_look(services_.config.endpoint, transfer_.conditions, policy::ConditionUse::copy_destination)) {
        return desk.send(tag_condition, head(transfer_.target, ""));
    }
    send_copy(desk);
}

void CopyFlow::copy_in_parts(Desk& desk, const wire::HttpAnswer& source_head) {
    if (Status kept = condition_is_kept_by_complete(services_.config.endpoint, transfer_.conditions); !kept)
        return desk.finish(failed(std::move(kept).error()));
    const Result<PartPlan> plan =
        plan_parts(*source_.size, for_store(services_.config.multipart, services_.config.endpoint.host));
    if (!plan) return desk.finish(failed(plan.error()));
    MultipartJob job;
    job.target = transfer_.target;
    job.properties =
        transfer_.replace_metadata ? transfer_.properties : properties_of_source(source_head, transfer_.properties);
    job.conditions = transfer_.conditions;
    job.no_clobber = transfer_.no_clobber;
    job.copies = true;
    job.keyed = !transfer_.idempotency_key.empty();
    job.copied_from = wire::HeadObjectInput{transfer_.source, transfer_.version_id, transfer_.properties.extra};
    job.copied_etag = source_.etag;
    job.source_goes = transfer_.then_delete_source;
    for (const wire::StoredChecksum& sum : source_.checksums) {
        if (job.checksum || sum.scope != wire::ChecksumScope::full_object) continue;
        if (wire::multipart_scope(sum.value.algorithm) != wire::ChecksumScope::full_object) continue;
        job.checksum = sum.value.algorithm;
        job.whole = sum.value;
    }
    CopySource source{transfer_.source, transfer_.version_id, source_.etag, transfer_.properties.extra};
    auto supply = [target = transfer_.target, source = std::move(source), plan = *plan](uint64_t) {
        return copy_parts(target, source, plan);
    };
    in_parts_ = std::make_unique<MultipartFlow>(services_, item_name(transfer_), std::move(job), std::move(supply));
    in_parts_->begin(desk, item_token_, resumed_);
}

void CopyFlow::on_confirmed(Desk& desk, const OperationResult& result) {
    if (result.error) return desk.finish(failed(result));
    const wire::ObjectFacts copy = wire::parse_object_facts(result.answer);
    if (copy.size != source_.size) {
        return desk.finish(
            failed(Error{ErrorKind::integrity, "the copy has " + std::to_string(copy.size.value_or(0)) +
                                                   " bytes, the source " + std::to_string(source_.size.value_or(0))}));
    }
    desk.finish(std::move(outcome_));
}

void CopyFlow::on_result(Desk& desk, unsigned tag, OperationResult result) {
    if (in_parts_) return in_parts_->on_result(desk, tag, std::move(result));
    if (tag == tag_source) return on_source(desk, result);
    if (tag == tag_confirm) return on_confirmed(desk, result);
    if (tag == tag_condition) {
        if (std::optional<Outcome> end = condition_fails(result, transfer_.conditions, "")) return desk.finish(*end);
        return send_copy(desk);
    }
    if (tag == tag_look_first) {
        if (!result.error) {
            outcome_.skipped = true;
            return desk.finish(std::move(outcome_));
        }
        if (result.verdict.cls != policy::FailureClass::not_found) return desk.finish(failed(result));
        return send_copy(desk);
    }
    if (result.error) return desk.finish(failed(result));
    outcome_.size = source_.size.value_or(0);
    if (result.found) {
        outcome_.etag = result.found->etag;
        outcome_.version_id = result.found->version_id;
        if (result.found->size == source_.size) return desk.finish(std::move(outcome_));
    } else {
        const wire::WriteResult written = wire::parse_copy_object(result.answer).value();
        outcome_.etag = written.etag;
        outcome_.version_id = written.version_id;
        // The same MD5 on both sides is proof enough; anything else is looked at (peers.md: 200-with-error copies).
        if (wire::etag_as_md5(source_) && written.etag == source_.etag) return desk.finish(std::move(outcome_));
    }
    desk.send(tag_confirm, head(transfer_.target, outcome_.version_id == "null" ? "" : outcome_.version_id));
}

}  // namespace

std::unique_ptr<Flow> make_copy(Services& services, const Transfer& transfer) {
    return std::make_unique<CopyFlow>(services, transfer);
}

}  // namespace s3tug::engine
