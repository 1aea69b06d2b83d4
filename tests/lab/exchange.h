#pragma once

#include "lab/answer_writer.h"
#include "lab/core.h"
#include "lab/receive.h"

namespace s3tug::lab {

/// One request and its answer, from the head to what becomes of the connection.
class Exchange {
  public:
    Exchange(Core& core, Wire& wire, Head head, uint64_t connection, uint64_t ordinal);
    ~Exchange();
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    /// True: the connection may serve the next request.
    [[nodiscard]] bool run();

  private:
    [[nodiscard]] std::optional<S3Error> refusal_by_head();
    [[nodiscard]] bool receive();
    [[nodiscard]] bool read_away();
    [[nodiscard]] bool commit_late();
    [[nodiscard]] Answer carry_out();
    [[nodiscard]] Outgoing outgoing(const Answer& answer) const;
    [[nodiscard]] Outgoing outgoing(const Synthetic& told) const;
    [[nodiscard]] bool send(Outgoing answer);
    [[nodiscard]] bool answer_early(Outgoing answer);
    void note_ending(const std::string& ending);

    Core& core_;
    Wire& wire_;
    std::shared_ptr<Call> call_;
    std::string request_id_;
    uint64_t number_ = 0;  ///< in the journal
    Framing framing_;
    Obstacles obstacles_;
    std::optional<S3Error> refused_;  ///< by its head or its body
    bool expects_continue_ = false;
    bool body_unread_ = false;
};

}  // namespace s3tug::lab
