#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "base/hash.h"
#include "engine/transfer.h"
#include "port/files.h"
#include "port/transport.h"

namespace s3tug::engine {

/// The bytes of one upload, readable by offset as often as needed: a regular file opened once, or a stream that was
/// spooled to memory and beyond a bound to an unlinked temporary file. Local trouble is latched in `error()`, since the
/// transport can only report that reading failed.
class UploadBody : public port::BodySource {
  public:
    [[nodiscard]] virtual uint64_t size() const = 0;
    [[nodiscard]] virtual const std::optional<Error>& error() const = 0;
    /// Is the source still what it was when opened, as far as `--source-changed` asks for it? Checked before hashes are
    /// trusted again. A failure stays in error().
    [[nodiscard]] virtual Status unchanged() { return {}; }
    /// Has the source changed since it was opened, whatever is asked for?
    [[nodiscard]] virtual bool touched() const { return false; }
    /// Other bytes were read than were hashed. May they be sent in place of those? Otherwise why not is in error(),
    /// unless the body is none that can change.
    /// @param possible  nothing that stands already depends on the first ones
    [[nodiscard]] virtual bool takes_anew(bool /*possible*/) { return false; }
};

/// A regular file. Before the last bytes are released its size, mtime and inode are compared with those at open
/// (`--source-changed`): a body that was never complete is refused by the store, so no half-old object appears.
/// With `warn` and `snapshot` the size seen at open is sent whatever else changed, each byte as it is when it is sent;
/// a file that shrank always fails.
/// @param warn  told once that the file changed, with `warn` only
/// @param may_go_on  asked before each read, so that a signal or the deadline also ends the hashing of a long file
[[nodiscard]] std::unique_ptr<UploadBody> file_body(std::unique_ptr<port::SourceFile> file, std::string path,
                                                    SourceChanged policy, std::function<Status()> may_go_on = {},
                                                    std::function<void(std::string)> warn = {});

/// Reads a stream to its end. `unsupported` when it is longer than `size_max`, `cannot_write` when
/// the spool has no room, `deadline`/`interrupted` from waiting for the producer.
[[nodiscard]] Result<std::unique_ptr<UploadBody>> spool_stream(port::SourceFile& stream, port::Files& files,
                                                               const std::string& spool_folder, uint64_t size_max,
                                                               std::optional<Instant> until);

/// The same, but reads only until the stream ends or more than `enough` bytes are there.
struct StreamBeginning {
    std::unique_ptr<UploadBody> body;
    bool ended = false;
};
[[nodiscard]] Result<StreamBeginning> spool_beginning(port::SourceFile& stream, port::Files& files,
                                                      const std::string& spool_folder, uint64_t enough,
                                                      std::optional<Instant> until);

/// Which digests of the whole body are wanted.
struct DigestWish {
    bool sha256 = false;
    bool md5 = false;
    std::optional<ChecksumAlgorithm> checksum;
};
struct BodyDigests {
    std::string sha256_hex;
    std::string md5_hex;
    std::optional<Checksum> checksum;
};
/// One pass over the body for all of them.
[[nodiscard]] Result<BodyDigests> digest_body(UploadBody& body, const DigestWish& wish);
[[nodiscard]] Result<BodyDigests> digest_bytes(port::BodySource& body, uint64_t size, const DigestWish& wish);
/// Lower-case hex.
[[nodiscard]] Result<std::string> md5_of(port::BodySource& body, uint64_t size);

/// What is wrong where the store has other bytes than were sent, for people.
[[nodiscard]] std::string checksum_differs(const Checksum& sent, const Checksum& stored);
[[nodiscard]] std::string md5_differs(const std::string& sent, const std::string& etag);

}  // namespace s3tug::engine
