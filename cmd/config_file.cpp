#include "cmd/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/toml.h"

namespace s3tug::cmd {
namespace {

std::string at(std::string_view name, const toml::source_region& where) {
    return fmt::format("{}:{}", name, where.begin.line);
}

Error bad(std::string message) { return Error{ErrorKind::config, std::move(message)}; }

/// The keys that may stand in the file.
std::vector<std::string_view> setting_names() {
    std::vector<std::string_view> out;
    for (const Flag& f : flags()) {
        if (f.use == Use::setting) out.push_back(f.name);
    }
    return out;
}

Error unknown_key(std::string_view key, const std::string& where) {
    const Flag* known = find_flag(key);
    if (known != nullptr && known->use != Use::setting) {
        return bad(fmt::format("{}: {} cannot be set in a file, only given on the command line{}", where, key,
                               known->use == Use::environment ? " or as " + environment_name(*known) : ""));
    }
    std::vector<std::string_view> names = setting_names();
    names.push_back("profile");
    std::string message = fmt::format("{}: unknown setting '{}'", where, printable(key));
    if (const auto near = nearest(key, names)) message += fmt::format("; did you mean {}?", *near);
    return bad(std::move(message));
}

std::string_view wanted(const Flag& f) {
    switch (f.type) {
        case ValueType::toggle: return "true or false";
        case ValueType::count: return "a whole number";
        case ValueType::number: return f.value == "N|auto" ? "a whole number or \"auto\"" : "a whole number";
        case ValueType::size: return "a size: a number of bytes, or text as in \"16MiB\"";
        case ValueType::duration: return "a duration: a number of seconds, or text as in \"500ms\"";
        case ValueType::list: return "text, or an array of texts";
        case ValueType::text: return "text in quotes";
        case ValueType::choice: return "one of the choices, in quotes";
    }
    return "text";
}

bool takes_numbers(ValueType type) {
    return type == ValueType::count || type == ValueType::number || type == ValueType::size ||
           type == ValueType::duration;
}

bool takes_text(const Flag& f) {
    return f.type != ValueType::toggle && f.type != ValueType::count &&
           (f.type != ValueType::number || f.value == "N|auto");
}

/// One TOML value as it would be typed; nullopt when its type is wrong for the option.
std::optional<std::vector<std::string>> as_typed(const Flag& f, const toml::node& node) {
    if (const auto* flag_value = node.as_boolean()) {
        if (f.type != ValueType::toggle) return std::nullopt;
        return std::vector<std::string>{flag_value->get() ? "true" : "false"};
    }
    if (const auto* number = node.as_integer()) {
        if (!takes_numbers(f.type)) return std::nullopt;
        return std::vector<std::string>{std::to_string(number->get())};
    }
    if (const auto* number = node.as_floating_point()) {
        if (f.type != ValueType::duration || !std::isfinite(number->get())) return std::nullopt;
        return std::vector<std::string>{fmt::format("{:f}", number->get())};
    }
    if (const auto* text = node.as_string()) {
        if (!takes_text(f)) return std::nullopt;
        return std::vector<std::string>{text->get()};
    }
    const auto* array = node.as_array();
    if (array == nullptr || f.type != ValueType::list) return std::nullopt;
    std::vector<std::string> out;
    for (const toml::node& item : *array) {
        if (!item.is_string()) return std::nullopt;
        out.push_back(item.as_string()->get());
    }
    return out;
}

Status take_table(const toml::table& table, std::string_view name, const std::string& profile,
                  std::vector<ConfigFile::Entry>& out) {
    for (const auto& [key, node] : table) {
        if (profile.empty() && key.str() == "profile" && node.is_table()) continue;
        const std::string where = at(name, key.source());
        const Flag* f = find_flag(key.str());
        if (f == nullptr || f->use != Use::setting || f->name != key.str()) return unknown_key(key.str(), where);
        std::optional<std::vector<std::string>> values = as_typed(*f, node);
        if (!values) return bad(fmt::format("{}: {} must be {}", where, f->name, wanted(*f)));
        out.push_back({profile, f->id, *std::move(values), static_cast<std::size_t>(key.source().begin.line)});
    }
    return {};
}

}  // namespace

Result<ConfigFile> ConfigFile::parse(std::string_view text, std::string name) {
    ConfigFile file;
    file.name_ = std::move(name);
    const toml::parse_result parsed = toml::parse(text);
    if (!parsed) {
        return bad(
            fmt::format("{}: {}", at(file.name_, parsed.error().source()), printable(parsed.error().description())));
    }
    const toml::table& root = parsed.table();
    if (Status status = take_table(root, file.name_, {}, file.entries_); !status) return std::move(status).error();
    const auto* profiles = root.get_as<toml::table>("profile");
    if (profiles == nullptr) return file;
    for (const auto& [key, node] : *profiles) {
        const auto* section = node.as_table();
        if (section == nullptr) {
            return bad(fmt::format("{}: write profiles as sections: [profile.NAME]", at(file.name_, key.source())));
        }
        const std::string profile(key.str());
        file.profiles_.push_back(profile);
        if (Status status = take_table(*section, file.name_, profile, file.entries_); !status) {
            return std::move(status).error();
        }
    }
    return file;
}

const ConfigFile::Entry* ConfigFile::find(std::string_view profile, FlagId id) const {
    for (const Entry& entry : entries_) {
        if (entry.profile == profile && entry.id == id) return &entry;
    }
    return nullptr;
}

bool ConfigFile::has_profile(std::string_view profile) const {
    return std::find(profiles_.begin(), profiles_.end(), profile) != profiles_.end();
}

std::string ConfigFile::origin(const Entry& entry) const {
    return fmt::format("{}:{}: {}", name_, entry.line, flag(entry.id).name);
}

}  // namespace s3tug::cmd
