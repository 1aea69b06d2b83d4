#include "policy/fading_share.h"

#include <doctest/doctest.h>

#include <string>

namespace s3tug::policy {
namespace {

/// 'x' is an answer of the kind, '.' another.
FadingShare after(const std::string& answers, unsigned remembered = 8) {
    FadingShare share(remembered);
    for (const char c : answers) share.add(c == 'x');
    return share;
}

}  // namespace

TEST_SUITE("policy/fading_share") {
    TEST_CASE("half of the answers is enough, nothing heard is not") {
        struct Row {
            const char* answers;
            unsigned all;
            unsigned hits;
            bool half;
        };
        for (const Row& row : {Row{"", 0, 0, false}, Row{"x", 1, 1, true}, Row{".", 1, 0, false}, Row{"x.", 2, 1, true},
                               Row{".x.", 3, 1, false}, Row{"..xx", 4, 2, true}, Row{"....xxx", 7, 3, false}}) {
            CAPTURE(row.answers);
            const FadingShare share = after(row.answers);
            CHECK(share.answers() == row.all);
            CHECK(share.hits() == row.hits);
            CHECK(share.half() == row.half);
        }
    }

    TEST_CASE("a smaller share can be asked for") {
        CHECK(after("x..").one_in(3));
        CHECK_FALSE(after("x...").one_in(3));
        CHECK(after("xx....").one_in(3));
        CHECK_FALSE(after("").one_in(3));
    }

    TEST_CASE("when as many as are remembered have come, the next finds them counted half, rounded down") {
        CHECK(after("xxx.....").answers() == 8);
        const FadingShare share = after("xxx.....x");
        CHECK(share.answers() == 8 / 2 + 1);
        CHECK(share.hits() == 3 / 2 + 1);
    }

    TEST_CASE("what is forgotten says nothing any more") {
        FadingShare share = after("xxx.");
        share.forget();
        CHECK(share.answers() == 0);
        CHECK(share.hits() == 0);
        CHECK(!share.half());
        share.add(true);
        CHECK(share.half());
    }

    TEST_CASE("a store that changes its mind is noticed within the answers that are remembered") {
        const std::string served(1000, '.');
        CHECK(!after(served).half());
        CHECK(after(served + std::string(8, 'x')).half());
        CHECK(after(served + std::string(1000, 'x')).answers() <= 8);
    }
}

}  // namespace s3tug::policy
