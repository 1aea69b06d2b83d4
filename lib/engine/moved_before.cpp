#include "engine/condition_look.h"
#include "engine/flow.h"

namespace s3tug::engine {
namespace {

/// A process that dies between the removal of the file and the record of its result leaves a key that is not done and
/// no file to make the move again of. The object tells which one it was.
class MovedBefore final : public Flow {
  public:
    MovedBefore(Services& services, const Transfer& transfer, Error missing)
        : services_(services), transfer_(transfer), missing_(std::move(missing)) {}

    void begin(Desk& desk, const std::string& write_token, bool resumed) override {
        if (!resumed || write_token.empty()) return desk.finish(failed(missing_));
        write_token_ = write_token;
        desk.send(0, head_of(transfer_.target, "", transfer_.properties.extra));
    }

    void on_result(Desk& desk, unsigned, OperationResult result) override {
        if (result.error) {
            const bool no_proof = result.verdict.cls == policy::FailureClass::not_found ||
                                  result.verdict.cls == policy::FailureClass::access;
            return desk.finish(no_proof ? failed(missing_) : failed(result));
        }
        const wire::ObjectFacts found = wire::parse_object_facts(result.answer);
        if (found.write_token != write_token_) return desk.finish(failed(missing_));
        services_.trace.note(item_name(transfer_), "the file is gone, and an earlier run under this key had moved it");
        Outcome outcome;
        outcome.size = found.size.value_or(0);
        outcome.etag = found.etag;
        outcome.version_id = found.version_id;
        desk.finish(std::move(outcome));
    }

  private:
    Services& services_;
    const Transfer& transfer_;
    Error missing_;
    std::string write_token_;
};

}  // namespace

std::unique_ptr<Flow> make_moved_before(Services& services, const Transfer& transfer, Error missing) {
    return std::make_unique<MovedBefore>(services, transfer, std::move(missing));
}

}  // namespace s3tug::engine
