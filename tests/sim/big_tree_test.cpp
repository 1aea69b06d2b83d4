#include <doctest/doctest.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>

#include "engine/batched_deletes.h"
#include "engine/composite_proof.h"
#include "engine/listed_items.h"
#include "engine/ranged_download.h"
#include "engine/tree_items.h"
#include "support/sim_world.h"

/// Listing and planning hold no more for ten million keys than for ten thousand: counted at every operator new, which
/// is all but the XML tree of the page that is being parsed. The store makes up its pages as they are asked for.
namespace {

std::size_t held = 0;
std::size_t peak = 0;

[[gnu::noinline]] void* take(std::size_t bytes) {
    void* const p = std::malloc(bytes);
    if (p == nullptr) throw std::bad_alloc();
    held += malloc_usable_size(p);
    peak = std::max(peak, held);
    return p;
}

[[gnu::noinline]] void give(void* p) noexcept {
    if (p == nullptr) return;
    held -= malloc_usable_size(p);
    std::free(p);
}

}  // namespace

void* operator new(std::size_t bytes) { return take(bytes); }
void* operator new[](std::size_t bytes) { return take(bytes); }
void operator delete(void* p) noexcept { give(p); }
void operator delete[](void* p) noexcept { give(p); }
void operator delete(void* p, std::size_t) noexcept { give(p); }
void operator delete[](void* p, std::size_t) noexcept { give(p); }

