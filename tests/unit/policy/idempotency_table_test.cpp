#include <doctest/doctest.h>

#include <set>
#include <string>
#include <tuple>

#include "policy/idempotency.h"

namespace s3tug::policy {

namespace {

using wire::Op;

constexpr Conditional all_conditions[] = {Conditional::none, Conditional::if_none_match, Conditional::if_match};
constexpr BucketKind all_buckets[] = {BucketKind::plain, BucketKind::versioned, BucketKind::locked,
                                      BucketKind::not_known};
constexpr Look all_looks[] = {Look::allowed, Look::denied};

/// Calls `check` with the row of each combination.
template <class Check>
void for_each_combination(Check check) {
    for (const Op op : wire::all_ops) {
        for (const Conditional condition : all_conditions) {
            for (const BucketKind bucket : all_buckets) {
                for (const Look look : all_looks) {
                    for (const bool token : {false, true}) {
                        const IdempotencyRow& row = idempotency_rule(op, condition, bucket, look, token);
                        CAPTURE(wire::to_string(op));
                        CAPTURE(static_cast<int>(condition));
                        CAPTURE(static_cast<int>(bucket));
                        CAPTURE(static_cast<int>(look));
                        CAPTURE(token);
                        REQUIRE(std::tie(row.op, row.condition, row.bucket, row.look, row.token_sent) ==
                                std::tie(op, condition, bucket, look, token));
                        check(row);
                    }
                }
            }
        }
    }
}

}  // namespace

TEST_SUITE("policy/idempotency_table") {
    TEST_CASE("every combination has exactly one row, and the look-up finds it") {
        std::set<std::tuple<Op, Conditional, BucketKind, Look, bool>> seen;
        for (const IdempotencyRow& row : idempotency_table()) {
            CHECK(seen.emplace(row.op, row.condition, row.bucket, row.look, row.token_sent).second);
        }
        CHECK(seen.size() == 16U * 3 * 4 * 2 * 2);
        std::size_t combinations = 0;
        for_each_combination([&](const IdempotencyRow& row) {
            ++combinations;
            CHECK_FALSE(row.residue.empty());
        });
        CHECK(combinations == seen.size());
    }

    TEST_CASE("classes are those of the facts") {
        struct Row {
            Op op;
            Conditional condition;
            char plain, versioned, locked, not_known;  // facts/idempotency.md section 3
        };
        const Row rows[] = {
            {Op::head_bucket, Conditional::none, 'A', 'A', 'A', 'A'},
            {Op::head_object, Conditional::none, 'A', 'A', 'A', 'A'},
            {Op::head_object, Conditional::if_match, 'A', 'A', 'A', 'A'},
            {Op::get_object, Conditional::none, 'A', 'A', 'A', 'A'},
            {Op::get_object, Conditional::if_match, 'A', 'A', 'A', 'A'},
            {Op::put_object, Conditional::none, 'A', 'B', 'C', 'B'},
            {Op::put_object, Conditional::if_none_match, 'C', 'C', 'C', 'C'},
            {Op::put_object, Conditional::if_match, 'C', 'C', 'C', 'C'},
            {Op::copy_object, Conditional::none, 'A', 'B', 'C', 'B'},
            {Op::copy_object, Conditional::if_none_match, 'C', 'C', 'C', 'C'},
            {Op::copy_object, Conditional::if_match, 'C', 'C', 'C', 'C'},
            {Op::delete_object, Conditional::none, 'A', 'B', 'B', 'B'},
            {Op::delete_object, Conditional::if_match, 'C', 'C', 'C', 'C'},
            {Op::create_multipart_upload, Conditional::none, 'B', 'B', 'B', 'B'},
            {Op::upload_part, Conditional::none, 'A', 'A', 'A', 'A'},
            {Op::upload_part_copy, Conditional::none, 'A', 'A', 'A', 'A'},
            {Op::complete_multipart_upload, Conditional::none, 'C', 'C', 'C', 'C'},
            {Op::complete_multipart_upload, Conditional::if_none_match, 'C', 'C', 'C', 'C'},
            {Op::complete_multipart_upload, Conditional::if_match, 'C', 'C', 'C', 'C'},
            {Op::abort_multipart_upload, Conditional::none, 'A', 'A', 'A', 'A'},
            {Op::delete_objects, Conditional::none, 'A', 'B', 'B', 'B'},
            {Op::list_parts, Conditional::none, 'A', 'A', 'A', 'A'},
            {Op::list_multipart_uploads, Conditional::none, 'A', 'A', 'A', 'A'},
            {Op::list_objects_v2, Conditional::none, 'A', 'A', 'A', 'A'},
            {Op::list_buckets, Conditional::none, 'A', 'A', 'A', 'A'},
        };
        for (const Row& row : rows) {
            const char letters[] = {row.plain, row.versioned, row.locked, row.not_known};
            for (std::size_t i = 0; i < 4; ++i) {
                for (const Look look : all_looks) {
                    for (const bool token : {false, true}) {
                        CAPTURE(wire::to_string(row.op));
                        CAPTURE(static_cast<int>(row.condition));
                        CAPTURE(i);
                        const IdempotencyRow& rule =
                            idempotency_rule(row.op, row.condition, all_buckets[i], look, token);
                        CHECK("ABC"[static_cast<std::size_t>(rule.repeat)] == letters[i]);
                    }
                }
            }
        }
    }

    TEST_CASE("proofs and what follows are those of the design") {
        struct Row {
            Op op;
            Conditional condition;
            BucketKind bucket;
            Look look;
            bool token;
            Proof proof;
            AfterUnknown after;
        };
        constexpr auto none = Conditional::none;
        constexpr auto if_none_match = Conditional::if_none_match;
        constexpr auto if_match = Conditional::if_match;
        constexpr auto not_known = BucketKind::not_known;
        constexpr auto allowed = Look::allowed;
        constexpr auto denied = Look::denied;
        constexpr auto again = AfterUnknown::send_again;
        constexpr auto look_again = AfterUnknown::look_then_send_again;
        constexpr auto look_or_stop = AfterUnknown::look_or_give_up;
        constexpr auto again_look = AfterUnknown::send_again_then_look;
        const Row rows[] = {
            {Op::get_object, none, not_known, allowed, false, Proof::not_needed, again},
            {Op::put_object, none, BucketKind::plain, allowed, true, Proof::not_needed, again},
            {Op::put_object, none, not_known, allowed, true, Proof::write_token, look_again},
            {Op::put_object, none, not_known, allowed, false, Proof::modified_since, look_again},
            {Op::put_object, none, not_known, denied, true, Proof::none, again},
            {Op::put_object, none, BucketKind::versioned, allowed, true, Proof::write_token, look_again},
            {Op::put_object, none, BucketKind::locked, allowed, true, Proof::write_token, look_or_stop},
            {Op::put_object, none, BucketKind::locked, denied, true, Proof::none, look_or_stop},
            {Op::put_object, if_none_match, BucketKind::plain, allowed, true, Proof::write_token, look_or_stop},
            {Op::put_object, if_none_match, BucketKind::plain, allowed, false, Proof::modified_since, look_or_stop},
            {Op::put_object, if_none_match, BucketKind::plain, denied, true, Proof::none, look_or_stop},
            {Op::put_object, if_match, BucketKind::versioned, allowed, true, Proof::write_token, look_or_stop},
            {Op::copy_object, none, not_known, allowed, false, Proof::modified_since, look_again},
            {Op::copy_object, none, not_known, allowed, true, Proof::write_token, look_again},
            {Op::copy_object, if_none_match, not_known, denied, false, Proof::none, look_or_stop},
            {Op::delete_object, none, BucketKind::plain, allowed, false, Proof::not_needed, again},
            {Op::delete_object, none, BucketKind::versioned, allowed, false, Proof::absence, look_again},
            {Op::delete_object, none, not_known, allowed, false, Proof::absence, look_again},
            {Op::delete_object, none, not_known, denied, false, Proof::none, again},
            {Op::delete_object, if_match, BucketKind::plain, allowed, false, Proof::absence, look_or_stop},
            {Op::delete_object, if_match, BucketKind::plain, denied, false, Proof::none, look_or_stop},
            {Op::create_multipart_upload, none, not_known, allowed, true, Proof::not_needed, again},
            {Op::upload_part, none, not_known, denied, false, Proof::not_needed, again},
            {Op::upload_part_copy, none, BucketKind::versioned, allowed, false, Proof::not_needed, again},
            {Op::complete_multipart_upload, none, BucketKind::plain, allowed, true, Proof::write_token, again_look},
            {Op::complete_multipart_upload, none, not_known, allowed, false, Proof::modified_since, again_look},
            {Op::complete_multipart_upload, if_none_match, BucketKind::locked, allowed, true, Proof::write_token,
             again_look},
            {Op::complete_multipart_upload, if_match, not_known, denied, true, Proof::none, again_look},
            {Op::abort_multipart_upload, none, not_known, allowed, false, Proof::not_needed, again},
            {Op::delete_objects, none, BucketKind::plain, allowed, false, Proof::not_needed, again},
            {Op::delete_objects, none, BucketKind::versioned, allowed, false, Proof::absence, look_again},
            {Op::delete_objects, none, not_known, denied, false, Proof::none, again},
            {Op::list_objects_v2, none, not_known, denied, false, Proof::not_needed, again},
            {Op::list_parts, none, not_known, allowed, false, Proof::not_needed, again},
        };
        for (const Row& row : rows) {
            CAPTURE(&row - rows);
            const IdempotencyRow& rule = idempotency_rule(row.op, row.condition, row.bucket, row.look, row.token);
            CHECK(rule.proof == row.proof);
            CHECK(rule.after == row.after);
        }
    }

    TEST_CASE("rules that hold for all rows") {
        for_each_combination([](const IdempotencyRow& row) {
            if (wire::only_reads(row.op)) CHECK(row.after == AfterUnknown::send_again);
            if (row.repeat == RepeatClass::repeat_freely) CHECK(row.after == AfterUnknown::send_again);
            // Class C is never sent again on a guess (design section 3).
            if (row.repeat == RepeatClass::verify_first) {
                const bool complete = row.op == Op::complete_multipart_upload;  // the upload id is consumed only once
                CHECK(row.after == (complete ? AfterUnknown::send_again_then_look : AfterUnknown::look_or_give_up));
            }
            if (row.look == Look::denied) {
                CHECK((row.proof == Proof::none || row.proof == Proof::not_needed));
                CHECK(row.after != AfterUnknown::look_then_send_again);
            }
            if (row.proof == Proof::write_token) CHECK(row.token_sent);
            if (row.proof == Proof::absence) CHECK((row.op == Op::delete_object || row.op == Op::delete_objects));
            const bool looks = row.after == AfterUnknown::look_then_send_again;
            if (looks) CHECK(row.proof != Proof::none);
            if (looks) CHECK(row.proof != Proof::not_needed);
        });
    }
}

}  // namespace s3tug::policy
