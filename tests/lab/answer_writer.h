#pragma once

#include "lab/call.h"
#include "lab/obstacles.h"
#include "lab/wire.h"

namespace s3tug::lab {

/// An answer ready for the wire.
struct Outgoing {
    int status = 200;
    Fields headers;  ///< all but those that frame the body and the connection
    std::string text;
    Content content;        ///< used when `text` is empty
    bool bodiless = false;  ///< HEAD: the length is told, the body is not sent
    bool keep_alive = true;
    std::string garbage;  ///< sent instead of everything, when not empty

    [[nodiscard]] uint64_t size() const { return text.empty() ? content.size() : text.size(); }
    [[nodiscard]] std::string piece(uint64_t offset, uint64_t length) const;
};

enum class Sent {
    keep,    ///< whole, the connection may serve the next request
    ending,  ///< whole or cut, and the connection is to be closed
    over,    ///< the connection ended underway
};

/// Sends it, with what the faults do to answers.
/// @param body_sent  grows by the bytes of the body that were handed to the socket
[[nodiscard]] Sent send_answer(Wire& wire, const Outgoing& answer, const Faults& faults, Obstacles& obstacles,
                               uint64_t& body_sent);

}  // namespace s3tug::lab
