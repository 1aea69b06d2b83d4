#include <algorithm>
#include <array>

#include "sim/world/plan.h"
#include "sim/world/tree.h"
#include "sim/world/world.h"

/// Objects that stores have only a checksum of the parts' checksums of: how another client cut them, what can be proven
/// of them, and the algorithms of our own puts.
namespace s3tug::simworld {
namespace {

constexpr std::array algorithms{ChecksumAlgorithm::sha256, ChecksumAlgorithm::crc32, ChecksumAlgorithm::crc32c,
                                ChecksumAlgorithm::sha1};

std::vector<std::size_t> even_parts(std::size_t size, std::size_t part) {
    std::vector<std::size_t> cut(size / part, part);
    if (size % part != 0) cut.push_back(size % part);
    return cut;
}

/// Few enough that an engine asks for all of them.
std::vector<std::size_t> some_cut(Rng& rng, std::size_t size) {
    const std::size_t least = 1 + size / 300;
    const std::size_t part = std::max<std::size_t>(least, 10 + rng.up_to(140));
    std::vector<std::size_t> cut;
    switch (rng.up_to(7)) {
        case 0:
        case 1: {  // of any size
            for (std::size_t left = size; left > 0; left -= cut.back())
                cut.push_back(std::min<std::size_t>(left, least + rng.up_to(part)));
            return cut;
        }
        case 2: return {size};
        case 3: {  // first, last and number are as if all were even
            cut = even_parts(size, part);
            if (cut.size() < 4 || part < 2) return cut;
            const std::size_t at = 1 + rng.up_to(cut.size() - 4);
            const std::size_t by = 1 + rng.up_to(part - 2);
            cut[at] -= by;
            cut[at + 1] += by;
            return cut;
        }
        case 4: {  // the number fits, and the last one tells
            cut = even_parts(size, part);
            if (cut.size() < 3 || part < 2) return cut;
            const std::size_t by = 1 + rng.up_to(part - 2);
            cut[cut.size() - 2] -= by;
            cut.back() += by;
            return cut;
        }
        default: return even_parts(size, part);
    }
}

bool looks_even(const std::vector<std::size_t>& cut, std::size_t size) {
    const std::size_t first = cut.front();
    if (first == 0 || (size - 1) / first + 1 != cut.size()) return false;
    return cut.back() == size - first * (cut.size() - 1);
}

bool is_even(const std::vector<std::size_t>& cut) {
    return std::all_of(cut.begin(), cut.end() - 1, [&](std::size_t bytes) { return bytes == cut.front(); });
}

bool is_md5(const std::string& etag) { return etag.size() == 32; }

}  // namespace

/// Half of what another client writes. Drawn from what is the same on every compiler and in every order of drawing.
void cut_by_other(World& world, const std::string& name) {
    const Version* const there = world.store.current(name);
    if (!world.options.composite || there == nullptr || there->blob->bytes.empty()) return;
    TraceHash seed;
    seed.add(name);
    seed.add(world.options.seed);
    seed.add(world.store.history[name].size());
    Rng rng(seed.value());
    if (rng.chance(1, 2)) return;
    const std::string& bytes = there->blob->bytes;
    world.store.amend(name, [&](Version& version) {
        version.algorithm = algorithms[rng.up_to(algorithms.size() - 1)];
        version.pieces.clear();
        std::string etags;
        std::size_t at = 0;
        for (const std::size_t size : some_cut(rng, bytes.size())) {
            const BlobPtr piece = make_blob(bytes.substr(at, size));
            at += size;
            version.pieces.push_back({size, piece->md5, digest_of(version.algorithm, *piece)});
            etags += piece->md5;
        }
        version.checksum = digest_of(version.algorithm, version.pieces);
        version.etag = make_blob(std::move(etags))->md5 + "-" + std::to_string(version.pieces.size());
    });
}

/// Of puts, as a user may choose them.
void choose_algorithms(World& world) {
    Rng rng(world.options.seed ^ 0xA1606ULL);
    const auto choose = [&](engine::Transfer& t) {
        if (t.kind != engine::TransferKind::put || !t.checksum || !rng.chance(2, 3)) return;
        t.checksum = algorithms[rng.up_to(algorithms.size() - 1)];
        t.checksum_by_user = true;
    };
    for (const auto& tree : world.trees) {
        choose(tree->common);
        for (Command* const member : tree->members) {
            member->transfer.checksum = tree->common.checksum;
            member->transfer.checksum_by_user = tree->common.checksum_by_user;
        }
    }
    for (const auto& command : world.commands) {
        if (command->tree == nullptr) choose(command->transfer);
    }
}

/// What the store has to tell of these bytes, and whether it tells it: the rules of lib/engine/composite_proof.h.
Provable World::provable(const Store::Moment& moment, bool stream) const {
    if (!moment.blob || moment.blob->bytes.empty() || moment.whole || is_md5(moment.etag)) return Provable::yes;
    if (moment.cut.empty()) return Provable::nothing_kept;
    if (stream && options.store.ignores_ranges) return Provable::not_told;  // nowhere to wait for what is told
    if (moment.cut.size() == 1) return Provable::yes;
    const PartNumbers numbers = options.store.part_numbers;
    const bool told = numbers == PartNumbers::told || numbers == PartNumbers::told_by_200;
    if (!told || !options.store.head_allowed) return Provable::not_told;
    const bool even = is_even(moment.cut);
    if (stream && !even && looks_even(moment.cut, moment.blob->bytes.size())) return Provable::told_too_late;
    return Provable::yes;
}

}  // namespace s3tug::simworld
