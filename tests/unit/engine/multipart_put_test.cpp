#include <doctest/doctest.h>

#include <set>

#include "base/bytes.h"
#include "base/checksum.h"
#include "support/big_world.h"

namespace s3tug::sim {
namespace {

/// The fate of the n-th request (from 1) of one operation.
void weather_on(World& world, wire::Op op, std::vector<Fate> fates) {
    world.network.weather = [op, fates = std::move(fates), n = std::size_t{0}](std::size_t,
                                                                               const SeenRequest& seen) mutable {
        if (seen.op != op || n >= fates.size()) return Fate{};
        return fates[n++];
    };
}

Fate error_in_200(const std::string& code) {
    Fate out = status(200, code);
    return out;
}

}  // namespace

TEST_SUITE("engine/multipart_put") {
    TEST_CASE("a file above the threshold goes up in parts, and the whole is verified by the combined checksum") {
        BigWorld world;
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        CHECK(outcome.ok());
        CHECK(world.right());
        CHECK(world.network.count(wire::Op::upload_part) == 11);
        CHECK(world.network.seen.size() == 13);
        CHECK(outcome.attempts == 13);
        CHECK(outcome.size == 1050);
        CHECK(outcome.etag.ends_with("-11"));
        CHECK(outcome.checksum == "crc64nvme:" + world.store.objects.at("b/k").crc64);
        CHECK(world.store.uploads.open.empty());
        CHECK(world.rows() == 0);
    }

    TEST_CASE("a file of the threshold is one request, one byte more is two parts") {
        BigWorld world(part_bytes);
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.seen.size() == 1);
        world.files.files["/f"].bytes += "x";
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.network.count(wire::Op::upload_part) == 2);
    }

    TEST_CASE("parts go side by side, four at first, and not more than the bound of one item") {
        for (const unsigned bound : {3U, 16U}) {
            CAPTURE(bound);
            BigWorld world(4050);
            world.config.multipart.parts_in_flight = bound;
            CHECK(world.run(put_of("/f", "k")).ok());
            std::map<Instant, std::size_t> at;
            for (const SeenRequest& seen : world.network.seen) {
                if (seen.op == wire::Op::upload_part) ++at[seen.at];
            }
            CHECK(at.begin()->second == std::min(bound, 4U));
            std::size_t most = 0;
            for (const auto& [when, count] : at) most = std::max(most, count);
            CHECK(most <= bound);
        }
    }

    TEST_CASE("a part that waits for a retry leaves its place to the next one") {
        BigWorld world;
        world.config.multipart.parts_in_flight = 6;  // 4 at first
        weather_on(world, wire::Op::upload_part, {{}, {}, {}, {}, status(503, "SlowDown"), status(503, "SlowDown")});
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        std::vector<Instant> parts;
        for (const SeenRequest& seen : world.network.seen) {
            if (seen.op == wire::Op::upload_part) parts.push_back(seen.at);
        }
        REQUIRE(parts.size() == 13);
        // The two come again when all others are done, four at a time as if nothing had been refused.
        CHECK(parts[10] - parts[0] <= 3 * milliseconds(5));
        CHECK(parts[11] - parts[0] >= milliseconds(250));
    }

    TEST_CASE("more bytes than parts of the wished size hold get larger parts; more than S3 holds is refused unsent") {
        BigWorld world(100'000);
        world.config.multipart.parts_max = 7;
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.network.count(wire::Op::upload_part) == 7);
        const engine::MultipartConfig aws;
        CHECK(engine::plan_parts(limits::object_max_bytes, aws).value().count() == 10'000);
        CHECK(engine::plan_parts(limits::object_max_bytes, aws).value().part_size == limits::part_max_bytes);
        CHECK(engine::plan_parts(limits::object_max_bytes + 1, aws).error().kind == ErrorKind::unsupported);
        const engine::PartPlan plan = engine::plan_parts(200ULL << 30, aws).value();
        CHECK(plan.part_size == 21ULL << 20);  // 200 GiB / 10,000 = 20.48 MiB
        CHECK(plan.size(plan.count()) == (200ULL << 30) - plan.offset(plan.count()));
    }

    TEST_CASE("ten thousand parts arrive in order") {
        BigWorld world(10'000 * 3 - 1);
        world.config.multipart.part_size = 3;
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.network.count(wire::Op::upload_part) == 10'000);
        CHECK(world.rows() == 0);
    }

    TEST_CASE("whatever the first requests of an operation meet, the object is right, once, and nothing is left") {
        const std::vector<std::pair<const char*, std::vector<Fate>>> faults = {
            {"throttled twice", {status(503, "SlowDown"), status(503, "SlowDown")}},
            {"refused connection", {fate(Fate::Kind::refuse)}},
            {"reset before", {fate(Fate::Kind::reset_before)}},
            {"reset after", {fate(Fate::Kind::reset_after)}},
            {"reset after, twice", {fate(Fate::Kind::reset_after), fate(Fate::Kind::reset_after)}},
            {"late", {fate(Fate::Kind::late)}},
            {"hang", {fate(Fate::Kind::hang)}},
            {"500", {status(500, "InternalError")}},
            {"error in a 200", {error_in_200("InternalError")}},
            {"throttle in a 200", {error_in_200("SlowDown")}},
        };
        for (const wire::Op op :
             {wire::Op::create_multipart_upload, wire::Op::upload_part, wire::Op::complete_multipart_upload}) {
            for (const auto& fault : faults) {
                const std::string name(to_string(op));
                CAPTURE(name);
                CAPTURE(fault.first);
                BigWorld world;
                weather_on(world, op, fault.second);
                const engine::Outcome outcome = world.run(put_of("/f", "k"));
                if (!outcome.ok()) MESSAGE(outcome.error->message);
                CHECK(outcome.ok());
                CHECK(world.right());
                CHECK(world.store.effects.size() == 1);
                CHECK(world.store.uploads.open.empty());
                CHECK(world.rows() == 0);
            }
        }
    }

    TEST_CASE("a Complete that lands late is recognised by the token when the repeat finds the upload gone") {
        BigWorld world;
        Fate late = fate(Fate::Kind::late);
        late.delay = milliseconds(200);
        weather_on(world, wire::Op::complete_multipart_upload, {late});
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        CHECK(outcome.ok());
        CHECK(world.right());
        CHECK(world.store.effects.size() == 1);
        CHECK(world.network.count(wire::Op::abort_multipart_upload) == 0);
    }

    TEST_CASE("a conditional Complete whose answer was lost is a success, not a failed precondition") {
        BigWorld world;
        weather_on(world, wire::Op::complete_multipart_upload, {fate(Fate::Kind::reset_after)});
        engine::Transfer item = put_of("/f", "k");
        item.conditions.if_none_match_any = true;
        CHECK(world.run(item).ok());
        CHECK(world.store.effects.size() == 1);
    }

    TEST_CASE("a part that the store lost is sent again after InvalidPart") {
        BigWorld world;
        std::size_t completes = 0;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::complete_multipart_upload && completes++ == 0) {
                world.store.uploads.open.begin()->second.parts.erase(4);
                world.store.uploads.open.begin()->second.parts.at(7).etag = std::string(32, '0');
            }
            return Fate{};
        };
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.network.count(wire::Op::upload_part) == 13);
    }

    TEST_CASE("an upload that vanishes from the store is begun again, once") {
        BigWorld world;
        std::size_t parts = 0;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::upload_part && ++parts == 5) world.store.uploads.open.clear();
            return Fate{};
        };
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.network.count(wire::Op::create_multipart_upload) == 2);
        CHECK(world.store.uploads.open.empty());
    }

    TEST_CASE("what makes going on pointless ends with its kind and an upload that is gone") {
        struct Row {
            const char* what;
            wire::Op op;
            Fate fate;
            ErrorKind kind;
        };
        for (const Row& row : {
                 Row{"part denied", wire::Op::upload_part, status(403, "AccessDenied"), ErrorKind::access_denied},
                 Row{"part too small", wire::Op::complete_multipart_upload, status(400, "EntityTooSmall"),
                     ErrorKind::refused},
                 Row{"quota", wire::Op::upload_part, status(403, "QuotaExceeded"), ErrorKind::quota},
                 Row{"create denied", wire::Op::create_multipart_upload, status(403, "AccessDenied"),
                     ErrorKind::access_denied},
             }) {
            CAPTURE(row.what);
            BigWorld world;
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                return seen.op == row.op ? row.fate : Fate{};
            };
            const engine::Outcome outcome = world.run(put_of("/f", "k"));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == row.kind);
            CHECK(outcome.code == row.fate.answer.body.substr(13, row.fate.answer.body.find("</Code>") - 13));
            CHECK(world.store.uploads.open.empty());
            CHECK(world.stored() == "(absent)");
            CHECK(world.rows() == 0);
        }
    }

    TEST_CASE("somebody else's object under --no-overwrite is a failed precondition, and the upload is aborted") {
        BigWorld world;
        world.store.objects["b/k"].bytes = "theirs";
        engine::Transfer item = put_of("/f", "k");
        item.conditions.if_none_match_any = true;
        const engine::Outcome outcome = world.run(item);
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::precondition);
        CHECK(world.stored() == "theirs");
        CHECK(world.store.uploads.open.empty());
    }

    TEST_CASE("where Complete may ignore the condition, what stands there is looked at before it is sent") {
        for (const bool taken : {true, false}) {
            CAPTURE(taken);
            BigWorld world;
            world.store.honours_conditions = false;
            if (taken) world.store.objects["b/k"].bytes = "theirs";
            engine::Transfer item = put_of("/f", "k");
            item.conditions.if_none_match_any = true;
            const engine::Outcome outcome = world.run(item);
            CHECK(outcome.ok() == !taken);
            CHECK(world.network.count(wire::Op::complete_multipart_upload) == (taken ? 0 : 1));
            if (taken) CHECK(world.stored() == "theirs");
            CHECK(world.store.uploads.open.empty());
        }
    }

    TEST_CASE("an object of somebody else's that comes just before Complete keeps its place under a condition") {
        for (const bool if_new : {true, false}) {
            CAPTURE(if_new);
            BigWorld world;
            if (!if_new) world.store.objects["b/k"] = {.bytes = "old", .etag = "old"};
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                if (seen.op == wire::Op::complete_multipart_upload)
                    world.store.objects["b/k"] = {.bytes = "theirs", .etag = "new"};
                return Fate{};
            };
            engine::Transfer item = put_of("/f", "k");
            item.conditions.if_none_match_any = if_new;
            if (!if_new) item.conditions.if_match = "old";
            const engine::Outcome outcome = world.run(item);
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::precondition);
            CHECK(world.stored() == "theirs");
            CHECK(world.store.uploads.open.empty());
        }
    }

    TEST_CASE("a source that changes under way fails with source_changed, without an object and without an upload") {
        BigWorld world;
        world.files.on_read = [&](const std::string& path, uint64_t offset) {
            if (offset == 500) ++world.files.files[path].version;
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::source_changed);
        CHECK(world.stored() == "(absent)");
        CHECK(world.store.uploads.open.empty());
    }

    TEST_CASE("an Abort that parts in flight survive is repeated until ListParts says that the upload is gone") {
        BigWorld world;
        std::size_t aborts = 0;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::complete_multipart_upload) return status(400, "EntityTooSmall");
            if (seen.op == wire::Op::abort_multipart_upload && ++aborts == 1) {
                Fate pretends = status(204, "");
                pretends.answer.body.clear();
                return pretends;
            }
            return Fate{};
        };
        CHECK(!world.run(put_of("/f", "k")).ok());
        CHECK(aborts == 2);
        CHECK(world.store.uploads.open.empty());
    }

    TEST_CASE("a store that refuses checksums gets the parts without, verified by their ETags") {
        BigWorld world;
        world.store.refuses_checksums = true;
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        CHECK(outcome.ok());
        CHECK(world.right());
        CHECK(outcome.checksum == "md5:" + outcome.etag);
        CHECK(world.network.count(wire::Op::create_multipart_upload) == 2);
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.count(wire::Op::create_multipart_upload) == 3);
    }

    TEST_CASE("a part that the store confirms with the checksum or the MD5 of other bytes is sent again") {
        for (const bool by_checksum : {true, false}) {
            CAPTURE(by_checksum);
            BigWorld world;
            world.store.echoes_checksums = by_checksum;
            Fate other = status(200, "");
            other.answer.body.clear();
            other.answer.headers.add("etag", by_checksum ? "\"opaque\"" : "\"900150983cd24fb0d6963f7d28e17f72\"");
            if (by_checksum) other.answer.headers.add("x-amz-checksum-crc64nvme", "AAAAAAAAAAA=");
            weather_on(world, wire::Op::upload_part, {other});
            CHECK(world.run(put_of("/f", "k")).ok());
            CHECK(world.right());
            CHECK(world.network.count(wire::Op::upload_part) == 12);
            CHECK(world.network.count(wire::Op::complete_multipart_upload) == 1);
            CHECK(world.network.count(wire::Op::list_parts) == 0);
        }
    }

    TEST_CASE("a store that misreads the checksum of the whole completes without it, and its own is compared") {
        BigWorld world;
        world.store.misreads_complete_checksum = true;
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        CHECK(outcome.ok());
        CHECK(world.right());
        CHECK(outcome.checksum == "crc64nvme:" + world.store.objects.at("b/k").crc64);
        CHECK(world.network.count(wire::Op::complete_multipart_upload) == 2);

        engine::Transfer item = put_of("/f", "k");  // also where the user chose it: each part was checked by it
        item.checksum_by_user = true;
        const engine::Outcome chosen = world.run(item);
        REQUIRE_MESSAGE(chosen.ok(), (chosen.ok() ? "" : chosen.error->message));
        CHECK(chosen.checksum == outcome.checksum);
    }

    TEST_CASE("a store that keeps a CRC of the parts' CRCs, whatever was asked, is held to that one") {
        for (const bool right : {true, false}) {
            CAPTURE(right);
            BigWorld world;
            engine::Transfer item = put_of("/f", "k");
            item.checksum = ChecksumAlgorithm::crc32;
            std::string bytes = world.files.files["/f"].bytes;
            if (!right) bytes[500] ^= 1;
            Checksummer all(ChecksumAlgorithm::crc32);
            for (std::size_t at = 0; at < 1050; at += part_bytes) {
                Checksummer one(ChecksumAlgorithm::crc32);
                one.update(as_bytes(bytes.substr(at, part_bytes)));
                all.update(from_base64(one.finish().base64).value());
            }
            const std::string sum = all.finish().base64 + "-11";
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                if (seen.op != wire::Op::complete_multipart_upload) return Fate{};
                Fate out = status(200, "");
                out.answer.body = "<CompleteMultipartUploadResult><ETag>&quot;random-11&quot;</ETag><ChecksumCRC32>" +
                                  sum +
                                  "</ChecksumCRC32><ChecksumType>COMPOSITE</ChecksumType>"
                                  "</CompleteMultipartUploadResult>";
                return out;
            };
            const engine::Outcome outcome = world.run(item);
            REQUIRE(outcome.ok() == right);
            if (right) CHECK(outcome.checksum == "crc32:" + sum);
            if (!right) CHECK(outcome.error->kind == ErrorKind::integrity);
        }
    }

    TEST_CASE("hashes are kept as a checksum of the parts' checksums") {
        BigWorld world;
        engine::Transfer item = put_of("/f", "k");
        item.checksum = ChecksumAlgorithm::sha256;
        CHECK(world.run(item).ok());
        const wire::SignedRequest& complete = world.network.seen.back().request;
        Checksummer all(ChecksumAlgorithm::sha256);
        for (std::size_t at = 0; at < 1050; at += part_bytes) {
            Checksummer one(ChecksumAlgorithm::sha256);
            one.update(as_bytes(world.files.files["/f"].bytes.substr(at, part_bytes)));
            all.update(from_base64(one.finish().base64).value());
        }
        CHECK(complete.headers.find("x-amz-checksum-sha256") == all.finish().base64 + "-11");
        CHECK(complete.headers.find("x-amz-checksum-type") == "COMPOSITE");
    }

    TEST_CASE("many failing parts are one failure for the breaker") {
        BigWorld world;
        world.config.multipart.resume = false;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::upload_part ? status(503, "SlowDown") : Fate{};
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::gave_up);
        const auto breaker = world.state.list(port::Table::breaker);
        REQUIRE(breaker.size() == 1);
        CHECK(breaker[0].value.find("failures=1") != std::string::npos);
        CHECK(world.store.uploads.open.empty());
    }
}

}  // namespace s3tug::sim
