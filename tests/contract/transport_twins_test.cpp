#include <doctest/doctest.h>

#include "contract/transport_contract.h"
#include "support/sim_world.h"

namespace s3tug::contract {
namespace {

/// libcurl, and the lab behind it.
class RealTransport final : public TransportWorld {
  public:
    explicit RealTransport(const std::string& bytes) : lab_(open_lab()) {
        TextBody body(bytes);
        REQUIRE(status_of(line_.send(request(wire::Method::put, endpoint(), "/b/k", bytes.size()), body)) == 200);
    }
    port::Transport& transport() override { return *line_.transport; }
    port::Clock& clock() override { return line_.clock; }
    std::string endpoint() const override { return lab_.endpoint(); }
    void next_request(Fate fate) override {
        const char* const rules[] = {"", "* 1: reset before-read", "* 1: reset before-answer",
                                     "* 1: close mid-answer@1000", "* 1: hang"};
        lab_.set_faults(rules[static_cast<std::size_t>(fate)]);
    }
    std::optional<std::string> stored(const std::string& key) override {
        (void)lab_.wait_idle();
        const auto object = lab_.object("b", key);
        return object ? std::optional(object->content.all()) : std::nullopt;
    }

  private:
    lab::Lab lab_;
    Line line_;
};

class SimulatedTransport final : public TransportWorld {
  public:
    explicit SimulatedTransport(const std::string& bytes) {
        network_.weather = [this](std::size_t, const sim::SeenRequest&) { return std::exchange(next_, {}); };
        wire::SignedRequest put = request(wire::Method::put, endpoint(), "/b/k", bytes.size());
        put.op = wire::Op::put_object;
        (void)store_.serve(put, bytes, clock_.wall());
    }
    port::Transport& transport() override { return network_; }
    port::Clock& clock() override { return clock_; }
    std::string endpoint() const override { return "http://10.0.0.1:9000"; }
    void next_request(Fate fate) override {
        using Kind = sim::Fate::Kind;
        constexpr Kind kinds[] = {Kind::serve, Kind::reset_before, Kind::reset_after, Kind::cut, Kind::hang};
        next_.kind = kinds[static_cast<std::size_t>(fate)];
        next_.cut_at = 1000;
    }
    std::optional<std::string> stored(const std::string& key) override {
        const auto found = store_.objects.find("b/" + key);
        return found == store_.objects.end() ? std::nullopt : std::optional(found->second.bytes);
    }

  private:
    sim::SimClock clock_;
    sim::SimS3 store_;
    sim::SimNetwork network_{clock_, store_};
    sim::Fate next_;
};

void run_contract(const TransportContract::Make& make) {
    SUBCASE("bodies go out and come in whole") { TransportContract(make).puts_and_gets(); }
    SUBCASE("an error document is kept in the reply, not given to the sink") {
        TransportContract(make).keeps_error_documents();
    }
    SUBCASE("a reset is a failure, whatever the store did") { TransportContract(make).tells_of_resets(); }
    SUBCASE("of a cut answer the head and the bytes so far are known") {
        TransportContract(make).tells_of_cut_answers();
    }
    SUBCASE("an attempt that is cancelled completes with the reason, once") { TransportContract(make).cancels(); }
    SUBCASE("a sink or a source that fails ends the attempt") { TransportContract(make).ends_with_local_trouble(); }
    SUBCASE("many attempts are under way at once") { TransportContract(make).carries_many_at_once(); }
}

}  // namespace

TEST_SUITE("contract/transport of both worlds") {
    TEST_CASE("libcurl") {
        run_contract([](const std::string& bytes) { return std::make_unique<RealTransport>(bytes); });
    }
    TEST_CASE("simulated") {
        run_contract([](const std::string& bytes) { return std::make_unique<SimulatedTransport>(bytes); });
    }
}

}  // namespace s3tug::contract
