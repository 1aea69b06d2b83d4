#include "lab/answer_writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace s3tug::lab {

namespace {

constexpr uint64_t step = uint64_t{256} << 10U;

bool has_no_body(int status) { return status == 204 || status == 304 || status < 200; }

std::string head_text(const Outgoing& answer, const Faults& faults, bool keep_alive) {
    std::string head = fmt::format("HTTP/1.1 {} {}\r\n", answer.status, reason_phrase(answer.status));
    for (const Field& field : answer.headers) head += fmt::format("{}: {}\r\n", field.name, field.value);
    if (!has_no_body(answer.status)) {
        if (faults.chunked && !answer.bodiless)
            head += "Transfer-Encoding: chunked\r\n";
        else if (!faults.no_length)
            head += fmt::format("Content-Length: {}\r\n", answer.size());
    }
    if (!keep_alive) head += "Connection: close\r\n";
    return head + "\r\n";
}

/// Bytes that pass a gate, piece by piece. False: the connection is over.
bool send_gated(Wire& wire, Obstacles& obstacles, Stage stage, uint64_t total, uint64_t limit, uint64_t& sent,
                const std::function<std::string(uint64_t offset, uint64_t length)>& piece) {
    while (true) {
        const auto allowed = obstacles.gate(stage, sent, total);
        if (!allowed) return false;
        if (sent >= limit) return true;
        const uint64_t length = std::min({*allowed, step, limit - sent});
        if (!wire.write(piece(sent, length))) return false;
        sent += length;
    }
}

bool send_body(Wire& wire, const Outgoing& answer, const Faults& faults, Obstacles& obstacles, uint64_t limit,
               uint64_t& sent) {
    const auto piece = [&](uint64_t offset, uint64_t length) {
        std::string bytes = answer.piece(offset, length);
        if (faults.flip_down && *faults.flip_down >= offset && *faults.flip_down - offset < bytes.size()) {
            char& byte = bytes[static_cast<size_t>(*faults.flip_down - offset)];
            byte = static_cast<char>(static_cast<unsigned char>(byte) ^ 1U);
        }
        return faults.chunked ? fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes) : bytes;
    };
    if (!send_gated(wire, obstacles, Stage::mid_answer, answer.size(), limit, sent, piece)) return false;
    const bool whole = limit == answer.size();
    return !faults.chunked || !whole || wire.write("0\r\n\r\n");
}

}  // namespace

std::string Outgoing::piece(uint64_t offset, uint64_t length) const {
    return text.empty() ? content.read(offset, length)
                        : text.substr(static_cast<size_t>(offset), static_cast<size_t>(length));
}

Sent send_answer(Wire& wire, const Outgoing& answer, const Faults& faults, Obstacles& obstacles, uint64_t& body_sent) {
    if (!answer.garbage.empty()) return wire.write(answer.garbage) ? Sent::ending : Sent::over;
    const bool body = !answer.bodiless && !has_no_body(answer.status);
    const bool keep_alive = answer.keep_alive && !(faults.no_length && body);
    const std::string head = head_text(answer, faults, keep_alive);
    uint64_t head_bytes = 0;
    const bool head_sent = send_gated(wire, obstacles, Stage::mid_head, head.size(), head.size(), head_bytes,
                                      [&](uint64_t offset, uint64_t length) {
                                          return head.substr(static_cast<size_t>(offset), static_cast<size_t>(length));
                                      });
    if (!head_sent) return Sent::over;
    const uint64_t missing = faults.cut && body ? std::min(*faults.cut, answer.size()) : 0;
    if (body) {
        if (!send_body(wire, answer, faults, obstacles, answer.size() - missing, body_sent)) return Sent::over;
    } else if (!obstacles.gate(Stage::mid_answer, 0, 0)) {
        return Sent::over;
    }
    if (!obstacles.pass(Stage::after_answer)) return Sent::over;
    return keep_alive && missing == 0 ? Sent::keep : Sent::ending;
}

}  // namespace s3tug::lab
