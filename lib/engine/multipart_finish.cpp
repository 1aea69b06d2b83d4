#include "base/limits.h"
#include "engine/condition_look.h"
#include "engine/multipart_flow.h"
#include "wire/answers.h"
#include "wire/multipart_answers.h"
#include "wire/multipart_requests.h"

/// The last step of an upload: Complete, step by step as facts/idempotency.md section 4. The repeats, the looks and the
/// waiting are the operation's; here is what its end means.
namespace s3tug::engine {
namespace {

bool is_gone(const policy::Verdict& verdict) { return verdict.code == "NoSuchUpload" || verdict.code == "NoSuchKey"; }

}  // namespace

void MultipartFlow::complete_when_done(Desk& desk) {
    if (phase_ != Phase::parts || !in_flight_.empty() || !supply_->ended()) return;
    if (Status good = supply_->final_check(); !good) return fail(desk, failed(std::move(good).error()));
    if (!job_.copied_from) return check_condition(desk);
    OperationSpec head;
    head.op = wire::Op::head_object;
    head.build = [this] { return wire::head_object(*job_.copied_from); };
    phase_ = Phase::completing;
    desk.send(multipart_tag::source_check, std::move(head));
}

void MultipartFlow::on_source_checked(Desk& desk, const OperationResult& result) {
    if (result.error) return fail(desk, failed(result));
    if (wire::parse_object_facts(result.answer).etag != job_.copied_etag)
        return fail(desk, failed(Error{ErrorKind::source_changed, "the source changed while it was copied"}));
    const std::optional<wire::StoredChecksum> made = whole_checksum(done_);
    if (made && job_.whole && made->value != *job_.whole) {
        return fail(desk, failed(Error{ErrorKind::integrity, "the parts copied give " + made->value.base64 +
                                                                 ", the source has " + job_.whole->base64}));
    }
    check_condition(desk);
}

/// As late as possible: a large upload takes minutes. After a Complete of unknown outcome what stands there may be
/// ours.
void MultipartFlow::check_condition(Desk& desk) {
    const policy::ConditionUse use = job_.conditions.if_none_match_any ? policy::ConditionUse::complete_if_none_match
                                                                       : policy::ConditionUse::put_if_match;
    if (complete_unknown_ || !condition_wants_look(services_.config.endpoint, job_.conditions, use))
        return send_complete(desk);
    phase_ = Phase::completing;
    desk.send(multipart_tag::condition, head_of(job_.target, "", job_.properties.extra));
}

void MultipartFlow::on_condition(Desk& desk, const OperationResult& result) {
    if (std::optional<Outcome> end = condition_fails(result, job_.conditions, write_token_))
        return fail(desk, *std::move(end));
    send_complete(desk);
}

LookTarget MultipartFlow::look() const {
    LookTarget look;
    look.uri = job_.target;
    look.extra = job_.properties.extra;
    look.since = created_at_;
    look.expected.proof = write_token_.empty() ? policy::Proof::modified_since : policy::Proof::write_token;
    look.expected.write_token = write_token_;
    look.expected.size = supply_->object_size();
    look.expected.condition_etag = wire::unquote_etag(job_.conditions.if_match);
    look.expected.metadata = job_.properties.metadata;
    look.expected.etag = multipart_etag(done_);
    look.expected.checksum = whole_checksum(done_);
    return look;
}

void MultipartFlow::send_complete(Desk& desk) {
    phase_ = Phase::completing;
    journal_.completing();
    OperationSpec spec;
    spec.op = wire::Op::complete_multipart_upload;
    spec.build = [this] {
        wire::CompleteMultipartUploadInput input;
        input.target = job_.target;
        input.upload_id = upload_id_;
        for (const auto& [number, part] : done_)
            input.parts.push_back({number, part.etag, sends_checksum() ? part.checksum : std::nullopt});
        if (sends_checksum()) {
            if (!plain_complete_) input.checksum = whole_checksum(done_);
            input.object_size = supply_->object_size();
        }
        input.conditions = job_.conditions;
        input.extra = job_.properties.extra;
        return wire::complete_multipart_upload(input);
    };
    spec.slow_answer = true;
    spec.own_checksum = own_checksum();
    spec.condition = conditional_of(job_.conditions);
    spec.token_sent = !write_token_.empty();
    spec.look = look();
    spec.repair = [this](policy::Repair repair) {
        if (repair != policy::Repair::checksum_style) return false;
        send_checksum_ = false;
        return true;
    };
    desk.send(multipart_tag::complete, std::move(spec));
}

void MultipartFlow::on_completed(Desk& desk, OperationResult result) {
    if (!result.error) {
        outcome_ = {};
        outcome_.size = supply_->object_size();
        outcome_.source_etag = job_.copied_etag;
        if (result.found) {
            outcome_.etag = result.found->etag;
            outcome_.version_id = result.found->version_id;
            // It may be of another process that sent the same, and then this upload is still there.
            if (write_token_.empty() || token_shared_) journal_.leave_to_abort(true);
            return succeed(desk);
        }
        const wire::WriteResult written = wire::parse_complete_multipart_upload(result.answer).value();
        outcome_.etag = written.etag;
        outcome_.version_id = written.version_id;
        if (std::optional<std::string> wrong = wrong_object(written)) {
            complete_unknown_ = true;  // it stands: there is nothing to abort
            return fail(desk, failed(Error{ErrorKind::integrity, *std::move(wrong)}));
        }
        return succeed(desk);
    }
    complete_unknown_ |= result.unknown_outcome;
    // A store that takes the header for a checksum of the request's own body, or keeps none of the whole. The parts
    // were checked one by one, by the checksum that the user asked for too, and what the answer says of the whole is
    // compared.
    if (result.verdict.code == "BadDigest" && sends_checksum() && !plain_complete_ && !complete_unknown_) {
        plain_complete_ = true;
        note("the store does not take the checksum of the whole: completing without it");
        return send_complete(desk);
    }
    if (result.verdict.code == "InvalidPart" && mends_ < limits::part_mends_max && supply_->repeatable()) {
        ++mends_;
        note("the store misses a part or has another: comparing with its list, sending what differs");
        listing_to_mend_ = true;
        phase_ = Phase::starting;
        listed_.clear();
        return list_parts(desk, 0);
    }
    if (is_gone(result.verdict)) {
        if (!complete_unknown_ && begin_again(desk, "the store no longer knows the upload")) return;
        Outcome outcome = failed(result);
        const std::string_view looked = complete_unknown_ ? " and the object there is not ours" : "";
        outcome.error = Error{ErrorKind::gave_up, "the upload is gone from the store" + std::string(looked) + " (" +
                                                      result.verdict.code + "); running again begins anew"};
        if (!create_lost_) journal_.forget();
        upload_id_.clear();
        return fail(desk, std::move(outcome));
    }
    // AWS gives up an upload that lost a race (facts/errors.csv, ConditionalRequestConflict).
    if (result.verdict.code == "ConditionalRequestConflict" && !complete_unknown_ &&
        begin_again(desk, "the store asks for a new upload after a conflict", true)) {
        return;
    }
    fail(desk, failed(result));
}

/// What the store says of the whole object, compared with what the parts give. An ETag that does not follow S3's rule
/// proves nothing (facts/idempotency.md fact 8) and is only noted.
std::optional<std::string> MultipartFlow::wrong_object(const wire::WriteResult& written) {
    for (const wire::StoredChecksum& stored : written.checksums) {
        const std::optional<wire::StoredChecksum> ours = whole_checksum(done_, stored.scope);
        if (!ours || stored.value.algorithm != ours->value.algorithm) continue;
        if (stored.value.base64 != ours->value.base64)
            return "the parts give " + ours->value.base64 + ", the store put together " + stored.value.base64;
        outcome_.checksum = std::string(wire_name(stored.value.algorithm)) + ":" + stored.value.base64;
        if (stored.scope == wire::ChecksumScope::composite) outcome_.checksum += "-" + std::to_string(done_.size());
        return std::nullopt;
    }
    const std::string etag = multipart_etag(done_);
    if (!etag.empty() && etag == written.etag)
        outcome_.checksum = "md5:" + etag;
    else if (!etag.empty())
        note("the ETag " + written.etag + " is not the " + etag + " that the parts give by S3's rule");
    return std::nullopt;
}

bool MultipartFlow::begin_again(Desk& desk, std::string_view why, bool still_there) {
    if (restarts_ >= limits::upload_restarts_max || !supply_->repeatable()) return false;
    ++restarts_;
    restarting_ = true;
    token_shared_ = true;  // who goes on with the first one may have completed it
    abort_first_ = still_there;
    note(std::string(why) + ": beginning again with a new one");
    phase_ = Phase::failing;
    desk.cut();
    if (in_flight_.empty()) settle_failure(desk);
    return true;
}

void MultipartFlow::succeed(Desk& desk) {
    phase_ = Phase::tidying;
    // What a lost Create left stays recorded until it was looked for.
    if (!create_lost_) journal_.forget();
    after_sweep_ = [this](Desk& d) { d.finish(outcome_); };
    if (!sweep_orphans(desk)) desk.finish(outcome_);
}

}  // namespace s3tug::engine
