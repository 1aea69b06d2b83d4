#include <array>
#include <cstddef>

#include "policy/idempotency.h"

namespace s3tug::policy {

namespace {

using wire::Op;

constexpr auto ops = wire::all_ops;
constexpr std::size_t condition_count = 3;
constexpr std::size_t bucket_count = 4;
constexpr std::size_t row_count = ops.size() * condition_count * bucket_count * 2 * 2;

/// A set of values of one enumeration, so that one line below can stand for many rows.
template <class E>
struct Set {
    unsigned bits = 0;
    constexpr Set(E value) : bits(1U << static_cast<unsigned>(value)) {}  // NOLINT: implicit on purpose
    constexpr explicit Set(unsigned b) : bits(b) {}
    [[nodiscard]] consteval bool has(E value) const { return (bits >> static_cast<unsigned>(value) & 1U) != 0; }
    friend consteval Set operator|(Set a, Set b) { return Set(a.bits | b.bits); }
};
template <class E>
constexpr Set<E> all_of = Set<E>(~0U);

struct Line {
    Set<Op> op;
    Set<Conditional> condition;
    Set<BucketKind> bucket;
    Set<Look> look;
    Set<bool> token_sent;
    RepeatClass repeat;
    Proof proof;
    AfterUnknown after;
    std::string_view residue;
};

constexpr Set<Op> reads = Set(Op::head_bucket) | Op::head_object | Op::list_objects_v2 | Op::list_parts |
                          Op::list_multipart_uploads | Op::list_buckets;
constexpr Set<Op> writes = Set(Op::put_object) | Op::copy_object;
constexpr Op get = Op::get_object;
constexpr Op put = Op::put_object;
constexpr Op copy = Op::copy_object;
constexpr Op del = Op::delete_object;
constexpr Op batch = Op::delete_objects;
constexpr Op create = Op::create_multipart_upload;
constexpr Set<Op> parts = Set(Op::upload_part) | Op::upload_part_copy;
constexpr Op finish = Op::complete_multipart_upload;
constexpr Op abort = Op::abort_multipart_upload;

constexpr Conditional no_condition = Conditional::none;
constexpr Set<Conditional> conditional = Set(Conditional::if_none_match) | Conditional::if_match;
constexpr auto any_condition = all_of<Conditional>;

constexpr BucketKind plain = BucketKind::plain;
constexpr BucketKind locked = BucketKind::locked;
/// A bucket of which nothing is known is treated as the worse of plain and versioned; a lock shows in answers.
constexpr Set<BucketKind> keeps_versions = Set(BucketKind::versioned) | BucketKind::not_known;
constexpr Set<BucketKind> makes_markers = keeps_versions | BucketKind::locked;
constexpr auto any_bucket = all_of<BucketKind>;

constexpr Look allowed = Look::allowed;
constexpr Look denied = Look::denied;
constexpr auto any_look = all_of<Look>;

constexpr bool token = true;
constexpr bool no_token = false;
constexpr auto any_token = all_of<bool>;

constexpr RepeatClass A = RepeatClass::repeat_freely;
constexpr RepeatClass B = RepeatClass::leaves_residue;
constexpr RepeatClass C = RepeatClass::verify_first;

constexpr Proof not_needed = Proof::not_needed;
constexpr Proof by_token = Proof::write_token;
constexpr Proof by_time = Proof::modified_since;
constexpr Proof by_absence = Proof::absence;
constexpr Proof no_proof = Proof::none;

constexpr AfterUnknown again = AfterUnknown::send_again;
constexpr AfterUnknown look_again = AfterUnknown::look_then_send_again;
constexpr AfterUnknown look_or_stop = AfterUnknown::look_or_give_up;
constexpr AfterUnknown again_look = AfterUnknown::send_again_then_look;

constexpr std::string_view nothing = "nothing";
constexpr std::string_view half_file = "half a local file";
constexpr std::string_view old_or_new = "the new object or the old one; a late landing can undo another client's write";
constexpr std::string_view copy_old_or_new = "the old object or the new one; the error can stand inside a 200";
constexpr std::string_view version = "one more version for each attempt that landed";
constexpr std::string_view locked_version = "a second version that cannot be removed until its retention ends";
constexpr std::string_view own_success = "our own success, which makes the repeat fail with 412";
constexpr std::string_view gone = "the object gone or not; a repeat can delete what another client wrote in between";
constexpr std::string_view marker = "one more delete marker for each attempt that landed";
constexpr std::string_view own_delete = "our own success, which makes the repeat fail with 404 or 412";
constexpr std::string_view any_subset = "any of the keys gone or not; a repeat can delete what another client wrote";
constexpr std::string_view markers = "one more delete marker for each key and each attempt that landed";
constexpr std::string_view orphan = "an upload without parts that nobody knows, seen by ListMultipartUploads";
constexpr std::string_view part = "the part old, new or absent; a late landing can replace the repeat's";
constexpr std::string_view assembled =
    "the object made and the upload id gone, still being put together, or nothing done";
constexpr std::string_view late_part = "the upload gone or not; a part in flight can be stored after it";

// facts/idempotency.md section 3, with the proofs of design section 3. Each combination matches exactly one line.
// clang-format off
constexpr std::array lines{
//   operation  condition      bucket          look      token      class  proof       after an unknown outcome
Line{reads,     any_condition, any_bucket,     any_look, any_token, A, not_needed, again,        nothing},
Line{get,       any_condition, any_bucket,     any_look, any_token, A, not_needed, again,        half_file},

Line{put,       no_condition,  plain,          any_look, any_token, A, not_needed, again,        old_or_new},
Line{copy,      no_condition,  plain,          any_look, any_token, A, not_needed, again,        copy_old_or_new},
Line{writes,    no_condition,  keeps_versions, allowed,  token,     B, by_token,   look_again,   version},
Line{writes,    no_condition,  keeps_versions, allowed,  no_token,  B, by_time,    look_again,   version},
Line{writes,    no_condition,  keeps_versions, denied,   any_token, B, no_proof,   again,        version},
Line{writes,    no_condition,  locked,         allowed,  token,     C, by_token,   look_or_stop, locked_version},
Line{writes,    no_condition,  locked,         allowed,  no_token,  C, by_time,    look_or_stop, locked_version},
Line{writes,    no_condition,  locked,         denied,   any_token, C, no_proof,   look_or_stop, locked_version},
Line{writes,    conditional,   any_bucket,     allowed,  token,     C, by_token,   look_or_stop, own_success},
Line{writes,    conditional,   any_bucket,     allowed,  no_token,  C, by_time,    look_or_stop, own_success},
Line{writes,    conditional,   any_bucket,     denied,   any_token, C, no_proof,   look_or_stop, own_success},

Line{del,       no_condition,  plain,          any_look, any_token, A, not_needed, again,        gone},
Line{del,       no_condition,  makes_markers,  allowed,  any_token, B, by_absence, look_again,   marker},
Line{del,       no_condition,  makes_markers,  denied,   any_token, B, no_proof,   again,        marker},
Line{del,       conditional,   any_bucket,     allowed,  any_token, C, by_absence, look_or_stop, own_delete},
Line{del,       conditional,   any_bucket,     denied,   any_token, C, no_proof,   look_or_stop, own_delete},

// A batch carries no conditions. For its proof see IdempotencyRow.
Line{batch,     any_condition, plain,          any_look, any_token, A, not_needed, again,        any_subset},
Line{batch,     any_condition, makes_markers,  allowed,  any_token, B, by_absence, look_again,   markers},
Line{batch,     any_condition, makes_markers,  denied,   any_token, B, no_proof,   again,        markers},

// Create, parts and Abort change no object, so neither conditions nor versions matter; the newest upload id is used.
Line{create,    any_condition, any_bucket,     any_look, any_token, B, not_needed, again,        orphan},
Line{parts,     any_condition, any_bucket,     any_look, any_token, A, not_needed, again,        part},
Line{abort,     any_condition, any_bucket,     any_look, any_token, A, not_needed, again,        late_part},
// Section 4: the upload id is consumed once, so a repeat makes no second version, whatever the bucket.
Line{finish,    any_condition, any_bucket,     allowed,  token,     C, by_token,   again_look,   assembled},
Line{finish,    any_condition, any_bucket,     allowed,  no_token,  C, by_time,    again_look,   assembled},
Line{finish,    any_condition, any_bucket,     denied,   any_token, C, no_proof,   again_look,   assembled},
};
// clang-format on

constexpr std::size_t index_of(Op op, Conditional condition, BucketKind bucket, Look look, bool token_sent) {
    std::size_t index = static_cast<std::size_t>(op);
    index = index * condition_count + static_cast<std::size_t>(condition);
    index = index * bucket_count + static_cast<std::size_t>(bucket);
    index = index * 2 + static_cast<std::size_t>(look);
    return index * 2 + (token_sent ? 1 : 0);
}

/// The one line for a combination. None or two do not compile.
consteval IdempotencyRow row_for(Op op, Conditional condition, BucketKind bucket, Look look, bool token_sent) {
    const Line* match = nullptr;
    for (const Line& line : lines) {
        if (!line.op.has(op) || !line.condition.has(condition) || !line.bucket.has(bucket) || !line.look.has(look) ||
            !line.token_sent.has(token_sent)) {
            continue;
        }
        if (match != nullptr) throw "two lines for one combination";
        match = &line;
    }
    if (match == nullptr) throw "no line for a combination";
    return {op, condition, bucket, look, token_sent, match->repeat, match->proof, match->after, match->residue};
}

consteval std::array<IdempotencyRow, row_count> expand() {
    std::array<IdempotencyRow, row_count> rows{};
    for (std::size_t i = 0; i < row_count; ++i) {
        const Op op = ops[i / (condition_count * bucket_count * 4)];
        const auto condition = static_cast<Conditional>(i / (bucket_count * 4) % condition_count);
        const auto bucket = static_cast<BucketKind>(i / 4 % bucket_count);
        const auto look = static_cast<Look>(i / 2 % 2);
        rows[index_of(op, condition, bucket, look, i % 2 == 1)] = row_for(op, condition, bucket, look, i % 2 == 1);
    }
    return rows;
}

constexpr std::array<IdempotencyRow, row_count> table = expand();

}  // namespace

std::span<const IdempotencyRow> idempotency_table() { return table; }

const IdempotencyRow& idempotency_rule(Op op, Conditional condition, BucketKind bucket, Look look, bool token_sent) {
    return table.at(index_of(op, condition, bucket, look, token_sent));
}

}  // namespace s3tug::policy
