#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engine/delete_flow.h"
#include "engine/failure_text.h"
#include "wire/batch_answers.h"

namespace s3tug::engine {

namespace {

constexpr unsigned batch_tag = 0;  // single deletes have the place of their key, plus 1

/// DeleteObjects for up to 1000 keys, each judged by its own answer (facts/idempotency.md section 3). A repeat holds
/// only the keys that failed and may be tried again. Keys whose outcome is not known, and all where the store has no
/// DeleteObjects, go on as single deletes; the former begin with a look, so that a versioned bucket gets no second
/// marker.
class BatchDeleteFlow final : public Flow {
  public:
    explicit BatchDeleteFlow(const Transfer& transfer) : transfer_(transfer), ended_(transfer.batch.size()) {}

    void begin(Desk& desk, const std::string& write_token, bool resumed) override;
    void on_result(Desk& desk, unsigned tag, OperationResult result) override;
    void more(Desk& desk) override;

  private:
    struct Single {
        std::size_t place;
        bool doubtful;  ///< it may be deleted already
    };
    void send_batch(Desk& desk);
    void review(const wire::Reply& reply, policy::Verdict& verdict);
    [[nodiscard]] bool take_key(std::size_t place, const wire::DeletedKey& key, policy::Verdict& verdict);
    void on_batch(OperationResult result);
    void end_key(std::size_t place, Outcome outcome);
    void end_rest(const Outcome& outcome);
    void finish_when_done(Desk& desk);

