#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>

#include "contract/transport_fixture.h"
#include "port/clock.h"

namespace s3tug::contract {

/// A transport, a store behind it that has the object b/k, and the ways in which one request can be hurt.
class TransportWorld {
  public:
    enum class Fate : uint8_t { serve, reset_before, reset_after, cut, hang };
    virtual ~TransportWorld() = default;
    [[nodiscard]] virtual port::Transport& transport() = 0;
    [[nodiscard]] virtual port::Clock& clock() = 0;
    [[nodiscard]] virtual std::string endpoint() const = 0;
    virtual void next_request(Fate fate) = 0;
    [[nodiscard]] virtual std::optional<std::string> stored(const std::string& key) = 0;  ///< of bucket b
};

/// What every port::Transport does.
class TransportContract {
  public:
    using Make = std::function<std::unique_ptr<TransportWorld>(const std::string& bytes)>;
    using Fate = TransportWorld::Fate;
    explicit TransportContract(const Make& make) : world_(make(object_)), transport_(world_->transport()) {}

    void puts_and_gets() {
        TextBody body("hello");
        const wire::Reply put = send(request_of(wire::Method::put, "/b/new", 5), &body, nullptr);
        REQUIRE(put.answer());
        CHECK(put.answer()->status == 200);
        CHECK(put.answer()->headers.find("etag"));
        CHECK(put.facts.body_bytes_sent == 5);
        CHECK(put.facts.request_bytes > 0);
        CHECK(world_->stored("new") == "hello");

        TextSink sink;
        const wire::Reply got = send(request_of(wire::Method::get, "/b/new"), nullptr, &sink);
        REQUIRE(got.answer());
        CHECK(got.answer()->body_to_sink);
        CHECK(got.answer()->body.empty());
        CHECK(sink.begun == 1);
        CHECK(sink.text == "hello");
        CHECK(got.facts.answer_begun);
        CHECK(got.facts.body_bytes_received == 5);

        const wire::Reply head = send(request_of(wire::Method::head, "/b/new"), nullptr, nullptr);
        REQUIRE(head.answer());
        CHECK(head.answer()->status == 200);
        CHECK(head.answer()->headers.find("content-length") == "5");
        CHECK(head.answer()->body.empty());
    }

    void keeps_error_documents() {
        TextSink sink;
        const wire::Reply reply = send(request_of(wire::Method::get, "/b/absent"), nullptr, &sink);
        REQUIRE(reply.answer());
        CHECK(reply.answer()->status == 404);
        CHECK(sink.begun == 1);
        CHECK(sink.text.empty());
        CHECK_FALSE(reply.answer()->body_to_sink);
        CHECK(reply.answer()->body.find("NoSuchKey") != std::string::npos);
    }

    void tells_of_resets() {
        world_->next_request(Fate::reset_before);
        TextBody body("hello");
        const wire::Reply before = send(request_of(wire::Method::put, "/b/one", 5), &body, nullptr);
        REQUIRE(before.failure());
        CHECK(before.facts.request_bytes > 0);
        CHECK_FALSE(before.facts.answer_begun);
        CHECK(world_->stored("one") == std::nullopt);

        world_->next_request(Fate::reset_after);
        TextBody again("hello");
        const wire::Reply after = send(request_of(wire::Method::put, "/b/two", 5), &again, nullptr);
        REQUIRE(after.failure());
        CHECK(after.failure()->code == wire::TransportCode::recv_error);
        CHECK(after.facts.body_bytes_sent == 5);
        CHECK_FALSE(after.facts.answer_begun);
        CHECK(world_->stored("two") == "hello");
    }

    void tells_of_cut_answers() {
        world_->next_request(Fate::cut);
        TextSink sink;
        const wire::Reply reply = send(request_of(wire::Method::get, "/b/k"), nullptr, &sink);
        REQUIRE(reply.failure());
        CHECK(reply.facts.answer_begun);
        CHECK(reply.partial_answer.status == 200);
        CHECK(reply.partial_answer.headers.find("etag"));
        CHECK(sink.text == object_.substr(0, sink.text.size()));
        CHECK(sink.text.size() < object_.size());
        CHECK(reply.facts.body_bytes_received == sink.text.size());
    }

    void cancels() {
        world_->next_request(Fate::hang);
        const port::AttemptId id = submit(request_of(wire::Method::get, "/b/k"), nullptr, nullptr);
        CHECK(transport_.poll(world_->clock().now() + milliseconds(100)).empty());
        transport_.cancel(id, wire::TransportCode::answer_timeout);
        const wire::Reply reply = finish(id);
        REQUIRE(reply.failure());
        CHECK(reply.failure()->code == wire::TransportCode::answer_timeout);
        transport_.cancel(id, wire::TransportCode::cancelled);    // it has completed
        transport_.cancel(9999, wire::TransportCode::cancelled);  // there never was one
        const wire::Reply next = send(request_of(wire::Method::head, "/b/k"), nullptr, nullptr);
        CHECK(status_of(next) == 200);
    }

    void ends_with_local_trouble() {
        TextSink full;
        full.refuse_after = 10;
        const wire::Reply got = send(request_of(wire::Method::get, "/b/k"), nullptr, &full);
        REQUIRE(got.failure());
        CHECK(got.failure()->code == wire::TransportCode::write_error);

        TextBody shorter("he");
        const wire::Reply put = send(request_of(wire::Method::put, "/b/short", 5), &shorter, nullptr);
        REQUIRE(put.failure());
        CHECK(world_->stored("short") == std::nullopt);
    }

    void carries_many_at_once() {
        std::vector<port::AttemptId> ids;
        std::vector<TextSink> sinks(20);
        for (TextSink& sink : sinks) ids.push_back(submit(request_of(wire::Method::get, "/b/k"), nullptr, &sink));
        std::size_t ended = 0;
        const Instant until = world_->clock().now() + seconds(10);
        while (ended < ids.size() && world_->clock().now() < until) {
            for (const port::Completion& completion : transport_.poll(until)) {
                CHECK(std::ranges::count(ids, completion.id) == 1);
                CHECK(status_of(completion.reply) == 200);
                ++ended;
            }
        }
        CHECK(ended == ids.size());
        for (const TextSink& sink : sinks) CHECK(sink.text == object_);
    }

  private:
    wire::SignedRequest request_of(wire::Method method, std::string_view path,
                                   std::optional<uint64_t> body = std::nullopt) {
        wire::SignedRequest made = request(method, world_->endpoint(), path, body);
        made.op = method == wire::Method::put    ? wire::Op::put_object
                  : method == wire::Method::head ? wire::Op::head_object
                                                 : wire::Op::get_object;
        return made;
    }

    port::AttemptId submit(wire::SignedRequest what, port::BodySource* body, port::BodySink* sink) {
        transport_.submit({.id = ++last_id_, .request = std::move(what), .body = body, .sink = sink});
        return last_id_;
    }

    wire::Reply finish(port::AttemptId id) {
        const Instant until = world_->clock().now() + seconds(10);
        while (world_->clock().now() < until) {
            for (port::Completion& completion : transport_.poll(until)) {
                if (completion.id == id) return std::move(completion.reply);
            }
        }
        throw std::runtime_error("the attempt did not end");
    }

    wire::Reply send(wire::SignedRequest what, port::BodySource* body, port::BodySink* sink) {
        return finish(submit(std::move(what), body, sink));
    }

    std::string object_ = std::string(100'000, 'k') + "end";
    std::unique_ptr<TransportWorld> world_;
    port::Transport& transport_;
    port::AttemptId last_id_ = 0;
};

}  // namespace s3tug::contract
