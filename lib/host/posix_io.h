#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "host/signal_flag.h"
#include "host/unique_fd.h"
#include "port/clock.h"

namespace s3tug::host {

/// pread and pwrite to the end of the span, whatever the kernel cuts it into. `what` names the file in errors.
[[nodiscard]] Result<std::size_t> read_fully_at(int fd, uint64_t offset, MutableByteSpan out, const std::string& what);
[[nodiscard]] Status write_fully_at(int fd, uint64_t offset, ByteSpan bytes, const std::string& what);

enum class Ready : uint8_t { yes, deadline, interrupted };
/// poll(2) on one descriptor (-1: only waits), ended by time or signal.
/// @param until  nullopt = no end but the signal
[[nodiscard]] Ready wait_ready(int fd, short events, std::optional<Instant> until, port::Clock& clock,
                               const StopSignal& stop);

/// A byte stream whose other side may be slow or gone: pipe, FIFO, terminal, socket, device; also a regular file that
/// is read or written in order. Waits with bounds although the descriptor is shared with other processes, on which
/// O_NONBLOCK must not be set: pipes and terminals are opened anew through /proc, sockets have a flag per call, and
/// where neither works writes are cut to what poll(2) promises.
class Stream {
  public:
    /// Takes `fd` over. `awaits_writer`: a FIFO that we opened ourselves may have no writer yet, which is not its end.
    Stream(UniqueFd fd, std::string name, bool awaits_writer, port::Clock& clock, const StopSignal& stop);

    [[nodiscard]] Result<std::size_t> read(MutableByteSpan out, std::optional<Instant> until);  ///< 0 = end
    [[nodiscard]] Status write(ByteSpan bytes, std::optional<Instant> until);
    /// What a file system reports late (NFS: a full disk). Nothing can be read or written afterwards.
    [[nodiscard]] Status close();
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    enum class Kind : uint8_t { file, socket, nonblocking, shared };

    [[nodiscard]] Status wait(short events, std::optional<Instant> until);
    [[nodiscard]] ssize_t read_once(MutableByteSpan out);
    [[nodiscard]] ssize_t write_once(ByteSpan bytes);
    void make_private();

    UniqueFd fd_;
    std::string name_;
    Kind kind_ = Kind::shared;
    bool awaits_writer_;
    port::Clock& clock_;
    StopSignal stop_;
};

}  // namespace s3tug::host
