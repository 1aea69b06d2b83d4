// Values of answer headers: dates, ranges, ETags, checksums, hints. The whole input is tried as each of them.
#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "fuzz/fuzz.h"
#include "policy/answer_facts.h"
#include "wire/content_range.h"
#include "wire/etag.h"
#include "wire/http_date.h"
#include "wire/iso_time.h"
#include "wire/object_headers.h"

namespace s3tug::fuzz {
namespace {

void check_times(std::string_view text) {
    for (const auto& read : {wire::parse_http_date(text), wire::parse_iso_time(text)}) {
        if (!read) continue;
        const std::string printed = format_utc(*read);
        const auto again = wire::parse_iso_time(printed);
        require(again && to_ms(again->time_since_epoch()) == to_ms(read->time_since_epoch()),
                "a time that was read is printed and read again", printed);
    }
}

void check_ranges(std::string_view text) {
    if (const auto range = wire::parse_content_range(text)) {
        require(range->first <= range->last, "first <= last", text);
        require(!range->total || range->last < *range->total, "last < total", text);
        const std::string total = range->total ? fmt::format("{}", *range->total) : "*";
        const auto again = wire::parse_content_range(fmt::format("bytes {}-{}/{}", range->first, range->last, total));
        require(again && again->first == range->first && again->last == range->last && again->total == range->total,
                "a range is read as it is printed", text);
    }
    if (const auto size = wire::parse_unsatisfied_range(text)) {
        require(wire::parse_unsatisfied_range(fmt::format("bytes */{}", *size)) == size, "so is an unsatisfied one");
    }
    if (const auto number = wire::parse_decimal(text)) {
        require(wire::parse_decimal(fmt::format("{}", *number)) == number, "so is a number", text);
    }
}

void check_etag(std::string_view text) {
    const auto etag = wire::parse_etag(text);
    if (!etag) return;
    require(!etag->empty() && etag->size() <= limits::etag_max_bytes, "an ETag is bounded", *etag);
    require(etag->find_first_of("\" \r\n") == std::string::npos, "an ETag cannot break a header", *etag);
    // What looks like a weak prefix inside quotes stays part of the ETag, so only those without are read again.
    if (etag->starts_with("W/")) return;
    const auto again = wire::parse_etag(wire::quote_etag(*etag));
    require(again && *again == *etag, "an ETag survives its quotes", *etag);
}

void check_headers(const wire::HttpAnswer& answer) {
    if (const auto hint = policy::server_hint(answer.headers)) {
        require(hint->value >= Duration::zero() && hint->value <= limits::deadline_max, "a hint is bounded");
    }
    (void)policy::clock_difference(answer.headers, answer.body, wall_from_unix_seconds(1'790'000'000));
    const wire::ObjectFacts facts = wire::parse_object_facts(answer);
    for (const wire::Header& line : facts.metadata) {
        require(shows_safely(line.value), "metadata can be sent again", line.value);
    }
    require(shows_safely(facts.etag) && shows_safely(facts.content_type), "facts have no control characters");
    if (const auto md5 = wire::etag_as_md5(facts)) require(md5->size() == 32, "an MD5 has 32 digits", *md5);
}

/// The text as the value of every header that is read.
wire::HttpAnswer with_value(std::string_view value) {
    wire::HttpAnswer answer;
    answer.status = 206;
    for (const char* name :
         {"date", "last-modified", "retry-after", "etag", "content-range", "content-length", "content-type",
          "x-amz-retry-after", "x-amz-checksum-crc64nvme", "x-amz-checksum-crc32", "x-amz-checksum-sha256",
          "x-amz-checksum-type", "x-amz-version-id", "x-amz-meta-a", "x-amz-meta-s3tug-write", "x-amz-delete-marker",
          "x-amz-server-side-encryption", "x-amz-bucket-region"}) {
        answer.headers.add(name, value);
    }
    return answer;
}

}  // namespace
}  // namespace s3tug::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace s3tug::fuzz;
    const std::string_view text = text_of(data, size);
    check_times(text);
    check_ranges(text);
    check_etag(text);
    check_headers(with_value(text));
    check_headers(take_answer(text));
    return 0;
}
