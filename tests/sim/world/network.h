#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "port/transport.h"
#include "sim/world/options.h"

namespace s3tug::simworld {

class World;
class Process;

/// One request on its way.
struct Attempt {
    enum class Step : uint8_t { connect, arrive, fail, head, piece, never };
    uint64_t serial = 0;
    port::Submission submission;
    Fault fault = Fault::none;
    Step step = Step::connect;
    Instant due{};
    port::Phase phase = port::Phase::connecting;
    std::string sent;  ///< bytes of the body that were read
    Instant send_began{};
    Instant send_ends{};
    Duration think{};
    wire::TransportCode code{};  ///< of step fail
    wire::HttpAnswer answer;
    std::string body;  ///< of the answer
    std::size_t delivered = 0;
    std::size_t piece = 0;
    Duration piece_every{};
    bool cut = false;
    wire::Reply reply;
};

/// The network of one process. Its callbacks run in poll(), that is in the process's own fiber; what the store does
/// happens in the timeline, whether anybody still listens or not.
class Wire final : public port::Transport {
  public:
    Wire(World& world, Process& process) : world_(world), process_(process) {}
    void submit(port::Submission submission) override;
    void cancel(port::AttemptId id, wire::TransportCode reason) override;
    std::vector<port::Completion> poll(Instant until) override;
    port::Progress progress(port::AttemptId id) const override;
    void drop_all() {
        attempts_.clear();
        cancelled_.clear();
    }
    [[nodiscard]] std::size_t in_flight() const { return attempts_.size(); }

  private:
    /// True: the attempt is over.
    bool advance(const std::shared_ptr<Attempt>& attempt);
    bool connected(Attempt& attempt);
    bool arrived(const std::shared_ptr<Attempt>& attempt);
    bool take_head(Attempt& attempt);
    bool take_piece(Attempt& attempt);
    bool read_body(Attempt& attempt, std::size_t upto);
    bool failed(Attempt& attempt, wire::TransportCode code);
    void serve_in(const std::shared_ptr<Attempt>& attempt, Duration wait, bool answers);
    void answer_in(Attempt& attempt, Duration wait, wire::HttpAnswer answer);
    void spoil_answer(Attempt& attempt);

    World& world_;
    Process& process_;
    std::map<port::AttemptId, std::shared_ptr<Attempt>> attempts_;
    std::vector<port::Completion> cancelled_;
};

/// The answer of the network, a gateway or a store in trouble, which says nothing of what was done.
[[nodiscard]] std::optional<wire::HttpAnswer> injected(Fault fault, wire::Op op, uint64_t draw);
[[nodiscard]] bool has_effect(Fault fault);  ///< of those that give an injected answer

}  // namespace s3tug::simworld
