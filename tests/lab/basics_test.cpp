#include <doctest/doctest.h>

#include "lab/bytes.h"
#include "lab/content.h"
#include "lab/digest.h"
#include "lab/http.h"
#include "lab/ops.h"
#include "lab/xml.h"

namespace s3tug::lab {

TEST_SUITE("lab/digest") {
    TEST_CASE("each checksum of 123456789 is the published check value") {
        struct Row {
            Algorithm algorithm;
            std::string_view hex;
        };
        for (const Row row :
             {Row{Algorithm::crc32, "cbf43926"}, Row{Algorithm::crc32c, "e3069283"},
              Row{Algorithm::crc64nvme, "ae8b14860a799888"}, Row{Algorithm::md5, "25f9e794323b453885f5181f1b624d0b"},
              Row{Algorithm::sha1, "f7c3bc1d808e04732adf679965ccc34ca7ae3441"},
              Row{Algorithm::sha256, "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"}}) {
            CAPTURE(row.hex);
            CHECK(to_hex(digest(row.algorithm, "123456789")) == row.hex);
        }
    }

    TEST_CASE("checksums of 66560 times a are those of the S3 documentation, in pieces too") {
        const std::string body(66'560, 'a');
        CHECK(to_base64(digest(Algorithm::crc32c, body)) == "sOO8/Q==");
        CHECK(to_base64(digest(Algorithm::crc32, body)) == "sK4Y7A==");
        CHECK(to_base64(digest(Algorithm::crc64nvme, body)) == "pRf+emrnL+A=");
        Digest running(Algorithm::crc64nvme);
        for (size_t at = 0; at < body.size(); at += 13) running.update(std::string_view(body).substr(at, 13));
        CHECK(to_base64(running.finish()) == "pRf+emrnL+A=");
    }
}

TEST_SUITE("lab/bytes") {
    TEST_CASE("base64 goes both ways and refuses what is not base64") {
        for (const std::string_view text : {"", "f", "fo", "foo", "foob", "\xff\xfe\xfd"})
            CHECK(from_base64(to_base64(text)) == std::optional<std::string>(text));
        for (const std::string_view text : {"Zg=", "Zg==Zg==", "Z===", "Zm9v!", "=Zg="}) {
            CAPTURE(text);
            CHECK_FALSE(from_base64(text));
        }
    }

    TEST_CASE("globs match whole texts") {
        CHECK(glob_match("*", ""));
        CHECK(glob_match("logs/*.gz", "logs/a/b.gz"));
        CHECK(glob_match("a?c*", "abcdef"));
        CHECK_FALSE(glob_match("logs/*", "logs"));
        CHECK_FALSE(glob_match("a", "ab"));
    }

    TEST_CASE("JSON strings hold any bytes") {
        CHECK(json_quote("a\"\n\xff\xc3\xa9") == "\"a\\\"\\u000a\\ufffd\xc3\xa9\"");
    }
}

TEST_SUITE("lab/content") {
    TEST_CASE("content in memory, in a file and in pieces reads back as it went in") {
        std::string bytes(size_t{9} << 20U, '\0');
        for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 >> 3U);
        const Content big = Content::of(bytes);
        CHECK(big.size() == bytes.size());
        CHECK((big.all() == bytes));
        CHECK(big.read(bytes.size() - 3, 100) == bytes.substr(bytes.size() - 3));
        Content joined = Content::of("head-");
        joined.append(big.range(10, 5));
        joined.append(Content::of("-tail"));
        CHECK(joined.all() == "head-" + bytes.substr(10, 5) + "-tail");
        CHECK(joined.range(3, 4).all() == joined.all().substr(3, 4));
        CHECK(Content::of("abc").with_flipped_bit(1).all() == "acc");
        CHECK(Content::of("abc").with_flipped_bit(3).all() == "abc");
    }

    TEST_CASE("discarded bytes are counted and read back as zeros") {
        ContentWriter writer(4);
        writer.append("abcdef");
        CHECK(writer.finish().all() == std::string("abcd\0\0", 6));
    }
}

TEST_SUITE("lab/http") {
    TEST_CASE("a request head is read as it stands") {
        const auto parsed = parse_head("PUT /b//a%20b?x= HTTP/1.1\r\nHost: h\r\nX-A:  1 \r\nx-a: 2\r\n\r\n");
        const Head& head = std::get<Head>(parsed);
        CHECK(head.target == "/b//a%20b?x=");
        CHECK(head.headers == Fields{{"Host", "h"}, {"X-A", "1"}, {"x-a", "2"}});
    }

    TEST_CASE("a broken request head is refused") {
        for (const std::string_view text :
             {"GET /\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET x HTTP/1.1\r\n\r\n",
              "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", "GET / HTTP/1.1\r\nHost a\r\n\r\n",
              "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"}) {
            CAPTURE(text);
            CHECK(std::holds_alternative<std::string>(parse_head(text)));
        }
    }

    TEST_CASE("dates go both ways") {
        CHECK(http_date(1445412480) == "Wed, 21 Oct 2015 07:28:00 GMT");
        CHECK(parse_http_date("Wed, 21 Oct 2015 07:28:00 GMT") == 1445412480);
        CHECK(amz_date(1445412480) == "20151021T072800Z");
        CHECK(parse_amz_date("20151021T072800Z") == 1445412480);
        CHECK(iso_date(1445412480123) == "2015-10-21T07:28:00.123Z");
        CHECK_FALSE(parse_amz_date("20151321T072800Z"));
        CHECK_FALSE(parse_http_date("Wed, 21 Okt 2015 07:28:00 GMT"));
    }
}

TEST_SUITE("lab/ranges") {
    TEST_CASE("a byte range is cut to the object, or is none") {
        struct Row {
            std::string_view text;
            uint64_t size;
            std::optional<Range> range;
        };
        for (const Row row :
             {Row{"bytes=0-9", 100, Range{0, 10, false}}, Row{"bytes=90-199", 100, Range{90, 10, false}},
              Row{"bytes=5-", 100, Range{5, 95, false}}, Row{"bytes=-7", 100, Range{93, 7, false}},
              Row{"bytes=-700", 100, Range{0, 100, false}}, Row{"bytes=100-", 100, Range{0, 0, true}},
              Row{"bytes=0-0", 0, Range{0, 0, true}}, Row{"bytes=-0", 100, Range{100, 0, true}},
              Row{"bytes=9-5", 100, std::nullopt}, Row{"bytes=a-b", 100, std::nullopt},
              Row{"bytes=0-1,3-4", 100, std::nullopt}, Row{"lines=0-1", 100, std::nullopt}}) {
            CAPTURE(row.text);
            const auto range = parse_range(row.text, row.size);
            REQUIRE(range.has_value() == row.range.has_value());
            if (!range) continue;
            CHECK(range->offset == row.range->offset);
            CHECK(range->length == row.range->length);
            CHECK(range->unsatisfiable == row.range->unsatisfiable);
        }
    }
}

TEST_SUITE("lab/xml") {
    TEST_CASE("elements, entities and namespaces are read") {
        const auto root =
            parse_xml("<?xml version=\"1.0\"?>\n<s3:A xmlns:s3='x'><B>a&amp;b&#xe9;</B><B/><C><D>1</D></C></s3:A>\n");
        REQUIRE(root);
        CHECK(root->name == "A");
        CHECK(root->text_of("B") == "a&b\xc3\xa9");
        CHECK(root->children_named("B").size() == 2);
        CHECK(root->children_named("C").front()->text_of("D") == "1");
    }

    TEST_CASE("what is not well formed is refused") {
        for (const std::string_view text : {"", "<a>", "<a></b>", "<a>&x;</a>", "<a/><b/>", "<!DOCTYPE a><a/>", "text",
                                            "<a><a><a><a><a><a><a><a><a><a/></a></a></a></a></a></a></a></a></a>"}) {
            CAPTURE(text);
            CHECK_FALSE(parse_xml(text));
        }
    }
}

}  // namespace s3tug::lab
