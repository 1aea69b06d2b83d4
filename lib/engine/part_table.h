#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/checksum.h"

namespace s3tug::engine {

/// The parts of one object that is fetched by ranges: who has which, how far each has come, and the CRC of what is
/// there. Offsets within a part are filled in order, so `reached` and `crc` say all of it. At most
/// limits::download_parts_max parts.
class PartTable {
  public:
    enum class State : uint8_t {
        unproven,  ///< a record says what lies on disk; not believed before it was hashed
        free,
        claimed,
        done,
    };
    struct Part {
        uint64_t reached = 0;  ///< bytes of it that are there
        uint64_t crc = 0;      ///< of these
        State state = State::free;
    };

    /// `size` > 0; `part_bytes` grows until the parts are few enough.
    PartTable(uint64_t size, uint64_t part_bytes, ChecksumAlgorithm algorithm);

    [[nodiscard]] uint64_t size() const { return size_; }
    [[nodiscard]] uint64_t part_bytes() const { return part_bytes_; }
    [[nodiscard]] ChecksumAlgorithm algorithm() const { return algorithm_; }
    [[nodiscard]] std::size_t count() const { return parts_.size(); }
    [[nodiscard]] const Part& part(std::size_t index) const { return parts_[index]; }
    [[nodiscard]] uint64_t first(std::size_t index) const { return index * part_bytes_; }
    [[nodiscard]] uint64_t bytes(std::size_t index) const;
    [[nodiscard]] uint64_t missing(std::size_t index) const { return bytes(index) - parts_[index].reached; }

    /// The lowest part that nobody has; count() when there is none.
    [[nodiscard]] std::size_t lowest_free();
    /// That one.
    [[nodiscard]] std::optional<std::size_t> claim();
    /// That one, if it exists and nobody has it.
    [[nodiscard]] bool claim(std::size_t index);
    /// The parts behind `index` that nobody has and that are empty, so that one request can bring them all; at most
    /// `most`. How many.
    [[nodiscard]] std::size_t claim_behind(std::size_t index, std::size_t most);
    /// Parts that are claimed and were not begun belong to nobody again: those behind `index` up to `last`.
    void release_behind(std::size_t index, std::size_t last);
    /// Bytes that follow those which are there; not more than missing(). The part is done when none is missing.
    void add(std::size_t index, ByteSpan bytes);

    /// Puts in what a record says.
    void recall(std::size_t index, uint64_t reached, uint64_t crc);
    /// The lowest part that is unproven.
    [[nodiscard]] std::optional<std::size_t> unproven() const;
    /// What a hash of the disk found: the bytes of this part are those of the record, or it begins anew.
    void judge(std::size_t index, bool proven);
    /// Everything that is done is to be hashed again.
    void doubt();
    void reset(std::size_t index);

    [[nodiscard]] bool all_done() const { return done_ == parts_.size(); }
    [[nodiscard]] uint64_t received() const { return received_; }
    /// CRC of the whole object; when all_done().
    [[nodiscard]] Checksum whole() const;

  private:
    void set(Part& part, State state);

    uint64_t size_;
    uint64_t part_bytes_;
    ChecksumAlgorithm algorithm_;
    std::vector<Part> parts_;
    uint64_t received_ = 0;
    std::size_t done_ = 0;
    std::size_t lowest_free_ = 0;  ///< no part below it is free
};

}  // namespace s3tug::engine
