#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "engine/multipart_flow.h"
#include "wire/answers.h"
#include "wire/list_requests.h"
#include "wire/multipart_requests.h"

/// A Create whose answer was lost may have left an upload that nobody knows. It is looked for among the uploads of this
/// key that began since and hold no part; one with parts is somebody's work and is left alone (facts/idempotency.md
/// section 3, CreateMultipartUpload). Best effort: a failure here changes no outcome.
namespace s3tug::engine {
namespace {

constexpr Duration clock_slack = minutes(1);

}  // namespace

bool MultipartFlow::sweep_orphans(Desk& desk) {
    strays_ = journal_.strays();
    for (const auto& [key, page] : strays_) {
        if (!page.upload_id.empty() && !page.create_lost) continue;
        first_create_ = create_lost_ ? std::min(first_create_, page.started) : page.started;
        create_lost_ = true;
    }
    if (strays_.empty() && !create_lost_) return false;
    next_stray(desk);
    return true;
}

/// What died with a process that left only its page: a stream, a copy, a second upload of one file.
void MultipartFlow::next_stray(Desk& desk) {
    while (!strays_.empty() && strays_.back().second.upload_id.empty()) {
        swept_.push_back(strays_.back().first);  // the list of uploads shows what its Create left
        strays_.pop_back();
    }
    OperationSpec spec;
    if (!strays_.empty()) {
        note("aborting upload " + strays_.back().second.upload_id + ", left by a run that ended early");
        spec.op = wire::Op::abort_multipart_upload;
        spec.build = [this] {
            return wire::abort_multipart_upload({job_.target, strays_.back().second.upload_id, job_.properties.extra});
        };
        return desk.send(multipart_tag::stray_abort, std::move(spec));
    }
    if (!create_lost_) return end_sweep(desk);
    spec.op = wire::Op::list_multipart_uploads;
    spec.build = [this] {
        wire::ListMultipartUploadsInput input;
        input.bucket = job_.target.bucket;
        input.prefix = job_.target.key;
        input.extra = job_.properties.extra;
        return wire::list_multipart_uploads(input);
    };
    desk.send(multipart_tag::uploads, std::move(spec));
}

void MultipartFlow::on_stray_aborted(Desk& desk, const OperationResult& result) {
    if (!result.error) swept_.push_back(strays_.back().first);
    strays_.pop_back();
    next_stray(desk);
}

void MultipartFlow::on_uploads_listed(Desk& desk, const OperationResult& result) {
    wire::ListMultipartUploadsInput asked;
    asked.bucket = job_.target.bucket;
    asked.prefix = job_.target.key;
    const Result<wire::ListMultipartUploadsPage> page = result.error
                                                            ? Result<wire::ListMultipartUploadsPage>(*result.error)
                                                            : wire::parse_list_multipart_uploads(result.answer, asked);
    if (!page) {
        note(
            "the answer of CreateMultipartUpload was lost and uploads cannot be listed: one without parts may be left");
        // Where listing is not allowed the next run would not see more.
        const policy::FailureClass cls = result.verdict.cls;
        sweep_failed_ = cls != policy::FailureClass::access && cls != policy::FailureClass::unsupported;
        return end_sweep(desk);
    }
    // By the store's clock, which this answer shows.
    const WallTime now = services_.ports.clock.wall();
    const WallTime there =
        wire::parse_object_facts(result.answer).server_date.value_or(now + services_.memory.clock_offset());
    const WallTime since = first_create_ + (there - now) - clock_slack;
    for (const wire::ListedUpload& upload : page->uploads) {
        if (upload.key != job_.target.key || upload.upload_id == upload_id_) continue;
        if (!upload.initiated || *upload.initiated < since) continue;
        if (orphans_.size() < limits::upload_orphans_max) orphans_.push_back(upload);
    }
    // One that another process of ours has recorded is not lost.
    for (const port::StateEntry& entry : services_.ports.state.list(port::Table::upload)) {
        const std::optional<UploadRecord> known = decode_upload(entry.value);
        if (known) std::erase_if(orphans_, [&](const auto& upload) { return upload.upload_id == known->upload_id; });
    }
    orphans_.insert(orphans_.begin(), wire::ListedUpload{});  // next_orphan() begins by dropping the one that is done
    next_orphan(desk);
}

void MultipartFlow::next_orphan(Desk& desk) {
    if (!orphans_.empty()) orphans_.erase(orphans_.begin());
    if (orphans_.empty()) return end_sweep(desk);
    OperationSpec spec;
    spec.op = wire::Op::list_parts;
    spec.build = [this] {
        wire::ListPartsInput input;
        input.target = job_.target;
        input.upload_id = orphans_.front().upload_id;
        input.max_parts = 1;
        return wire::list_parts(input);
    };
    desk.send(multipart_tag::orphan_parts, std::move(spec));
}

void MultipartFlow::on_orphan_parts(Desk& desk, const OperationResult& result) {
    wire::ListPartsInput asked;
    asked.target = job_.target;
    asked.upload_id = orphans_.front().upload_id;
    asked.max_parts = 1;
    if (result.error) {
        sweep_failed_ |= result.verdict.cls != policy::FailureClass::not_found;
        return next_orphan(desk);
    }
    const Result<wire::ListPartsPage> page = wire::parse_list_parts(result.answer, asked);
    if (!page || !page->parts.empty()) return next_orphan(desk);
    note("aborting upload " + orphans_.front().upload_id + ", left by a Create whose answer was lost");
    OperationSpec spec;
    spec.op = wire::Op::abort_multipart_upload;
    spec.build = [this] {
        return wire::abort_multipart_upload({job_.target, orphans_.front().upload_id, job_.properties.extra});
    };
    desk.send(multipart_tag::orphan_abort, std::move(spec));
}

void MultipartFlow::end_sweep(Desk& desk) {
    orphans_.clear();
    for (const std::string& key : std::exchange(swept_, {})) {
        if (!sweep_failed_) journal_.forget_stray(key);
    }
    if (sweep_failed_)
        journal_.leave_lost();
    else
        journal_.forget();
    const std::function<void(Desk&)> next = std::exchange(after_sweep_, nullptr);
    next(desk);
}

}  // namespace s3tug::engine
