#include "engine/flow.h"
#include "wire/object_requests.h"

namespace s3tug::engine {
namespace {

/// One HEAD: what the store says of an object, and nothing of its bytes.
class StatFlow final : public Flow {
  public:
    explicit StatFlow(const Transfer& transfer) : transfer_(transfer) {}

    void begin(Desk& desk, const std::string&, bool) override {
        OperationSpec spec;
        spec.op = wire::Op::head_object;
        spec.build = [this] {
            return wire::head_object({transfer_.target, transfer_.version_id, transfer_.properties.extra});
        };
        spec.review = [this](const wire::Reply& reply, policy::Verdict&) { note_marker(reply); };
        desk.send(0, std::move(spec));
    }

    void on_result(Desk& desk, unsigned, OperationResult result) override {
        if (result.error) {
            Outcome outcome = failed(result);
            add_hint(*outcome.error);
            return desk.finish(std::move(outcome));
        }
        Outcome outcome;
        outcome.facts = wire::parse_object_facts(result.answer);
        outcome.size = outcome.facts->size.value_or(0);
        outcome.etag = outcome.facts->etag;
        outcome.version_id = outcome.facts->version_id;
        if (!outcome.facts->checksums.empty()) outcome.checksum = wire::to_text(outcome.facts->checksums.front());
        desk.finish(std::move(outcome));
    }

  private:
    void note_marker(const wire::Reply& reply) {
        if (const wire::HttpAnswer* answer = reply.answer())
            delete_marker_ = wire::parse_object_facts(*answer).delete_marker;
    }

    /// A HEAD has no body to say why, so the two answers that mislead are explained.
    void add_hint(Error& error) const {
        if (error.kind == ErrorKind::access_denied)
            error.message += "; without leave to list the bucket a store says so of objects that are not there, too";
        if (delete_marker_) error.message += "; a delete marker stands there";
    }

    const Transfer& transfer_;
    bool delete_marker_ = false;
};

}  // namespace

std::unique_ptr<Flow> make_stat(const Transfer& transfer) { return std::make_unique<StatFlow>(transfer); }

}  // namespace s3tug::engine
