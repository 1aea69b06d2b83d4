#include "cmd/plan_command.h"

#include <fmt/format.h>

#include <set>

#include "base/bytes.h"
#include "base/limits.h"
#include "cmd/plan_items.h"
#include "wire/uri.h"

namespace s3tug::cmd {
namespace {

using engine::Transfer;
using engine::TransferKind;
using Operands = std::vector<std::string>;
using Items = Result<std::vector<Transfer>>;

Error usage(std::string message) { return Error{ErrorKind::usage, std::move(message)}; }

std::string shown(std::string_view operand) { return printable(operand, limits::trace_text_max_bytes); }

Error right_form(CommandId id) {
    const Command& c = command(id);
    return usage(fmt::format("{}: operands are missing; right form: s3tug {} {}", c.name, c.name, c.operands));
}

/// What is removed afterwards must be what was read, and must stand where it went to: streams are neither.
Status check_movable(const Transfer& item, port::Files& files) {
    if (item.kind == TransferKind::copy) {
        if (item.source != item.target) return {};
        return usage(fmt::format("move {}: source and target are the same object, moving it would delete it",
                                 wire::to_text(item.source)));
    }
    if (item.local.kind != engine::LocalEnd::Kind::path) {
        return usage(item.kind == TransferKind::put
                         ? "move -: standard input cannot be removed; use put or pipe"
                         : "move: whether standard output arrived nobody knows; use get or cat, then delete");
    }
    const Result<port::FileFacts> facts = files.stat(item.local.path);
    if (facts && facts->type != port::FileType::regular) {
        return usage(fmt::format("move {}: only regular files can be moved; use {}, then delete",
                                 shown(item.local.path), item.kind == TransferKind::put ? "put" : "get"));
    }
    return {};
}

Items plan_moves(const Operands& operands, const Settings& settings, port::Files& files) {
    if (operands.size() < 2) return right_form(CommandId::move);
    const bool from_store = wire::looks_like_s3_uri(operands.front());
    const bool to_store = wire::looks_like_s3_uri(operands.back());
    if (!from_store && !to_store) {
        return usage(fmt::format("move {} {}: one of them, or both, must be s3://BUCKET/KEY", shown(operands.front()),
                                 shown(operands.back())));
    }
    const CommandId as = !from_store ? CommandId::put : to_store ? CommandId::copy : CommandId::get;
    Items items = plan_items(as, operands, settings, files);
    if (!items) return std::move(items).error().with_context("move");
    for (Transfer& item : *items) {
        if (Status movable = check_movable(item, files); !movable) return std::move(movable).error();
        item.then_delete_source = true;
    }
    return items;
}

/// Objects that are named one by one.
Items plan_named(CommandId id, const Operands& operands, const Settings& settings) {
    const std::string_view name = command(id).name;
    if (operands.empty()) return right_form(id);
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
        Transfer item = settings.item;
        if (id == CommandId::stat) {
            item.kind = TransferKind::stat;
            item.target = *std::move(uri);
        } else {
            item.kind = TransferKind::get;
            item.source = *std::move(uri);
            item.local = {engine::LocalEnd::Kind::stdio, {}};
        }
        items.push_back(std::move(item));
    }
    return items;
}

Items plan_cat(const Operands& operands, const Settings& settings) {
    if (settings.output.json) return usage("cat: --json and the objects both want standard output; use get to a file");
    const Transfer& item = settings.item;
    const bool one_only = !item.conditions.if_match.empty() || item.expect_size || !item.expect_sha256.empty();
    if (operands.size() > 1 && one_only)
        return usage("cat: --if-match, --expect-size and --expect-sha256 are about one object");
    return plan_named(CommandId::cat, operands, settings);
}

Items plan_pipe(const Operands& operands, const Settings& settings, port::Files& files) {
    if (operands.size() != 1) return right_form(CommandId::pipe);
    Items items = plan_items(CommandId::put, {"-", operands.front()}, settings, files);
    if (!items) return std::move(items).error().with_context("pipe");
    return items;
}

}  // namespace

Items plan_command(CommandId id, const Operands& operands, const Settings& settings, port::Files& files) {
    switch (id) {
        case CommandId::move: return plan_moves(operands, settings, files);
        case CommandId::cat: return plan_cat(operands, settings);
        case CommandId::pipe: return plan_pipe(operands, settings, files);
        case CommandId::stat: return plan_named(id, operands, settings);
        default: return plan_items(id, operands, settings, files);
    }
}

}  // namespace s3tug::cmd
