#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/early_retry.h"
#include "engine/gate.h"
#include "engine/inline_body.h"
#include "engine/run_counters.h"
#include "engine/services.h"
#include "engine/watchdog.h"
#include "policy/classify.h"
#include "policy/decide.h"
#include "policy/idempotency.h"
#include "port/transport.h"
#include "wire/reply.h"
#include "wire/request.h"
#include "wire/uri.h"

namespace s3tug::engine {

/// Where to look after an unknown outcome, and what would prove that ours is there.
struct LookTarget {
    wire::S3Uri uri;
    std::string version_id;
    std::vector<wire::Header> extra;  ///< the user's headers, needed to look too (SSE-C, requester pays)
    policy::Expected expected;
    /// Local wall time that what is there must not be older than; empty: the first attempt of unknown outcome. An
    /// object of parts is dated by its Create on AWS.
    std::optional<WallTime> since;
    /// What is wrong with the bytes of an object that is proven to be ours: some stores keep damaged ones
    /// (facts/idempotency.md fact 9). Such an object is as good as none. Comes with OperationSpec::local_error.
    std::function<std::optional<std::string>(const wire::ObjectFacts&)> damage;
};

/// The store has said that it took other bytes than were sent: mended once, by sending them again.
void call_damaged(policy::Verdict& verdict, std::string what);

/// One request of an item: how it is built, what its body is, how a repeat is made safe.
struct OperationSpec {
    wire::Op op = wire::Op::head_object;
    /// Called for each attempt, so that a continued download asks for the rest and a repaired upload drops a header.
    std::function<wire::Request()> build;
    port::BodySource* body = nullptr;
    port::BodySink* sink = nullptr;
    bool slow_answer = false;   ///< the store may think for minutes (copy)
    bool of_part = false;       ///< a HEAD with partNumber
    bool own_checksum = false;  ///< a checksum header that the user did not ask for is sent
    policy::Conditional condition = policy::Conditional::none;
    policy::BucketKind bucket = policy::BucketKind::not_known;
    bool token_sent = false;
    std::optional<LookTarget> look;
    bool begin_with_look = false;  ///< an earlier process may have applied it

    std::function<std::optional<Error>()> local_error;  ///< why body or sink failed
    std::function<bool(policy::Repair)> repair;         ///< repairs of the item's own; false = not possible
    /// May change what a reply means for this item: a success whose bytes do not match, a 412 on a continued download.
    std::function<void(const wire::Reply&, policy::Verdict&)> review;
};

struct OperationResult {
    std::optional<Error> error;              ///< empty = applied
    wire::HttpAnswer answer;                 ///< of the success: policy::classify could read it
    std::optional<wire::ObjectFacts> found;  ///< when a look proved it instead
    policy::Verdict verdict;                 ///< the last one
    policy::ItemResult for_breaker = policy::ItemResult::released;
    bool unknown_outcome = false;  ///< it may have been applied all the same
    Duration took{};               ///< the last attempt
};

/// One request's life: admit, sign, send, classify, decide, until it is done or given up. Passive: the engine calls it
/// when its time has come or its attempt completed.
class Operation {
  public:
    Operation(Services& services, ItemGate& gate, std::string item, OperationSpec spec);

    [[nodiscard]] bool ended() const { return state_ == State::ended; }
    [[nodiscard]] OperationResult take_result() { return std::move(result_); }
    [[nodiscard]] unsigned requests_sent() const { return requests_sent_; }

    /// From when on_due() may send; nothing while an attempt is in flight.
    [[nodiscard]] std::optional<Instant> due() const;
    void on_due();

    [[nodiscard]] std::optional<port::AttemptId> in_flight() const;
    [[nodiscard]] Instant attempt_began() const { return attempt_began_; }
    void on_reply(wire::Reply reply);

    /// Judges the attempt in flight; returns when to judge again.
    [[nodiscard]] Instant watch(Instant now);

    /// Bytes of the object that the attempt which succeeded has moved.
    [[nodiscard]] uint64_t moved() const { return moved_; }

