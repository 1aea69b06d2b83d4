#include "cmd/plan_one.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "engine/glob.h"
#include "engine/tree_items.h"
#include "wire/utf8.h"

namespace s3tug::cmd::planning {

using engine::LocalEnd;
using engine::Transfer;
using engine::TransferKind;

Error usage(std::string message) { return Error{ErrorKind::usage, std::move(message)}; }

std::string shown(std::string_view operand) { return printable(operand, limits::trace_text_max_bytes); }

Error needs_operands(CommandId id) {
    const Command& c = command(id);
    return usage(fmt::format("{}: operands are missing; right form: s3tug {} {}", c.name, c.name, c.operands));
}

Error many_to_one(std::string_view command, std::size_t sources, const std::string& target) {
    return usage(fmt::format("{}: {} sources and one target, {}; end it with / to put them into that folder", command,
                             sources, shown(target)));
}

Error local_in_copy(const std::string& operand, bool is_target) {
    return usage(fmt::format("copy {}: copy works between buckets; to {} use {}", shown(operand),
                             is_target ? "download" : "upload", is_target ? "get" : "put"));
}

namespace {

bool is_s3(std::string_view operand) { return wire::looks_like_s3_uri(operand); }

/// The part after the last slash: the name that a file or object has in a folder. Empty, "." and ".." are no names.
std::string_view name_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    return name == "." || name == ".." ? std::string_view() : name;
}

LocalEnd local_end(const std::string& operand) {
    if (operand == "-") return {LocalEnd::Kind::stdio, {}};
    return {LocalEnd::Kind::path, operand};
}

/// An object that is read or deleted. Patterns are planned elsewhere (plan_trees.h).
Result<wire::S3Uri> object(const std::string& operand, std::string_view command, const Settings& settings) {
    Result<wire::S3Uri> uri = wire::parse_s3_uri(operand);
    if (!uri) return uri;
    if (uri->key.empty()) {
        return usage(
            fmt::format("{} {}: no key given; name one object: s3://{}/KEY", command, shown(operand), uri->bucket));
    }
    if (engine::key_pattern(uri->key) && !settings.raw_keys) {
        return usage(
            fmt::format("{} {}: wildcards do not go here; name the object, or give --raw if they belong to the key",
                        command, shown(operand)));
    }
    return uri;
}

Result<wire::S3Uri> into(const wire::S3Uri& target, std::string_view name, const std::string& source,
                         std::string_view command) {
    if (!target.names_folder()) return target;
    if (name.empty()) {
        return usage(fmt::format("{} {}: it has no name to stand in {}; give the full key", command, shown(source),
                                 wire::to_text(target)));
    }
    wire::S3Uri full = target;
    full.key += name;
    if (full.key.size() > limits::key_max_bytes) {
        return usage(
            fmt::format("{} {}: the key would be longer than {} bytes", command, shown(source), limits::key_max_bytes));
    }
    return full;
}

}  // namespace

Result<wire::S3Uri> put_target(const std::string& operand, const std::string& first) {
    if (is_s3(operand)) return wire::parse_s3_uri(operand);
    if (is_s3(first)) return usage(fmt::format("put: the target {} is local; to download use get", shown(operand)));
    return usage(fmt::format("put: the target comes last and is s3://BUCKET/KEY, not {}", shown(operand)));
}

Status check_get_target(const std::vector<std::string>& operands, const Settings& settings) {
    if (operands.size() < 2) {
        if (operands.empty() || !is_s3(operands.front())) return needs_operands(CommandId::get);
        return usage(fmt::format("get {}: the target is missing: a file, a folder, or - for standard output",
                                 shown(operands.front())));
    }
    const std::string& target = operands.back();
    if (is_s3(target)) {
        return usage(
            fmt::format("get: the target {} is an object; use copy between buckets, or put to upload", shown(target)));
    }
    if (target.empty()) return usage("get: an empty file name");
    if (target == "-" && settings.output.json) {
        return usage("get: --json and - both want standard output; download to a file");
    }
    return {};
}

