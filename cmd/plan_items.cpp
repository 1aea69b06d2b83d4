#include "cmd/plan_items.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "base/bytes.h"
#include "base/limits.h"
#include "wire/object_headers.h"
#include "wire/uri.h"

namespace s3tug::cmd {
namespace {

using engine::LocalEnd;
using engine::Transfer;
using engine::TransferKind;
using Items = Result<std::vector<Transfer>>;

Error usage(std::string message) { return Error{ErrorKind::usage, std::move(message)}; }

bool is_s3(std::string_view operand) { return wire::looks_like_s3_uri(operand); }

/// The part after the last slash: the name that a file or object has in a folder. Empty, "." and ".." are no names.
std::string_view name_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    return name == "." || name == ".." ? std::string_view() : name;
}

std::string shown(std::string_view operand) { return printable(operand, limits::trace_text_max_bytes); }

LocalEnd local_end(const std::string& operand) {
    if (operand == "-") return {LocalEnd::Kind::stdio, {}};
    return {LocalEnd::Kind::path, operand};
}

std::optional<port::FileType> type_of(port::Files& files, const std::string& path) {
    const Result<port::FileFacts> facts = files.stat(path);
    if (!facts) return std::nullopt;  // the engine meets the same trouble and says it
    return facts->type;
}

/// An object that is read or deleted. A star is kept for patterns, which come later; --raw takes it as it is.
Result<wire::S3Uri> object(const std::string& operand, std::string_view command, const Settings& settings) {
    Result<wire::S3Uri> uri = wire::parse_s3_uri(operand);
    if (!uri) return uri;
    if (uri->key.empty()) {
        return usage(
            fmt::format("{} {}: no key given; name one object: s3://{}/KEY", command, shown(operand), uri->bucket));
    }
    if (uri->key.find('*') != std::string::npos && !settings.raw_keys) {
        return usage(
            fmt::format("{} {}: wildcards are not supported yet; name the objects, or give --raw if the star "
                        "belongs to the key",
                        command, shown(operand)));
    }
    return uri;
}

/// Items of one command need a record of their own each under its idempotency key.
void separate_keys(std::vector<Transfer>& items) {
    if (items.size() < 2 || items.front().idempotency_key.empty()) return;
    for (Transfer& item : items) {
        item.idempotency_key +=
            fmt::format(" s3://{}/{}", item.target.bucket, percent_encode(item.target.key, Slash::keep));
    }
}

Error needs_operands(CommandId id) {
    const Command& c = command(id);
    return usage(fmt::format("{}: operands are missing; right form: s3tug {} {}", c.name, c.name, c.operands));
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

Error many_to_one(std::string_view command, std::size_t sources, const std::string& target) {
    return usage(fmt::format("{}: {} sources and one target, {}; end it with / to put them into that folder", command,
                             sources, shown(target)));
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
                fmt::format("put {}: it is a folder; --recursive is not supported yet, name the files", shown(source)));
        }
        if (type == port::FileType::stream) name = {};
    }
    Result<wire::S3Uri> full = into(target, name, source, "put");
    if (!full) return std::move(full).error();
    item.target = *std::move(full);
    if (item.properties.content_type.empty()) {
        const std::string_view unknown = wire::content_type_of({});
        const std::string_view by_name = wire::content_type_of(name);
        item.properties.content_type = by_name == unknown ? wire::content_type_of(item.target.key) : by_name;
    }
    return item;
}

Items plan_puts(const std::vector<std::string>& operands, const Settings& settings, port::Files& files) {
    if (operands.size() < 2) return needs_operands(CommandId::put);
    const std::string& last = operands.back();
    if (!is_s3(last)) {
        if (is_s3(operands.front())) {
            return usage(fmt::format("put: the target {} is local; to download use get", shown(last)));
        }
        return usage(fmt::format("put: the target comes last and is s3://BUCKET/KEY, not {}", shown(last)));
    }
    Result<wire::S3Uri> target = wire::parse_s3_uri(last);
    if (!target) return std::move(target).error();
    if (operands.size() > 2 && !target->names_folder()) return many_to_one("put", operands.size() - 1, last);
    std::vector<Transfer> items;
    std::set<std::string> keys;
    for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
        Result<Transfer> item = plan_put(operands[i], *target, settings, files);
        if (!item) return std::move(item).error();
        if (!keys.insert(item->target.key).second) {
            return usage(fmt::format("put: two sources would become {}", wire::to_text(item->target)));
        }
        items.push_back(*std::move(item));
    }
    return items;
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

