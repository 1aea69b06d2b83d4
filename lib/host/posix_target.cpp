#include "host/posix_target.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/limits.h"
#include "host/posix_error.h"

namespace s3tug::host {

namespace {
constexpr std::string_view only_in_order = "it can only be written in order";
}

StreamTarget::StreamTarget(Stream stream, port::Clock& clock, const StopSignal& stop)
    : name_(stream.name()), clock_(clock), stop_(stop), stream_(std::move(stream)) {}

StreamTarget::StreamTarget(std::string fifo_path, port::Clock& clock, const StopSignal& stop)
    : name_(std::move(fifo_path)), clock_(clock), stop_(stop) {}

Status StreamTarget::open_fifo(std::optional<Instant> until) {
    for (;;) {  // ends by `until` or the signal
        UniqueFd fd(::open(name_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
        if (fd.valid()) {
            stream_.emplace(std::move(fd), name_, false, clock_, stop_);
            return {};
        }
        if (errno != ENXIO && errno != EINTR) return write_failure(name_, errno);
        // Nothing tells when a reader comes, so it is looked for now and then.
        const Instant pause = clock_.now() + limits::fifo_reader_pause;
        if (wait_ready(-1, 0, until ? std::min(pause, *until) : pause, clock_, stop_) == Ready::interrupted) {
            return Error{ErrorKind::interrupted, "interrupted while waiting for a reader of " + printable(name_)};
        }
        if (until && clock_.now() >= *until) {
            return Error{ErrorKind::deadline, "the deadline came while waiting for a reader of " + printable(name_)};
        }
    }
}

Status StreamTarget::write_next(ByteSpan bytes, std::optional<Instant> until) {
    if (!stream_) {
        if (Status opened = open_fifo(until); !opened.ok()) return opened;
    }
    Status written = stream_->write(bytes, until);
    if (written.ok()) written_ += bytes.size();
    return written;
}

Status StreamTarget::write_at(uint64_t /*offset*/, ByteSpan /*bytes*/) { return cannot_write(name_, only_in_order); }

Status StreamTarget::truncate(uint64_t size) {
    if (size == written_) return {};
    return cannot_write(name_, only_in_order);
}

Result<std::size_t> StreamTarget::read_at(uint64_t /*offset*/, MutableByteSpan /*out*/) const {
    return cannot_read(name_, "what was written cannot be read back");
}

Status StreamTarget::commit(std::optional<WallTime> /*mtime*/) {
    // A reader of a FIFO that is there learns of an empty object by the end of the stream.
    if (!stream_)
        stream_.emplace(UniqueFd(::open(name_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)), name_, false, clock_,
                        stop_);
    return stream_->close();
}

Status DeviceTarget::reserve(uint64_t size) {
    const off_t has = ::lseek(fd_.get(), 0, SEEK_END);
    if (has < 0 || static_cast<uint64_t>(has) >= size) return {};
    return cannot_write(path_, no_space(size, static_cast<uint64_t>(has)));
}

Status DeviceTarget::write_at(uint64_t offset, ByteSpan bytes) {
    return write_fully_at(fd_.get(), offset, bytes, path_);
}

Status DeviceTarget::write_next(ByteSpan bytes, std::optional<Instant> /*until*/) {
    Status written = write_at(next_, bytes);
    if (written.ok()) next_ += bytes.size();
    return written;
}

Status DeviceTarget::truncate(uint64_t size) {
    next_ = size;
    return {};
}

Result<std::size_t> DeviceTarget::read_at(uint64_t offset, MutableByteSpan out) const {
    return read_fully_at(fd_.get(), offset, out, path_);
}

Status DeviceTarget::commit(std::optional<WallTime> /*mtime*/) {
    if (::fdatasync(fd_.get()) != 0) return write_failure(path_, errno);
    return {};
}

}  // namespace s3tug::host
