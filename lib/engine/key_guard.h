#pragma once

#include <optional>
#include <string>
#include <variant>

#include "engine/services.h"
#include "engine/transfer.h"
#include "policy/idempotency.h"

namespace s3tug::engine {

/// The idempotency key of one item: claimed before anything is sent, kept with the result after success, given back
/// after a failure (only successes are kept). Design section 3, Idempotency.
class KeyGuard {
  public:
    KeyGuard(Services& services, const Transfer& transfer, const std::string& content_digest);

    struct Fresh {
        std::string write_token;
    };
    struct TakenOver {  ///< a dead process was at the same work and may have applied it
        std::string write_token;
    };
    struct Kept {
        Outcome outcome;
    };
    struct Busy {  ///< a live process is at it: ask again then
        Instant ask_again;
    };
    using Answer = std::variant<Fresh, TakenOver, Kept, Busy, Error>;

    /// @param new_token  drawn by the caller; recorded before anything is sent
    [[nodiscard]] Answer claim(const std::string& new_token);

    /// Instead of the token that claim() gave: for an upload of an earlier run, which has its own. False: not recorded.
    [[nodiscard]] bool use_token(const std::string& token);
    /// For a file that is not there: the kept result of the move that took it away. Nothing is claimed or sent.
    [[nodiscard]] std::optional<Outcome> kept_move() const;
    /// For a file that is not there: did a move of it begin under this key, whose end nobody recorded? Then claim() is
    /// for that one, whatever the file held.
    [[nodiscard]] bool take_up_move();

    void keep(const Outcome& outcome);  ///< after success of what claim() gave to us
    void release();                     ///< after a failure that sent nothing or is settled
    /// After an unknown outcome the record stays, so that the next run verifies the token instead of starting anew.
    void leave_for_next_run();

  private:
    [[nodiscard]] bool is_ours(const std::optional<policy::KeyRecord>& record) const;
    [[nodiscard]] std::string work() const;

    Services& services_;
    const Transfer& transfer_;
    std::string work_;  ///< digest of all but the content; the fingerprint of a moved file begins with it
    std::string fingerprint_;
    std::optional<Instant> waiting_since_;
    bool ours_ = false;
    std::string write_token_;
};

[[nodiscard]] std::string encode(const Outcome& outcome);
[[nodiscard]] std::optional<Outcome> decode_outcome(std::string_view record);

}  // namespace s3tug::engine
