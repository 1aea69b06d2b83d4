#include "engine/get_flow.h"

#include "base/bytes.h"
#include "base/limits.h"
#include "base/part_name.h"
#include "base/text.h"
#include "engine/below_hint.h"
#include "wire/object_requests.h"

namespace s3tug::engine {

GetFlow::GetFlow(Services& services, const Transfer& transfer)
    : services_(services),
      transfer_(transfer),
      flight_(services.config.pace.concurrency_max, services.config.pace.concurrency_max) {}

Download::Wish GetFlow::wish() const {
    Download::Wish wish;
    wish.verify = transfer_.checksum.has_value();
    wish.expect_size = transfer_.expect_size;
    wish.expect_sha256 = transfer_.expect_sha256;
    wish.until = services_.run.deadline;
    return wish;
}

Result<std::string> GetFlow::prepare() {
    if (!transfer_.idempotency_key.empty()) {
        return Error{ErrorKind::usage, "--idempotency-key is for put, copy and delete; a get changes nothing"};
    }
    const bool to_stdout = transfer_.local.kind == LocalEnd::Kind::stdio;
    if (transfer_.no_clobber && !to_stdout && services_.ports.files.stat(transfer_.local.path).ok()) {
        skip_ = true;
        return std::string();
    }
    // Else a download whose unfinished file has that name would be put in place with these bytes, or the other way
    // round.
    const std::string_view path = transfer_.local.path;
    if (!to_stdout && is_part_name(path.substr(path.rfind('/') + 1))) {
        return Error{ErrorKind::cannot_write, printable(transfer_.local.path) +
                                                  ": names like .NAME.s3tug-part are for downloads that are not "
                                                  "finished; get the object under another name"};
    }
    // Opened before any request: an unwritable path is told at once.
    const bool resume = services_.config.download.resume;
    Result<std::unique_ptr<port::TargetFile>> target =
        to_stdout ? services_.ports.files.open_stdout()
                  : services_.ports.files.open_target(transfer_.local.path, {.keep_existing = transfer_.no_clobber,
                                                                             .durable = transfer_.then_delete_source,
                                                                             .resume = resume,
                                                                             .root_bytes = transfer_.local.root_bytes});
    if (!target) return std::move(target).error();
    target_ = std::move(*target);
    kept_.emplace(services_, transfer_, *target_, resume);
    return std::string();
}

void GetFlow::begin(Desk& desk, const std::string&, bool) {
    if (skip_) {
        Outcome skipped;
        skipped.skipped = true;
        return desk.finish(std::move(skipped));
    }
    std::optional<DownloadRecord> record = kept_->find();
    if (record && serves(*record, transfer_, wire::origin(services_.config.endpoint))) {
        resumed_ = true;
        ranged_.emplace(*target_, std::move(*record), wish());
        if (target_->left_over() > ranged_->pin().size) {
            if (Status cut = target_->truncate(ranged_->pin().size); !cut) return fail(desk, failed(cut.error()));
        }
        if (Status room = target_->reserve(ranged_->pin().size); !room) return fail(desk, failed(room.error()));
        tell("going on with an earlier download, " + format_size(ranged_->parts().received()) + " of " +
             format_size(ranged_->pin().size) + " are there");
        return;  // more() comes in the same turn
    }
    kept_->drop();
    if (target_->left_over() > 0) {
        if (Status cut = target_->truncate(0); !cut) return fail(desk, failed(cut.error()));
    }
    send_first(desk);
}

void GetFlow::send_first(Desk& desk) {
    asked_ = services_.now();
    single_.emplace(*target_, wish());
    OperationSpec get;
    get.op = wire::Op::get_object;
    get.build = [this] { return build_first(); };
    get.sink = &entry_;
    get.local_error = [this] {
        const auto worker = workers_.find(entry_tag);
        return worker != workers_.end() ? worker->second->error() : single_->error();
    };
    get.repair = [this](policy::Repair repair) {
        return repair == policy::Repair::restart && (workers_.contains(entry_tag) || single_->restart());
    };
    get.review = [this](const wire::Reply& reply, policy::Verdict& verdict) {
        const auto worker = workers_.find(entry_tag);
        if (worker != workers_.end()) return worker->second->review(reply, verdict);
        review_single(verdict);
    };
    desk.send(entry_tag, std::move(get));
}

wire::Request GetFlow::build_first() const {
    if (const auto worker = workers_.find(entry_tag); worker != workers_.end()) return build_range(*worker->second);
    wire::GetObjectInput input;
    input.source = transfer_.source;
    input.version_id = transfer_.version_id;
    input.extra = transfer_.properties.extra;
    input.if_match = transfer_.conditions.if_match;
    if (single_->received() > 0) {
        input.range_first = single_->received();
        if (!single_->facts().etag.empty()) input.if_match = single_->facts().etag;
    }
    return wire::get_object(input);
}

bool GetFlow::Entry::begin(const wire::HttpAnswer& head) {
    const auto worker = flow_.workers_.find(entry_tag);
    if (worker != flow_.workers_.end()) return worker->second->begin(head);
    const wire::ObjectFacts facts = wire::parse_object_facts(head);
    if (!flow_.to_split(facts, head)) return flow_.single_->begin(head);
    flow_.split(facts);
    return true;
}

Status GetFlow::Entry::write(ByteSpan bytes) {
    const auto worker = flow_.workers_.find(entry_tag);
    return worker != flow_.workers_.end() ? worker->second->write(bytes) : flow_.single_->write(bytes);
}

void GetFlow::review_single(policy::Verdict& verdict) {
    std::optional<std::string> mismatch;
    if (verdict.success()) mismatch = single_->mismatch();
    // Our own pin failed, not a condition of the user's: the object changed between two attempts.
    if (verdict.cls == policy::FailureClass::precondition && single_->received() > 0)
        mismatch = "the object changed while it was read";
    if (!mismatch) return;
    verdict.cls = policy::FailureClass::integrity;
    verdict.retry = policy::RetryRule::once_after_fix;
    verdict.repair = policy::Repair::restart;
    verdict.code = "ChecksumMismatch";
    verdict.message = std::move(*mismatch);
}

void GetFlow::on_result(Desk& desk, unsigned tag, OperationResult result) {
    if (tag == hedge_tag) return on_hedge(desk, result);
    if (tag == below_tag) return on_below(desk, result);
    if (const auto look = looks_.extract(tag)) return on_part_told(desk, look.mapped(), result);
    const auto worker = workers_.find(tag);
    if (worker == workers_.end()) return single_ended(desk, std::move(result));
    if (second_ && second_->first_tag == tag) drop_hedge(desk);
    // The first request brings as many parts as nobody else took: its time says nothing about one.
    if (!result.error && tag != entry_tag) {
        const std::size_t n = worker->second->parts_taken();
        for (std::size_t i = 0; i < n; ++i) hedge_.done(result.took / n);
        part_done();
    }
    const RangeSink::End end = worker->second->end();
    workers_.erase(worker);
    if (result.error && end == RangeSink::End::object_changed)
        return start_over(desk, !resumed_, "the object changed while it was read");
    if (result.error && end == RangeSink::End::range_ignored) {
        in_order_only_ = true;
        return start_over(desk, false, "the store ignores a range though it says that it has them");
    }
    if (result.error) return fail(desk, failed(result));
    settle(desk);
}

void GetFlow::single_ended(Desk& desk, OperationResult result) {
    if (result.error) {
        Outcome outcome = failed(result);
        // Bytes of an object that changed, in a file that could not be emptied for the new one.
        if (outcome.error->kind == ErrorKind::integrity && single_->error()) outcome.error = single_->error();
        const bool no_such_key =
            result.verdict.cls == policy::FailureClass::not_found && result.verdict.code != "NoSuchBucket";
        if (!no_such_key || !transfer_.hint_below || !transfer_.version_id.empty())
            return fail(desk, std::move(outcome));
        missing_ = std::move(outcome);
        return desk.send(below_tag, look_below(transfer_.source, transfer_.properties.extra));
    }
    all_there(desk);
}

void GetFlow::on_below(Desk& desk, const OperationResult& listed) {
    if (const std::string hint = below_hint(transfer_.source, listed); !hint.empty())
        missing_->error->message += "; " + hint;
    fail(desk, *std::move(missing_));
}

Flow::Turn GetFlow::turn() const {
    if (comparing_) return composite_->busy() ? Turn::at_once : Turn::each;
    if (!ranged_) return Turn::no;
    return ranged_->busy() ? Turn::at_once : Turn::each;
}

void GetFlow::more(Desk& desk) {
    if (comparing_) return compare_parts(desk);
    if (!ranged_) return;
    ask_parts(desk);
    if (ranged_->busy()) {
        if (Status worked = ranged_->work(); !worked) return fail(desk, failed(worked.error()));
    }
    // Nobody has asked the store yet whether the object is still the same.
    if (resumed_ && last_tag_ == entry_tag && !ranged_->busy() && ranged_->parts().all_done())
        ranged_->parts().reset(ranged_->parts().count() - 1);
    const auto entry = workers_.find(entry_tag);
    const bool no_room_on_disk = entry != workers_.end() && entry->second->error();
    while (!no_room_on_disk && desk.room() && workers_.size() < flight_.limit() + desk.waiting()) {
        const std::optional<std::size_t> part = claim();
        if (!part) break;
        send_range(desk, *part);
    }
    kept_->save_now_and_then(ranged_->record());
    hedge(desk);
    settle(desk);
}

void GetFlow::settle(Desk& desk) {
    if (!workers_.empty() || !ranged_->parts().all_done() || ranged_->busy()) return;
    if (window_ && window_->holding()) return;
    if (!ranged_->proof_begun()) {
        // What follows takes long: hashing in order, and the sync before the rename.
        kept_->save(ranged_->record());
        ranged_->begin_proof();
        if (ranged_->busy()) return;
    }
    const std::optional<std::string> mismatch = ranged_->mismatch();
    if (mismatch && !window_ && !ranged_->doubted()) return doubt(*mismatch);
    if (mismatch) return start_over(desk, true, *mismatch);
    all_there(desk);
}

void GetFlow::end(Desk& desk) {
    Outcome outcome;
    outcome.size = ranged_ ? ranged_->pin().size : single_->received();
    outcome.etag = etag();
    outcome.version_id = ranged_ ? ranged_->record().answered_version : single_->facts().version_id;
    const bool by_parts = composite_ && composite_->state() == CompositeProof::State::matches;
    outcome.checksum = by_parts ? composite_->verified_by() : ranged_ ? ranged_->verified_by() : single_->verified_by();
    place(desk, std::move(outcome), ranged_ ? ranged_->record().last_modified : single_->facts().last_modified);
}

void GetFlow::start_over(Desk& desk, bool counts, const std::string& why) {
    if (left_for_good()) {
        const ErrorKind kind = in_order_only_ ? ErrorKind::unsupported : ErrorKind::integrity;
        const std::string reason = in_order_only_ ? why : "bytes did not match (" + why + ")";
        return fail(desk, failed(Error{kind, reason + "; " + format_size(window_->passed()) +
                                                 " have left and cannot be taken back: do not trust them"}));
    }
    desk.abandon();
    second_.reset();
    hedge_ = {};
    measured_ = 0;
    workers_.clear();
    looks_.clear();
    composite_.reset();
    comparing_ = false;
    ranged_.reset();
    window_.reset();
    resumed_ = false;
    kept_->drop();
    if (counts && ++restarts_ > limits::download_restarts_max)
        return fail(desk, failed(Error{ErrorKind::integrity, "bytes did not match (" + why + ")"}));
    tell(why + "; it is fetched anew");
    if (Status cut = target_->truncate(0); !cut) return fail(desk, failed(cut.error()));
    send_first(desk);
}

void GetFlow::tell(std::string what) { services_.trace.note(item_name(transfer_), std::move(what)); }

void GetFlow::doubt(const std::string& why) {
    tell(why + "; parts are read again, damaged ones fetched again");
    ranged_->doubt();
}

void GetFlow::fail(Desk& desk, Outcome outcome) {
    const bool keep = ranged_ && ranged_->parts().received() > 0 && worth_keeping(outcome.error->kind);
    if (keep) kept_->save(ranged_->record());
    if (!keep) kept_->drop();
    if (keep && kept_->stays()) {
        outcome.error->message += "; " + format_size(ranged_->parts().received()) + " of " +
                                  format_size(ranged_->pin().size) + " are kept, a rerun fetches the rest";
    }
    desk.finish(std::move(outcome));
}

void GetFlow::place(Desk& desk, Outcome outcome, std::optional<WallTime> last_modified) {
    if (Status placed = target_->commit(last_modified); !placed) return fail(desk, failed(std::move(placed).error()));
    if (transfer_.checksum && outcome.checksum.empty() && outcome.size > 0) {
        services_.trace.note(item_name(transfer_), "not compared: " + why_not_compared());
    }
    kept_->drop();
    desk.finish(std::move(outcome));
}

std::unique_ptr<Flow> make_get(Services& services, const Transfer& transfer) {
    return std::make_unique<GetFlow>(services, transfer);
}

}  // namespace s3tug::engine
