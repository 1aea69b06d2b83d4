#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/hash.h"
#include "support/big_world.h"

/// A file that is written to while it is sent, and what --source-changed makes of it.
namespace s3tug::sim {
namespace {

using engine::SourceChanged;

constexpr std::size_t single = 90, in_parts = 1050;  // of parts of 100

engine::Transfer put_with(SourceChanged policy) {
    engine::Transfer item = put_of("/f", "k");
    item.source_changed = policy;
    return item;
}

std::vector<std::string> warnings(const World& world) {
    std::vector<std::string> out;
    for (const port::TraceEvent& event : world.observer.events) {
        if (event.kind == port::EventKind::warning) out.push_back(event.why);
    }
    return out;
}

/// One byte is overwritten after the request that carries it was hashed and before it is sent.
struct OverwrittenWorld : BigWorld {
    explicit OverwrittenWorld(std::size_t size, std::size_t times = 1, bool mtime_tells = true) : BigWorld(size) {
        network.weather = [this, times, mtime_tells](std::size_t, const SeenRequest& seen) {
            const bool last_part = query_value(seen.request.url, "partNumber") == "11";
            if ((seen.op == wire::Op::put_object || last_part) && done_++ < times) {
                SimFiles::File& file = files.files.at("/f");
                file.bytes.back() = static_cast<char>(file.bytes.back() + 1);
                if (mtime_tells) ++file.version;
            }
            return Fate{};
        };
    }

  private:
    std::size_t done_ = 0;
};

}  // namespace

TEST_SUITE("engine/source changed") {
    TEST_CASE("a file that grows is sent up to its first size: warn says so once, snapshot is silent") {
        for (const std::size_t size : {single, in_parts}) {
            for (const SourceChanged policy : {SourceChanged::warn, SourceChanged::snapshot}) {
                CAPTURE(size);
                BigWorld world(size);
                world.network.weather = [&](std::size_t n, const SeenRequest&) {
                    if (n == 1) world.files.files.at("/f") = {text_of(size) + "appended", 2};
                    return Fate{};
                };
                CHECK(world.run(put_with(policy)).ok());
                CHECK(world.stored() == text_of(size));
                const std::vector<std::string> told = warnings(world);
                REQUIRE(told.size() == (policy == SourceChanged::warn ? 1 : 0));
                if (told.empty()) continue;
                CHECK(told[0].find("/f changed while it was read") != std::string::npos);
                CHECK(told[0].find("first " + std::to_string(size) + " bytes") != std::string::npos);
            }
        }
    }

    TEST_CASE("nothing is warned of where nothing changed") {
        for (const std::size_t size : {single, in_parts}) {
            BigWorld world(size);
            CHECK(world.run(put_with(SourceChanged::warn)).ok());
            CHECK(warnings(world).empty());
        }
    }

    TEST_CASE("a file that is overwritten in place is a changed source, also when its times do not tell") {
        for (const std::size_t size : {single, in_parts}) {
            for (const bool mtime_tells : {true, false}) {
                CAPTURE(size);
                CAPTURE(mtime_tells);
                OverwrittenWorld world(size, 1, mtime_tells);
                const engine::Outcome outcome = world.run(put_with(SourceChanged::fail));
                REQUIRE(!outcome.ok());
                CHECK(outcome.error->kind == ErrorKind::source_changed);
                CHECK(outcome.error->message.find("/f changed while it was read") != std::string::npos);
                CHECK(world.stored() == "(absent)");
                CHECK(world.store.uploads.open.empty());
            }
        }
    }

    TEST_CASE("where a change is no failure, what the file holds now is read again and sent, and warn says so") {
        for (const std::size_t size : {single, in_parts}) {
            for (const SourceChanged policy : {SourceChanged::warn, SourceChanged::snapshot}) {
                CAPTURE(size);
                OverwrittenWorld world(size);
                CHECK(world.run(put_with(policy)).ok());
                CHECK(world.right());
                CHECK(world.stored() != text_of(size));
                CHECK(warnings(world).size() == (policy == SourceChanged::warn ? 1 : 0));
            }
        }
    }

    TEST_CASE("a file that is overwritten again and again is a changed source, never damage on the way") {
        for (const std::size_t size : {single, in_parts}) {
            CAPTURE(size);
            OverwrittenWorld world(size, 1000);
            const engine::Outcome outcome = world.run(put_with(SourceChanged::snapshot));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::source_changed);
            CHECK(world.stored() == "(absent)");
            CHECK(world.network.seen.size() < 30);
        }
    }

    TEST_CASE("what was promised of the content, or is the only proof, stands against sending other bytes") {
        enum class Bound { digest, key, no_token };
        for (const std::size_t size : {single, in_parts}) {
            for (const Bound bound : {Bound::digest, Bound::key, Bound::no_token}) {
                if (bound == Bound::no_token && size == in_parts) continue;
                CAPTURE(size);
                OverwrittenWorld world(size);
                engine::Transfer item = put_with(SourceChanged::snapshot);
                if (bound == Bound::digest) item.expect_sha256 = to_hex(sha256(as_bytes(text_of(size))));
                if (bound == Bound::key) item.idempotency_key = "K";
                if (bound == Bound::no_token) world.config.write_token = engine::TokenMode::off;
                const engine::Outcome outcome = world.run(item);
                REQUIRE(!outcome.ok());
                CHECK(outcome.error->kind == ErrorKind::source_changed);
                CHECK(world.stored() == "(absent)");
            }
        }
    }

    TEST_CASE("a store that takes what was not hashed, and says so: the source changed, whatever its policy mends") {
        for (const std::size_t size : {single, in_parts}) {
            for (const SourceChanged policy : {SourceChanged::fail, SourceChanged::warn}) {
                CAPTURE(size);
                OverwrittenWorld world(size);
                world.store.checks_checksums = false;
                const engine::Outcome outcome = world.run(put_with(policy));
                CHECK(outcome.ok() == (policy == SourceChanged::warn));
                if (outcome.ok()) CHECK(world.right());
                if (!outcome.ok()) CHECK(outcome.error->kind == ErrorKind::source_changed);
            }
        }
    }
}

}  // namespace s3tug::sim
