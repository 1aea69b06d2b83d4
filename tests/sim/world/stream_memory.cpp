#include "sim/world/stream_memory.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "sim/world/world.h"

namespace s3tug::simworld {
namespace {

uint64_t number_after(std::string_view text, std::string_view name) {
    uint64_t number = 0;
    const std::size_t at = text.find(name);
    if (at != std::string_view::npos)
        std::from_chars(text.data() + at + name.size(), text.data() + text.size(), number);
    return number;
}

/// Of the last part of a stream: they double after each fortieth of those that S3 takes.
uint64_t largest_part(uint64_t stream_bytes, const engine::MultipartConfig& config) {
    uint64_t part = config.part_size;
    for (uint64_t at = config.parts_max / 40 * part; at < stream_bytes; at += config.parts_max / 40 * part) part *= 2;
    return part;
}

}  // namespace

void StreamMemory::ended(const Attempt& attempt) {
    const wire::HttpAnswer* answer = attempt.reply.answer();
    const wire::SignedRequest& request = attempt.submission.request;
    if (request.op != wire::Op::upload_part || answer == nullptr || answer->status != 200) return;
    if (confirmed_parts_.insert(static_cast<unsigned>(number_after(request.url, "partNumber="))).second)
        confirmed_ += request.body_bytes;
}

void StreamMemory::cancelled(const Attempt& attempt) {
    const wire::SignedRequest& request = attempt.submission.request;
    if (request.op != wire::Op::upload_part) return;
    const auto number = static_cast<unsigned>(number_after(request.url, "partNumber="));
    if (!confirmed_parts_.contains(number)) given_up();  // else a hedge was too late
}

void StreamMemory::received(const Attempt& attempt, std::size_t bytes) {
    if (attempt.answer.status != 206) return;  // the whole object: from its front, and as much of it as is wanted
    const std::string_view range = attempt.answer.headers.find("content-range").value_or(std::string_view());
    const std::size_t end = number_after(range, "bytes ") + attempt.delivered;
    if (received_.size() < end) received_.resize(end);
    std::fill(received_.begin() + static_cast<std::ptrdiff_t>(end - bytes),
              received_.begin() + static_cast<std::ptrdiff_t>(end), true);
}

uint64_t StreamMemory::held_of_input() const {
    if (given_up_) return 0;
    const uint64_t gone = confirmed_ + spooled_;  // a part may be both for a moment
    return read_ > gone ? read_ - gone : 0;
}

uint64_t StreamMemory::held_of_output() const {
    if (written_ >= received_.size()) return 0;
    return static_cast<uint64_t>(
        std::count(received_.begin() + static_cast<std::ptrdiff_t>(written_), received_.end(), true));
}

/// The bounds of lib/README.md, "Memory", for the small sizes of this world.
void World::check_memory(const Process& process) {
    const engine::EngineConfig& config = process.config;
    for (const Command* command : process.job.commands) {
        if (command->transfer.local.kind != engine::LocalEnd::Kind::stdio) continue;
        if (command->keyed) continue;  // its digest is needed first, so all of it is read, as much as fits beforehand
        const uint64_t limit = config.multipart.stream_memory;
        const bool input = command->transfer.kind == engine::TransferKind::put;
        // What is read of a stream to see whether it is short; a part that may go whatever else is held.
        const uint64_t most =
            input ? std::max(limit, config.multipart.threshold + 1) : limit + config.download.stream_part_bytes;
        const uint64_t held = input ? process.memory.held_of_input() : process.memory.held_of_output();
        if (held > most)
            violated("memory", command->name + ": " + std::to_string(held) + " bytes of a stream are held, limit " +
                                   std::to_string(most));
        tally.held_most = std::max(tally.held_most, held);
        const uint64_t spool_most =
            limits::stream_spooled_parts * largest_part(command->stream.size(), config.multipart);
        if (process.memory.in_spool() > spool_most)
            violated("memory",
                     command->name + ": " + std::to_string(process.memory.in_spool()) + " bytes in the spool");
        tally.spooled_most = std::max(tally.spooled_most, process.memory.in_spool());
    }
}

}  // namespace s3tug::simworld
