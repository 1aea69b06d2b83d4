#include "host/posix_spool.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>

#include "host/posix_error.h"
#include "host/posix_io.h"

namespace s3tug::host {

Result<std::unique_ptr<port::SpoolFile>> PosixSpool::open(const std::string& folder) {
    const std::string what = "a temporary file in " + folder;
    UniqueFd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
    // EISDIR: a kernel that does not know the flag; EOPNOTSUPP: a file system that does not (NFS, some overlays).
    if (!fd.valid() && (errno == EOPNOTSUPP || errno == EISDIR)) {
        std::string path = folder + "/s3tug-spool-XXXXXX";
        fd.reset(::mkostemp(path.data(), O_CLOEXEC));
        if (fd.valid()) ::unlink(path.c_str());
    }
    if (!fd.valid()) return write_failure(what, errno);
    return std::unique_ptr<port::SpoolFile>(new PosixSpool(std::move(fd), what));
}

Status PosixSpool::append(ByteSpan bytes) {
    Status written = write_fully_at(fd_.get(), size_, bytes, what_);
    if (written.ok()) size_ += bytes.size();
    return written;
}

Result<std::size_t> PosixSpool::read_at(uint64_t offset, MutableByteSpan out) const {
    return read_fully_at(fd_.get(), offset, out, what_);
}

}  // namespace s3tug::host