std::optional<port::FileType> type_of(port::Files& files, const std::string& path) {
    const Result<port::FileFacts> facts = files.stat(path);
    if (!facts) return std::nullopt;  // the engine meets the same trouble and says it
    return facts->type;
}

Result<Transfer> plan_put(const std::string& source, const wire::S3Uri& target, const Settings& settings,
                          port::Files& files) {
    if (is_s3(source)) {
        return usage(
            fmt::format("put {}: put uploads files; use copy between buckets, or get to download", shown(source)));
    }
    Transfer item = settings.item;
    item.kind = TransferKind::put;
    item.local = local_end(source);
    std::string_view name = item.local.kind == LocalEnd::Kind::stdio ? std::string_view() : name_of(source);
    if (item.local.kind == LocalEnd::Kind::path) {
        if (source.empty()) return usage("put: an empty file name");
        const auto type = type_of(files, source);
        if (type == port::FileType::directory) {
            return usage(
                fmt::format("put {}: it is a folder; give --recursive to upload what is in it", shown(source)));
        }
        if (type == port::FileType::stream) name = {};
    }
    Result<wire::S3Uri> full = into(target, name, source, "put");
    if (!full) return std::move(full).error();
    item.target = *std::move(full);
    // As in a tree. A key that was typed is the user's own.
    if (target.names_folder() && !wire::is_utf8(name)) {
        item.refused =
            Error{ErrorKind::unsupported,
                  fmt::format("file '{}' cannot become a key: its name is not UTF-8; rename it, or give the whole key",
                              shown(name))};
    }
    if (item.properties.content_type.empty())
        item.properties.content_type = engine::content_type_for(name, item.target.key);
    return item;
}

Result<Transfer> plan_get(const std::string& source, const std::string& target, bool into_folder,
                          const Settings& settings) {
    if (!is_s3(source)) {
        return usage(fmt::format("get {}: get downloads objects; to upload use put", shown(source)));
    }
    Result<wire::S3Uri> uri = object(source, "get", settings);
    if (!uri) return std::move(uri).error();
    Transfer item = settings.item;
    item.kind = TransferKind::get;
    item.source = *std::move(uri);
    item.local = local_end(target);
    item.hint_below = true;
    if (into_folder) {
        const std::string_view name = name_of(item.source.key);
        if (name.empty()) {
            return usage(
                fmt::format("get {}: its last part is no file name; give the name of the file", shown(source)));
        }
        item.local.path = target;
        if (!target.ends_with('/')) item.local.path += '/';
        item.local.path += name;
    }
    return item;
}

Result<Transfer> plan_delete(const std::string& operand, const Settings& settings) {
    if (!is_s3(operand)) {
        return usage(fmt::format("delete {}: delete takes objects: s3://BUCKET/KEY", shown(operand)));
    }
    Result<wire::S3Uri> uri = object(operand, "delete", settings);
    if (!uri) return std::move(uri).error();
    Transfer item = settings.item;
    item.kind = TransferKind::remove;
    item.target = *std::move(uri);
    item.hint_below = true;
    return item;
}

Result<Transfer> plan_copy(const std::string& source, const wire::S3Uri& target, const Settings& settings) {
    if (!is_s3(source)) return local_in_copy(source, false);
    Result<wire::S3Uri> from = object(source, "copy", settings);
    if (!from) return std::move(from).error();
    Result<wire::S3Uri> to = into(target, name_of(from->key), source, "copy");
    if (!to) return std::move(to).error();
    Transfer item = settings.item;
    item.kind = TransferKind::copy;
    item.source = *std::move(from);
    item.target = *std::move(to);
    const bool changes_something = item.replace_metadata || !item.properties.storage_class.empty();
    if (item.source == item.target && item.version_id.empty() && !changes_something) {
        return usage(fmt::format("copy {}: source and target are the same object", shown(source)));
    }
    return item;
}

std::string_view single_option(const Transfer& item) {
    if (!item.expect_sha256.empty()) return "--expect-sha256";
    if (item.expect_size) return "--expect-size";
    if (!item.conditions.if_match.empty()) return "--if-match";
    if (!item.version_id.empty()) return "--version-id";
    return {};
}

}  // namespace s3tug::cmd::planning
