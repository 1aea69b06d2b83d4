#include "engine/bodies.h"
#include "engine/multipart_flow.h"
#include "wire/answers.h"
#include "wire/list_requests.h"
#include "wire/object_requests.h"

/// What an earlier process left behind, and how much of it is of use (design section 4, Resume).
namespace s3tug::engine {

void MultipartFlow::open_journal(Desk& desk) {
    if (!job_.record) return start_new(desk);
    UploadRecord wanted = *job_.record;
    wanted.write_token = write_token_;
    const UploadJournal::Opened opened = journal_.open(std::move(wanted));
    switch (opened.resume) {
        case Resume::fresh: return start_new(desk);
        case Resume::leased:
            note(
                "another process is uploading the same file to the same key: sending it all, leaving its upload alone");
            return start_new(desk);
        case Resume::lost_create:
            create_lost_ = true;
            first_create_ = opened.found->started;
            return start_new(desk);
        case Resume::other:
            create_lost_ = opened.found->create_lost;
            first_create_ = opened.found->started;
            if (opened.found->completing) {
                note("an earlier upload of another source may be completing: left alone");
                journal_.set_aside(opened.found->touched);
                return start_new(desk);
            }
            note("the source or the options are not those of the upload that was begun before: aborting that one");
            upload_id_ = opened.found->upload_id;
            after_abort_ = [this](Desk& d) { start_new(d); };
            return send_abort(desk);
        case Resume::go_on: break;
    }
    upload_id_ = opened.found->upload_id;
    created_at_ = opened.found->started;
    write_token_ = opened.found->write_token;
    token_shared_ = true;
    if (!desk.use_token(write_token_)) {
        return fail(desk, failed(Error{ErrorKind::state_file,
                                       "the idempotency key could not be recorded for the upload that was begun "
                                       "before, so it was not gone on with"}));
    }
    if (opened.found->create_lost) {
        create_lost_ = true;
        first_create_ = created_at_;
    }
    note("going on with upload " + upload_id_);
    list_parts(desk, 0);
}

/// The HEAD after a Complete of which only the state file knows: ours is there, or all is to be done.
void MultipartFlow::on_token_look(Desk& desk, OperationResult result) {
    const bool resuming = !upload_id_.empty();
    if (!result.error) {
        const wire::ObjectFacts found = wire::parse_object_facts(result.answer);
        policy::Expected expected;
        expected.write_token = write_token_;
        if (job_.record) expected.size = job_.record->source.size;
        if (!write_token_.empty() && policy::judge_look(expected, found) == policy::Finding::applied) {
            outcome_ = {};
            outcome_.size = found.size.value_or(0);
            outcome_.etag = found.etag;
            outcome_.version_id = found.version_id;
            note("an earlier run had completed it");
            return tidy_completed(desk, resuming);
        }
    } else if (result.verdict.cls != policy::FailureClass::not_found &&
               result.verdict.cls != policy::FailureClass::access) {
        return fail(desk, failed(result));
    }
    if (resuming) return start_new(desk);
    if (job_.no_clobber) return look_first(desk);
    open_journal(desk);
}

/// The page of the run that completed it goes; so does what is open under the same token, as that of a run which gave
/// way to another one under the same idempotency key.
void MultipartFlow::tidy_completed(Desk& desk, bool resuming) {
    if (resuming || !job_.record) return succeed(desk);
    UploadRecord wanted = *job_.record;
    wanted.write_token = write_token_;
    const UploadJournal::Opened opened = journal_.open(std::move(wanted));
    if (opened.resume == Resume::leased || !opened.found) return succeed(desk);
    if (opened.found->write_token != write_token_) {
        journal_.leave();
        return succeed(desk);
    }
    create_lost_ = opened.resume == Resume::lost_create || opened.found->create_lost;
    first_create_ = opened.found->started;
    if (opened.found->upload_id.empty()) return succeed(desk);
    upload_id_ = opened.found->upload_id;
    phase_ = Phase::tidying;
    after_abort_ = [this](Desk& d) { succeed(d); };
    send_abort(desk);
}

void MultipartFlow::list_parts(Desk& desk, unsigned after) {
    OperationSpec spec;
    spec.op = wire::Op::list_parts;
    spec.build = [this, after] {
        wire::ListPartsInput input;
        input.target = job_.target;
        input.upload_id = upload_id_;
        input.after = after;
        input.extra = job_.properties.extra;
        return wire::list_parts(input);
    };
    list_after_ = after;
    desk.send(multipart_tag::list, std::move(spec));
}

void MultipartFlow::on_listed(Desk& desk, OperationResult result) {
    if (result.error) return on_listing_failed(desk, std::move(result));
    wire::ListPartsInput asked;
    asked.target = job_.target;
    asked.upload_id = upload_id_;
    asked.after = list_after_;
    const Result<wire::ListPartsPage> page = wire::parse_list_parts(result.answer, asked);
    if (!page) return fail(desk, failed(page.error()));
    for (const wire::ListedPart& part : page->parts) listed_[part.number] = part;
    if (page->next) return list_parts(desk, *page->next);
    if (!listing_to_mend_) return begin_parts(journal_.record().part_size);
    listing_to_mend_ = false;
    // What the store has by the ETag that we were given stays; the rest is sent again, compared once more before.
    for (auto it = done_.begin(); it != done_.end();) {
        const auto listed = listed_.find(it->first);
        if (listed != listed_.end() && listed->second.etag == it->second.etag &&
            listed->second.size == it->second.size) {
            ++it;
            continue;
        }
        supply_->resend(it->first);
        it = done_.erase(it);
    }
    listed_.clear();
    begin_parts(0);
}

void MultipartFlow::on_listing_failed(Desk& desk, OperationResult result) {
    if (result.verdict.cls == policy::FailureClass::not_found && result.verdict.code != "NoSuchBucket") {
        listing_to_mend_ = false;
        const bool may_be_complete = complete_unknown_ || journal_.record().completing;
        if (!may_be_complete || write_token_.empty()) return start_new(desk);
        OperationSpec head;
        head.op = wire::Op::head_object;
        head.build = [this] { return wire::head_object({job_.target, "", job_.properties.extra}); };
        return desk.send(multipart_tag::token_look, std::move(head));
    }
    const bool cannot_list =
        result.verdict.cls == policy::FailureClass::access || result.verdict.cls == policy::FailureClass::unsupported;
    if (!cannot_list || listing_to_mend_) return fail(desk, failed(result));
    note("not allowed to list the parts: trusting our own records");
    trust_own_records();
    begin_parts(journal_.record().part_size);
}

void MultipartFlow::trust_own_records() {
    for (DonePart& part : journal_.recorded_parts()) {
        const unsigned number = part.number;
        trusted_[number] = std::move(part);
    }
}

/// Is this part in the store already, and the same? Then it need not be sent.
Result<bool> MultipartFlow::take_believed(Part& part) {
    DonePart done{part.number, part.size, {}, part.checksum};
    if (const auto listed = listed_.find(part.number); listed != listed_.end()) {
        const Result<bool> ours = is_our_part(listed->second, part, [&] { return md5_of(*part.body, part.size); });
        done.etag = listed->second.etag;
        listed_.erase(listed);
        if (!ours || !*ours) return ours;
    } else if (const auto own = trusted_.find(part.number); own != trusted_.end()) {
        const bool ours =
            own->second.size == part.size && own->second.checksum && own->second.checksum == part.checksum;
        done.etag = own->second.etag;
        trusted_.erase(own);
        if (!ours) return false;
    } else {
        return false;
    }
    journal_.part_done(done);
    done_[part.number] = std::move(done);
    return true;
}

}  // namespace s3tug::engine
