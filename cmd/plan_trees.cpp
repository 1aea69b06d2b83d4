#include "cmd/plan_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "cmd/plan_items.h"
#include "cmd/plan_lists.h"
#include "cmd/plan_one.h"
#include "engine/batched_deletes.h"
#include "engine/chained_items.h"
#include "engine/key_path.h"
#include "engine/tree_items.h"

namespace s3tug::cmd {
namespace {

using engine::KeySelection;
using engine::Transfer;
using namespace planning;
using Strings = std::vector<std::string>;
using Source = std::unique_ptr<engine::ItemSource>;
using Sources = std::vector<Source>;

bool is_s3(std::string_view operand) { return wire::looks_like_s3_uri(operand); }

bool is_pattern(const std::string& operand, const Settings& settings) {
    if (settings.raw_keys || !is_s3(operand)) return false;
    const Result<wire::S3Uri> uri = wire::parse_s3_uri(operand);
    return uri && engine::key_pattern(uri->key).has_value();
}

Source known(Transfer item) {
    std::vector<Transfer> items;
    items.push_back(std::move(item));
    return std::make_unique<engine::KnownItems>(std::move(items));
}

Source listed(CommandId id, const KeySelection& selection, const Settings& settings, engine::ObjectItem make) {
    return std::make_unique<engine::ListedItems>(selection, settings.item.properties.extra, std::move(make),
                                                 std::string(command(id).name));
}

/// A folder's files, but for those that stand in an earlier folder of the command too: two must not overwrite each
/// other silently.
engine::FileItem unless_taken(engine::FileItem make, Strings earlier, port::Files& files) {
    if (earlier.empty()) return make;
    return [make = std::move(make), earlier = std::move(earlier), &files](const std::string& path,
                                                                          const std::string& name) {
        Transfer item = make(path, name);
        const auto has = [&](const std::string& folder) { return files.stat(engine::as_folder(folder) + name).ok(); };
        if (!item.refused && !name.empty() && std::ranges::any_of(earlier, has))
            item.refused = Error{ErrorKind::usage, shown(path) + ": a file of an earlier operand has this key too"};
        return item;
    };
}

Result<Sources> put_sources(const Strings& operands, const Settings& settings, port::Files& files) {
    if (operands.size() < 2) return needs_operands(CommandId::put);
    Result<wire::S3Uri> target = put_target(operands.back(), operands.front());
    if (!target) return std::move(target).error();
    const bool several = operands.size() > 2;
    if (several && !target->names_folder()) return many_to_one("put", operands.size() - 1, operands.back());
    const wire::S3Uri folder{target->bucket, engine::as_folder(target->key)};
    Sources out;
    std::set<std::string> names;  // of operands that are files
    Strings folders;
    for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
        const std::string& source = operands[i];
        if (is_s3(source) || type_of(files, source) != port::FileType::directory) {
            Result<Transfer> item = plan_put(source, *target, settings, files);
            if (!item) return std::move(item).error();
            if (several) engine::separate_key(*item);
            const std::string name = item->target.key.substr(std::min(folder.key.size(), item->target.key.size()));
            const auto has = [&](const std::string& f) { return files.stat(engine::as_folder(f) + name).ok(); };
            if (!names.insert(name).second || std::ranges::any_of(folders, has))
                return usage(fmt::format("put: two sources would become {}", wire::to_text(item->target)));
            out.push_back(known(*std::move(item)));
            continue;
        }
        const std::string root = engine::as_folder(source);
        for (const std::string& name : names) {
            if (files.stat(root + name).ok())
                return usage(
                    fmt::format("put: two sources would become {}", wire::to_text({folder.bucket, folder.key + name})));
        }
        out.push_back(std::make_unique<engine::WalkedItems>(
            files, source, settings.tree.filter, settings.tree.follow_links,
            unless_taken(engine::put_items(settings.item, folder, root.size()), folders, files)));
        folders.push_back(source);
    }
    return out;
}

/// Objects of several operands go to one folder under their names below a folder each: it must be the same one, else
/// two could become one.
Status check_one_base(const std::vector<KeySelection>& selections, std::string_view command) {
    for (const KeySelection& one : selections) {
        const KeySelection& first = selections.front();
        if (one.bucket == first.bucket && one.base() == first.base()) continue;
        return usage(fmt::format("{}: objects of {} and of {} could have one name in the target; run {} for each",
                                 command, first.text(), one.text(), command));
    }
    return {};
}

Result<std::vector<KeySelection>> selections_of(const Strings& operands, std::size_t count, std::string_view command,
                                                const Settings& settings) {
    std::vector<KeySelection> out;
    for (std::size_t i = 0; i < count; ++i) {
        Result<KeySelection> one = selection_of(operands[i], command, settings);
        if (!one) return std::move(one).error();
        out.push_back(*std::move(one));
    }
    return out;
}

/// A key that was named as such, where other operands are patterns.
std::optional<std::string> plain_key(const std::string& operand, const Settings& settings) {
    if (settings.tree.recursive || is_pattern(operand, settings)) return std::nullopt;
    return wire::parse_s3_uri(operand).value().key;
}

engine::ObjectItem unless_named(std::set<std::string> keys, engine::ObjectItem make) {
    if (keys.empty()) return make;
    return [keys = std::move(keys), make = std::move(make)](const wire::ListedObject& object,
                                                            const std::string& name) -> std::optional<Transfer> {
        return keys.contains(object.key) ? std::nullopt : make(object, name);
    };
}

/// One source for each operand, none with what an earlier one has: `plain` makes the item of a key that was named,
/// `make` those of a selection.
Result<Sources> object_sources(CommandId id, const Strings& operands, const std::vector<KeySelection>& selections,
                               const Settings& settings,
                               const std::function<Result<Transfer>(const std::string&)>& plain,
                               const std::function<engine::ObjectItem(const KeySelection&)>& make) {
    Sources named;
    std::map<std::string, std::set<std::string>> named_keys;  // by bucket
    for (std::size_t i = 0; i < selections.size(); ++i) {
        const std::optional<std::string> key = plain_key(operands[i], settings);
        if (!key || !named_keys[selections[i].bucket].insert(*key).second) continue;
        Result<Transfer> item = plain(operands[i]);
        if (!item) return std::move(item).error();
        engine::separate_key(*item);
        named.push_back(known(*std::move(item)));
    }
    std::vector<KeySelection> earlier;
    for (std::size_t i = 0; i < selections.size(); ++i) {
        if (plain_key(operands[i], settings)) continue;
        const KeySelection& one = selections[i];
        std::vector<KeySelection> same_bucket;
        std::ranges::copy_if(earlier, std::back_inserter(same_bucket),
                             [&one](const KeySelection& e) { return e.bucket == one.bucket; });
        named.push_back(
            listed(id, one, settings, unless_named(named_keys[one.bucket], engine::unless_in(same_bucket, make(one)))));
        earlier.push_back(one);
    }
    return named;
}

Result<Sources> get_sources(const Strings& operands, const Settings& settings, port::Files& files) {
    if (Status status = check_get_target(operands, settings); !status) return std::move(status).error();
    const std::string& target = operands.back();
    if (target == "-") return usage("get: many objects to standard output would run together; get them to a folder");
    const auto type = type_of(files, target);
    if (type && type != port::FileType::directory)
        return usage(fmt::format("get: many objects go to a folder, and {} is none", shown(target)));
    Result<std::vector<KeySelection>> selections = selections_of(operands, operands.size() - 1, "get", settings);
    if (!selections) return std::move(selections).error();
    if (Status status = check_one_base(*selections, "get"); !status) return std::move(status).error();
    const auto plain = [&](const std::string& operand) {
        Result<Transfer> item = plan_get(operand, target, true, settings);
        if (item) item->local.root_bytes = engine::as_folder(target).size();
        return item;
    };
    return object_sources(CommandId::get, operands, *selections, settings, plain,
                          [&](const KeySelection& one) { return engine::get_items(settings.item, one, target); });
}

/// New objects must not be listed as sources: the copy would never end.
Status check_outside(const KeySelection& source, const wire::S3Uri& target) {
    if (source.bucket != target.bucket) return {};
    const bool onto_itself = target.key == source.base();
    const bool inside =
        source.pattern ? target.key.starts_with(source.pattern->prefix) : engine::is_in_tree(target.key, source.base());
    if (onto_itself || !inside) return {};
    return usage(fmt::format("copy {}: the target {} lies in the source, so what is copied would be copied again",
                             source.text(), wire::to_text(target)));
}

Result<Sources> copy_sources(const Strings& operands, const Settings& settings) {
    if (operands.size() < 2) return needs_operands(CommandId::copy);
    const std::string& last = operands.back();
    if (!is_s3(last)) return local_in_copy(last, true);
    Result<wire::S3Uri> target = wire::parse_s3_uri(last);
    if (!target) return std::move(target).error();
    if (operands.size() > 2 && !target->names_folder()) return many_to_one("copy", operands.size() - 1, last);
    target->key = engine::as_folder(target->key);
    Result<std::vector<KeySelection>> selections = selections_of(operands, operands.size() - 1, "copy", settings);
    if (!selections) return std::move(selections).error();
    if (Status status = check_one_base(*selections, "copy"); !status) return std::move(status).error();
    for (const KeySelection& one : *selections) {
        if (!one.pattern && !settings.tree.recursive) continue;  // one key
        if (Status status = check_outside(one, *target); !status) return std::move(status).error();
    }
    return object_sources(
        CommandId::copy, operands, *selections, settings,
        [&](const std::string& operand) { return plan_copy(operand, *target, settings); },
        [&](const KeySelection& one) { return engine::copy_items(settings.item, one, *target); });
}

Result<Sources> delete_sources(const Strings& operands, const Settings& settings) {
    if (operands.empty()) return needs_operands(CommandId::remove);
    Result<std::vector<KeySelection>> selections = selections_of(operands, operands.size(), "delete", settings);
    if (!selections) return std::move(selections).error();
    for (const KeySelection& one : *selections) {
        if (one.pattern || !one.root.empty() || !settings.tree.recursive) continue;
        return usage(
            fmt::format("delete s3://{}: this would delete all that is in the bucket; if that is meant, say "
                        "'s3://{}/*'",
                        one.bucket, one.bucket));
    }
    return object_sources(
        CommandId::remove, operands, *selections, settings,
        [&](const std::string& operand) { return plan_delete(operand, settings); },
        [&](const KeySelection& one) { return engine::delete_items(settings.item, one); });
}

Plan chain(CommandId id, Sources sources) {
    Plan out;
    out.several = true;
    out.items = std::make_unique<engine::ChainedItems>(std::move(sources));
    if (id == CommandId::remove) out.items = std::make_unique<engine::BatchedDeletes>(std::move(out.items));
    return out;
}

Result<Plan> plan_known(CommandId id, const Strings& operands, const Settings& settings, port::Files& files) {
    if (settings.tree.filtered)
        return usage("--include and --exclude choose from trees (--recursive), patterns and lists (--files-from)");
    Result<std::vector<Transfer>> items = plan_items(id, operands, settings, files);
    if (!items) return std::move(items).error();
    Plan out;
    out.several = items->size() > 1;
    out.items = std::make_unique<engine::KnownItems>(*std::move(items));
    return out;
}

}  // namespace

Result<Plan> plan(CommandId id, const Strings& operands, const Settings& settings, port::Files& files,
                  std::optional<Instant> until) {
    const bool patterns =
        std::ranges::any_of(operands, [&](const std::string& operand) { return is_pattern(operand, settings); });
    const bool listed_names = !settings.tree.files_from.empty();
    const bool many = settings.tree.recursive || listed_names || (patterns && id != CommandId::put);
    if (!many) return plan_known(id, operands, settings, files);
    if (const std::string_view option = single_option(settings.item); !option.empty())
        return usage(fmt::format("{} is about one object, and this command may mean many", option));
    Result<Sources> sources = listed_names            ? list_source(id, operands, settings, files, until)
                              : id == CommandId::put  ? put_sources(operands, settings, files)
                              : id == CommandId::get  ? get_sources(operands, settings, files)
                              : id == CommandId::copy ? copy_sources(operands, settings)
                                                      : delete_sources(operands, settings);
    if (!sources) return std::move(sources).error();
    return chain(id, *std::move(sources));
}

}  // namespace s3tug::cmd