    const Transfer& transfer_;
    std::vector<std::optional<Outcome>> ended_;  ///< of each key
    std::vector<std::size_t> pending_;           ///< places of the keys that the next batch holds
    wire::DeleteObjectsInput sent_;
    std::vector<Single> singles_;
    std::size_t next_single_ = 0;
    std::size_t running_ = 0;
    unsigned rounds_ = 0;
    bool stopping_ = false;
};

void BatchDeleteFlow::begin(Desk& desk, const std::string&, bool) {
    for (std::size_t place = 0; place < transfer_.batch.size(); ++place) {
        if (wire::fits_batch_delete(transfer_.batch[place].key))
            pending_.push_back(place);
        else
            singles_.push_back({place, false});
    }
    if (!pending_.empty()) send_batch(desk);
    more(desk);
}

void BatchDeleteFlow::send_batch(Desk& desk) {
    const auto has_version = [](const wire::DeleteTarget& target) { return !target.version_id.empty(); };
    OperationSpec spec;
    spec.op = wire::Op::delete_objects;
    if (std::ranges::all_of(transfer_.batch, has_version)) spec.bucket = policy::BucketKind::plain;
    spec.build = [this] {
        sent_.bucket = transfer_.target.bucket;
        sent_.extra = transfer_.properties.extra;
        sent_.targets.clear();
        for (const std::size_t place : pending_) sent_.targets.push_back(transfer_.batch[place]);
        return wire::delete_objects(sent_).value();
    };
    spec.review = [this](const wire::Reply& reply, policy::Verdict& verdict) { review(reply, verdict); };
    ++running_;
    desk.send(batch_tag, std::move(spec));
}

/// The verdict becomes that of the keys that are left: then waiting, budget and pace are those of any request.
void BatchDeleteFlow::review(const wire::Reply& reply, policy::Verdict& verdict) {
    ++rounds_;
    if (reply.answer() == nullptr || reply.answer()->status != 200) return;
    const Result<std::vector<wire::DeletedKey>> keys = wire::parse_delete_objects(*reply.answer(), sent_);
    if (!keys) return;
    policy::Verdict of_keys;
    of_keys.host_answered = true;
    of_keys.status = verdict.status;
    of_keys.request_id = verdict.request_id;
    std::vector<std::size_t> again;
    for (std::size_t i = 0; i < pending_.size(); ++i) {
        if (take_key(pending_[i], (*keys)[i], of_keys)) again.push_back(pending_[i]);
    }
    pending_ = std::move(again);
    verdict = std::move(of_keys);
}

/// True when the key is to be sent again; `verdict` says why then.
bool BatchDeleteFlow::take_key(std::size_t place, const wire::DeletedKey& key, policy::Verdict& verdict) {
    if (key.outcome == wire::KeyOutcome::unanswered) {
        singles_.push_back({place, true});
        return false;
    }
    Outcome outcome;
    outcome.attempts = rounds_;
    if (key.outcome == wire::KeyOutcome::deleted) {
        outcome.version_id = key.version_id;
        end_key(place, std::move(outcome));
        return false;
    }
    policy::Verdict judged = policy::classify_key(key.code, key.message);
    judged.request_id = verdict.request_id;
    if (judged.success()) {
        end_key(place, std::move(outcome));
        return false;
    }
    const bool doubtful = judged.effect == policy::Effect::unknown;
    const bool is_race = judged.cls == policy::FailureClass::conflict;
    if (judged.retry != policy::RetryRule::no && (doubtful || is_race)) {
        // A key that the store failed on (InternalError) may be gone: as a request of its own it is looked at first.
        singles_.push_back({place, doubtful});
        return false;
    }
    if (judged.retry == policy::RetryRule::yes) {
        verdict = std::move(judged);
        return true;
    }
    outcome.error = failure_error(policy::error_kind_of(judged), judged, {}, rounds_, {});
    outcome.status = judged.status;
    outcome.code = judged.code;
    outcome.request_id = judged.request_id;
    end_key(place, std::move(outcome));
    return false;
}

void BatchDeleteFlow::on_batch(OperationResult result) {
    const std::vector<std::size_t> rest = std::exchange(pending_, {});
    if (rest.empty()) return;
    const policy::Verdict& verdict = result.verdict;
    const bool lacking = verdict.status == 501 || verdict.status == 405 || verdict.code == "NotImplemented" ||
                         verdict.code == "MethodNotAllowed" || verdict.code == "MalformedXML";
    const bool doubtful = result.error && result.error->kind == ErrorKind::outcome_unknown;
    for (const std::size_t place : rest) {
        if (!stopping_ && (lacking || doubtful))
            singles_.push_back({place, doubtful});
        else
            end_key(place, failed(result));
    }
}

void BatchDeleteFlow::on_result(Desk& desk, unsigned tag, OperationResult result) {
    --running_;
    const auto ends_run = [](const OperationResult& r) { return r.error && is_stop(r.error->kind); };
    stopping_ |= ends_run(result);
    const Outcome why = stopping_ ? failed(result) : Outcome{};
    if (tag == batch_tag) {
        on_batch(std::move(result));
    } else {
        Outcome outcome = deleted_outcome(result, false);
        outcome.attempts = rounds_ + 1;
        end_key(tag - 1, std::move(outcome));
    }
    if (stopping_) {
        if (why.error) end_rest(why);
        if (running_ > 0) return;
    }
    more(desk);
    finish_when_done(desk);
}

void BatchDeleteFlow::more(Desk& desk) {
    while (!stopping_ && next_single_ < singles_.size() && (running_ == 0 || desk.room())) {
        const Single single = singles_[next_single_++];
        const wire::DeleteTarget& target = transfer_.batch[single.place];
        ++running_;
        desk.send(static_cast<unsigned>(single.place + 1), delete_operation({{transfer_.target.bucket, target.key},
                                                                             target.version_id,
                                                                             {},
                                                                             transfer_.properties.extra,
                                                                             single.doubtful}));
    }
}

void BatchDeleteFlow::end_key(std::size_t place, Outcome outcome) {
    if (!ended_[place]) ended_[place] = std::move(outcome);
}

/// For keys that were not sent yet, or whose request has not come back: `outcome` is why the run ends.
void BatchDeleteFlow::end_rest(const Outcome& outcome) {
    for (; next_single_ < singles_.size(); ++next_single_) end_key(singles_[next_single_].place, outcome);
}

void BatchDeleteFlow::finish_when_done(Desk& desk) {
    if (running_ > 0 || next_single_ < singles_.size()) return;
    Outcome all;
    for (std::optional<Outcome>& key : ended_) {
        if (!key) key = failed(Error{ErrorKind::bug, "a key of a batch has no outcome"});
        if (!key->ok() && !all.error) {
            all.error = key->error;
            all.status = key->status;
            all.code = key->code;
            all.request_id = key->request_id;
        }
        all.of_batch.push_back(std::move(*key));
    }
    desk.finish(std::move(all));
}

}  // namespace

std::unique_ptr<Flow> make_batch_delete(const Transfer& transfer) {
    return std::make_unique<BatchDeleteFlow>(transfer);
}

}  // namespace s3tug::engine
