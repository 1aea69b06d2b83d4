#include <utility>

#include "base/bytes.h"
#include "engine/condition_look.h"
#include "engine/flow.h"
#include "wire/object_requests.h"

namespace s3tug::engine {
namespace {

/// A transfer, and when it is verified the removal of what it was made of. The other way round, or on anything less
/// than a verified copy, bytes would be lost; so between the two a crash leaves both, and a rerun does the whole again.
/// What changed since it was read is never removed.
class MoveFlow final : public Flow, private Desk {
  public:
    MoveFlow(Services& services, const Transfer& transfer, std::unique_ptr<Flow> work)
        : services_(services), transfer_(transfer), work_(std::move(work)) {}

    Result<std::string> prepare() override {
        if (transfer_.kind == TransferKind::copy && transfer_.source == transfer_.target)
            return Error{ErrorKind::usage, "source and target are the same object; moving it would delete it"};
        if (transfer_.kind == TransferKind::put) {
            // Before the file is opened: whatever is put in its place later is another file than this.
            Result<port::FileFacts> facts = services_.ports.files.stat(transfer_.local.path);
            if (!facts) return std::move(facts).error();
            if (facts->type != port::FileType::regular)
                return Error{ErrorKind::usage, printable(transfer_.local.path) + ": only a regular file can be moved"};
            seen_ = *facts;
        }
        return work_->prepare();
    }

    void begin(Desk& desk, const std::string& write_token, bool resumed) override {
        const AtDesk at_desk(*this, desk);
        work_->begin(*this, write_token, resumed);
    }
    void on_result(Desk& desk, unsigned tag, OperationResult result) override {
        const AtDesk at_desk(*this, desk);
        if (step_ == Step::looking) return on_looked(result);
        work_->on_result(*this, tag, std::move(result));
    }
    void more(Desk& desk) override {
        const AtDesk at_desk(*this, desk);
        if (step_ != Step::looking) work_->more(*this);
    }
    void stop(Desk& desk, Outcome outcome) override {
        const AtDesk at_desk(*this, desk);
        if (step_ == Step::looking) return finish(std::move(outcome));
        work_->stop(*this, std::move(outcome));
    }
    [[nodiscard]] Flow::Turn turn() const override { return step_ == Step::looking ? Flow::Turn::no : work_->turn(); }
    [[nodiscard]] bool tidying() const override { return step_ == Step::transferring && work_->tidying(); }

  private:
    enum class Step : uint8_t { transferring, looking, deleting };

    /// The item's desk, for as long as it calls us.
    class AtDesk {
      public:
        AtDesk(MoveFlow& flow, Desk& desk) : flow_(flow) { flow_.desk_ = &desk; }
        ~AtDesk() { flow_.desk_ = nullptr; }
        AtDesk(const AtDesk&) = delete;
        AtDesk& operator=(const AtDesk&) = delete;

      private:
        MoveFlow& flow_;
    };

    // The desk that the work sees: all goes on to the item's, but its end is not ours.
    void send(unsigned tag, OperationSpec spec) override { desk_->send(tag, std::move(spec)); }
    [[nodiscard]] bool room() const override { return desk_->room(); }
    void abandon() override { desk_->abandon(); }
    void abandon(unsigned tag) override { desk_->abandon(tag); }
    void cut() override { desk_->cut(); }
    [[nodiscard]] bool use_token(const std::string& token) override { return desk_->use_token(token); }
    [[nodiscard]] bool may_hedge() const override { return desk_->may_hedge(); }
    [[nodiscard]] std::size_t waiting() const override { return desk_->waiting(); }
    [[nodiscard]] std::optional<Instant> in_flight_since(unsigned tag) const override {
        return desk_->in_flight_since(tag);
    }
    void finish(Outcome outcome) override {
        if (step_ != Step::transferring) return on_deleted(std::move(outcome));
        if (!outcome.ok() || outcome.skipped) return desk_->finish(std::move(outcome));
        desk_->abandon();
        moved_ = std::move(outcome);
        if (transfer_.kind == TransferKind::put) return remove_file();
        remove_object();
    }

