#include <algorithm>
#include <array>

#include "sim/world/plan.h"
#include "sim/world/world.h"

/// What is wanted in one run, and what else happens meanwhile.
namespace s3tug::simworld {
namespace {

constexpr int64_t phase_ms = 120'000;  // starts and troubles come within it

enum class Kind : uint8_t { put, put_large, put_stdin, get, get_large, get_stdout, remove, copy, copy_large };

Kind some_kind(Rng& rng) {
    constexpr std::array<std::pair<unsigned, Kind>, 9> weights{{{22, Kind::put},
                                                                {24, Kind::put_large},
                                                                {8, Kind::put_stdin},
                                                                {7, Kind::get},
                                                                {14, Kind::get_large},
                                                                {4, Kind::get_stdout},
                                                                {10, Kind::remove},
                                                                {6, Kind::copy},
                                                                {5, Kind::copy_large}}};
    auto draw = static_cast<unsigned>(rng.up_to(99));
    for (const auto& [weight, kind] : weights) {
        if (draw < weight) return kind;
        draw -= weight;
    }
    return Kind::put;
}

void add_conditions(World& world, Rng& rng, Command& command, bool large) {
    engine::Transfer& t = command.transfer;
    switch (rng.up_to(9)) {
        case 0:
            t.conditions.if_none_match_any = true;
            if (rng.chance(1, 4)) place_object(world, rng, command.name, large);
            break;
        case 1:
            place_object(world, rng, command.name, large);
            t.conditions.if_match = world.store.current(command.name)->etag;
            if (rng.chance(1, 5)) t.conditions.if_match = "0123456789abcdef0123456789abcdef";
            break;
        case 2:
            t.no_clobber = true;
            if (rng.chance(1, 4)) place_object(world, rng, command.name, large);
            break;
        case 3: place_object(world, rng, command.name, large); break;
        default: break;
    }
}

void make_put(World& world, Rng& rng, Command& command, Kind kind) {
    engine::Transfer& t = command.transfer;
    command.large = kind == Kind::put_large || (kind == Kind::put_stdin && rng.chance(1, 2));
    t.target = {"b", "k" + std::to_string(command.number)};
    command.name = "b/" + t.target.key;
    std::string bytes = random_text(rng, some_size(rng, command.large));
    if (kind == Kind::put_stdin) {
        t.local = {engine::LocalEnd::Kind::stdio, "-"};
        command.stream = std::move(bytes);
    } else {
        command.local = "/f" + std::to_string(command.number);
        t.local = {engine::LocalEnd::Kind::path, command.local};
        world.disk.set(command.local, make_blob(std::move(bytes)));
    }
    if (rng.chance(1, 10)) t.checksum.reset();
    t.then_delete_source = !command.local.empty() && rng.chance(1, 4);
    add_conditions(world, rng, command, command.large);
}

/// One of several versions of an object, or a marker among them, or one that is not there.
void make_version_delete(World& world, Rng& rng, Command& command) {
    engine::Transfer& t = command.transfer;
    t.kind = engine::TransferKind::remove;
    t.target = {"b", "k" + std::to_string(command.number)};
    command.name = "b/" + t.target.key;
    const uint64_t count = 1 + rng.up_to(3);
    for (uint64_t i = 0; i < count; ++i) {
        const bool marker = rng.chance(1, 4);
        BlobPtr blob = marker ? nullptr : make_blob(random_text(rng, some_size(rng, false)));
        world.store.write_by_other(command.name, std::move(blob));
    }
    t.version_id = rng.chance(1, 8) ? "v0+/=" : world.store.objects[command.name][rng.up_to(count - 1)].id;
    command.keyed = rng.chance(2, 5);
    if (!command.keyed) return;
    t.idempotency_key = "job-" + std::to_string(command.number);
    t.idempotency_keep = hours(24 * 7);
}

void make_get(World& world, Rng& rng, Command& command, Kind kind) {
    engine::Transfer& t = command.transfer;
    t.kind = engine::TransferKind::get;
    command.large = kind == Kind::get_large || (kind == Kind::get_stdout && rng.chance(1, 2));
    t.source = {"b", "s" + std::to_string(command.number)};
    command.name = "b/" + t.source.key;
    place_object(world, rng, command.name, command.large);
    if (kind == Kind::get_stdout) {
        t.local = {engine::LocalEnd::Kind::stdio, "-"};
        return;
    }
    command.local = "/d" + std::to_string(command.number);
    t.local = {engine::LocalEnd::Kind::path, command.local};
    t.then_delete_source = rng.chance(1, 4);
    if (rng.chance(1, 2)) world.disk.set(command.local, make_blob("old " + random_text(rng, 30)));
}

void make_copy(World& world, Rng& rng, Command& command, Kind kind) {
    engine::Transfer& t = command.transfer;
    t.kind = engine::TransferKind::copy;
    command.large = kind == Kind::copy_large;
    t.source = {"b", "s" + std::to_string(command.number)};
    t.target = {"b", "k" + std::to_string(command.number)};
    command.name = "b/" + t.target.key;
    command.source_name = "b/" + t.source.key;
    place_object(world, rng, command.source_name, command.large);
    t.then_delete_source = rng.chance(1, 3);
    add_conditions(world, rng, command, command.large);
}

/// Reads one of several versions of an object, to a file, to a stream or for a copy: a marker among them, or one that
/// is not there, cannot be read.
void make_version_read(World& world, Rng& rng, Command& command) {
    constexpr std::array kinds{Kind::get, Kind::get_large, Kind::get_stdout, Kind::copy, Kind::copy_large};
    const Kind kind = kinds[rng.up_to(kinds.size() - 1)];
    const bool copies = kind == Kind::copy || kind == Kind::copy_large;
    copies ? make_copy(world, rng, command, kind) : make_get(world, rng, command, kind);
    engine::Transfer& t = command.transfer;
    t.then_delete_source = false;
    if (copies && rng.chance(1, 4)) {  // an older one becomes the newest
        t.target = t.source;
        t.conditions = {};
        t.no_clobber = false;
        command.name = command.source_name;
    }
    const std::string& name = copies ? command.source_name : command.name;
    for (uint64_t i = rng.up_to(3); i > 0; --i) {
        if (rng.chance(1, 4))
            world.store.write_by_other(name, nullptr);
        else
            place_object(world, rng, name, command.large);
    }
    const std::vector<Version>& versions = world.store.objects[name];
    const Version& chosen = versions[rng.up_to(versions.size() - 1)];
    t.version_id = rng.chance(1, 8) ? "v0+/=" : chosen.id;
    if (t.version_id == chosen.id) command.version = chosen.blob;
    command.keyed = copies && rng.chance(2, 5);
    if (!command.keyed) return;
    t.idempotency_key = "job-" + std::to_string(command.number);
    t.idempotency_keep = hours(24 * 7);
}

void write_source(World& world, const std::string& name, std::string bytes) {
    world.store.write_by_other(name, make_blob(std::move(bytes)));
    cut_by_other(world, name);
}

/// One transfer of some hundred parts.
void make_long_command(World& world, Rng rng) {
    constexpr std::array kinds{Kind::put_large, Kind::put_stdin, Kind::get_large, Kind::get_stdout, Kind::copy_large};
    const Kind kind = kinds[rng.up_to(kinds.size() - 1)];
    auto command = std::make_unique<Command>();
    command->number = world.commands.size();
    const bool puts = kind == Kind::put_large || kind == Kind::put_stdin;
    if (puts)
        make_put(world, rng, *command, kind);
    else if (kind == Kind::copy_large)
        make_copy(world, rng, *command, kind);
    else
        make_get(world, rng, *command, kind);
    command->large = true;
    std::string bytes = random_text(rng, static_cast<std::size_t>(10'000 + rng.up_to(30'000)));
    if (kind == Kind::put_stdin)
        command->stream = std::move(bytes);
    else if (puts)
        world.disk.set(command->local, make_blob(std::move(bytes)));
    else
        write_source(world, command->source_name.empty() ? command->name : command->source_name, std::move(bytes));
    world.commands.push_back(std::move(command));
}

/// Of objects of parts, where they matter.
void make_part_command(World& world, Rng& rng) {
    constexpr std::array kinds{Kind::get_large,  Kind::get_large, Kind::get_stdout,
                               Kind::get_stdout, Kind::get,       Kind::copy_large};
    const Kind kind = kinds[rng.up_to(kinds.size() - 1)];
    auto command = std::make_unique<Command>();
    command->number = world.commands.size();
    kind == Kind::copy_large ? make_copy(world, rng, *command, kind) : make_get(world, rng, *command, kind);
    world.commands.push_back(std::move(command));
}

}  // namespace

