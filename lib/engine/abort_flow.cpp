#include "base/limits.h"
#include "engine/flow.h"
#include "engine/upload_book.h"
#include "wire/list_answers.h"
#include "wire/multipart_requests.h"

namespace s3tug::engine {
namespace {

/// Aborts one multipart upload and makes sure of it: a part that was in flight can be stored after the Abort
/// (facts/idempotency.md section 3), so the parts are listed until there are none. One that is gone is a success.
class AbortFlow final : public Flow {
  public:
    AbortFlow(Services& services, const Transfer& transfer) : services_(services), transfer_(transfer) {}

    void begin(Desk& desk, const std::string&, bool) override { send_abort(desk); }

    void on_result(Desk& desk, unsigned tag, OperationResult result) override {
        if (tag == tag_check) return on_checked(desk, result);
        if (!result.error) return send_check(desk);
        const std::string& code = result.verdict.code;
        const bool gone = result.error->kind == ErrorKind::not_found && code != "NoSuchBucket";
        gone ? end(desk) : desk.finish(failed(result));
    }

  private:
    static constexpr unsigned tag_abort = 0, tag_check = 1;

    void send_abort(Desk& desk) {
        ++aborts_;
        OperationSpec spec;
        spec.op = wire::Op::abort_multipart_upload;
        spec.build = [this] {
            return wire::abort_multipart_upload({transfer_.target, transfer_.upload_id, transfer_.properties.extra});
        };
        desk.send(tag_abort, std::move(spec));
    }

    [[nodiscard]] wire::ListPartsInput parts_asked() const {
        wire::ListPartsInput asked;
        asked.target = transfer_.target;
        asked.upload_id = transfer_.upload_id;
        asked.max_parts = 1;
        asked.extra = transfer_.properties.extra;
        return asked;
    }

    void send_check(Desk& desk) {
        OperationSpec spec;
        spec.op = wire::Op::list_parts;
        spec.build = [this] { return wire::list_parts(parts_asked()); };
        desk.send(tag_check, std::move(spec));
    }

    /// Where listing is not allowed the Abort's answer has to do.
    void on_checked(Desk& desk, const OperationResult& result) {
        if (result.error) return end(desk);
        const Result<wire::ListPartsPage> page = wire::parse_list_parts(result.answer, parts_asked());
        if (!page || page->parts.empty()) return end(desk);
        if (aborts_ < limits::upload_aborts_max) return send_abort(desk);
        desk.finish(failed(Error{ErrorKind::gave_up, "parts still show after " + std::to_string(aborts_) + " aborts"}));
    }

    void end(Desk& desk) {
        forget_upload(services_.ports.state, transfer_.target, transfer_.upload_id);
        desk.finish({});
    }

    Services& services_;
    const Transfer& transfer_;
    unsigned aborts_ = 0;
};

}  // namespace

std::unique_ptr<Flow> make_abort(Services& services, const Transfer& transfer) {
    return std::make_unique<AbortFlow>(services, transfer);
}

}  // namespace s3tug::engine
