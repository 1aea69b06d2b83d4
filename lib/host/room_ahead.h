#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace s3tug::host {

/// Takes pages for a file in memory (tmpfs) ahead of the bytes, in a thread of its own. There fallocate(2) costs as
/// much as writing, a quarter of a second per GiB; done first it holds up the download, done here it takes a processor
/// that has nothing to do. In small steps, since each holds the inode's lock against the writer: with 32 KiB a get over
/// TLS was a tenth faster, with 1 MiB not at all.
///
/// Best effort: where there is no thread or no room, the write that comes there finds out.
class RoomAhead {
  public:
    /// Of `fd`, which stays open longer than this, [0, size). The file's size does not change.
    RoomAhead(int fd, uint64_t size);
    ~RoomAhead();  ///< ends the thread within one step
    RoomAhead(const RoomAhead&) = delete;
    RoomAhead& operator=(const RoomAhead&) = delete;

    void wait();  ///< until all is taken, or one step failed

  private:
    void take(int fd, uint64_t size);

    std::atomic<bool> stop_ = false;
    std::thread thread_;
};

}  // namespace s3tug::host
