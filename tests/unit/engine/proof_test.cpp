#include "engine/proof.h"

#include <doctest/doctest.h>

#include "engine/download.h"
#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

using engine::Download;
using engine::Proof;
using wire::ChecksumScope;

const std::string md5_of_abc = "900150983cd24fb0d6963f7d28e17f72";

wire::StoredChecksum stored(ChecksumAlgorithm algorithm, ChecksumScope scope) {
    return {{algorithm, "value"}, scope, 0};
}

TEST_SUITE("proof of a download") {
    TEST_CASE("a checksum proves the bytes only when it is one of the full object, a cheap one first, then the MD5") {
        wire::ObjectFacts facts;
        facts.etag = md5_of_abc;
        CHECK(engine::proof_of(facts) == Proof{std::nullopt, md5_of_abc});

        facts.checksums = {stored(ChecksumAlgorithm::crc32, ChecksumScope::composite),
                           stored(ChecksumAlgorithm::sha256, ChecksumScope::composite)};
        CHECK(engine::proof_of(facts) == Proof{std::nullopt, md5_of_abc});

        facts.checksums.push_back(stored(ChecksumAlgorithm::sha256, ChecksumScope::full_object));
        facts.checksums.push_back(stored(ChecksumAlgorithm::crc32c, ChecksumScope::full_object));
        CHECK(engine::proof_of(facts) == Proof{Checksum{ChecksumAlgorithm::crc32c, "value"}, ""});

        facts.checksums.clear();
        facts.etag = md5_of_abc + "-2";
        CHECK(engine::proof_of(facts) == Proof{});
    }

    TEST_CASE("where there is nothing else, a checksum of parts proves the bytes if it tells how many parts") {
        wire::ObjectFacts facts;
        facts.etag = md5_of_abc + "-2";
        facts.checksums = {stored(ChecksumAlgorithm::crc32c, ChecksumScope::composite)};
        CHECK(engine::proof_of(facts) == Proof{});
        for (const ChecksumAlgorithm algorithm : {ChecksumAlgorithm::sha256, ChecksumAlgorithm::sha1})
            facts.checksums.push_back({{algorithm, "value"}, ChecksumScope::composite, 2});
        CHECK(engine::proof_of(facts) == Proof{std::nullopt, "", facts.checksums[1]});
    }

    TEST_CASE("bytes that are fewer than the head told are no object, also where nothing else proves them") {
        SimFiles files;
        const auto target = files.open_target("/out", {}).value();
        Download download(*target, {});
        wire::HttpAnswer head;
        head.status = 200;
        head.headers.add("etag", "\"no-digest\"");
        head.headers.add("content-length", "10");
        REQUIRE(download.begin(head));
        const std::string bytes = "0123456789";
        REQUIRE(download.write(as_bytes(bytes).first(9)).ok());
        CHECK(download.mismatch() == "got 9 of 10 bytes");
        REQUIRE(download.write(as_bytes(bytes).subspan(9)).ok());
        CHECK(!download.mismatch());
    }
}

}  // namespace
}  // namespace s3tug::sim
