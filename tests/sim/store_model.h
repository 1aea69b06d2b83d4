#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/rng.h"
#include "policy/decide.h"
#include "sim/event_queue.h"

namespace s3tug::sim {

/// What one item wants, and what the store lets it see.
struct ItemSpec {
    std::string key;
    wire::Op op = wire::Op::put_object;
    policy::Conditional condition = policy::Conditional::none;
    policy::BucketKind bucket = policy::BucketKind::not_known;
    bool token = true;
    bool head_denied = false;
};

/// What becomes of one request.
enum class Fate : uint8_t {
    serve,
    throttle,       ///< 503 SlowDown, not applied
    gateway_503,    ///< 503 without a code; not applied, but it does not say so
    refuse,         ///< connection refused
    no_name,        ///< the name does not resolve
    reset_before,   ///< the store never saw it
    reset_after,    ///< applied, the answer is lost
    late,           ///< the answer is lost, applied only later
    error_before,   ///< 500, not applied
    error_after,    ///< 500, applied all the same
    time_out,       ///< nothing comes back for 30 s
    expired_token,  ///< repairable
    wrong_region,   ///< repairable
    denied,         ///< 403: final
};
inline constexpr unsigned fate_count = 14;

/// Decides fates. `number` counts the requests of one item from 1, looks apart.
class Weather {
  public:
    virtual ~Weather() = default;
    [[nodiscard]] virtual Fate fate(const ItemSpec& item, unsigned number, bool look, Instant now) = 0;
    [[nodiscard]] virtual Duration latency() = 0;
    [[nodiscard]] virtual Duration lateness() = 0;  ///< of a late landing, after the lost answer
    [[nodiscard]] virtual std::optional<policy::ServerHint> hint() { return std::nullopt; }
};

struct StoredObject {
    bool exists = false;
    std::string token;
    std::string etag;
    uint64_t size = 0;
    WallTime modified{};
};

/// What the store knows of one key, and what a judge must know beyond it.
struct KeyState {
    StoredObject object;
    unsigned landed = 0;       ///< writes of our item that took effect
    unsigned landed_late = 0;  ///< of them, those after the looks that follow a lost answer were over
    bool was_absent = false;   ///< at some time since the item began
};

/// A store that keeps one object per item and answers as S3 does, under the weather.
class StoreModel {
  public:
    StoreModel(EventQueue& queue, Weather& weather) : queue_(queue), weather_(weather) {}

    /// Puts an object of somebody else there, before or while the item is at work.
    void write_by_other(const std::string& key, const std::string& token, uint64_t size);

    struct Reply {
        policy::Verdict verdict;
        std::optional<policy::Finding> finding;  ///< of a look
    };
    using OnReply = std::function<void(const Reply&)>;
    /// One request. `on_reply` is called in virtual time.
    void send(const ItemSpec& item, unsigned number, OnReply on_reply);
    void look(const ItemSpec& item, unsigned number, policy::Proof proof, WallTime not_before, OnReply on_reply);

    [[nodiscard]] const KeyState& key(const std::string& name) { return keys_[name]; }
    [[nodiscard]] static std::string token_of(const ItemSpec& item) { return "token-" + item.key; }
    [[nodiscard]] uint64_t requests() const { return requests_; }

    /// ETags of the model: of what stood there first, and of what an item writes.
    static constexpr std::string_view first_etag = "11111111111111111111111111111111";
    static constexpr std::string_view our_etag = "22222222222222222222222222222222";

  private:
    [[nodiscard]] policy::Verdict apply(const ItemSpec& item, bool late);
    [[nodiscard]] policy::Finding found(const ItemSpec& item, policy::Proof proof, WallTime not_before);

    EventQueue& queue_;
    Weather& weather_;
    std::map<std::string, KeyState> keys_;
    uint64_t requests_ = 0;
};

}  // namespace s3tug::sim
