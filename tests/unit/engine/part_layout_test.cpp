#include "engine/part_layout.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace s3tug::engine {
namespace {

struct Told {
    const char* length;
    const char* range;  ///< null: the header is not there
    const char* count;
};

wire::HttpAnswer head(const Told& told) {
    wire::HttpAnswer answer;
    answer.status = 206;
    if (told.length != nullptr) answer.headers.add("content-length", told.length);
    if (told.range != nullptr) answer.headers.add("content-range", told.range);
    if (told.count != nullptr) answer.headers.add("x-amz-mp-parts-count", told.count);
    return answer;
}

}  // namespace

TEST_SUITE("engine/part_layout") {
    TEST_CASE("an answer about a part is believed where all that it says fits an object of 30 bytes in 3 parts") {
        struct Row {
            const char* what;
            unsigned number;
            Told told;
            bool believed;
        };
        const std::vector<Row> rows = {
            {"all of it", 1, {"12", "bytes 0-11/30", "3"}, true},
            {"the last one", 3, {"6", "bytes 24-29/30", "3"}, true},
            {"no range", 2, {"12", nullptr, "3"}, true},
            {"no count", 2, {"12", "bytes 12-23/30", nullptr}, true},
            {"no part", 0, {"12", "bytes 0-11/30", "3"}, false},
            {"one more than there are", 4, {"12", "bytes 0-11/30", "3"}, false},
            {"no length", 1, {nullptr, "bytes 0-11/30", "3"}, false},
            {"a length in words", 1, {"twelve", "bytes 0-11/30", "3"}, false},
            {"longer than the object", 1, {"31", nullptr, "3"}, false},
            {"a range in words", 1, {"12", "all", "3"}, false},
            {"a range of another object", 1, {"12", "bytes 0-11/31", "3"}, false},
            {"a range of another length", 1, {"12", "bytes 0-12/30", "3"}, false},
            {"a first part inside the object", 1, {"12", "bytes 1-12/30", "3"}, false},
            {"another count", 1, {"12", "bytes 0-11/30", "2"}, false},
        };
        for (const Row& row : rows) {
            CAPTURE(row.what);
            PartLayout layout(30, 3);
            CHECK(layout.learn(row.number, head(row.told)) == row.believed);
        }
    }

    TEST_CASE("a first part lets presume the others where so many of its size make up the object") {
        struct Row {
            const char* what;
            const char* first;  ///< null: nothing told
            unsigned parts;
            bool uniform;
        };
        for (const Row& row : {Row{"12, 12 and 6", "12", 3, true}, Row{"three of 10", "10", 3, true},
                               Row{"nothing told", nullptr, 3, false}, Row{"an empty part", "0", 3, false},
                               Row{"it would take four", "9", 3, false}, Row{"it would take two", "15", 3, false},
                               Row{"it would take one", "30", 2, false}}) {
            CAPTURE(row.what);
            PartLayout layout(30, row.parts);
            if (row.first != nullptr) REQUIRE(layout.learn(1, head({row.first, nullptr, nullptr})));
            CHECK(layout.looks_uniform() == row.uniform);
        }
    }
}

}  // namespace s3tug::engine