Items plan_gets(const std::vector<std::string>& operands, const Settings& settings, port::Files& files) {
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
    const bool to_stdout = target == "-";
    if (to_stdout && settings.output.json) {
        return usage("get: --json and - both want standard output; download to a file");
    }
    const bool into_folder =
        !to_stdout && (target.ends_with('/') || type_of(files, target) == port::FileType::directory);
    if (operands.size() > 2 && !into_folder) {
        return to_stdout ? usage("get: several objects to standard output would run together; get them one by one")
                         : many_to_one("get", operands.size() - 1, target);
    }
    std::vector<Transfer> items;
    std::set<std::string> paths;
    for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
        Result<Transfer> item = plan_get(operands[i], target, into_folder, settings);
        if (!item) return std::move(item).error();
        if (!paths.insert(item->local.path).second) {
            return usage(fmt::format("get: two objects would become {}", shown(item->local.path)));
        }
        items.push_back(*std::move(item));
    }
    return items;
}

Items plan_deletes(const std::vector<std::string>& operands, const Settings& settings) {
    if (operands.empty()) return needs_operands(CommandId::remove);
    std::vector<Transfer> items;
    std::set<std::string> seen;
    for (const std::string& operand : operands) {
        if (!is_s3(operand)) {
            return usage(fmt::format("delete {}: delete takes objects: s3://BUCKET/KEY", shown(operand)));
        }
        Result<wire::S3Uri> uri = object(operand, "delete", settings);
        if (!uri) return std::move(uri).error();
        // Twice the same would race with itself, and leave two markers in a versioned bucket.
        if (!seen.insert(operand).second) continue;
        Transfer item = settings.item;
        item.kind = TransferKind::remove;
        item.target = *std::move(uri);
        items.push_back(std::move(item));
    }
    return items;
}

Error local_in_copy(const std::string& operand, bool is_target) {
    return usage(fmt::format("copy {}: copy works between buckets; to {} use {}", shown(operand),
                             is_target ? "download" : "upload", is_target ? "get" : "put"));
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

Items plan_copies(const std::vector<std::string>& operands, const Settings& settings) {
    if (operands.size() < 2) return needs_operands(CommandId::copy);
    const std::string& last = operands.back();
    if (!is_s3(last)) return local_in_copy(last, true);
    Result<wire::S3Uri> target = wire::parse_s3_uri(last);
    if (!target) return std::move(target).error();
    if (operands.size() > 2 && !target->names_folder()) return many_to_one("copy", operands.size() - 1, last);
    std::vector<Transfer> items;
    std::set<std::string> keys;
    for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
        Result<Transfer> item = plan_copy(operands[i], *target, settings);
        if (!item) return std::move(item).error();
        if (!keys.insert(item->target.key).second) {
            return usage(fmt::format("copy: two sources would become {}", wire::to_text(item->target)));
        }
        items.push_back(*std::move(item));
    }
    return items;
}

/// Options that name one object cannot hold for several.
Status check_single(const std::vector<Transfer>& items) {
    if (items.size() < 2) return {};
    const Transfer& first = items.front();
    std::string_view option;
    if (!first.version_id.empty()) option = "--version-id";
    if (!first.conditions.if_match.empty()) option = "--if-match";
    if (first.expect_size) option = "--expect-size";
    if (!first.expect_sha256.empty()) option = "--expect-sha256";
    if (option.empty()) return {};
    return usage(fmt::format("{} is about one object, but there are {}", option, items.size()));
}

}  // namespace

Items plan_items(CommandId id, const std::vector<std::string>& operands, const Settings& settings, port::Files& files) {
    Items items = id == CommandId::put      ? plan_puts(operands, settings, files)
                  : id == CommandId::get    ? plan_gets(operands, settings, files)
                  : id == CommandId::remove ? plan_deletes(operands, settings)
                                            : plan_copies(operands, settings);
    if (!items) return items;
    if (Status status = check_single(*items); !status) return std::move(status).error();
    separate_keys(*items);
    return items;
}

}  // namespace s3tug::cmd
