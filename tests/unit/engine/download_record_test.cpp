#include "engine/download_record.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "base/limits.h"

namespace s3tug::engine {
namespace {

DownloadRecord sample() {
    DownloadRecord record{.endpoint = "https://store.test:443",
                          .pin = {"abc\"\n", "", 1000},
                          .answered_version = "v1",
                          .last_modified = wall_from_unix_seconds(1'700'000'000),
                          .proof = {Checksum{ChecksumAlgorithm::crc32c, "AAAAAA=="}, ""},
                          .parts = PartTable(1000, 64, ChecksumAlgorithm::crc32c)};
    record.parts.recall(0, 64, 0xffffffffU);
    record.parts.recall(3, 10, 7);
    record.parts.recall(15, 40, 1);
    return record;
}

}  // namespace

TEST_SUITE("engine/download_record") {
    TEST_CASE("parts cover the object, and grow so that a record can hold them") {
        struct Row {
            uint64_t size;
            uint64_t wished;
            uint64_t part_bytes;
            std::size_t count;
            uint64_t last;
        };
        const Row rows[] = {
            {1, 16, 16, 1, 1},
            {16, 16, 16, 1, 16},
            {17, 16, 16, 2, 1},
            {4096 * 16, 16, 16, 4096, 16},
            {4096 * 16 + 1, 16, 17, 3856, 2},
            {limits::object_max_bytes, 16U << 20, 13'107'200'000, 4096, 13'107'200'000},
        };
        for (const Row& row : rows) {
            CAPTURE(row.size);
            const PartTable table(row.size, row.wished, ChecksumAlgorithm::crc64nvme);
            CHECK(table.part_bytes() == row.part_bytes);
            CHECK(table.count() == row.count);
            CHECK(table.bytes(table.count() - 1) == row.last);
        }
    }

    TEST_CASE("a part is had by one, and the CRC of the whole comes from parts that came in any order") {
        const std::string text = "123456789";
        // CRC of "123456789": the check values of the catalogue of parametrised CRC algorithms (reveng).
        const std::pair<ChecksumAlgorithm, const char*> rows[] = {
            {ChecksumAlgorithm::crc32, "cbf43926"},
            {ChecksumAlgorithm::crc32c, "e3069283"},
            {ChecksumAlgorithm::crc64nvme, "ae8b14860a799888"},
        };
        for (const auto& [algorithm, check] : rows) {
            PartTable table(text.size(), 4, algorithm);
            CHECK(table.claim() == 0);
            CHECK(table.claim() == 1);
            CHECK_FALSE(table.claim(1));
            CHECK(table.claim() == 2);
            CHECK_FALSE(table.claim().has_value());
            for (const std::size_t index : {std::size_t{2}, std::size_t{0}, std::size_t{1}}) {
                for (uint64_t i = table.first(index); table.missing(index) > 0; ++i)
                    table.add(index, as_bytes(std::string_view(text).substr(static_cast<std::size_t>(i), 1)));
            }
            CHECK(table.all_done());
            CHECK(to_hex(*from_base64(table.whole().base64)) == check);
        }
    }

    TEST_CASE("what a record says is unproven until the disk was hashed") {
        PartTable table(30, 10, ChecksumAlgorithm::crc32);
        table.recall(0, 10, 1);
        table.recall(1, 4, 2);
        CHECK(table.claim() == 2);
        CHECK_FALSE(table.claim().has_value());
        CHECK(table.unproven() == 0);
        table.judge(0, true);
        CHECK(table.part(0).state == PartTable::State::done);
        CHECK(table.unproven() == 1);
        table.judge(1, true);
        CHECK_FALSE(table.unproven().has_value());
        CHECK(table.claim() == 1);
        CHECK(table.missing(1) == 6);
        table.doubt();
        CHECK(table.unproven() == 0);
        table.judge(0, false);
        CHECK(table.part(0).reached == 0);
        CHECK(table.claim() == 0);
    }

    TEST_CASE("a record comes back as it was written") {
        const DownloadRecord record = sample();
        const std::string text = encode(record);
        const auto back = decode_download(text);
        REQUIRE(back.has_value());
        CHECK(encode(*back) == text);
        CHECK(back->endpoint == record.endpoint);
        CHECK(back->pin.etag == record.pin.etag);
        CHECK(back->pin.size == 1000);
        CHECK(back->answered_version == "v1");
        CHECK(back->last_modified == record.last_modified);
        CHECK(back->proof == record.proof);
        CHECK(back->parts.received() == 114);
        CHECK(back->parts.part(3).crc == 7);
        CHECK(back->parts.unproven() == 0);
    }

    TEST_CASE("a checksum of parts comes back with their number, and one that names none is no record") {
        DownloadRecord record = sample();
        record.proof = {};
        record.proof.composite =
            wire::StoredChecksum{{ChecksumAlgorithm::sha1, "abc="}, wire::ChecksumScope::composite, 10'000};
        const std::string text = encode(record);
        const auto back = decode_download(text);
        REQUIRE(back.has_value());
        CHECK(back->proof == record.proof);
        for (const char* parts : {"0", "10001", "-1", "x", ""}) {
            CAPTURE(parts);
            std::string broken = text;
            const std::string line = "composite_parts=10000";
            REQUIRE(broken.find(line) != std::string::npos);
            broken.replace(broken.find(line), line.size(), "composite_parts=" + std::string(parts));
            CHECK_FALSE(decode_download(broken).has_value());
        }
    }

    TEST_CASE("the record of the largest download fits into the state file") {
        DownloadRecord record = sample();
        record.parts = PartTable(limits::object_max_bytes, 1, ChecksumAlgorithm::crc64nvme);
        const std::size_t count = record.parts.count();
        for (std::size_t i = 0; i < count; ++i) {
            const bool partial = i % 8 == 0;
            record.parts.recall(i, record.parts.bytes(i) - (partial ? 1 : 0), ~0ULL);
        }
        const std::string text = encode(record);
        CHECK(text.size() <= limits::state_value_max_bytes);
        CHECK(decode_download(text).has_value());
    }

    TEST_CASE("corrupt records and those that contradict themselves are none") {
        const std::string good = encode(sample());
        const auto with = [&](std::string_view name, std::string_view value) {
            std::string text;
            for (std::size_t at = 0; at < good.size();) {
                const std::size_t end = std::min(good.find('\n', at), good.size());
                const std::string line = good.substr(at, end - at);
                text += line.starts_with(std::string(name) + "=") ? std::string(name) + "=" + std::string(value) : line;
                text += '\n';
                at = end + 1;
            }
            return text;
        };
        REQUIRE(decode_download(with("endpoint", "x")).has_value());
        for (const auto& broken : std::initializer_list<std::pair<const char*, const char*>>{
                 {"size", "0"},          {"size", "-5"},        {"size", "100000"},
                 {"size", "x"},          {"part_bytes", "0"},   {"part_bytes", "1000"},
                 {"crc", "sha256"},      {"crc", ""},           {"done", ""},
                 {"done", "AAA="},       {"done", "%"},         {"crcs", ""},
                 {"crcs", "AAAA"},       {"etag", ""},          {"partial", "3"},
                 {"partial", "3 64 1"},  {"partial", "16 1 1"}, {"partial", "0 1 1"},
                 {"partial", "3 1 1 1"}, {"partial", "3 0 0"},  {"checksum_name", "crc99"}}) {
            CAPTURE(broken.first);
            CAPTURE(broken.second);
            CHECK_FALSE(decode_download(with(broken.first, broken.second)).has_value());
        }
        // Parts of a size that a table of this object cannot have: their checksums would be of other bytes.
        DownloadRecord grown = sample();
        grown.parts = PartTable(1'000'000, 1, ChecksumAlgorithm::crc32c);
        std::string text = encode(grown);
        REQUIRE(decode_download(text).has_value());
        text.replace(text.find("part_bytes=245\n"), 14, "part_bytes=1");
        CHECK_FALSE(decode_download(text).has_value());
        CHECK_FALSE(decode_download("").has_value());
        CHECK_FALSE(decode_download("garbage").has_value());
    }

    TEST_CASE("a record serves the same endpoint, size and condition only") {
        const DownloadRecord record = sample();
        Transfer transfer;
        CHECK(serves(record, transfer, record.endpoint));
        CHECK_FALSE(serves(record, transfer, "https://other.test:443"));
        transfer.expect_size = 999;
        CHECK_FALSE(serves(record, transfer, record.endpoint));
        transfer.expect_size = 1000;
        transfer.conditions.if_match = "other";
        CHECK_FALSE(serves(record, transfer, record.endpoint));
        transfer.conditions.if_match = record.pin.etag;
        CHECK(serves(record, transfer, record.endpoint));
    }

    TEST_CASE("a record pinned to a version for want of an ETag serves only who asks for that version") {
        DownloadRecord record = sample();
        record.pin.etag.clear();
        record.pin.version_id = "v1";
        Transfer transfer;
        CHECK_FALSE(serves(record, transfer, record.endpoint));
        transfer.version_id = "v1";
        CHECK(serves(record, transfer, record.endpoint));
        record.pin.etag = "abc";
        CHECK(serves(record, transfer, record.endpoint));
    }

    TEST_CASE("keys tell target, source and version apart") {
        Transfer transfer;
        transfer.source = {"b", "k"};
        const std::string key = download_key("/out", transfer);
        CHECK(key == "/out s3://b/k");
        transfer.version_id = "7";
        CHECK(download_key("/out", transfer) != key);
    }
}

}  // namespace s3tug::engine
