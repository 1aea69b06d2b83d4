#include "sim/store_model.h"

#include "policy/failure_table.h"

namespace s3tug::sim {

namespace {

using policy::Verdict;

Verdict from_row(const policy::FailureRow& row, int status) {
    Verdict v;
    v.cls = row.cls;
    v.effect = row.effect;
    v.retry = row.retry;
    v.repair = row.repair;
    v.counts_for_breaker = row.counts_for_breaker;
    v.status = status;
    v.host_answered = status != 0;
    v.code = row.name;
    return v;
}

Verdict by_code(std::string_view code) {
    const policy::FailureRow* row = policy::find_code(code);
    return from_row(*row, row->number);
}

Verdict by_transport(int number) { return from_row(*policy::find_transport(number), 0); }

Verdict failure_of(Fate fate) {
    switch (fate) {
        case Fate::throttle: return by_code("SlowDown");
        case Fate::gateway_503: return from_row(policy::find_status(503), 503);
        case Fate::refuse: return by_transport(7);
        case Fate::no_name: return by_transport(6);
        case Fate::reset_before:
        case Fate::reset_after:
        case Fate::late: return by_transport(56);
        case Fate::error_before:
        case Fate::error_after: return by_code("InternalError");
        case Fate::time_out: return by_transport(28);
        case Fate::expired_token: return by_code("ExpiredToken");
        case Fate::wrong_region: {
            Verdict v = by_code("AuthorizationHeaderMalformed");
            v.region = "eu-west-1";
            return v;
        }
        case Fate::denied: return by_code("AccessDenied");
        case Fate::serve: break;
    }
    return {};
}

bool is_applied(Fate fate) {
    return fate == Fate::serve || fate == Fate::reset_after || fate == Fate::error_after || fate == Fate::late;
}

bool is_read(wire::Op op) {
    return op != wire::Op::put_object && op != wire::Op::copy_object && op != wire::Op::delete_object;
}

constexpr Duration answer_timeout = seconds(30);
constexpr Duration looks_over = limits::verify_pause_first + limits::verify_pause_second;

}  // namespace

void StoreModel::write_by_other(const std::string& key, const std::string& token, uint64_t size) {
    KeyState& state = keys_[key];
    const bool first = state.landed == 0 && !state.object.exists;
    state.object = {true, token, std::string(first ? first_etag : "33333333333333333333333333333333"), size,
                    queue_.wall()};
}

Verdict StoreModel::apply(const ItemSpec& item, bool late) {
    KeyState& state = keys_[item.key];
    if (!state.object.exists) state.was_absent = true;
    if (is_read(item.op)) return {};
    const bool exists_fails = item.condition == policy::Conditional::if_none_match && state.object.exists;
    const bool match_fails =
        item.condition == policy::Conditional::if_match && (!state.object.exists || state.object.etag != first_etag);
    if (exists_fails || (match_fails && state.object.exists)) return by_code("PreconditionFailed");
    if (match_fails) return by_code("NoSuchKey");
    ++state.landed;
    if (late) ++state.landed_late;
    if (item.op == wire::Op::delete_object) {
        state.object = {};
        state.was_absent = true;
    } else {
        state.object = {true, item.token ? token_of(item) : std::string(), std::string(our_etag), 1, queue_.wall()};
    }
    return {};
}

void StoreModel::send(const ItemSpec& item, unsigned number, OnReply on_reply) {
    ++requests_;
    const Fate fate = weather_.fate(item, number, false, queue_.now());
    const Duration latency = fate == Fate::time_out ? answer_timeout : weather_.latency();
    auto verdict = std::make_shared<Verdict>(failure_of(fate));
    if (is_read(item.op)) verdict->effect = policy::Effect::not_applied;  // as classify does
    if (fate == Fate::throttle) verdict->hint = weather_.hint();
    if (is_applied(fate)) {
        const Duration lateness = fate == Fate::late ? weather_.lateness() : Duration::zero();
        const Duration landing = fate == Fate::late ? latency + lateness : latency / 2;
        queue_.after(landing, [this, item, fate, verdict, late = lateness >= looks_over] {
            const Verdict answer = apply(item, late);
            if (fate == Fate::serve) *verdict = answer;
        });
    }
    queue_.after(latency, [verdict, on_reply = std::move(on_reply)] { on_reply({*verdict, std::nullopt}); });
}

policy::Finding StoreModel::found(const ItemSpec& item, policy::Proof proof, WallTime not_before) {
    KeyState& state = keys_[item.key];
    if (!state.object.exists) state.was_absent = true;
    policy::Expected expected;
    expected.proof = proof;
    expected.write_token = token_of(item);
    expected.size = 1;
    expected.etag = our_etag;
    expected.not_before = not_before;
    if (item.condition == policy::Conditional::if_match) expected.condition_etag = first_etag;
    if (!state.object.exists) return policy::judge_look(expected, std::nullopt);
    wire::ObjectFacts facts;
    facts.size = state.object.size;
    facts.etag = state.object.etag;
    facts.write_token = state.object.token;
    // As HTTP dates are: whole seconds.
    facts.last_modified = wall_from_unix_seconds(to_unix_seconds(state.object.modified));
    return policy::judge_look(expected, facts);
}

void StoreModel::look(const ItemSpec& item, unsigned number, policy::Proof proof, WallTime not_before,
                      OnReply on_reply) {
    ++requests_;
    const Fate fate = item.head_denied ? Fate::denied : weather_.fate(item, number, true, queue_.now());
    const Duration latency = fate == Fate::time_out ? answer_timeout : weather_.latency();
    // Whether a HEAD's answer is lost before or after the store did nothing makes no difference.
    const Verdict verdict = failure_of(fate);
    queue_.after(latency, [this, item, proof, not_before, verdict, on_reply = std::move(on_reply)] {
        on_reply({verdict, verdict.success() ? found(item, proof, not_before) : policy::Finding::undecidable});
    });
}

}  // namespace s3tug::sim