std::string random_text(Rng& rng, std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; i += 8) {
        const uint64_t draw = rng.next();
        for (std::size_t j = i; j < std::min(size, i + 8); ++j)
            text[j] = static_cast<char>('a' + (draw >> (8 * (j - i)) & 0xFF) % 26);
    }
    return text;
}

std::size_t some_size(Rng& rng, bool large) {
    if (large) return static_cast<std::size_t>(301 + rng.up_to(1200));
    return rng.chance(1, 8) ? 0 : static_cast<std::size_t>(1 + rng.up_to(180));
}

void place_object(World& world, Rng& rng, const std::string& name, bool large) {
    world.store.write_by_other(name, make_blob(random_text(rng, some_size(rng, large))));
    if (large && rng.chance(1, 3)) {
        const bool unsummed = rng.chance(1, 2);
        world.store.amend(name, [unsummed](Version& version) {
            version.etag = version.blob->md5 + "-4";
            if (unsummed) version.checksum.clear();
        });
    }
    cut_by_other(world, name);
}

void make_commands(World& world, Rng& rng) {
    for (unsigned i = 0; i < world.options.commands; ++i) {
        auto command = std::make_unique<Command>();
        command->number = i;
        const Kind kind = some_kind(rng);
        switch (kind) {
            case Kind::put:
            case Kind::put_large:
            case Kind::put_stdin: make_put(world, rng, *command, kind); break;
            case Kind::get:
            case Kind::get_large:
            case Kind::get_stdout: make_get(world, rng, *command, kind); break;
            case Kind::copy:
            case Kind::copy_large: make_copy(world, rng, *command, kind); break;
            case Kind::remove:
                command->transfer.kind = engine::TransferKind::remove;
                command->transfer.target = {"b", "k" + std::to_string(i)};
                command->name = "b/" + command->transfer.target.key;
                if (!rng.chance(1, 6)) place_object(world, rng, command->name, false);
                break;
        }
        if (command->transfer.kind != engine::TransferKind::get && rng.chance(2, 5)) {
            command->keyed = true;
            command->transfer.idempotency_key = "job-" + std::to_string(i);
            command->transfer.idempotency_keep = hours(24 * 7);
        }
        world.commands.push_back(std::move(command));
    }
    Rng more(world.options.seed ^ 0xB10C5ULL);
    Rng reads(world.options.seed ^ 0x6E7FULL);
    for (uint64_t i = world.options.versions ? 1 + reads.up_to(2) : 0; i > 0; --i) {
        auto command = std::make_unique<Command>();
        command->number = world.commands.size();
        make_version_read(world, reads, *command);
        world.commands.push_back(std::move(command));
    }
    Rng parts(world.options.seed ^ 0x9A27ULL);
    for (uint64_t i = world.options.composite ? 2 + parts.up_to(3) : 0; i > 0; --i) make_part_command(world, parts);
    if (world.options.wide) make_long_command(world, Rng(world.options.seed ^ 0x10A6ULL));
    if (world.options.links) link_sources(world, more);
    if (world.options.links) {
        Rng targets(world.options.seed ^ 0x7A26ULL);
        link_targets(world, targets);
    }
    for (uint64_t i = world.options.versions ? 1 + more.up_to(2) : 0; i > 0; --i) {
        auto command = std::make_unique<Command>();
        command->number = world.commands.size();
        make_version_delete(world, more, *command);
        world.commands.push_back(std::move(command));
    }
}

