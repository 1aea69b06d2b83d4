#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/result.h"
#include "engine/part_layout.h"
#include "port/files.h"
#include "wire/object_headers.h"

namespace s3tug::engine {

/// Holds the bytes of an object against the checksum of the checksums of its parts, when the store has no other. Where
/// the bytes were cut is asked of the store: one HEAD of the first part lets presume that all others have its size, and
/// bytes that match so are proven. Those that do not match prove nothing before every part was asked for: only with the
/// sizes that the store told does another value mean other bytes. More than limits::uneven_parts_max parts of several
/// sizes are not asked for. Ceph and moto give a part an ETag of its own, which If-Match is held against too
/// (facts/peers.md, sapcc/maria-back-me-up#143; measured): there a HEAD of the whole object, last, says that it is
/// still the one that was read, whether the parts told something or not.
///
/// Whoever drives it sends the HEADs. Of a file all bytes are there, and work() reads them while it is busy(), in steps
/// of limits::hash_step_bytes, with one chunk in memory. A stream has each byte once: whoever writes to it keeps them
/// until the state is no longer `asking`, then tells passed() of all, in order. Sizes that are presumed wrongly cannot
/// be mended there, so that the last part is asked for as well before they are.
class CompositeProof {
  public:
    enum class State : uint8_t {
        asking,   ///< next_look() has or had parts to ask for
        hashing,  ///< work() or passed() brings the bytes
        matches,
        damaged,  ///< the sizes of all parts are known, and the bytes are others
        unknown,  ///< why() says what is missing
        changed,  ///< another object stands there by now, or none: nobody can tell any more
    };

    /// @param target    a file with all `size` bytes, or a stream that has had none; outlives it
    /// @param expected  composite, and tells the number of parts
    CompositeProof(const port::TargetFile& target, wire::StoredChecksum expected, const std::string& etag,
                   uint64_t size);

    [[nodiscard]] State state() const { return state_; }

    /// A part to send a HEAD for, from 1, or `whole`; each is given once.
    [[nodiscard]] std::optional<unsigned> next_look();
    static constexpr unsigned whole = 0;
    /// Does the look go with If-Match of the object's ETag?
    [[nodiscard]] bool pins(unsigned number) const { return number == whole || !parts_differ_; }
    void told(unsigned number, const wire::HttpAnswer& head);
    /// 412
    void pin_refused(unsigned number);
    void gone();  ///< 404
    /// @param odd  it may be for another reason than that it is about a part, as it is when others were told: then the
    ///             whole is asked for, which may have changed, and once more for the parts
    void not_told(unsigned number, const std::string& why, bool odd = false);

    [[nodiscard]] bool busy() const { return state_ == State::hashing && !in_passing_; }
    [[nodiscard]] Status work();
    /// These bytes have left by the stream.
    void passed(ByteSpan bytes) { digest(bytes); }

    /// The bytes did not match the sizes that one part let presume: it may be the sizes or the bytes.
    [[nodiscard]] bool doubtful() const { return doubtful_; }
    /// After `damaged`: the file was mended.
    void again();

    [[nodiscard]] std::string verified_by() const { return wire::to_text(expected_); }
    [[nodiscard]] const std::string& why() const { return why_; }  ///< of `damaged` and `unknown`

  private:
    /// From an object whose own answer had no ETag nothing does.
    [[nodiscard]] bool differs(const std::string& etag) const { return !etag_.empty() && etag != etag_; }
    void consider();
    void all_told();
    void begin_hashing();
    void digest(ByteSpan bytes);
    void end_hashing();
    void end_part();
    void give_up(std::string why, bool ask_whole = false);
    void ask_again();

    const port::TargetFile& target_;
    const bool in_passing_;
    wire::StoredChecksum expected_;
    std::string etag_;
    PartLayout layout_;
    State state_ = State::asking;
    std::string why_;
    unsigned asked_ = 0;  ///< parts that were given out
    unsigned answers_ = 0;
    unsigned wanted_ = 1;  ///< as many are to be asked for now
    bool uneven_ = false;  ///< parts were told that are not as the first one lets presume
    bool doubtful_ = false;
    bool parts_differ_ = false;  ///< in their ETag from the object, so that it says nothing
    bool whole_asked_ = false;
    bool giving_up_ = false;  ///< as soon as the whole has been told
    bool odd_ = false;        ///< or are parts asked for once more then?
    bool odd_before_ = false;

    uint64_t offset_ = 0;
    unsigned part_ = 0;
    uint64_t left_ = 0;  ///< of the part
    Checksummer of_part_;
    Checksummer of_all_;
};

}  // namespace s3tug::engine
