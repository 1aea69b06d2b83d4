#include "engine/flow.h"
#include "wire/answers.h"
#include "wire/object_requests.h"

namespace s3tug::engine {
namespace {

/// One DeleteObject. A key that is not there is a success; a bucket that is not there is not.
class DeleteFlow final : public Flow {
  public:
    DeleteFlow(Services& services, const Transfer& transfer) : services_(services), transfer_(transfer) {}

    Result<std::string> prepare() override {
        if (transfer_.conditions.if_match.empty()) return std::string();
        const policy::Honours honours =
            policy::store_honours(services_.config.endpoint.host, policy::ConditionUse::delete_if_match);
        if (honours == policy::Honours::no || honours == policy::Honours::refuses) {
            return Error{
                ErrorKind::unsupported,
                services_.config.endpoint.host + " ignores --if-match on delete and would delete; nothing was sent"};
        }
        return std::string();
    }

    void begin(Desk& desk, const std::string&, bool resumed) override {
        OperationSpec spec;
        spec.op = wire::Op::delete_object;
        spec.build = [this] {
            return wire::delete_object(
                {transfer_.target, transfer_.version_id, transfer_.conditions.if_match, transfer_.properties.extra});
        };
        spec.condition = conditional_of(transfer_.conditions);
        // Removing one version twice leaves the same state, whatever the bucket.
        if (!transfer_.version_id.empty()) spec.bucket = policy::BucketKind::plain;
        LookTarget look;
        look.uri = transfer_.target;
        look.version_id = transfer_.version_id;
        look.extra = transfer_.properties.extra;
        look.expected.proof = policy::Proof::absence;
        look.expected.condition_etag = wire::unquote_etag(transfer_.conditions.if_match);
        spec.look = std::move(look);
        spec.begin_with_look = resumed;
        desk.send(0, std::move(spec));
    }

    void on_result(Desk& desk, unsigned, OperationResult result) override {
        Outcome outcome;
        if (result.error) {
            const bool key_absent = result.verdict.cls == policy::FailureClass::not_found &&
                                    result.verdict.code != "NoSuchBucket" && transfer_.conditions.if_match.empty();
            if (!key_absent) return desk.finish(failed(result));
        } else if (!result.found) {
            outcome.version_id = wire::parse_delete_object(result.answer).version_id;
        }
        desk.finish(std::move(outcome));
    }

  private:
    Services& services_;
    const Transfer& transfer_;
};

}  // namespace

std::unique_ptr<Flow> make_delete(Services& services, const Transfer& transfer) {
    return std::make_unique<DeleteFlow>(services, transfer);
}

}  // namespace s3tug::engine
