// Links the core alone: a parser over pugixml, a CRC over ISA-L, a digest over libcrypto.
#include <cstdio>

#include "base/checksum.h"
#include "base/hash.h"
#include "wire/answers.h"
#include "wire/uri.h"

int main() {
    using namespace s3tug;
    wire::HttpAnswer answer;
    answer.status = 503;
    answer.body = "<Error><Code>SlowDown</Code></Error>";
    const auto uri = wire::parse_s3_uri("s3://bucket/a key");
    const bool right = uri && uri->key == "a key" && wire::parse_body(answer).error.code == "SlowDown" &&
                       crc32(0, as_bytes("123456789")) == 0xcbf43926U &&
                       to_hex(md5({})) == "d41d8cd98f00b204e9800998ecf8427e";
    std::puts(right ? "right" : "wrong");
    return right ? 0 : 1;
}
