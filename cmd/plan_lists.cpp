#include "cmd/plan_lists.h"

#include <fmt/format.h>

#include "cmd/plan_one.h"
#include "engine/key_path.h"
#include "engine/named_items.h"
#include "engine/tree_items.h"
#include "engine/walked_items.h"

namespace s3tug::cmd {
namespace {

using engine::KeySelection;
using engine::NamedItems;
using engine::Transfer;
using engine::TransferKind;
using namespace planning;
using Strings = std::vector<std::string>;
using Sources = std::vector<std::unique_ptr<engine::ItemSource>>;

/// Names end with a line, so one that ends in a carriage return is rather of a list with CRLF than a name.
bool in_lines(const Settings& settings) { return !settings.bookkeeping.zero_ended; }

std::string crlf_text(const std::string& line) {
    return fmt::format(
        "'{}' ends in a carriage return; has the list CRLF line ends? take them off (tr -d '\\r'), or "
        "give names that do end so with --from0",
        shown(line));
}

Transfer refused(Transfer about, const std::string& line, std::string why) {
    if (about.target.bucket.empty()) about.label = fmt::format("{} --files-from", engine::verb(about));
    about.refused = usage(std::move(why));
    about.listed_as = line;
    return about;
}

/// Names are paths, below the source when there is one. A path that begins with the source is taken as such, which is
/// how walks and --failed-to write it.
Result<NamedItems::Make> put_names(const Strings& operands, const Settings& settings, port::Files& files,
                                   Transfer& about) {
    if (operands.empty() || operands.size() > 2)
        return usage("put --files-from: right form: s3tug put --files-from FILE [FOLDER] s3://BUCKET/PREFIX");
    Result<wire::S3Uri> target = put_target(operands.back(), operands.front());
    if (!target) return std::move(target).error();
    target->key = engine::as_folder(target->key);
    std::string root;
    if (operands.size() == 2) {
        if (const auto type = type_of(files, operands.front()); type != port::FileType::directory)
            return usage(fmt::format("put {}: with --files-from the source is a folder", shown(operands.front())));
        root = engine::as_folder(operands.front());
    }
    about.kind = TransferKind::put;
    about.target = *target;
    return NamedItems::Make([root, &files, lines = in_lines(settings), filter = settings.tree.filter,
                             make = engine::put_items(settings.item, *target, root.size())](
                                const std::string& line) -> std::optional<Transfer> {
        const bool whole = !root.empty() && line.size() > root.size() && line.starts_with(root);
        const std::string name = whole ? line.substr(root.size()) : line;
        if (!filter.keeps(name)) return std::nullopt;
        Transfer item = make(root + name, name);
        if (lines && line.ends_with('\r') && !item.refused && !files.stat(item.local.path))
            item.refused = Error{ErrorKind::not_found, "no such file: " + crlf_text(line)};
        // Nobody may be there to write into it, and the names after it would wait for ever.
        if (const auto type = type_of(files, item.local.path);
            !item.refused && (type == port::FileType::stream || type == port::FileType::other))
            item.refused = engine::no_file(item.local.path, "put it by itself or leave it out");
        return item;
    });
}

/// The key that a line names: a whole address of something that is selected, or a name below the source.
Result<std::string> key_of(const std::string& line, const KeySelection& source) {
    if (!line.starts_with("s3://")) return source.base() + line;
    Result<wire::S3Uri> uri = wire::parse_s3_uri(line);
    if (!uri) return std::move(uri).error();
    if (uri->bucket == source.bucket && !uri->key.empty() && source.name_of(uri->key)) return uri->key;
    return usage(fmt::format("{} of --files-from does not lie in {}", shown(line), source.text()));
}

NamedItems::Make object_names(KeySelection source, Transfer about, bool lines, engine::ObjectItem make) {
    return [source = std::move(source), about = std::move(about), lines,
            make = std::move(make)](const std::string& line) -> std::optional<Transfer> {
        // Silently the keys would be other ones, of which a delete would be a success.
        if (lines && line.ends_with('\r')) return refused(about, line, crlf_text(line));
        wire::ListedObject object;
        Result<std::string> key = key_of(line, source);
        if (!key) return refused(about, line, key.error().message);
        object.key = *std::move(key);
        const std::string name = source.name_of(object.key).value_or(object.key);
        if (!source.filter.keeps(name)) return std::nullopt;
        return make(object, name);
    };
}

/// Addresses of any bucket: only for delete, where nothing has to be named anew.
NamedItems::Make delete_addresses(const Settings& settings, Transfer about) {
    return [settings, about = std::move(about)](const std::string& line) -> std::optional<Transfer> {
        if (in_lines(settings) && line.ends_with('\r')) return refused(about, line, crlf_text(line));
        Result<wire::S3Uri> uri = wire::parse_s3_uri(line);
        if (!uri) return refused(about, line, uri.error().message);
        if (uri->key.empty()) return refused(about, line, fmt::format("{} of --files-from has no key", shown(line)));
        if (!settings.tree.filter.keeps(uri->key)) return std::nullopt;
        KeySelection whole;
        whole.bucket = uri->bucket;
        wire::ListedObject object;
        object.key = uri->key;
        return engine::delete_items(settings.item, whole)(object, uri->key);
    };
}

Result<NamedItems::Make> object_list(CommandId id, const Strings& operands, const Settings& settings,
                                     port::Files& files, Transfer& about) {
    const std::string_view name = command(id).name;
    about.kind = id == CommandId::get    ? TransferKind::get
                 : id == CommandId::copy ? TransferKind::copy
                                         : TransferKind::remove;
    if (id == CommandId::remove && operands.empty()) return delete_addresses(settings, about);
    if (operands.size() != (id == CommandId::remove ? 1U : 2U)) {
        return usage(fmt::format("{} --files-from: right form: s3tug {} --files-from FILE s3://BUCKET/PREFIX{}", name,
                                 name, id == CommandId::remove ? "" : " TARGET"));
    }
    Result<KeySelection> source = selection_of(operands.front(), name, settings);
    if (!source) return std::move(source).error();
    if (source->pattern) return usage(fmt::format("{} --files-from: the source is a prefix, no pattern", name));
    about.source = about.target = {source->bucket, source->root};
    const bool lines = in_lines(settings);
    if (id == CommandId::remove)
        return object_names(*source, about, lines, engine::delete_items(settings.item, *source));
    const std::string& last = operands.back();
    if (id == CommandId::get) {
        if (Status status = check_get_target(operands, settings); !status) return std::move(status).error();
        const auto type = type_of(files, last);
        if (last == "-" || (type && type != port::FileType::directory))
            return usage(fmt::format("get: many objects go to a folder, and {} is none", shown(last)));
        return object_names(*source, about, lines, engine::get_items(settings.item, *source, last));
    }
    if (!wire::looks_like_s3_uri(last)) return local_in_copy(last, true);
    Result<wire::S3Uri> target = wire::parse_s3_uri(last);
    if (!target) return std::move(target).error();
    target->key = engine::as_folder(target->key);
    return object_names(*source, about, lines, engine::copy_items(settings.item, *source, *target));
}

}  // namespace

Result<KeySelection> selection_of(const std::string& operand, std::string_view command, const Settings& settings) {
    if (!wire::looks_like_s3_uri(operand)) {
        if (command == "get")
            return usage(fmt::format("get {}: get downloads objects; to upload use put", shown(operand)));
        if (command == "copy") return local_in_copy(operand, false);
        return usage(fmt::format("{} {}: {} takes objects: s3://BUCKET/KEY", command, shown(operand), command));
    }
    Result<wire::S3Uri> uri = wire::parse_s3_uri(operand);
    if (!uri) return std::move(uri).error();
    KeySelection out;
    out.bucket = uri->bucket;
    out.filter = settings.tree.filter;
    if (!settings.raw_keys) out.pattern = engine::key_pattern(uri->key);
    if (out.pattern) return out;
    out.root = uri->key;
    if (!settings.tree.recursive && settings.tree.files_from.empty()) {
        // One key among patterns: only its folder matters, for the names.
        if (uri->key.empty())
            return usage(
                fmt::format("{} {}: no key given; name objects, or all with --recursive", command, shown(operand)));
        out.root = uri->key.substr(0, uri->key.rfind('/') + 1);
    }
    return out;
}

Result<Sources> list_source(CommandId id, const Strings& operands, const Settings& settings, port::Files& files,
                            std::optional<Instant> until) {
    Transfer about = settings.item;
    Result<NamedItems::Make> make = id == CommandId::put ? put_names(operands, settings, files, about)
                                                         : object_list(id, operands, settings, files, about);
    if (!make) return std::move(make).error();
    NamedItems::List list;
    list.name = settings.tree.files_from == "-" ? "standard input" : shown(settings.tree.files_from);
    list.separator = settings.bookkeeping.zero_ended ? '\0' : '\n';
    list.until = until;
    Result<std::unique_ptr<port::SourceFile>> opened =
        settings.tree.files_from == "-" ? files.open_stdin() : files.open_source(settings.tree.files_from);
    if (!opened) return std::move(opened).error().with_context("--files-from");
    list.file = *std::move(opened);
    if (const std::string& failed_to = settings.bookkeeping.failed_to; !failed_to.empty()) {
        const Result<port::FileFacts> other = files.stat(failed_to);
        const port::FileFacts& own = list.file->at_open();
        if (other && own.type == port::FileType::regular && other->inode == own.inode && other->device == own.device)
            return usage(
                fmt::format("--failed-to {}: it is the list of --files-from, which it would empty", shown(failed_to)));
    }
    Sources out;
    out.push_back(std::make_unique<NamedItems>(std::move(list), std::move(about), *std::move(make)));
    return out;
}

}  // namespace s3tug::cmd
