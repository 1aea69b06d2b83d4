#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/posix_io.h"
#include "port/files.h"

namespace s3tug::host {

/// Everything that is written in place and in order: stdout, FIFOs, terminals, devices like /dev/null, /dev/fd/N.
class StreamTarget final : public port::TargetFile {
  public:
    StreamTarget(Stream stream, port::Clock& clock, const StopSignal& stop);
    /// A FIFO by name. It is opened with the first write, since there may be no reader yet, and waiting for one has
    /// the bound of that write.
    StreamTarget(std::string fifo_path, port::Clock& clock, const StopSignal& stop);

    [[nodiscard]] bool seekable() const override { return false; }
    [[nodiscard]] Status reserve(uint64_t /*size*/) override { return {}; }
    [[nodiscard]] Status write_at(uint64_t offset, ByteSpan bytes) override;  ///< a bug of the caller: `cannot_write`
    [[nodiscard]] Status write_next(ByteSpan bytes, std::optional<Instant> until) override;
    [[nodiscard]] Status truncate(uint64_t size) override;  ///< nothing can be taken back: `cannot_write`
    [[nodiscard]] Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override;
    [[nodiscard]] Status commit(std::optional<WallTime> mtime) override;

  private:
    [[nodiscard]] Status open_fifo(std::optional<Instant> until);

    std::string name_;
    port::Clock& clock_;
    StopSignal stop_;
    std::optional<Stream> stream_;
    uint64_t written_ = 0;
};

/// A block device: written in place, by offset. It keeps its size.
class DeviceTarget final : public port::TargetFile {
  public:
    DeviceTarget(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

    [[nodiscard]] bool seekable() const override { return true; }
    [[nodiscard]] Status reserve(uint64_t size) override;
    [[nodiscard]] Status write_at(uint64_t offset, ByteSpan bytes) override;
    [[nodiscard]] Status write_next(ByteSpan bytes, std::optional<Instant> until) override;
    [[nodiscard]] Status truncate(uint64_t size) override;
    [[nodiscard]] Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override;
    [[nodiscard]] Status commit(std::optional<WallTime> mtime) override;

  private:
    UniqueFd fd_;
    std::string path_;
    uint64_t next_ = 0;
};

}  // namespace s3tug::host
