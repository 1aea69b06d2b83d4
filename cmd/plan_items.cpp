#include "cmd/plan_items.h"

#include <fmt/format.h>

#include <set>

#include "cmd/plan_one.h"
#include "engine/tree_items.h"

namespace s3tug::cmd {
namespace {

using engine::Transfer;
using namespace planning;
using Items = Result<std::vector<Transfer>>;

Items plan_puts(const std::vector<std::string>& operands, const Settings& settings, port::Files& files) {
    if (operands.size() < 2) return needs_operands(CommandId::put);
    const std::string& last = operands.back();
    const Result<wire::S3Uri> target = put_target(last, operands.front());
    if (!target) return target.error();
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

Items plan_gets(const std::vector<std::string>& operands, const Settings& settings, port::Files& files) {
    if (Status status = check_get_target(operands, settings); !status) return std::move(status).error();
    const std::string& target = operands.back();
    const bool to_stdout = target == "-";
    if (to_stdout && settings.output.json) {
        return usage("get: --json and - both want standard output; download to a file");
    }
    const std::optional<port::FileType> type = to_stdout ? std::nullopt : type_of(files, target);
    const bool into_folder = !to_stdout && (target.ends_with('/') || type == port::FileType::directory);
    const bool new_folder = into_folder && !type;
    if (operands.size() > 2 && !into_folder) {
        return to_stdout ? usage("get: several objects to standard output would run together; get them one by one")
                         : many_to_one("get", operands.size() - 1, target);
    }
    std::vector<Transfer> items;
    std::set<std::string> paths;
    for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
        Result<Transfer> item = plan_get(operands[i], target, into_folder, settings);
        if (!item) return std::move(item).error();
        if (new_folder) item->local.root_bytes = target.size();  // it is made, as that of a tree
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
        // Twice the same would race with itself, and leave two markers in a versioned bucket.
        if (!seen.insert(operand).second) continue;
        Result<Transfer> item = plan_delete(operand, settings);
        if (!item) return std::move(item).error();
        items.push_back(*std::move(item));
    }
    return items;
}

Items plan_copies(const std::vector<std::string>& operands, const Settings& settings) {
    if (operands.size() < 2) return needs_operands(CommandId::copy);
    const std::string& last = operands.back();
    if (!wire::looks_like_s3_uri(last)) return local_in_copy(last, true);
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
    const std::string_view option = single_option(items.front());
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
    if (items->size() > 1) {
        for (Transfer& item : *items) engine::separate_key(item);
    }
    return items;
}

}  // namespace s3tug::cmd
