#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/checksum.h"
#include "base/error.h"
#include "base/result.h"
#include "port/transport.h"
#include "wire/request.h"

namespace s3tug::engine {

/// One part on its way, until its attempt has ended. The body's bytes can be read as often as needed.
struct Part {
    unsigned number = 0;  ///< from 1
    uint64_t offset = 0;
    uint64_t size = 0;
    std::unique_ptr<port::BodySource> body;  ///< null when the store copies the bytes itself
    std::string payload_word;
    std::optional<Checksum> checksum;
};

/// A part that the store has.
struct DonePart {
    unsigned number = 0;
    uint64_t size = 0;
    std::string etag;  ///< of the attempt that answered, without quotes
    std::optional<Checksum> checksum;
    bool operator==(const DonePart&) const = default;
};

/// Where the parts of one upload come from, one at a time and ready to be sent (hashed). Passive; engine's thread.
class PartSupply {
  public:
    virtual ~PartSupply() = default;

    /// The next part. None: ended(), or wants_turn(), or something that was given must be done with first.
    /// @param busy  requests of this upload are in flight, so waiting for a producer must be short
    [[nodiscard]] virtual Result<std::unique_ptr<Part>> next(bool busy) = 0;
    [[nodiscard]] virtual bool ended() const = 0;                    ///< every part was given
    [[nodiscard]] virtual bool wants_turn() const { return false; }  ///< next() has more to do though nothing came
    [[nodiscard]] virtual wire::Request request(const Part& part, const std::string& upload_id,
                                                bool with_checksum) const = 0;
    /// Asked when all parts are done: is the source still what was sent, and what was expected?
    [[nodiscard]] virtual Status final_check() = 0;
    [[nodiscard]] virtual uint64_t object_size() const = 0;                            ///< final when ended()
    [[nodiscard]] virtual std::optional<Error> error() const { return std::nullopt; }  ///< why a body could not be read
    /// Is the source still what it was, as far as that is asked for? Where not, error() has it.
    [[nodiscard]] virtual bool source_holds() { return true; }
    /// A part of other bytes than were hashed before: may they be sent in their place? Where not, error() may say why.
    [[nodiscard]] virtual bool takes_anew(bool /*possible*/) { return false; }
    /// The bytes can be had again: resend() works, and a new supply can be made for a new upload.
    [[nodiscard]] virtual bool repeatable() const = 0;
    virtual void resend(unsigned number) = 0;  ///< gives this one again
};

}  // namespace s3tug::engine
