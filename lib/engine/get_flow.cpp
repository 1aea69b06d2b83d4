#include "engine/download.h"
#include "engine/flow.h"
#include "wire/object_requests.h"

namespace s3tug::engine {
namespace {

/// One object by GetObject, continued where it was cut, verified, then put in place.
class GetFlow final : public Flow {
  public:
    GetFlow(Services& services, const Transfer& transfer) : services_(services), transfer_(transfer) {}

    Result<std::string> prepare() override;
    void begin(Desk& desk, const std::string& write_token, bool resumed) override;
    void on_result(Desk& desk, unsigned tag, OperationResult result) override;

  private:
    wire::Request build() const;
    void review(policy::Verdict& verdict);

    Services& services_;
    const Transfer& transfer_;
    std::unique_ptr<Download> download_;
    bool skip_ = false;
};

Result<std::string> GetFlow::prepare() {
    if (!transfer_.idempotency_key.empty()) {
        return Error{ErrorKind::usage, "--idempotency-key is for put, copy and delete; a get changes nothing"};
    }
    const bool to_stdout = transfer_.local.kind == LocalEnd::Kind::stdio;
    if (transfer_.no_clobber && !to_stdout && services_.ports.files.stat(transfer_.local.path).ok()) {
        skip_ = true;
        return std::string();
    }
    // Opened before any request: an unwritable path is told at once.
    Result<std::unique_ptr<port::TargetFile>> target =
        to_stdout ? services_.ports.files.open_stdout()
                  : services_.ports.files.open_target(transfer_.local.path, {.keep_existing = transfer_.no_clobber});
    if (!target) return std::move(target).error();
    Download::Wish wish;
    wish.verify = transfer_.checksum.has_value();
    wish.expect_size = transfer_.expect_size;
    wish.expect_sha256 = transfer_.expect_sha256;
    wish.until = services_.run.deadline;
    download_ = std::make_unique<Download>(std::move(*target), std::move(wish));
    return std::string();
}

wire::Request GetFlow::build() const {
    wire::GetObjectInput input;
    input.source = transfer_.source;
    input.version_id = transfer_.version_id;
    input.extra = transfer_.properties.extra;
    input.if_match = transfer_.conditions.if_match;
    if (download_->received() > 0) {
        input.range_first = download_->received();
        if (!download_->facts().etag.empty()) input.if_match = download_->facts().etag;
    }
    return wire::get_object(input);
}

void GetFlow::begin(Desk& desk, const std::string&, bool) {
    if (skip_) {
        Outcome skipped;
        skipped.skipped = true;
        return desk.finish(std::move(skipped));
    }
    OperationSpec get;
    get.op = wire::Op::get_object;
    get.build = [this] { return build(); };
    get.sink = download_.get();
    get.local_error = [this] { return download_->error(); };
    get.repair = [this](policy::Repair repair) { return repair == policy::Repair::restart && download_->restart(); };
    get.review = [this](const wire::Reply&, policy::Verdict& verdict) { review(verdict); };
    desk.send(0, std::move(get));
}

void GetFlow::review(policy::Verdict& verdict) {
    std::optional<std::string> mismatch;
    if (verdict.success()) mismatch = download_->mismatch();
    // Our own pin failed, not a condition of the user's: the object changed between two attempts.
    if (verdict.cls == policy::FailureClass::precondition && download_->received() > 0)
        mismatch = "the object changed while it was read";
    if (!mismatch) return;
    verdict.cls = policy::FailureClass::integrity;
    verdict.retry = policy::RetryRule::once_after_fix;
    verdict.repair = policy::Repair::restart;
    verdict.code = "ChecksumMismatch";
    verdict.message = std::move(*mismatch);
}

void GetFlow::on_result(Desk& desk, unsigned, OperationResult result) {
    if (result.error) return desk.finish(failed(result));
    if (Status placed = download_->commit(); !placed) return desk.finish(failed(std::move(placed).error()));
    Outcome outcome;
    outcome.size = download_->received();
    outcome.etag = download_->facts().etag;
    outcome.version_id = download_->facts().version_id;
    outcome.checksum = download_->verified_by();
    desk.finish(std::move(outcome));
}

}  // namespace

std::unique_ptr<Flow> make_get(Services& services, const Transfer& transfer) {
    return std::make_unique<GetFlow>(services, transfer);
}

}  // namespace s3tug::engine
