#include "engine/delete_flow.h"

#include <utility>

#include "engine/below_hint.h"
#include "engine/condition_look.h"
#include "wire/answers.h"
#include "wire/object_requests.h"

namespace s3tug::engine {

OperationSpec delete_operation(DeleteSpec spec) {
    OperationSpec out;
    out.op = wire::Op::delete_object;
    if (!spec.if_match.empty()) out.condition = policy::Conditional::if_match;
    // Removing one version twice leaves the same state, whatever the bucket.
    if (!spec.version_id.empty()) out.bucket = policy::BucketKind::plain;
    LookTarget look;
    look.uri = spec.target;
    look.version_id = spec.version_id;
    look.extra = spec.extra;
    look.expected.proof = policy::Proof::absence;
    look.expected.condition_etag = wire::unquote_etag(spec.if_match);
    out.look = std::move(look);
    // What an earlier process did to one version, a repeat does not do again, so nobody has to ask.
    out.begin_with_look = spec.look_first && (spec.version_id.empty() || !spec.if_match.empty());
    out.build = [spec = std::move(spec)] {
        return wire::delete_object({spec.target, spec.version_id, spec.if_match, spec.extra});
    };
    return out;
}

Outcome deleted_outcome(const OperationResult& result, bool conditional) {
    Outcome outcome;
    if (result.error) {
        const bool key_absent = result.verdict.cls == policy::FailureClass::not_found &&
                                result.verdict.code != "NoSuchBucket" && !conditional;
        if (!key_absent) return failed(result);
    } else if (!result.found) {
        outcome.version_id = wire::parse_delete_object(result.answer).version_id;
    }
    return outcome;
}

namespace {

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
        resumed_ = resumed;
        if (!resumed && condition_wants_look(services_.config.endpoint, transfer_.conditions,
                                             policy::ConditionUse::delete_if_match)) {
            return desk.send(tag_condition,
                             head_of(transfer_.target, transfer_.version_id, transfer_.properties.extra));
        }
        send_delete(desk);
    }

    void on_result(Desk& desk, unsigned tag, OperationResult result) override {
        if (tag == tag_condition) {
            if (std::optional<Outcome> end = condition_fails(result, transfer_.conditions, ""))
                return desk.finish(*std::move(end));
            return send_delete(desk);
        }
        if (tag == tag_below) {
            if (const std::string hint = below_hint(transfer_.target, result); !hint.empty())
                services_.trace.warning(item_name(transfer_), hint);
            return desk.finish(std::move(deleted_));
        }
        deleted_ = deleted_outcome(result, !transfer_.conditions.if_match.empty());
        const bool folder = transfer_.target.key.ends_with('/') && transfer_.version_id.empty();
        if (!deleted_.ok() || !folder || !transfer_.hint_below) return desk.finish(std::move(deleted_));
        desk.send(tag_below, look_below(transfer_.target, transfer_.properties.extra));
    }

  private:
    enum Tag : unsigned { tag_delete, tag_condition, tag_below };

    void send_delete(Desk& desk) {
        desk.send(tag_delete, delete_operation({transfer_.target, transfer_.version_id, transfer_.conditions.if_match,
                                                transfer_.properties.extra, resumed_}));
    }

    Services& services_;
    const Transfer& transfer_;
    Outcome deleted_;
    bool resumed_ = false;
};

}  // namespace

std::unique_ptr<Flow> make_delete(Services& services, const Transfer& transfer) {
    if (!transfer.batch.empty()) return make_batch_delete(transfer);
    return std::make_unique<DeleteFlow>(services, transfer);
}

}  // namespace s3tug::engine
