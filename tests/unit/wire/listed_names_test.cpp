#include "wire/listed_names.h"

#include <doctest/doctest.h>

namespace s3tug::wire {

namespace {

using Names = std::vector<std::string>;

}  // namespace

TEST_SUITE("wire/listed_names") {
    TEST_CASE("a name is decoded from what AWS, Ceph, Swift and moto make of it") {
        struct Row {
            std::string_view text, name;
        };
        // Left: measured answers to encoding-type=url. AWS writes + for a blank, the others %20.
        for (const Row& row :
             {Row{"a+b", "a b"}, Row{"a%20b", "a b"}, Row{"a%2Bb", "a+b"}, Row{"100%2525", "100%25"},
              Row{"100%25.csv", "100%.csv"},
              Row{"%01ctl",
                  "\x01"
                  "ctl"},
              Row{"cr%0Dlf%0A", "cr\rlf\n"}, Row{"%20", " "}, Row{"e%25/2", "e%/2"}, Row{"e%25%2F2", "e%/2"},
              Row{"quo%22'%3C%26%3E", "quo\"'<&>"}, Row{"star*~!(x)", "star*~!(x)"},
              Row{"uml%C3%A4ut/%c3%a4", "uml\xC3\xA4ut/\xC3\xA4"}, Row{"plain", "plain"}, Row{"", ""}}) {
            CAPTURE(row.text);
            std::string name;
            REQUIRE(decode_listed_name(row.text, name));
            CHECK(name == row.name);
        }
    }

    TEST_CASE("what holds a blank, a control character, a byte beyond ASCII or a lone % was not encoded") {
        for (const std::string_view text : {"a b", "a\tb", "\x7f", "\xC3\xA4", "100%", "%zz", "%2", "a%"}) {
            CAPTURE(text);
            std::string name;
            CHECK(!decode_listed_name(text, name));
        }
    }

    TEST_CASE("all names of a kind are encoded or none is") {
        Names encoded = {"a%20b", "a+b"};
        CHECK(decode_listed_names(encoded, true, "a"));
        CHECK(encoded == Names{"a b", "a b"});

        // One raw name shows that none is encoded.
        Names raw = {"100%25", "a+b", "x y/"};
        CHECK(decode_listed_names(raw, true, ""));
        CHECK(raw == Names{"100%25", "a+b", "x y/"});

        Names undeclared = {"a%20b", "a+b"};
        CHECK(decode_listed_names(undeclared, false, ""));
        CHECK(undeclared == Names{"a%20b", "a+b"});
    }

    TEST_CASE("the prefix decides when the names could be read both ways") {
        Names raw = {"p+q/1", "p+q/2"};
        CHECK(decode_listed_names(raw, true, "p+q/"));
        CHECK(raw == Names{"p+q/1", "p+q/2"});

        Names encoded = {"p%2Bq/1"};
        CHECK(decode_listed_names(encoded, true, "p+q/"));
        CHECK(encoded == Names{"p+q/1"});
    }

    TEST_CASE("names that do not begin with the prefix either way are no answer") {
        Names others = {"logs/1", "other/2"};
        CHECK(!decode_listed_names(others, true, "logs/"));
        CHECK(!decode_listed_names(others, false, "logs/"));
        Names none;
        CHECK(decode_listed_names(none, true, "logs/"));
    }
}

}  // namespace s3tug::wire