namespace s3tug::sim {

namespace {

#ifdef NDEBUG
constexpr std::size_t planned_keys = 10'000'000;
constexpr std::size_t deleted_keys = 1'000'000;
#else
constexpr std::size_t planned_keys = 200'000;
constexpr std::size_t deleted_keys = 50'000;
#endif
constexpr std::size_t page_keys = 1000;

std::string key_of(std::size_t n) {
    std::string digits = std::to_string(n);
    digits.insert(0, 9 - digits.size(), '0');
    return "tree/" + digits.substr(0, 3) + "/" + digits.substr(3, 3) + "/object-" + digits + ".bin";
}

/// The page that begins with that key; `keys` is how many there are in all.
wire::HttpAnswer page(std::size_t first, std::size_t keys) {
    wire::HttpAnswer out;
    out.status = 200;
    const std::size_t end = std::min(first + page_keys, keys);
    std::string& body = out.body;
    body.reserve(page_keys * 200);
    body = "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>";
    body += end < keys ? "true</IsTruncated><NextContinuationToken>" + std::to_string(end) + "</NextContinuationToken>"
                       : "false</IsTruncated>";
    for (std::size_t n = first; n < end; ++n) {
        body += "<Contents><Key>";
        body += key_of(n);
        body +=
            "</Key><LastModified>2026-11-30T00:00:00.000Z</LastModified>"
            "<ETag>&quot;d41d8cd98f00b204e9800998ecf8427e&quot;</ETag><Size>1</Size></Contents>";
    }
    body += "</ListBucketResult>";
    return out;
}

std::size_t first_of(const std::string& url) {
    const std::string name = "continuation-token=";
    const std::size_t at = url.find(name);
    return at == std::string::npos ? 0 : std::stoull(url.substr(at + name.size()));
}

engine::KeySelection tree() {
    engine::KeySelection out;
    out.bucket = "b";
    out.root = "tree/";
    return out;
}

/// How much more than at the beginning was held at a time while `work` ran.
template <class Work>
std::size_t peak_of(Work work) {
    const std::size_t before = held;
    peak = held;
    work();
    return peak - before;
}

std::size_t plan_all(std::size_t keys, engine::ItemSource& source) {
    std::size_t items = 0;
    while (!source.ended()) {
        while (std::optional<engine::Transfer> item = source.next()) items += item->refused ? 0 : 1;
        std::optional<engine::PlanningRequest> request = source.request();
        if (!request) continue;
        wire::Reply reply;
        reply.outcome =
            page(first_of(wire::sigv4::sign(
                              request->spec.build(),
                              wire::parse_endpoint("http://store.test", "us-east-1", wire::Addressing::path).value(),
                              nullptr, WallTime{}, *std::make_unique<wire::sigv4::KeyCache>())
                              .url),
                 keys);
        policy::Verdict verdict;
        request->spec.review(reply, verdict);
        REQUIRE(verdict.success());
        source.on_result({});
    }
    return items;
}

std::size_t delete_all(std::size_t keys, std::size_t& done) {
    World world;
    world.observer.events.clear();
    world.network.weather = [&](std::size_t, const SeenRequest& seen) {
        Fate fate;
        if (seen.op != wire::Op::list_objects_v2) return fate;
        fate.kind = Fate::Kind::answer;
        fate.answer = page(first_of(seen.request.url), keys);
        return fate;
    };
    // What the world itself remembers would grow.
    world.network.on_poll = [&world] {
        world.network.seen.clear();
        world.store.effects.clear();
        world.observer.events.clear();
    };
    return peak_of([&] {
        engine::BatchedDeletes items(std::make_unique<engine::ListedItems>(
            tree(), std::vector<wire::Header>{}, engine::delete_items(delete_of(""), tree())));
        engine::Engine engine(
            {world.clock, world.processes, world.network, world.files, world.state, world.credentials, world.observer},
            world.config, Rng(1));
        engine.run(
            items, [&done](const engine::Transfer&, const engine::Outcome& outcome) { done += outcome.ok() ? 1 : 0; },
            world.stop);
    });
}

}  // namespace

TEST_CASE("planning ten million downloads holds two pages of a listing") {
    std::size_t few = 0, many = 0;
    for (const std::size_t keys : {page_keys * 10, planned_keys}) {
        std::size_t items = 0;
        std::size_t& grown = keys == planned_keys ? many : few;
        grown = peak_of([&] {
            engine::ListedItems source(tree(), {}, engine::get_items(get_of("", ""), tree(), "/target"));
            items = plan_all(keys, source);
        });
        CHECK(items == keys);
    }
    MESSAGE("held at most ", few, " bytes for ", page_keys * 10, " keys, ", many, " for ", planned_keys);
    CHECK(many < few + few / 10);
    CHECK(many < (8U << 20));
}

TEST_CASE("a million deletes through the engine hold what a few thousand do") {
    std::size_t done = 0;
    const std::size_t few = delete_all(deleted_keys / 10, done);
    const std::size_t many = delete_all(deleted_keys, done);
    CHECK(done == deleted_keys + deleted_keys / 10);
    MESSAGE("held at most ", few, " bytes for ", deleted_keys / 10, " keys, ", many, " for ", deleted_keys);
    CHECK(many < few + few / 4);
    CHECK(many < (48U << 20));
}

TEST_CASE("downloads that have hashed their files hold no buffer for it, however many wait for something else") {
    constexpr std::size_t waiting = limits::items_begun_max;
    SimFiles files;
    const std::unique_ptr<port::TargetFile> file = files.open_target("/out", {}).value();
    REQUIRE(file->write_at(0, as_bytes(std::string_view("012345678901234567890123456789"))).ok());
    wire::ObjectFacts facts;
    facts.size = 30;
    facts.etag = "0123456789abcdef0123456789abcdef";  // an MD5, so that the whole file is hashed in order
    wire::HttpAnswer part;
    part.status = 206;
    part.headers.add("etag", "\"e-3\"");
    part.headers.add("content-length", "10");
    part.headers.add("x-amz-mp-parts-count", "3");
    part.headers.add("content-range", "bytes 0-9/30");
    std::vector<std::unique_ptr<engine::RangedDownload>> downloads;
    std::vector<std::unique_ptr<engine::CompositeProof>> proofs;
    const std::size_t before = held;
    for (std::size_t i = 0; i < waiting; ++i) {
        downloads.push_back(std::make_unique<engine::RangedDownload>(
            *file, engine::RangedDownload::plan(facts, "", 10, "e", true), engine::Download::Wish{}));
        downloads.back()->begin_proof();
        REQUIRE(downloads.back()->busy());
        while (downloads.back()->busy()) REQUIRE(downloads.back()->work().ok());
    }
    CHECK(held - before < waiting * (8U << 10));
    for (std::size_t i = 0; i < waiting; ++i) {
        proofs.push_back(std::make_unique<engine::CompositeProof>(
            *file, wire::StoredChecksum{{ChecksumAlgorithm::sha256, "x"}, wire::ChecksumScope::composite, 3}, "e-3",
            30));
        REQUIRE(proofs.back()->next_look() == 1U);
        proofs.back()->told(1, part);
        REQUIRE(proofs.back()->busy());
        while (proofs.back()->busy()) REQUIRE(proofs.back()->work().ok());
    }
    CHECK(held - before < 2 * waiting * (8U << 10));
}

}  // namespace s3tug::sim
