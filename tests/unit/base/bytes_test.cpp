#include "base/bytes.h"

#include <doctest/doctest.h>

#include "base/rng.h"

namespace s3tug {

namespace {

std::string text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string all_bytes() {
    std::string bytes;
    for (unsigned b = 0; b < 256; ++b) bytes += static_cast<char>(b);
    return bytes;
}

}  // namespace

TEST_SUITE("base/bytes") {
    TEST_CASE("hex is written in lower case and read in both") {
        CHECK(to_hex(as_bytes("")) == "");
        CHECK(to_hex(as_bytes(std::string_view("\x00\x7f\x80\xff", 4))) == "007f80ff");
        CHECK(text_of(from_hex("007f80FF").value()) == std::string("\x00\x7f\x80\xff", 4));
        CHECK(from_hex("").value().empty());
    }

    TEST_CASE("text that is not hex is refused with the position of the fault") {
        struct Row {
            std::string_view text, position;
        };
        for (const Row row :
             {Row{"0", "position 1"}, Row{"abc", "position 3"}, Row{"0g", "position 1"}, Row{"00 1", "position 2"},
              Row{"0x", "position 1"}, Row{"zz", "position 0"}, Row{"\xff\xff", "position 0"}}) {
            CAPTURE(row.text);
            const auto read = from_hex(row.text);
            REQUIRE_FALSE(read.ok());
            CHECK(read.error().kind == ErrorKind::refused);
            CHECK(read.error().message.find(row.position) != std::string::npos);
        }
    }

    TEST_CASE("base64 gives the test vectors of RFC 4648 section 10") {
        struct Row {
            std::string_view bytes, text;
        };
        for (const Row row : {Row{"", ""}, Row{"f", "Zg=="}, Row{"fo", "Zm8="}, Row{"foo", "Zm9v"},
                              Row{"foob", "Zm9vYg=="}, Row{"fooba", "Zm9vYmE="}, Row{"foobar", "Zm9vYmFy"}}) {
            CAPTURE(row.bytes);
            CHECK(to_base64(as_bytes(row.bytes)) == row.text);
            CHECK(text_of(from_base64(row.text).value()) == row.bytes);
        }
        // python3: base64.b64encode(bytes(range(256)))
        constexpr std::string_view every_byte =
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+"
            "P0BBQkNERUZHSElKS0xNTk9Q"
            "UVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+"
            "AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6Ch"
            "oqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/"
            "g4eLj5OXm5+jp6uvs7e7v8PHy"
            "8/T19vf4+fr7/P3+/w==";
        CHECK(to_base64(as_bytes(all_bytes())) == every_byte);
        CHECK(text_of(from_base64(every_byte).value()) == all_bytes());
    }

    TEST_CASE("base64 without padding, with blanks, of another alphabet or with bits left over is refused") {
        for (const std::string_view text : {"Zg", "Zg=", "Zg===", "Z===", "====", "Zm9v\n", " Zm9v", "Zm 9", "Zm-_",
                                            "Zg==Zg==", "Zm=v", "Zh==", "Zm9=", "Zm8=Zm8="}) {
            CAPTURE(text);
            const auto read = from_base64(text);
            REQUIRE_FALSE(read.ok());
            CHECK(read.error().kind == ErrorKind::refused);
        }
    }

    TEST_CASE("percent-encoding keeps only the unreserved bytes, and the slash in paths") {
        CHECK(percent_encode("AZaz09-._~", Slash::encode) == "AZaz09-._~");
        CHECK(percent_encode("a/b//c/", Slash::keep) == "a/b//c/");
        CHECK(percent_encode("a/b", Slash::encode) == "a%2Fb");
        CHECK(percent_encode(" +*!'()&=%", Slash::keep) == "%20%2B%2A%21%27%28%29%26%3D%25");
        CHECK(percent_encode("\xc3\xa9", Slash::keep) == "%C3%A9");
        unsigned kept = 0;
        for (const char c : all_bytes())
            kept += percent_encode(std::string_view(&c, 1), Slash::encode).size() == 1 ? 1 : 0;
        CHECK(kept == 26 + 26 + 10 + 4);
    }

    TEST_CASE("decoding undoes the encoding for every byte, and leaves '+' alone") {
        CHECK(percent_decode(percent_encode(all_bytes(), Slash::encode)).value() == all_bytes());
        CHECK(percent_decode(percent_encode(all_bytes(), Slash::keep)).value() == all_bytes());
        CHECK(percent_decode("a+b%2b%2B").value() == "a+b++");
    }

    TEST_CASE("a '%' without two hex digits is refused with its position") {
        for (const std::string_view text : {"ab%", "ab%1", "ab%g0", "ab%0g", "ab%%20"}) {
            CAPTURE(text);
            const auto read = percent_decode(text);
            REQUIRE_FALSE(read.ok());
            CHECK(read.error().message.find("position 2") != std::string::npos);
        }
    }

    TEST_CASE("printable text shows well-formed UTF-8 as it is and everything else as \\xNN") {
        struct Row {
            std::string_view bytes, shown;
        };
        for (const Row row : {
                 Row{"", ""},
                 Row{"plain key/1.txt \\ \"q\"", "plain key/1.txt \\ \"q\""},
                 Row{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\xa2", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\xa2"},
                 Row{"a\nb\r\t", "a\\x0ab\\x0d\\x09"},
                 Row{"\x1b[31m\x7f", "\\x1b[31m\\x7f"},
                 Row{"\xc2\x9b"
                     "31m",
                     "\\xc2\\x9b31m"},                             // C1 control
                 Row{"\xe2\x80\xae", "\\xe2\\x80\\xae"},           // right-to-left override
                 Row{"\xe2\x80\xa8", "\\xe2\\x80\\xa8"},           // line separator
                 Row{"\xff\xfe", "\\xff\\xfe"},                    // never in UTF-8
                 Row{"\x80z", "\\x80z"},                           // continuation alone
                 Row{"\xc0\xaf", "\\xc0\\xaf"},                    // overlong '/'
                 Row{"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},           // overlong '/'
                 Row{"\xf0\x82\x82\xac", "\\xf0\\x82\\x82\\xac"},  // overlong euro sign
                 Row{"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // surrogate
                 Row{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // above U+10FFFF
                 Row{"\xf4\x8f\xbf\xbd", "\xf4\x8f\xbf\xbd"},      // U+10FFFD
                 Row{"\xe2\x82", "\\xe2\\x82"},                    // cut
                 Row{"\xe2(\xa1", "\\xe2(\\xa1"},                  // broken in the middle
                 Row{std::string_view("\0x", 2), "\\x00x"},
             }) {
            CAPTURE(row.shown);
            CHECK(printable(row.bytes) == row.shown);
        }
    }

    TEST_CASE("printable text is cut at the limit, never inside a character") {
        CHECK(printable("abcdef", 6) == "abcdef");
        CHECK(printable("abcdef", 5) == "abcde...");
        CHECK(printable("abcdef", 0) == "...");
        CHECK(printable("", 0) == "");
        CHECK(printable("ab\xe2\x82\xac"
                        "d",
                        4) == "ab...");
        CHECK(printable(std::string(2000, 'k')) == std::string(1024, 'k') + "...");
    }

    TEST_CASE("printable text of random bytes never holds a control byte") {
        Rng rng(7);
        for (int round = 0; round < 2000; ++round) {
            std::string bytes(rng.up_to(20), '\0');
            for (char& c : bytes) c = static_cast<char>(rng.next() & 0xFF);
            const std::string shown = printable(bytes);
            for (const char c : shown) CHECK((static_cast<uint8_t>(c) >= 0x20 && c != 0x7F));
            CHECK(printable(shown) == shown);  // so what is shown is well-formed UTF-8
        }
    }
}

}  // namespace s3tug
