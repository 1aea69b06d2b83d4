#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace s3tug::simworld {

struct Attempt;

/// What an engine holds of the bytes of one process's streams, as its ports see it: what came in and did not go out.
/// Bytes of files are never held, since they are read and written by offset.
class StreamMemory {
  public:
    // From a stream to the store.
    void read(std::size_t bytes) { read_ += bytes; }
    void spooled(std::size_t bytes) { spooled_ += bytes; }
    void spool_gone(std::size_t bytes) { spooled_ -= bytes; }
    /// The upload is aborted: its parts are dropped, in memory and in the spool, and no port tells which.
    void given_up() { given_up_ = true; }
    void cancelled(const Attempt& attempt);  ///< of a part that is not confirmed: what comes next is the abort
    void ended(const Attempt& attempt);      ///< a part that the store has confirmed is held no longer

    // From the store to a stream.
    void received(const Attempt& attempt, std::size_t bytes);  ///< the last of `delivered`
    void written(std::size_t bytes) { written_ += bytes; }

    // From the store to a file: each byte is written while it is being delivered, so that none is held.
    void delivering(std::size_t bytes) { at_hand_ = bytes; }
    [[nodiscard]] bool at_hand(std::size_t bytes) {  ///< false: these were held
        if (bytes > at_hand_) return false;
        at_hand_ -= bytes;
        return true;
    }

    [[nodiscard]] uint64_t held_of_input() const;
    [[nodiscard]] uint64_t held_of_output() const;
    [[nodiscard]] uint64_t in_spool() const { return spooled_; }

  private:
    uint64_t read_ = 0;
    uint64_t confirmed_ = 0;
    uint64_t spooled_ = 0;
    bool given_up_ = false;
    std::set<unsigned> confirmed_parts_;
    std::vector<bool> received_;  ///< by offset, since a range may come twice
    uint64_t written_ = 0;
    std::size_t at_hand_ = 0;  ///< of what is being delivered to a file
};

}  // namespace s3tug::simworld