void make_troubles(World& world, Rng& rng) {
    const auto some_time = [&] { return milliseconds(static_cast<int64_t>(rng.up_to(phase_ms))); };
    for (const std::unique_ptr<Command>& owned : world.commands) {
        Command* const command = owned.get();
        const bool reads_file = command->transfer.kind == engine::TransferKind::put &&
                                command->transfer.local.kind == engine::LocalEnd::Kind::path;
        if (world.options.sources_change && reads_file && rng.chance(1, 2)) {
            // Within the time that one transfer takes, so that some are hit in their middle.
            const Duration when = command->first_start + milliseconds(static_cast<int64_t>(rng.up_to(200)));
            world.timeline.in(when, [&world, command, text = random_text(rng, some_size(rng, command->large))] {
                world.disk.set(command->local, make_blob(text), world.now());
                for (const auto& other : world.commands)  // links may lead to one file twice
                    other->source_changed |= !other->local.empty() && world.disk.path_behind(other->local) ==
                                                                          world.disk.path_behind(command->local);
                world.say(command->local + " is changed, " + std::to_string(text.size()) + " bytes");
            });
        }
        if (world.options.others_write && rng.chance(1, 3)) {
            const std::string name = command->source_name.empty() ? command->name : command->source_name;
            const Duration when = rng.chance(1, 2)
                                      ? command->first_start + milliseconds(static_cast<int64_t>(rng.up_to(200)))
                                      : some_time();
            world.timeline.in(when, [&world, command, name, text = random_text(rng, some_size(rng, command->large))] {
                write_source(world, name, text);
                command->others_wrote = true;
                world.say("another client writes " + name + ", " + std::to_string(text.size()) + " bytes");
                if (name == command->name) command->others_wrote_at.push_back(world.now());
            });
        }
    }
    if (world.options.clock_steps) {
        for (int i = 0; i < 3; ++i) {
            const Duration most = rng.chance(1, 4) ? hours(48) : minutes(30);
            const Duration step =
                seconds(static_cast<int64_t>(rng.up_to(2 * static_cast<uint64_t>(to_ms(most) / 1000)))) - most;
            world.timeline.in(some_time(), [&world, step] {
                world.wall_step += step;
                world.say("the clock is set by " + std::to_string(to_ms(step) / 1000) + " s");
            });
        }
    }
    if (world.options.reboots) world.timeline.in(some_time(), [&world] { world.reboot(); });
    if (world.options.keys_expire) {
        for (int i = 1; i <= 3; ++i) {
            world.timeline.in(
                some_time(), [&world, i] { world.key_now = world.store.valid_key = "AKIDCANARY" + std::to_string(i); });
        }
    }
}

engine::EngineConfig make_config(const SimOptions& options) {
    engine::EngineConfig config;
    config.endpoint = wire::parse_endpoint((options.tls ? "https://" : "http://") + options.host + ":9000", "us-east-1",
                                           wire::Addressing::path)
                          .value();
    config.retry.retries = options.retries;
    config.pace.concurrency_max = options.concurrency;
    config.pace.concurrency_start = std::min(16U, options.concurrency);
    if (!options.breaker) config.breaker_mode = engine::BreakerMode::off;
    if (options.breaker && options.breaker_waits) config.breaker_mode = engine::BreakerMode::wait;
    if (!options.token) config.write_token = engine::TokenMode::off;
    config.timeouts.stall_bytes_per_second = 2;
    config.multipart.part_size = 100;
    config.multipart.part_growth = limits::part_growth;
    config.multipart.threshold = 200;
    config.multipart.copy_threshold = 300;
    config.multipart.stream_memory = options.stream_memory;
    config.download.part_bytes = 100;
    config.download.threshold = 250;
    config.download.stream_part_bytes = options.stream_part;
    config.spool_folder = "/spool";
    return config;
}

}  // namespace s3tug::simworld
