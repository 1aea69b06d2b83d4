#include "engine/multipart_flow.h"

#include <algorithm>

#include "base/limits.h"
#include "engine/bodies.h"
#include "wire/answers.h"
#include "wire/multipart_answers.h"
#include "wire/multipart_requests.h"
#include "wire/object_requests.h"

namespace s3tug::engine {

MultipartFlow::MultipartFlow(Services& services, std::string item, MultipartJob job, SupplyMaker make_supply)
    : services_(services),
      item_(std::move(item)),
      job_(std::move(job)),
      make_supply_(std::move(make_supply)),
      journal_(services, page_of(services, job_.target, job_.source_path)),
      // What the store copies by itself costs us nothing.
      flight_(job_.copies ? limits::parts_in_flight : first_parts_in_flight(services.config.pace),
              services.config.multipart.parts_in_flight) {}

void MultipartFlow::note(std::string text) { services_.trace.note(item_, std::move(text)); }

void MultipartFlow::begin(Desk& desk, const std::string& write_token, bool resumed) {
    if (job_.own_token && services_.config.write_token != TokenMode::off) write_token_ = write_token;
    token_shared_ = job_.keyed;
    send_checksum_ = job_.checksum_by_user || !services_.memory.refuses_checksums();
    if (resumed && !write_token_.empty() && !job_.source_goes) {
        // The dead process may have come to its end.
        OperationSpec head;
        head.op = wire::Op::head_object;
        head.build = [this] { return wire::head_object({job_.target, "", job_.properties.extra}); };
        return desk.send(multipart_tag::token_look, std::move(head));
    }
    if (job_.no_clobber) return look_first(desk);
    open_journal(desk);
}

void MultipartFlow::look_first(Desk& desk) {
    OperationSpec head;
    head.op = wire::Op::head_object;
    head.build = [this] { return wire::head_object({job_.target, "", job_.properties.extra}); };
    desk.send(multipart_tag::look_first, std::move(head));
}

void MultipartFlow::start_new(Desk& desk) {
    upload_id_.clear();
    done_.clear();
    listed_.clear();
    trusted_.clear();
    if (supply_ && supply_->repeatable()) supply_.reset();
    phase_ = Phase::starting;
    journal_.begin_anew();
    created_at_ = services_.ports.clock.wall();
    if (first_create_ == WallTime{}) first_create_ = created_at_;
    OperationSpec create;
    create.op = wire::Op::create_multipart_upload;
    create.build = [this] {
        wire::CreateMultipartUploadInput input;
        input.target = job_.target;
        input.properties = job_.properties;
        if (sends_checksum()) input.checksum = job_.checksum;
        input.write_token = write_token_;
        return wire::create_multipart_upload(input);
    };
    create.own_checksum = own_checksum();
    create.token_sent = !write_token_.empty();
    create.repair = [this](policy::Repair repair) {
        if (repair != policy::Repair::checksum_style) return false;
        send_checksum_ = false;
        return true;
    };
    create.review = [this](const wire::Reply&, policy::Verdict& verdict) {
        if (!verdict.success() && verdict.effect == policy::Effect::unknown) create_lost_ = true;
    };
    desk.send(multipart_tag::create, std::move(create));
}

void MultipartFlow::on_created(Desk& desk, const OperationResult& result) {
    if (result.error) return fail(desk, failed(result));
    upload_id_ = wire::parse_create_multipart_upload(result.answer).value().upload_id;
    journal_.created(upload_id_, create_lost_);
    begin_parts(0);
}

void MultipartFlow::begin_parts(uint64_t part_size) {
    if (!supply_) supply_ = make_supply_(part_size);
    phase_ = Phase::parts;  // the engine asks more() next, unless the run is being stopped
}

/// A part that waits for a retry leaves its place to the next.
bool MultipartFlow::may_begin(const Desk& desk) const {
    if (!desk.room() || in_flight_.size() >= services_.config.multipart.parts_in_flight) return false;
    return in_flight_.size() < flight_.limit() + desk.waiting();
}

void MultipartFlow::more(Desk& desk) {
    wants_turn_ = false;
    while (phase_ == Phase::parts && may_begin(desk)) {
        Result<std::unique_ptr<Part>> next = supply_->next(!in_flight_.empty());
        if (!next) return source_failed(desk, std::move(next).error());
        if (*next == nullptr) {
            wants_turn_ = supply_->wants_turn();
            break;
        }
        const Result<bool> believed = take_believed(**next);
        if (!believed) return source_failed(desk, believed.error());
        if (*believed) {
            // It was hashed for nothing to send: give the others a turn.
            wants_turn_ = true;
            break;
        }
        const bool was_hashed = (*next)->body != nullptr;
        send_part(desk, std::move(*next));
        if (was_hashed) {
            // It goes out before the next one is read.
            wants_turn_ = may_begin(desk);
            break;
        }
    }
    hedge(desk);
    complete_when_done(desk);
}

void MultipartFlow::source_failed(Desk& desk, Error why) {
    // The run is about to be stopped, which the engine says to all at once: nothing may be begun before.
    wants_turn_ = is_stop(why.kind);
    if (!wants_turn_) fail(desk, failed(std::move(why)));
}

void MultipartFlow::send_part(Desk& desk, std::unique_ptr<Part> part) {
    Part& sent = *part;
    in_flight_[sent.number] = std::move(part);
    desk.send(multipart_tag::part + sent.number, part_spec(sent));
}

OperationSpec MultipartFlow::part_spec(Part& sent) {
    OperationSpec spec;
    spec.op = job_.copies ? wire::Op::upload_part_copy : wire::Op::upload_part;
    spec.build = [this, &sent] { return supply_->request(sent, upload_id_, sends_checksum()); };
    spec.body = sent.body.get();
    spec.slow_answer = job_.copies;
    spec.own_checksum = own_checksum() && sent.checksum.has_value();
    spec.local_error = [this] { return supply_->error(); };
    spec.repair = [this, &sent](policy::Repair repair) { return mend_part(sent, repair); };
    spec.review = [this, &sent](const wire::Reply& reply, policy::Verdict& verdict) {
        review_part(sent, reply, verdict);
    };
    return spec;
}

bool MultipartFlow::mend_part(Part& part, policy::Repair repair) {
    if (repair == policy::Repair::checksum_style) {
        send_checksum_ = false;
        return true;
    }
    return repair == policy::Repair::reread_source && reread(part, true);
}

/// Are the bytes those that were hashed, or may those that are there now be sent? Otherwise the supply has the error.
bool MultipartFlow::reread(Part& part, bool may_send_again) {
    if (part.body == nullptr) return false;
    // Refused as damaged: either the wire did it, or the source is not what was hashed.
    DigestWish wish;
    wish.sha256 = part.payload_word != wire::unsigned_payload;
    if (part.checksum) wish.checksum = part.checksum->algorithm;
    const Result<BodyDigests> again = digest_bytes(*part.body, part.size, wish);
    if (!again) return false;
    if ((!wish.sha256 || again->sha256_hex == part.payload_word) && again->checksum == part.checksum) return true;
    if (!supply_->takes_anew(may_send_again)) return false;
    if (wish.sha256) part.payload_word = again->sha256_hex;
    part.checksum = again->checksum;
    return true;
}

void MultipartFlow::review_part(Part& part, const wire::Reply& reply, policy::Verdict& verdict) {
    if (part.body == nullptr) return;
    if (verdict.success() && job_.checksum) {
        if (std::optional<std::string> mismatch = damage(part, *reply.answer()))
            call_damaged(verdict, "part " + std::to_string(part.number) + ": " + std::move(*mismatch));
    }
    // The source has the last word on why other bytes came than were hashed.
    if (verdict.repair == policy::Repair::reread_source && (supply_->error() || !supply_->source_holds()))
        verdict.cls = policy::FailureClass::local_io;
}

/// The store's own words about the part, as for a single put: an echoed checksum, else the ETag where it is an MD5,
/// which costs a second pass and is taken only when there is nothing better.
std::optional<std::string> MultipartFlow::damage(Part& part, const wire::HttpAnswer& answer) {
    for (const wire::StoredChecksum& stored : wire::parse_checksums(answer.headers)) {
        if (!part.checksum || stored.value.algorithm != part.checksum->algorithm) continue;
        if (stored.value == *part.checksum) return std::nullopt;
        return checksum_differs(*part.checksum, stored.value);
    }
    const std::optional<std::string> md5 = wire::etag_as_md5(wire::parse_object_facts(answer));
    if (!md5) return std::nullopt;
    const Result<std::string> ours = md5_of(*part.body, part.size);
    if (!ours) return "the source could not be read again to compare it: " + ours.error().message;
    if (*ours == *md5) return std::nullopt;
    return md5_differs(*ours, *md5);
}

void MultipartFlow::on_part(Desk& desk, unsigned number, OperationResult result) {
    const std::unique_ptr<Part> part = std::move(in_flight_.extract(number).mapped());
    if (hedge_.part() == number) {
        // The second request reads the bytes of the part, which goes with this call.
        desk.abandon(multipart_tag::hedge);
        hedge_.end();
    }
    if (!result.error) {
        hedge_.done(result.took);
        const wire::PartResult stored =
            (job_.copies ? wire::parse_upload_part_copy(result.answer) : wire::parse_upload_part(result.answer))
                .value();
        DonePart done{number, part->size, stored.etag, part->checksum};
        for (const wire::StoredChecksum& sum : stored.checksums) {
            if (job_.copies && sum.value.algorithm == job_.checksum) done.checksum = sum.value;
        }
        journal_.part_done(done);
        flight_.part_done(part->size, services_.now());
        done_[number] = std::move(done);
    }
    if (phase_ == Phase::failing) return in_flight_.empty() ? settle_failure(desk) : void();
    if (result.error) {
        const std::string& code = result.verdict.code;
        const bool gone = code == "NoSuchUpload" || (code == "NoSuchKey" && !job_.copies);
        if (gone && begin_again(desk, "the store no longer knows the upload")) return;
        const bool damaged = result.error->kind == ErrorKind::integrity;
        if (damaged && !supply_->error()) (void)reread(*part, false);
        if (damaged && supply_->error()) result.error = supply_->error();
        Outcome outcome = failed(result);
        if (job_.copies && result.verdict.cls == policy::FailureClass::precondition)
            outcome.error->message = "the source changed while it was copied (" + result.verdict.code + ")";
        return fail(desk, std::move(outcome));
    }
    complete_when_done(desk);
}

void MultipartFlow::on_result(Desk& desk, unsigned tag, OperationResult result) {
    switch (tag) {
        case multipart_tag::look_first:
            if (!result.error) {
                Outcome skipped;
                skipped.skipped = true;
                skipped.etag = wire::parse_object_facts(result.answer).etag;
                return desk.finish(std::move(skipped));
            }
            if (result.verdict.cls != policy::FailureClass::not_found || result.verdict.code == "NoSuchBucket")
                return desk.finish(failed(result));
            return open_journal(desk);
        case multipart_tag::token_look: return on_token_look(desk, std::move(result));
        case multipart_tag::create: return on_created(desk, result);
        case multipart_tag::list: return on_listed(desk, std::move(result));
        case multipart_tag::condition: return on_condition(desk, result);
        case multipart_tag::source_check: return on_source_checked(desk, result);
        case multipart_tag::complete: return on_completed(desk, std::move(result));
        case multipart_tag::abort: return on_aborted(desk, result);
        case multipart_tag::abort_check: return on_abort_checked(desk, result);
        case multipart_tag::uploads: return on_uploads_listed(desk, result);
        case multipart_tag::orphan_parts: return on_orphan_parts(desk, result);
        case multipart_tag::orphan_abort: sweep_failed_ |= result.error.has_value(); return next_orphan(desk);
        case multipart_tag::stray_abort: return on_stray_aborted(desk, result);
        case multipart_tag::hedge: return on_hedge(desk, std::move(result));
        default: return on_part(desk, tag - multipart_tag::part, std::move(result));
    }
}

}  // namespace s3tug::engine
