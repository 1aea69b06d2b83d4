#include "base/hash.h"

#include <doctest/doctest.h>

#include <string>

namespace s3tug {

TEST_SUITE("base/hash") {
    TEST_CASE("digests have the published values") {
        CHECK(to_hex(sha256(as_bytes(""))) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        CHECK(to_hex(sha256(as_bytes("abc"))) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        CHECK(to_hex(md5(as_bytes(""))) == "d41d8cd98f00b204e9800998ecf8427e");
        CHECK(to_hex(md5(as_bytes("abc"))) == "900150983cd24fb0d6963f7d28e17f72");
    }

    TEST_CASE("an incremental digest does not depend on where the bytes are cut, and starts again after finish") {
        // python3: hashlib.<kind>(b'a' * 66560).hexdigest()
        struct Row {
            DigestKind kind;
            std::string_view hex, hex_of_nothing;
        };
        const std::string bytes(66560, 'a');
        for (const Row row :
             {Row{DigestKind::md5, "da0d2e17cd5a8f14633c6b4aebad7e02", "d41d8cd98f00b204e9800998ecf8427e"},
              Row{DigestKind::sha1, "a8e96fe62c5dcf68d13619522e6807ea26932912",
                  "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
              Row{DigestKind::sha256, "cd69d3887c6af9264b100d7b7602331335d9aa7e3bd7c30cdc6d6f4bfbb3c888",
                  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}}) {
            CAPTURE(row.hex);
            Digest digest(row.kind);
            for (const std::size_t cut :
                 {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{65536}, bytes.size()}) {
                digest.update(as_bytes(bytes).first(cut));
                digest.update(as_bytes(bytes).subspan(cut));
                CHECK(to_hex(digest.finish()) == row.hex);
            }
            CHECK(to_hex(digest.finish()) == row.hex_of_nothing);
        }
    }

    TEST_CASE("a digest can be moved and goes on") {
        Digest first(DigestKind::sha256);
        first.update(as_bytes("a"));
        Digest second(std::move(first));
        second.update(as_bytes("bc"));
        CHECK(to_hex(second.finish()) == to_hex(sha256(as_bytes("abc"))));
    }

    TEST_CASE("HMAC-SHA256 gives the values of RFC 4231, with keys shorter and longer than a block") {
        const auto hmac = [](std::string_view key, std::string_view message) {
            return to_hex(hmac_sha256(as_bytes(key), as_bytes(message)));
        };
        CHECK(hmac(std::string(20, '\x0b'), "Hi There") ==
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
        CHECK(hmac("Jefe", "what do ya want for nothing?") ==
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
        CHECK(hmac(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First") ==
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
        // python3: hmac.new(key, message, hashlib.sha256).hexdigest()
        CHECK(hmac("", "") == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
        CHECK(hmac(std::string(64, 'k'), "m") == "3b7a8d453e76edb519238a515105a57508d0f169f480ebeee120a9e7803289fa");
        CHECK(hmac(std::string(65, 'k'), "m") == "c2d7d4c2256ddb097409ec0c67e1d58fa1a007fc6932cac0d892a525d08af7cc");
        CHECK(hmac(std::string(200, 'k'), std::string(1000, 'x')) ==
              "a0713354b969b7a1b05f0f4705a1b6f17bfc7a7972e6d1200c731c2f647f7da5");
    }
}

}  // namespace s3tug