    void remove_file() {
        const Status removed = services_.ports.files.remove(transfer_.local.path, seen_);
        removed ? desk_->finish(std::move(moved_)) : source_remains(failed(removed.error()));
    }

    [[nodiscard]] const std::string& source_etag() const {
        return transfer_.kind == TransferKind::copy ? moved_.source_etag : moved_.etag;
    }

    void remove_object() {
        if (source_etag().empty()) {
            return source_remains(
                failed(Error{ErrorKind::refused, "the store gave no ETag to know it by, so it was not deleted"}));
        }
        const policy::Honours honours =
            policy::store_honours(services_.config.endpoint.host, policy::ConditionUse::delete_if_match);
        // Also where nothing is known of the store: then the deletion looks first, and the condition guards its
        // retries.
        can_do_without_ = honours == policy::Honours::unknown;
        if (honours == policy::Honours::yes || can_do_without_) {
            deletion_.conditions.if_match = source_etag();
            return send_delete();
        }
        look();
    }

    /// A store that ignores the condition would delete what another client wrote meanwhile.
    void look() {
        step_ = Step::looking;
        desk_->send(0, head_of(transfer_.source, "", transfer_.properties.extra));
    }

    void on_looked(const OperationResult& result) {
        if (result.error) return on_deleted(failed(result));
        if (wire::parse_object_facts(result.answer).etag != source_etag())
            return source_remains(
                failed(Error{ErrorKind::precondition, "it changed meanwhile, so it was not deleted"}));
        send_delete();
    }

    void send_delete() {
        step_ = Step::deleting;
        deletion_.kind = TransferKind::remove;
        deletion_.target = transfer_.source;
        deletion_.properties.extra = transfer_.properties.extra;
        transferred_ = std::exchange(work_, make_delete(services_, deletion_));
        if (const Result<std::string> ready = work_->prepare(); !ready) return source_remains(failed(ready.error()));
        work_->begin(*this, {}, false);
    }

    void on_deleted(Outcome outcome) {
        const bool gone =
            !outcome.ok() && outcome.error->kind == ErrorKind::not_found && outcome.code != "NoSuchBucket";
        if (outcome.ok() || gone) return desk_->finish(std::move(moved_));
        const ErrorKind kind = outcome.error->kind;
        if (can_do_without_ && (kind == ErrorKind::unsupported || kind == ErrorKind::precondition)) {
            // The store may know no such condition, or the source may be gone: a look tells.
            can_do_without_ = false;
            deletion_.conditions.if_match.clear();
            return look();
        }
        if (outcome.error->kind == ErrorKind::precondition)
            outcome.error->message = "it changed meanwhile, so it was not deleted (" + outcome.error->message + ")";
        source_remains(std::move(outcome));
    }

    void source_remains(Outcome outcome) {
        const std::string to =
            transfer_.kind == TransferKind::get ? printable(transfer_.local.path) : wire::to_text(transfer_.target);
        outcome.error->message = "copied to " + to + ", but the source remains: " + outcome.error->message;
        outcome.source_remains = true;
        outcome.size = moved_.size;
        outcome.etag = moved_.etag;
        outcome.version_id = moved_.version_id;
        outcome.checksum = moved_.checksum;
        desk_->finish(std::move(outcome));
    }

    Services& services_;
    const Transfer& transfer_;
    Desk* desk_ = nullptr;
    std::unique_ptr<Flow> work_;         ///< the transfer, then the deletion
    std::unique_ptr<Flow> transferred_;  ///< it called us when it ended, so it lives on
    Step step_ = Step::transferring;
    bool can_do_without_ = false;  ///< the deletion's condition: it was not the user's
    port::FileFacts seen_;
    Outcome moved_;
    Transfer deletion_;
};

}  // namespace

std::unique_ptr<Flow> make_move(Services& services, const Transfer& transfer, std::unique_ptr<Flow> work) {
    return std::make_unique<MoveFlow>(services, transfer, std::move(work));
}

}  // namespace s3tug::engine
