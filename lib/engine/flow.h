#pragma once

#include <memory>
#include <string>

#include "engine/operation.h"
#include "engine/services.h"
#include "engine/transfer.h"

namespace s3tug::engine {

/// What a flow may ask of the engine. Operations run side by side; each result comes back with the tag it was sent
/// with.
class Desk {
  public:
    virtual ~Desk() = default;
    virtual void send(unsigned tag, OperationSpec spec) = 0;
    virtual void finish(Outcome outcome) = 0;
    /// May another request be added now, within the concurrency that all items of the run share?
    [[nodiscard]] virtual bool room() const = 0;
    /// Ends all operations of this item that are under way; their results do not come any more. Their bodies and sinks
    /// are not touched after it.
    virtual void abandon() = 0;
    /// The same for one of them.
    virtual void abandon(unsigned tag) = 0;
    /// Ends the item's operations that are under way; their results come with `interrupted`.
    virtual void cut() = 0;

    /// The write goes under this token, that of an upload which an earlier run began. False: the item's idempotency key
    /// could not be given it, so that the next run would not know what was written.
    [[nodiscard]] virtual bool use_token(const std::string& write_token) = 0;

    /// Is nothing left to send in the whole run, so that a second request for what is slow costs nobody a slot?
    [[nodiscard]] virtual bool may_hedge() const = 0;
    /// How many of the item's operations wait for a retry: they use no slot.
    [[nodiscard]] virtual std::size_t waiting() const = 0;
    /// Since when that operation's present attempt is in flight; nothing while none is.
    [[nodiscard]] virtual std::optional<Instant> in_flight_since(unsigned tag) const = 0;
};

/// The order of operations in one item. Passive; lives until finish().
class Flow {
  public:
    virtual ~Flow() = default;

    /// Local work that needs no network: opens and reads the source or opens the target. Gives the digest of the
    /// content for the fingerprint of an idempotency key (empty where the content is not local).
    [[nodiscard]] virtual Result<std::string> prepare() { return std::string(); }

    /// Begins. `resume_token` is the write token of a dead process that was at the same work (it may have applied it),
    /// else empty.
    virtual void begin(Desk& desk, const std::string& write_token, bool resumed) = 0;

    virtual void on_result(Desk& desk, unsigned tag, OperationResult result) = 0;

    /// Adds independent operations (parts, ranges) as room() allows, and goes on with local work, in steps so that
    /// signals and deadlines are heard.
    virtual void more(Desk&) {}

    /// Does it want more() in this turn of the loop?
    enum class Turn : uint8_t {
        no,
        each,    ///< yes, and in every turn: there may be room
        at_once  ///< yes, and there is local work for another turn: the loop does not wait for the network
    };
    [[nodiscard]] virtual Turn turn() const { return Turn::no; }

    /// How many bytes the item has, once that is known; for displays.
    [[nodiscard]] virtual std::optional<uint64_t> size() const { return std::nullopt; }

    /// What is under way only tidies up: it has limits::deadline_grace when the run is stopped.
    [[nodiscard]] virtual bool tidying() const { return false; }

    /// The run ends by a signal or its deadline while none of this flow's operations is under way. May still send what
    /// tidies up: limits::deadline_grace is left, then stop() comes again.
    virtual void stop(Desk& desk, Outcome outcome) { desk.finish(std::move(outcome)); }
};

[[nodiscard]] std::unique_ptr<Flow> make_put(Services& services, const Transfer& transfer);
[[nodiscard]] std::unique_ptr<Flow> make_get(Services& services, const Transfer& transfer);
[[nodiscard]] std::unique_ptr<Flow> make_delete(Services& services, const Transfer& transfer);
[[nodiscard]] std::unique_ptr<Flow> make_copy(Services& services, const Transfer& transfer);
[[nodiscard]] std::unique_ptr<Flow> make_stat(const Transfer& transfer);
[[nodiscard]] std::unique_ptr<Flow> make_abort(Services& services, const Transfer& transfer);
/// `work` (a put, get or copy), then the removal of its source.
[[nodiscard]] std::unique_ptr<Flow> make_move(Services& services, const Transfer& transfer, std::unique_ptr<Flow> work);
/// The end of a move to the store whose file is not there any more: done where the target has the write token of the
/// process that began it, else it fails as `missing` says.
[[nodiscard]] std::unique_ptr<Flow> make_moved_before(Services& services, const Transfer& transfer, Error missing);

/// The parts of an outcome that a failed operation gives.
[[nodiscard]] Outcome failed(const OperationResult& result);
[[nodiscard]] Outcome failed(Error error);
[[nodiscard]] StoreSaid said_by_store(const OperationResult& result);

/// Is the condition honoured by this store, as far as we know? `unsupported` before anything is sent where a store is
/// known to ignore or refuse it (facts/idempotency.md section 5): a condition silently dropped is an overwrite.
[[nodiscard]] Status condition_is_kept(const wire::Endpoint& endpoint, const wire::WriteConditions& conditions,
                                       bool copy);
/// The same for an object that is put together from parts: the condition goes with Complete.
[[nodiscard]] Status condition_is_kept_by_complete(const wire::Endpoint& endpoint,
                                                   const wire::WriteConditions& conditions);
[[nodiscard]] policy::Conditional conditional_of(const wire::WriteConditions& conditions);

}  // namespace s3tug::engine
