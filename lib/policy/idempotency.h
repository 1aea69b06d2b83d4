#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/process_id.h"
#include "base/time.h"
#include "wire/object_headers.h"
#include "wire/operation.h"

namespace s3tug::policy {

/// Principle 1 as data: what an attempt of unknown outcome can leave behind and how a repeat is made safe
/// (facts/idempotency.md sections 1, 3 and 5).

enum class RepeatClass : uint8_t {
    repeat_freely,   ///< A: the second run leaves the same state
    leaves_residue,  ///< B: same visible state, an extra version, marker, event or upload
    verify_first,    ///< C: the second run can fail, undo, or report falsely
};

enum class BucketKind : uint8_t { plain, versioned, locked, not_known };
enum class Conditional : uint8_t { none, if_none_match, if_match };
enum class Look : uint8_t { allowed, denied };  ///< may these credentials HEAD the object?

enum class Proof : uint8_t {
    not_needed,   ///< send again
    write_token,  ///< HEAD shows our token
    /// No token: Last-Modified not older than the attempt, plus ETag or checksum, plus metadata. For Complete the
    /// attempt is that of Create: S3 dates an object of parts by the beginning of its upload.
    modified_since,
    absence,  ///< delete: HEAD says absent
    none,     ///< nothing can prove it
};

/// What to do after an unknown outcome.
enum class AfterUnknown : uint8_t {
    send_again,
    look_then_send_again,  ///< look; not there -> send again
    look_or_give_up,       ///< look; undecidable -> outcome_unknown (75), never a guess
    send_again_then_look,  ///< Complete: the same request again, then look at what an answer that it is gone means
};

/// A delete of one version (versionId) is asked for as BucketKind::plain: removing the same version twice leaves the
/// same state. `token_sent` matters for puts, for copies that replace the metadata and for Complete, whose token went
/// with Create; look = denied when HEAD was answered with 403 once. The row of DeleteObjects holds for each of its
/// keys: one look cannot settle a batch, so after an unknown outcome the caller goes on with single deletes that begin
/// with a look.
struct IdempotencyRow {
    wire::Op op;
    Conditional condition;
    BucketKind bucket;
    Look look;
    bool token_sent;
    RepeatClass repeat;
    Proof proof;
    AfterUnknown after;
    std::string_view residue;  ///< what an unknown outcome can leave, in words
};

/// The whole table; every combination has exactly one row (a test enumerates them).
[[nodiscard]] std::span<const IdempotencyRow> idempotency_table();
[[nodiscard]] const IdempotencyRow& idempotency_rule(wire::Op op, Conditional condition, BucketKind bucket, Look look,
                                                     bool token_sent);

/// Does this store honour the condition? From the table of facts/idempotency.md section 5, by the end of the host name
/// (any case, a port or final dot does no harm); `unknown` for others and for what was not measured.
enum class Honours : uint8_t {
    yes,
    no,       ///< ignored silently: the write goes through
    refuses,  ///< answered with an error, nothing is written
    unknown,
};
enum class ConditionUse : uint8_t {
    put_if_none_match,
    put_if_match,
    complete_if_none_match,
    copy_destination,
    copy_source,
    delete_if_match,
};
[[nodiscard]] Honours store_honours(std::string_view endpoint_host, ConditionUse use);

/// What one look (HEAD) says about an attempt of unknown outcome. Empty fields prove and refute nothing.
struct Expected {
    Proof proof = Proof::write_token;
    std::string write_token;
    std::optional<uint64_t> size;
    std::string etag;  ///< what ours would be, when known: MD5 of a single put, the source's ETag of a copy
    std::optional<wire::StoredChecksum> checksum;
    std::vector<wire::Header> metadata;  ///< that ours carries, names without x-amz-meta-
    std::optional<WallTime> not_before;  ///< server's Date at or just before the attempt
    bool conditional = false;            ///< two that wrote the same bytes under one condition must not both have won
    std::string condition_etag;  ///< the ETag of If-Match: the object that stands as long as ours has not landed
};
enum class Finding : uint8_t {
    applied,  ///< proof: our write is there; for a delete: nothing stands there any more
    absent,   ///< our effect is not to be seen: nothing there, or still the object of before. No proof, since a late
              ///< commit may come (facts/idempotency.md fact 3): look again
    other,    ///< something that is not ours stands there
    undecidable,  ///< HEAD was denied or failed, or its facts neither prove nor refute
};
/// `found` is empty when HEAD answered that nothing is there; a delete marker counts as nothing. A HEAD that was denied
/// or failed is `undecidable` without asking here. write_token: equal = applied (a shorter object with our token, as
/// VersityGW keeps after a cut, is `other`). modified_since: Last-Modified not older than `not_before` (whole seconds,
/// the resolution of the header) and an equal ETag or checksum = applied; older = absent; newer with another size or
/// checksum = other; an unequal ETag alone refutes nothing, since stores differ in what it is (fact 8); under a
/// condition equal bytes prove nothing, as a lock file's are the same for all who want the lock. absence: see
/// Finding; under a condition an object with another ETag is `other`.
[[nodiscard]] Finding judge_look(const Expected& expected, const std::optional<wire::ObjectFacts>& found);

/// Record behind `--idempotency-key` (design section 3).
struct KeyRecord {
    std::string fingerprint;  ///< operation, target, options that change the result, digest of the content
    bool done = false;
    std::string result;       ///< kept result, opaque to policy
    ProcessId owner;          ///< at work, when not done
    std::string write_token;  ///< recorded before anything is sent
    WallTime started{};
    WallTime finished{};
    /// From `finished` on, said by the run that was done: at most limits::idempotency_keep_max, which is also how long
    /// the state file holds it. Empty: not recorded, so the reader's own.
    std::optional<Duration> keep = {};
};
/// Until when the result of work that is done counts. `keep` is the reader's.
[[nodiscard]] WallTime kept_until(const KeyRecord& record, Duration keep);
[[nodiscard]] std::string encode(const KeyRecord& record);
[[nodiscard]] std::optional<KeyRecord> decode_key_record(std::string_view text);

enum class ClaimKind : uint8_t {
    fresh,       ///< ours now: go on
    kept,        ///< done before with this fingerprint: give `record.result`, send nothing
    other_use,   ///< key used for something else: 64
    busy,        ///< a live process is at it: wait
    taken_over,  ///< the owner is dead: verify its token first; `record.write_token` is the old one
};
struct Claim {
    ClaimKind kind;
    KeyRecord record;  ///< to be stored for fresh and taken_over; the found one otherwise
};
/// `found` is what the state file holds. One that is older than it is kept for (its own time, else `keep`) counts as
/// none, unless its owner is alive and at work. An owner that cannot be asked (another container) is believed to be at
/// work for limits::idempotency_owner_unknown from its start.
[[nodiscard]] Claim claim_key(const std::optional<KeyRecord>& found, std::string_view fingerprint,
                              const ProcessId& self, std::string_view new_token, WallTime now, Duration keep,
                              Liveness owner_liveness);

/// The record of work that is done, where its content is not there any more to make the fingerprint of: a file that was
/// moved away. `work` is the fingerprint's beginning, without the content. Nothing: not done, expired, or other work.
[[nodiscard]] std::optional<KeyRecord> kept_record(const std::optional<KeyRecord>& found, std::string_view work,
                                                   WallTime now, Duration keep);

}  // namespace s3tug::policy
