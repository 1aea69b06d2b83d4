#include "host/posix_source.h"

#include <cerrno>

#include "host/posix_error.h"

namespace s3tug::host {

RegularSource::RegularSource(UniqueFd fd, std::string path, const port::FileFacts& at_open)
    : fd_(std::move(fd)), path_(std::move(path)), at_open_(at_open) {}

Result<port::FileFacts> RegularSource::now() const {
    struct stat status {};
    if (fstat(fd_.get(), &status) != 0) return read_failure(path_, errno);
    return facts_of(status);
}

Result<std::size_t> RegularSource::read_at(uint64_t offset, MutableByteSpan out) const {
    return read_fully_at(fd_.get(), offset, out, path_);
}

// By offset too: of the files of size 0 that yield bytes (/proc), all take pread.
Result<std::size_t> RegularSource::read_next(MutableByteSpan out, std::optional<Instant> /*until*/) {
    Result<std::size_t> got = read_fully_at(fd_.get(), next_, out, path_);
    if (got.ok()) next_ += *got;
    return got;
}

Result<std::size_t> StreamSource::read_at(uint64_t /*offset*/, MutableByteSpan /*out*/) const {
    return cannot_read(stream_.name(), "a stream cannot be read by offset");
}

}  // namespace s3tug::host
