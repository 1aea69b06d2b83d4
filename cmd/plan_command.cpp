#include "cmd/plan_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cmd/moving_source.h"
#include "cmd/one_at_a_time.h"
#include "cmd/plan_lists.h"
#include "cmd/plan_one.h"
#include "engine/chained_items.h"
#include "engine/glob.h"
#include "engine/listed_items.h"
#include "wire/uri.h"

namespace s3tug::cmd {
namespace {

using engine::Transfer;
using engine::TransferKind;
using namespace planning;
using Operands = std::vector<std::string>;
using Items = Result<std::vector<Transfer>>;

bool describes_an_object(const engine::Transfer& item) {
    return item.conditions.any() || item.replace_metadata || !item.properties.storage_class.empty();
}

Result<Plan> plan_moves(const Operands& operands, const Settings& settings, port::Files& files,
                        std::optional<Instant> until) {
    if (operands.size() < 2) return needs_operands(CommandId::move);
    const bool from_store = wire::looks_like_s3_uri(operands.front());
    const bool to_store = wire::looks_like_s3_uri(operands.back());
    if (!from_store && !to_store) {
        return usage(fmt::format("move {} {}: one of them, or both, must be s3://BUCKET/KEY", shown(operands.front()),
                                 shown(operands.back())));
    }
    const CommandId as = !from_store ? CommandId::put : to_store ? CommandId::copy : CommandId::get;
    if (as == CommandId::get && describes_an_object(settings.item)) {
        return usage(
            fmt::format("move to {}: --no-overwrite, --if-match and options of an object's headers are about "
                        "an object that is written; --no-clobber keeps a file that stands there",
                        shown(operands.back())));
    }
    Settings moved = settings;
    // A link's name would go and what it leads to, perhaps outside the folder, would be removed: they stay.
    moved.tree.follow_links = false;
    Result<Plan> planned = plan(as, operands, moved, files, until);
    if (!planned) return std::move(planned).error().with_context("move");
    planned->items = std::make_unique<MovingSource>(std::move(planned->items), files);
    return planned;
}

bool is_pattern(const std::string& operand, const Settings& settings) {
    if (settings.raw_keys || !wire::looks_like_s3_uri(operand)) return false;
    const Result<wire::S3Uri> uri = wire::parse_s3_uri(operand);
    return uri && engine::key_pattern(uri->key).has_value();
}

Transfer to_stdout(const Settings& settings, wire::S3Uri source) {
    Transfer item = settings.item;
    item.kind = TransferKind::get;
    item.source = std::move(source);
    item.local = {engine::LocalEnd::Kind::stdio, {}};
    item.command = command(CommandId::cat).name;
    return item;
}

/// Objects that are named one by one.
Items plan_named(CommandId id, const Operands& operands, const Settings& settings) {
    const std::string_view name = command(id).name;
    if (operands.empty()) return needs_operands(id);
    if (operands.size() > 1 && !settings.item.version_id.empty())
        return usage(fmt::format("--version-id is about one object, but there are {}", operands.size()));
    std::vector<Transfer> items;
    for (const std::string& operand : operands) {
        if (!wire::looks_like_s3_uri(operand))
            return usage(fmt::format("{} {}: it takes objects: s3://BUCKET/KEY", name, shown(operand)));
        Result<wire::S3Uri> uri = wire::parse_s3_uri(operand);
        if (!uri) return std::move(uri).error();
        if (uri->key.empty())
            return usage(fmt::format("{} {}: no key given; s3tug list shows what is there", name, shown(operand)));
        if (uri->key.find('*') != std::string::npos && !settings.raw_keys) {
            return usage(
                fmt::format("{} {}: wildcards are for list; name the objects, or give --raw if the star "
                            "belongs to the key",
                            name, shown(operand)));
        }
        if (id == CommandId::cat) {
            items.push_back(to_stdout(settings, *std::move(uri)));
            continue;
        }
        Transfer item = settings.item;
        item.kind = TransferKind::stat;
        item.target = *std::move(uri);
        items.push_back(std::move(item));
    }
    return items;
}

/// The objects that match, in the order of the listing; without the markers of folders, which are empty.
std::unique_ptr<engine::ItemSource> matching(const engine::KeySelection& selection, const Settings& settings) {
    return std::make_unique<engine::ListedItems>(
        selection, settings.item.properties.extra,
        [common = to_stdout(settings, {selection.bucket, {}})](const wire::ListedObject& object,
                                                               const std::string&) -> std::optional<Transfer> {
            if (object.key.ends_with('/') && object.size == 0U) return std::nullopt;
            Transfer item = common;
            item.source.key = object.key;
            return item;
        },
        std::string(command(CommandId::cat).name));
}

/// Some of the operands are patterns; all is written in the order in which it was named.
Result<Plan> plan_matching(const Operands& operands, const Settings& settings) {
    std::vector<std::unique_ptr<engine::ItemSource>> sources;
    for (const std::string& operand : operands) {
        if (is_pattern(operand, settings)) {
            Result<engine::KeySelection> selection = selection_of(operand, "cat", settings);
            if (!selection) return std::move(selection).error();
            sources.push_back(matching(*selection, settings));
            continue;
        }
        Items item = plan_named(CommandId::cat, {operand}, settings);
        if (!item) return std::move(item).error();
        sources.push_back(std::make_unique<engine::KnownItems>(*std::move(item)));
    }
    Plan out;
    out.several = true;
    out.items = std::make_unique<OneAtATime>(std::make_unique<engine::ChainedItems>(std::move(sources)));
    return out;
}

Result<Plan> plan_cat(const Operands& operands, const Settings& settings) {
    if (settings.output.json) return usage("cat: --json and the objects both want standard output; use get to a file");
    const Transfer& item = settings.item;
    const bool one_only = !item.conditions.if_match.empty() || item.expect_size || !item.expect_sha256.empty();
    const bool patterns =
        std::ranges::any_of(operands, [&](const std::string& operand) { return is_pattern(operand, settings); });
    if ((operands.size() > 1 || patterns) && one_only)
        return usage("cat: --if-match, --expect-size and --expect-sha256 are about one object");
    if (patterns && !item.version_id.empty()) return usage("cat: --version-id is about one object");
    if (patterns) return plan_matching(operands, settings);
    Items items = plan_named(CommandId::cat, operands, settings);
    if (!items) return std::move(items).error();
    Plan out;
    out.several = items->size() > 1;
    out.items = std::make_unique<OneAtATime>(std::make_unique<engine::KnownItems>(*std::move(items)));
    return out;
}

Result<Plan> plan_stat(const Operands& operands, const Settings& settings) {
    Items items = plan_named(CommandId::stat, operands, settings);
    if (!items) return std::move(items).error();
    Plan out;
    out.several = items->size() > 1;
    out.items = std::make_unique<engine::KnownItems>(*std::move(items));
    return out;
}

Result<Plan> plan_pipe(const Operands& operands, const Settings& settings, port::Files& files) {
    if (operands.size() != 1) return needs_operands(CommandId::pipe);
    Settings named = settings;
    named.item.command = command(CommandId::pipe).name;
    Result<Plan> planned = plan(CommandId::put, {"-", operands.front()}, named, files, std::nullopt);
    if (!planned) return std::move(planned).error().with_context("pipe");
    return planned;
}

}  // namespace

Result<Plan> plan_command(CommandId id, const Operands& operands, const Settings& settings, port::Files& files,
                          std::optional<Instant> until) {
    switch (id) {
        case CommandId::move: return plan_moves(operands, settings, files, until);
        case CommandId::cat: return plan_cat(operands, settings);
        case CommandId::pipe: return plan_pipe(operands, settings, files);
        case CommandId::stat: return plan_stat(operands, settings);
        default: return plan(id, operands, settings, files, until);
    }
}

}  // namespace s3tug::cmd
