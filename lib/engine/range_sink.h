#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "engine/part_table.h"
#include "policy/verdict.h"
#include "port/files.h"
#include "port/transport.h"
#include "wire/object_headers.h"
#include "wire/reply.h"

namespace s3tug::engine {

/// What every range of one object must agree with.
struct ObjectPin {
    std::string etag;        ///< without quotes
    std::string version_id;  ///< that the user asked for, or the answer's where there is no ETag
    uint64_t size = 0;
};

/// Takes the answers for one part of an object, or several that follow one another, and writes them where they belong.
/// A broken answer is continued at the byte reached. The answer of the plain GET that every download begins with goes
/// on beyond its part: it takes further parts as long as nobody has them, and is then ended from here.
class RangeSink final : public port::BodySink {
  public:
    /// How the last attempt ended, as far as this side saw.
    enum class End : uint8_t {
        open,            ///< by the answer's own end, or by the transport
        enough,          ///< the next part is somebody else's: success
        object_changed,  ///< another ETag, another size, 412, 416
        range_ignored,   ///< 200 with the whole object
        other_range,     ///< 206 with bytes that were not asked for
        local,           ///< error() says why
    };

    /// All outlive the sink. `part` is claimed, and so are the `behind` ones that follow it.
    RangeSink(PartTable& parts, port::TargetFile& target, const ObjectPin& pin, std::size_t part,
              std::size_t behind = 0);

    /// The next answer has the whole object: no begin() for it. It takes a further part where `may_take` says so.
    void expect_whole(std::function<bool(std::size_t)> may_take = {}) {
        whole_answer_ = true;
        may_take_ = std::move(may_take);
    }
    void fail(Error error);

    bool begin(const wire::HttpAnswer& head) override;
    Status write(ByteSpan bytes) override;

    [[nodiscard]] uint64_t next_byte() const { return parts_.first(part_) + parts_.part(part_).reached; }
    [[nodiscard]] uint64_t last_byte() const { return parts_.first(last_) + parts_.bytes(last_) - 1; }
    [[nodiscard]] End end() const { return end_; }
    [[nodiscard]] std::size_t part() const { return part_; }  ///< that the next byte belongs to
    [[nodiscard]] std::size_t last_part() const { return last_; }
    [[nodiscard]] std::size_t parts_taken() const { return last_ - first_ + 1; }
    [[nodiscard]] std::size_t parts_begun() const { return part_ - first_ + 1; }
    [[nodiscard]] const std::optional<Error>& error() const { return error_; }

    /// What a reply means for this part.
    void review(const wire::Reply& reply, policy::Verdict& verdict);

  private:
    Status stop(End end, std::string why);
    bool next_part();

    PartTable& parts_;
    port::TargetFile& target_;
    const ObjectPin& pin_;
    std::size_t first_;
    std::size_t part_;
    std::size_t last_;
    bool whole_answer_ = false;
    std::function<bool(std::size_t)> may_take_;
    End end_ = End::open;
    std::string why_;
    std::optional<Error> error_;
};

}  // namespace s3tug::engine
