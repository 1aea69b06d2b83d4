#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "engine/bodies.h"
#include "engine/failure_text.h"
#include "engine/put_flows.h"
#include "wire/answers.h"
#include "wire/object_requests.h"

namespace s3tug::engine {
namespace {

enum Tag : unsigned { tag_look_first, tag_put, tag_look_at_etag };

/// One object by one PutObject: source hashed, sent, answer compared with what was sent.
class PutFlow final : public Flow {
  public:
    PutFlow(Services& services, const Transfer& transfer, std::unique_ptr<UploadBody> body)
        : services_(services), transfer_(transfer), body_(std::move(body)) {}

    Result<std::string> prepare() override;
    void begin(Desk& desk, const std::string& write_token, bool resumed) override;
    void on_result(Desk& desk, unsigned tag, OperationResult result) override;
    std::optional<uint64_t> size() const override { return body_->size(); }

  private:
    void send_put(Desk& desk);
    wire::Request build() const;
    LookTarget look();
    bool mend(policy::Repair repair);
    bool reread(bool may_send_again);
    void review(const wire::Reply& reply, policy::Verdict& verdict);
    std::optional<std::string> damage(const wire::ObjectFacts& there);
    bool source_failed(bool sent_once_only);
    bool signs_payload() const;
    bool may_be_the_quotes(const OperationResult& result) const;
    void look_at_etag(Desk& desk, const OperationResult& refused);
    void on_etag(Desk& desk, const OperationResult& result);

