#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/hash.h"
#include "engine/body_parts.h"
#include "engine/services.h"

namespace s3tug::engine {

/// Bytes that can be read once only, in order, from the front: what was read to see whether the stream is short, then
/// the stream itself.
class StreamHead {
  public:
    StreamHead(std::unique_ptr<port::SourceFile> stream, std::unique_ptr<UploadBody> head)
        : stream_(std::move(stream)), head_(std::move(head)) {}

    /// 0 = end. Waits until `until`, then `deadline`; a signal ends the wait with `interrupted`.
    [[nodiscard]] Result<std::size_t> read(MutableByteSpan out, std::optional<Instant> until);
    [[nodiscard]] uint64_t held_bytes() const { return head_ ? head_->size() : 0; }

  private:
    std::unique_ptr<port::SourceFile> stream_;
    std::unique_ptr<UploadBody> head_;  ///< freed when it was read to its end
    uint64_t head_read_ = 0;
};

struct StreamExpectations {
    std::optional<uint64_t> size;
    std::string sha256;  ///< lower-case hex; empty = none
};

/// Parts of a stream of unknown length, on the schedule of stream_part_size(). A part is held until it was sent: in
/// memory while all that are held fit into MultipartConfig::stream_memory, what was read ahead included; one that is
/// larger than half of that goes to an unlinked file, at most limits::stream_spooled_parts at a time. When neither has
/// room the stream is not read, which holds the producer back.
///
/// Reading waits for the producer, on the thread that also moves the network: limits::stream_wait_busy while requests
/// are in flight, so that they lose little by it, else limits::stream_wait_idle; and one turn reads at most
/// limits::turn_bytes.
[[nodiscard]] std::unique_ptr<PartSupply> stream_parts(Services& services, StreamHead stream, PartStyle style,
                                                       StreamExpectations expected);

}  // namespace s3tug::engine
