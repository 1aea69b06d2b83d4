#include "wire/batch_answers.h"

#include <map>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "wire/result_document.h"
#include "wire/xml.h"

namespace s3tug::wire {

namespace {

/// Finds the target that an entry of the answer speaks of.
class Targets {
  public:
    explicit Targets(const std::vector<DeleteTarget>& targets) : targets_(targets), taken_(targets.size(), false) {
        for (std::size_t i = 0; i < targets.size(); ++i) by_key_.emplace(targets[i].key, i);
    }

    /// Of several targets with one key the one with that version, else the first that has no answer yet.
    std::optional<std::size_t> take(std::string_view key, std::string_view version) {
        std::optional<std::size_t> found;
        const auto [from, to] = by_key_.equal_range(key);
        for (auto at = from; at != to; ++at) {
            if (taken_[at->second]) continue;
            if (!found) found = at->second;
            if (targets_[at->second].version_id == version) {
                found = at->second;
                break;
            }
        }
        if (found) taken_[*found] = true;
        return found;
    }

  private:
    const std::vector<DeleteTarget>& targets_;
    std::vector<bool> taken_;
    std::multimap<std::string_view, std::size_t> by_key_;
};

bool is_true(pugi::xml_node node, std::string_view element) {
    return to_lower(xml::child_text(node, element)) == "true";
}

DeletedKey deleted(pugi::xml_node node) {
    DeletedKey key{.outcome = KeyOutcome::deleted, .code = {}, .message = {}, .version_id = {}};
    key.delete_marker = is_true(node, "DeleteMarker");
    key.version_id = xml::child_text(node, key.delete_marker ? "DeleteMarkerVersionId" : "VersionId");
    return key;
}

DeletedKey failed(pugi::xml_node node) {
    return {.outcome = KeyOutcome::failed,
            .code = xml::child_text(node, "Code"),
            .message = xml::child_text(node, "Message"),
            .version_id = xml::child_text(node, "VersionId")};
}

}  // namespace

Result<std::vector<DeletedKey>> parse_delete_objects(const HttpAnswer& answer, const DeleteObjectsInput& asked) {
    pugi::xml_document document;
    const pugi::xml_node root = load_result(document, answer, "Delete");
    if (!root) return missing_result(Op::delete_objects, answer, "an outcome for each key");
    std::vector<DeletedKey> keys(asked.targets.size());
    Targets targets(asked.targets);
    bool silence_is_success = asked.quiet;
    for (const pugi::xml_node node : root.children()) {
        const bool error = xml::local_name(node.name()) == "Error";
        if (!error && xml::local_name(node.name()) != "Deleted") continue;
        const auto at = targets.take(xml::raw_text(xml::child(node, "Key")), xml::child_text(node, "VersionId"));
        if (at) {
            keys[*at] = error ? failed(node) : deleted(node);
        } else if (error) {
            silence_is_success = false;
        }
    }
    if (!silence_is_success) return keys;
    for (DeletedKey& key : keys) {
        if (key.outcome == KeyOutcome::unanswered) key.outcome = KeyOutcome::deleted;
    }
    return keys;
}

bool has_failed_keys(const HttpAnswer& answer) {
    pugi::xml_document document;
    const pugi::xml_node root = load_result(document, answer, "Delete");
    return static_cast<bool>(xml::child(root, "Error"));
}

}  // namespace s3tug::wire
