#include <algorithm>

#include "base/limits.h"
#include "sim/world/world.h"

/// The rows of lib/README.md, "Memory", that no port sees: what the engine has allocated, held against what it has
/// under way. The numbers are what each thing took at most in some million commands, and a little more; whoever keeps a
/// page, a part or an item that is done goes beyond them in a world that is wide.
namespace s3tug::simworld {
namespace {

constexpr std::size_t engine_bytes = 24U << 10;  ///< its own, what it knows of stores, and two pages of headers
constexpr std::size_t item_bytes = 11U << 10;    ///< an item, its flow, and the one request that waits
constexpr std::size_t waiting_bytes = 3500;      ///< more of them, of one item in parts
constexpr std::size_t request_bytes = 6U << 10;  ///< in flight, with its answer
constexpr std::size_t entry_bytes = 500;         ///< of a page
constexpr std::size_t deleted_key_bytes = 2800;  ///< of a batch: item, outcome, place in the request; its own looks
constexpr std::size_t batches_most = 4;          ///< and keys that no batch can carry
constexpr std::size_t part_bytes = (1U << 20) / limits::parts_max + 200;  ///< and its line in a Complete
constexpr std::size_t chunk_bytes = limits::io_chunk_bytes + (1U << 10);
constexpr std::size_t turn_bytes = chunk_bytes + (64U << 10);  ///< of the work of one turn, gone at its end
constexpr std::size_t result_bytes = 4U << 10;                 ///< of a run that has ended: its outcomes

/// Of all that the command may read or ever could.
std::size_t size_most(World& world, const Command& command) {
    std::size_t most = command.stream.size();
    if (!command.local.empty() && command.transfer.kind == engine::TransferKind::put) {
        for (const BlobPtr& blob : world.disk.behind(command.local).contents) most = std::max(most, blob->bytes.size());
        return most;
    }
    const std::string& source = command.source_name.empty() ? command.name : command.source_name;
    const auto moments = world.store.history.find(source);
    if (moments == world.store.history.end()) return most;
    for (const Store::Moment& moment : moments->second) {
        if (moment.blob) most = std::max(most, moment.blob->bytes.size());
    }
    return most;
}

}  // namespace

std::size_t World::memory_limit(const Process& process) {
    std::size_t limit = engine_bytes + request_bytes * process.wire.in_flight();
    const Tree* const tree = process.job.tree;
    if (tree != nullptr) {
        const auto in_parts = static_cast<std::size_t>(std::count_if(
            tree->members.begin(), tree->members.end(), [](const Command* member) { return member->large; }));
        const bool batches = tree->common.kind == engine::TransferKind::remove && options.store.batch_delete &&
                             tree->common.idempotency_key.empty();  // else each goes alone
        const std::size_t items = batches ? batches_most : process.begun_items;
        limit += item_bytes * (items + 1) + 2 * entry_bytes * options.store.page;
        const std::size_t spread = std::min(in_parts, process.begun_items);
        limit += waiting_bytes * limits::parts_in_flight * spread;  // before the first attempt, behind a breaker
        limit += waiting_bytes * std::min(process.unserved.size(), limits::item_requests_max * spread);
        if (tree->common.kind == engine::TransferKind::remove) limit += deleted_key_bytes * tree->members.size();
        return limit;
    }
    limit += waiting_bytes * process.unserved.size();
    for (const Command* const command : process.job.commands) {
        const std::size_t part = std::min<uint64_t>(process.config.multipart.part_size, options.stream_part);
        if (command->large) limit += waiting_bytes * limits::parts_in_flight;
        limit += item_bytes + part_bytes * (size_most(*this, *command) / part + 1);
        if (command->transfer.local.kind != engine::LocalEnd::Kind::stdio) continue;
        limit += 2 * options.stream_memory + chunk_bytes;  // what is read next, on its way to the spool
    }
    return limit;
}

void World::check_engine_memory(Process& process) {
    if (!Account::counts()) return;
    const std::size_t limit = memory_limit(process);
    const std::size_t held = process.account.held();
    const std::size_t peak = process.account.take_peak();
    if (held > limit)
        violated("memory", std::to_string(process.id.pid) + ": the engine holds " + std::to_string(held) +
                               " bytes with " + std::to_string(process.begun_items) + " items and " +
                               std::to_string(process.wire.in_flight()) + " requests, limit " + std::to_string(limit));
    // What has ended since the last look was still there in between.
    const std::size_t before = std::exchange(process.memory_limit_before, limit);
    if (peak > std::max(before, limit) + turn_bytes)
        violated("memory", std::to_string(process.id.pid) + ": the engine has held " + std::to_string(peak) +
                               " bytes in one turn, limit " + std::to_string(limit + turn_bytes));
    const bool one_each = process.job.tree != nullptr && process.job.tree->common.kind != engine::TransferKind::remove;
    if (one_each && process.begun_items > limits::items_begun_max)
        violated("memory", std::to_string(process.begun_items) + " items are begun");
    tally.engine_held_most = std::max<uint64_t>(tally.engine_held_most, held);
    tally.engine_peak_most = std::max<uint64_t>(tally.engine_peak_most, peak);
    tally.engine_fullest = std::max<uint64_t>(tally.engine_fullest, held * 100 / limit);
}

void World::check_memory_left(const Process& process) {
    if (process.account.held() > result_bytes)
        violated("memory", std::to_string(process.account.held()) + " bytes are left of an engine that has ended");
}

}  // namespace s3tug::simworld