    /// Adds what is in flight and what is waited for; gives the bytes of the object moved by the attempt in flight.
    uint64_t count(RunCounters& counters) const;

    /// Ends it: signal or deadline. An attempt in flight is cancelled and completes first.
    void stop(ErrorKind kind);

  private:
    enum class State : uint8_t { to_send, sending, to_look, looking, ended };

    void send();
    bool may_go();
    bool can_pay();
    /// The last attempt went ahead of a retry that is still to come.
    [[nodiscard]] bool waits_on(Instant now) const { return probing_ && early_.due() > now; }
    [[nodiscard]] bool announces(const wire::Request& request) const;
    void send_look();
    bool admitted(State again);
    bool submit(wire::Request request, port::BodySource* body, port::BodySink* sink);
    void on_attempt(wire::Reply reply);
    void on_look(wire::Reply reply);
    void look_later(const policy::Verdict& seen, const wire::Reply& reply);
    policy::Finding judge(const wire::Reply& reply, const policy::Verdict& verdict);
    [[nodiscard]] std::optional<std::string> damage_found(policy::Finding finding) const;
    void act(const policy::Decision& decision, const wire::Reply* reply);
    void mend(const policy::RepairAndRetry& repair, const wire::Reply& reply);
    bool apply_repair(policy::Repair repair);
    bool mend_look(const policy::Verdict& seen);
    [[nodiscard]] bool may_send_first(policy::Finding finding) const;
    void hear();  ///< the verdict is told to the run
    void note_throttle(const policy::Verdict& verdict);
    void succeed(wire::HttpAnswer answer, std::optional<wire::ObjectFacts> found);
    void fail(Error error, policy::ItemResult for_breaker);
    void give_up(const policy::GiveUp& end);
    [[nodiscard]] std::string stopped_text(ErrorKind kind) const;
    [[nodiscard]] policy::Situation situation() const;
    [[nodiscard]] policy::RequestContext context(const wire::Request& request);
    void tell(port::EventKind kind, const wire::Reply* reply, std::string next, std::string why,
              std::optional<Duration> wait);
    void tell(port::EventKind kind, const wire::Reply* reply, const policy::Verdict& verdict, std::string next,
              std::string why, std::optional<Duration> wait);
    void tell_headers(const wire::SignedRequest& request);
    void tell_headers(const wire::HttpAnswer& answer);
    void tell_headers(bool request, std::string first_line, const wire::Headers& headers);

    Services& services_;
    ItemGate& gate_;
    std::string item_;
    OperationSpec spec_;
    const policy::IdempotencyRow* rule_;
    State state_ = State::to_send;
    Instant due_;
    Instant began_;
    policy::History history_;
    policy::Verdict verdict_;
    std::optional<policy::FailureClass> to_pay_;  ///< the retry that is due is paid from the budget when it begins
    Instant pay_until_{};                         ///< until then it waits for tokens, due_ being over
    EarlyRetry early_;
    bool probing_ = false;  ///< the last attempt went before its time
    std::optional<policy::FailureClass> retried_for_;
    std::optional<WallTime> first_unknown_sent_;  ///< local wall time of the first attempt of unknown outcome
    Instant first_unknown_began_{};               ///< the same, as no step of the wall clock changes it
    WallTime sent_wall_{};
    unsigned looks_ = 0;
    unsigned look_failures_in_row_ = 0;  ///< the waits grow with these
    unsigned look_failures_ = 0;
    bool fresh_connection_ = false;
    bool no_expect_ = false;
    bool checksum_dropped_ = false;
    bool parked_ = false;  ///< by the breaker, until due_
    uint64_t moved_ = 0;   ///< bytes of the object, by the attempt that succeeded
    unsigned requests_sent_ = 0;
    Instant attempt_began_{};
    std::optional<wire::Credentials> signed_with_;
    policy::RequestContext context_;
    port::AttemptId attempt_id_ = 0;
    std::unique_ptr<InlineBody> inline_body_;  ///< of the attempt in flight, where the request brings its own
    std::optional<Watchdog> watchdog_;
    std::optional<ErrorKind> stopping_;
    OperationResult result_;
};

}  // namespace s3tug::engine