    Services& services_;
    const Transfer& transfer_;
    std::unique_ptr<UploadBody> body_;
    BodyDigests digests_;
    std::string write_token_;
    bool resumed_ = false;
    bool send_checksum_ = true;
    bool bare_etag_ = false;
    std::optional<Outcome> refused_;  ///< by the condition, which may have been for the quotes only
    std::string verified_by_;
};

bool PutFlow::signs_payload() const { return engine::signs_payload(services_.config, transfer_); }

Result<std::string> PutFlow::prepare() {
    if (Status kept = condition_is_kept(services_.config.endpoint, transfer_.conditions, false); !kept)
        return std::move(kept).error();
    if (transfer_.expect_size && *transfer_.expect_size != body_->size()) {
        return Error{ErrorKind::integrity, "the source has " + std::to_string(body_->size()) + " bytes, not the " +
                                               std::to_string(*transfer_.expect_size) +
                                               " of --expect-size; nothing was sent"};
    }
    DigestWish wish;
    wish.sha256 = signs_payload() || !transfer_.expect_sha256.empty() || !transfer_.idempotency_key.empty();
    wish.checksum = transfer_.checksum;
    // Without a token the ETag is part of the proof of an unknown outcome.
    wish.md5 = services_.config.write_token == TokenMode::off;
    send_checksum_ = transfer_.checksum_by_user || !services_.memory.refuses_checksums();
    bare_etag_ = services_.memory.wants_bare_etags();
    Result<BodyDigests> digests = digest_body(*body_, wish);
    if (!digests) return std::move(digests).error();
    digests_ = std::move(*digests);
    if (!transfer_.expect_sha256.empty() && digests_.sha256_hex != transfer_.expect_sha256) {
        return Error{ErrorKind::integrity, "the SHA-256 of the source is " + digests_.sha256_hex + ", not the " +
                                               transfer_.expect_sha256 + " of --expect-sha256; nothing was sent"};
    }
    return digests_.sha256_hex;
}

void PutFlow::begin(Desk& desk, const std::string& write_token, bool resumed) {
    write_token_ = services_.config.write_token == TokenMode::off ? std::string() : write_token;
    resumed_ = resumed;
    if (!transfer_.no_clobber) return send_put(desk);
    OperationSpec head;
    head.op = wire::Op::head_object;
    head.build = [this] { return wire::head_object({transfer_.target, "", transfer_.properties.extra}); };
    desk.send(tag_look_first, std::move(head));
}

wire::Request PutFlow::build() const {
    wire::PutObjectInput input;
    input.target = transfer_.target;
    input.size = body_->size();
    input.payload_word = signs_payload() ? digests_.sha256_hex : std::string(wire::unsigned_payload);
    input.properties = transfer_.properties;
    input.conditions = transfer_.conditions;
    input.conditions.bare_etag = bare_etag_;
    if (send_checksum_) input.checksum = digests_.checksum;
    input.write_token = write_token_;
    return wire::put_object(input);
}

LookTarget PutFlow::look() {
    LookTarget look;
    look.uri = transfer_.target;
    look.extra = transfer_.properties.extra;
    look.expected.proof = write_token_.empty() ? policy::Proof::modified_since : policy::Proof::write_token;
    look.expected.write_token = write_token_;
    look.expected.size = body_->size();
    look.expected.conditional = transfer_.conditions.any();
    look.expected.condition_etag = wire::unquote_etag(transfer_.conditions.if_match);
    look.expected.metadata = transfer_.properties.metadata;
    if (digests_.checksum) {
        look.expected.checksum = wire::StoredChecksum{*digests_.checksum, wire::ChecksumScope::full_object};
    }
    look.expected.etag = digests_.md5_hex;
    if (transfer_.checksum) {
        look.damage = [this](const wire::ObjectFacts& there) {
            std::optional<std::string> found = damage(there);
            if (found) (void)source_failed(transfer_.conditions.any());
            return found;
        };
    }
    return look;
}

void PutFlow::send_put(Desk& desk) {
    OperationSpec put;
    put.op = wire::Op::put_object;
    put.build = [this] { return build(); };
    put.body = body_.get();
    put.own_checksum = send_checksum_ && digests_.checksum.has_value() && !transfer_.checksum_by_user;
    put.condition = conditional_of(transfer_.conditions);
    put.token_sent = !write_token_.empty();
    put.look = look();
    put.begin_with_look = resumed_;
    put.local_error = [this] { return body_->error(); };
    put.repair = [this](policy::Repair repair) { return mend(repair); };
    put.review = [this](const wire::Reply& reply, policy::Verdict& verdict) { review(reply, verdict); };
    desk.send(tag_put, std::move(put));
}

bool PutFlow::mend(policy::Repair repair) {
    if (repair == policy::Repair::checksum_style) {
        send_checksum_ = false;
        return true;
    }
    return repair == policy::Repair::reread_source && reread(true);
}

/// Are the bytes those that were hashed, or may those that are there now be sent? Otherwise the body has the error.
bool PutFlow::reread(bool may_send_again) {
    // Refused as damaged: either the wire did it, or the source is not what was hashed.
    DigestWish wish;
    wish.sha256 = !digests_.sha256_hex.empty();
    wish.checksum = digests_.checksum ? std::optional(digests_.checksum->algorithm) : std::nullopt;
    Result<BodyDigests> again = digest_body(*body_, wish);
    if (!again) return false;
    if (again->sha256_hex == digests_.sha256_hex && again->checksum == digests_.checksum) return true;
    // What was expected, what a key stands for, and without a token the proof after a lost answer are of the old bytes.
    const bool free = transfer_.expect_sha256.empty() && transfer_.idempotency_key.empty() && !write_token_.empty();
    if (!body_->takes_anew(may_send_again && free)) return false;
    digests_ = std::move(*again);
    return true;
}

void PutFlow::review(const wire::Reply& reply, policy::Verdict& verdict) {
    bool stands = false;
    if (verdict.success() && transfer_.checksum) {
        std::optional<std::string> mismatch = damage(wire::parse_object_facts(*reply.answer()));
        stands = mismatch.has_value();
        if (mismatch) call_damaged(verdict, std::move(*mismatch));
    }
    if (verdict.repair != policy::Repair::reread_source) return;
    // Our own damaged object stands in the way of a second one.
    const bool in_the_way = stands && transfer_.conditions.any();
    if (source_failed(in_the_way)) {
        // Nobody knows whether it is damaged, and the source has the last word on why.
        verdict.cls = policy::FailureClass::local_io;
        if (stands) verdict.effect = policy::Effect::unknown;
    } else if (in_the_way) {
        verdict.retry = policy::RetryRule::no;
        verdict.repair = policy::Repair::none;
    }
}

/// Other bytes came than were hashed: is the source to blame, and can it not be sent as it is now? Latched in the body.
bool PutFlow::source_failed(bool sent_once_only) {
    if (!body_->error() && body_->unchanged() && sent_once_only && body_->touched()) (void)body_->takes_anew(false);
    return body_->error().has_value();
}

/// The store's own words about what it has, compared with what we sent: an echoed checksum, else the ETag where it is
/// an MD5 (some stores ignore a wrong checksum header; facts/idempotency.md fact 9). The MD5 costs a second pass over
/// the source, so it is taken only when the store gave nothing better.
std::optional<std::string> PutFlow::damage(const wire::ObjectFacts& there) {
    verified_by_.clear();
    for (const wire::StoredChecksum& stored : there.checksums) {
        if (stored.scope != wire::ChecksumScope::full_object || !digests_.checksum ||
            stored.value.algorithm != digests_.checksum->algorithm) {
            continue;
        }
        if (stored.value != *digests_.checksum) return checksum_differs(*digests_.checksum, stored.value);
        verified_by_ = std::string(wire_name(stored.value.algorithm)) + ":" + stored.value.base64;
        return std::nullopt;
    }
    const std::optional<std::string> md5 = wire::etag_as_md5(there);
    if (!md5) return std::nullopt;
    if (digests_.md5_hex.empty()) {
        const Result<std::string> again = md5_of(*body_, body_->size());
        if (!again) return "the source could not be read again to compare it: " + again.error().message;
        digests_.md5_hex = *again;
    }
    if (*md5 != digests_.md5_hex) return md5_differs(digests_.md5_hex, *md5);
    verified_by_ = "md5:" + *md5;
    return std::nullopt;
}

/// Some stores compare If-Match of a put, quotes and all, with an ETag that they keep without (Ceph 16 and 18), so that
/// it never matches. Where nothing is known of the store and the object there has the very ETag that was asked for,
/// the other spelling is sent, once; the condition stays one.
bool PutFlow::may_be_the_quotes(const OperationResult& result) const {
    const std::string& wanted = transfer_.conditions.if_match;
    return !refused_ && !wanted.empty() && wanted != "*" && result.verdict.status == 412 && !result.unknown_outcome &&
           policy::store_honours(services_.config.endpoint.host, policy::ConditionUse::put_if_match) ==
               policy::Honours::unknown;
}

void PutFlow::look_at_etag(Desk& desk, const OperationResult& refused) {
    refused_ = failed(refused);
    OperationSpec head;
    head.op = wire::Op::head_object;
    head.build = [this] { return wire::head_object({transfer_.target, "", transfer_.properties.extra}); };
    desk.send(tag_look_at_etag, std::move(head));
}

void PutFlow::on_etag(Desk& desk, const OperationResult& result) {
    const bool the_same = !result.error && wire::parse_object_facts(result.answer).etag ==
                                               wire::unquote_etag(transfer_.conditions.if_match);
    if (!the_same) return desk.finish(*std::move(refused_));
    bare_etag_ = !bare_etag_;
    resumed_ = false;
    services_.trace.note(wire::to_text(transfer_.target), "the object there has that ETag: sending it " +
                                                              std::string(bare_etag_ ? "without" : "with") + " quotes");
    send_put(desk);
}

void PutFlow::on_result(Desk& desk, unsigned tag, OperationResult result) {
    if (tag == tag_look_at_etag) return on_etag(desk, result);
    if (tag == tag_look_first) {
        if (!result.error) {
            Outcome skipped;
            skipped.skipped = true;
            skipped.etag = wire::parse_object_facts(result.answer).etag;
            return desk.finish(std::move(skipped));
        }
        if (result.verdict.cls != policy::FailureClass::not_found || result.verdict.code == "NoSuchBucket") {
            return desk.finish(failed(result));
        }
        return send_put(desk);
    }
    if (result.error && may_be_the_quotes(result)) return look_at_etag(desk, result);
    if (result.error) {
        const bool damaged = result.error->kind == ErrorKind::integrity;
        if (damaged && !body_->error()) (void)reread(false);
        if (damaged && body_->error()) result.error = body_->error();
        return desk.finish(failed(result));
    }
    // It stands: what changed at the very end is only told of.
    if (transfer_.source_changed == SourceChanged::warn) (void)body_->unchanged();
    if (refused_) services_.memory.learn_bare_etags(bare_etag_);
    Outcome outcome;
    outcome.size = body_->size();
    outcome.checksum = verified_by_;
    if (result.found) {
        outcome.etag = result.found->etag;
        outcome.version_id = result.found->version_id;
    } else {
        const wire::WriteResult written = wire::parse_put_object(result.answer);
        outcome.etag = written.etag;
        outcome.version_id = written.version_id;
    }
    desk.finish(std::move(outcome));
}

}  // namespace

std::unique_ptr<Flow> make_single_put(Services& services, const Transfer& transfer, std::unique_ptr<UploadBody> body) {
    return std::make_unique<PutFlow>(services, transfer, std::move(body));
}

}  // namespace s3tug::engine
