#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "host/curl_transport.h"
#include "host/system_clock.h"
#include "lab/lab.h"

namespace s3tug::contract {

class TextBody final : public port::BodySource {
  public:
    explicit TextBody(std::string text) : text_(std::move(text)) {}
    Result<std::size_t> read(uint64_t offset, MutableByteSpan out) override {
        const std::string_view left = std::string_view(text_).substr(std::min<std::size_t>(offset, text_.size()));
        const std::size_t count = std::min(left.size(), out.size());
        std::memcpy(out.data(), left.data(), count);
        return count;
    }

  private:
    std::string text_;
};

class TextSink final : public port::BodySink {
  public:
    bool begin(const wire::HttpAnswer& head) override {
        ++begun;
        status = head.status;
        return head.status < 300;
    }
    Status write(ByteSpan bytes) override {
        if (refuse_after && text.size() + bytes.size() > *refuse_after) {
            return Error{ErrorKind::cannot_write, "the disk is full"};
        }
        text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return {};
    }

    int begun = 0;
    int status = 0;
    std::string text;
    std::optional<std::size_t> refuse_after;
};

/// A request as the transport gets it, without a signature.
inline wire::SignedRequest request(wire::Method method, const std::string& endpoint, std::string_view path,
                                   std::optional<uint64_t> body_bytes = std::nullopt) {
    wire::SignedRequest request;
    request.method = method;
    request.url = endpoint + std::string(path);
    request.headers.add("host", endpoint.substr(endpoint.find("//") + 2));
    request.has_body = body_bytes.has_value();
    request.body_bytes = body_bytes.value_or(0);
    return request;
}

/// A lab with a bucket `b` that asks for no signature.
inline lab::LabConfig open_lab() {
    lab::LabConfig config;
    config.check_signature = false;
    config.quirks.anonymous = true;
    config.buckets = {"b"};
    return config;
}

/// A transport, and one attempt after the other on it. Every wait ends after ten seconds at the latest.
class Line {
  public:
    explicit Line(host::TransportConfig config = {}) {
        auto made = host::CurlTransport::create(std::move(config), clock);
        if (!made.ok()) throw std::runtime_error(made.error().message);
        transport = std::move(made).value();
    }

    port::AttemptId submit(port::Submission submission) {
        submission.id = ++last_id_;
        transport->submit(std::move(submission));
        return last_id_;
    }

    wire::Reply finish(port::AttemptId id) {
        const Instant until = clock.now() + seconds(10);
        while (clock.now() < until) {
            for (port::Completion& completion : transport->poll(until)) {
                if (completion.id == id) return std::move(completion.reply);
            }
        }
        throw std::runtime_error("the attempt did not end");
    }

    wire::Reply send(port::Submission submission) { return finish(submit(std::move(submission))); }
    wire::Reply send(wire::SignedRequest what) {
        return send(port::Submission{.id = 0, .request = std::move(what), .body = nullptr, .sink = nullptr});
    }
    wire::Reply send(wire::SignedRequest what, port::BodySource& body) {
        return send(port::Submission{.id = 0, .request = std::move(what), .body = &body, .sink = nullptr});
    }
    wire::Reply send(wire::SignedRequest what, port::BodySink& sink) {
        return send(port::Submission{.id = 0, .request = std::move(what), .body = nullptr, .sink = &sink});
    }

    host::SystemClock clock;
    std::unique_ptr<host::CurlTransport> transport;

  private:
    port::AttemptId last_id_ = 0;
};

inline int status_of(const wire::Reply& reply) { return reply.answer() != nullptr ? reply.answer()->status : 0; }
inline int code_of(const wire::Reply& reply) {
    return reply.failure() != nullptr ? static_cast<int>(reply.failure()->code) : 0;
}

}  // namespace s3tug::contract
