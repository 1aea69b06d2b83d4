#include "cmd/flags.h"

#include <algorithm>
#include <array>

#include "cmd/flags_run.h"
#include "cmd/flags_store.h"
#include "cmd/flags_tree.h"
#include "cmd/flags_trouble.h"

namespace s3tug::cmd {
namespace {

template <std::size_t... N>
constexpr auto concatenate(const std::array<Flag, N>&... parts) {
    std::array<Flag, (N + ...)> all{};
    auto out = all.begin();
    ((out = std::copy(parts.begin(), parts.end(), out)), ...);
    return all;
}

constexpr auto table =
    concatenate(rows::general, rows::run, rows::tree, rows::store, rows::trouble, rows::proof, rows::object);

constexpr bool in_order() {
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (static_cast<std::size_t>(table[i].id) != i) return false;
    }
    return true;
}
static_assert(in_order(), "rows stand in the order of FlagId, so that flag() is an index");

}  // namespace

std::span<const Flag> flags() { return table; }

const Flag& flag(FlagId id) { return flags()[static_cast<std::size_t>(id)]; }

const Flag* find_flag(std::string_view long_name) {
    if (long_name.empty()) return nullptr;
    for (const Flag& f : flags()) {
        if (f.name == long_name || f.alias == long_name) return &f;
    }
    return nullptr;
}

const Flag* find_flag(char letter) {
    if (letter == 0) return nullptr;
    for (const Flag& f : flags()) {
        if (f.letter == letter) return &f;
    }
    return nullptr;
}

std::string environment_name(const Flag& f) {
    std::string name = "S3TUG_";
    for (const char c : f.name) {
        name.push_back(c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
    }
    return name;
}

std::string_view title(Group group) {
    switch (group) {
        case Group::general: return "General";
        case Group::run: return "This run";
        case Group::store: return "Store and connection";
        case Group::trouble: return "When things go wrong";
        case Group::proof: return "Proof that the bytes arrived";
        case Group::object: return "Object";
    }
    return "";
}

std::vector<std::string_view> choices(const Flag& f) {
    std::vector<std::string_view> out;
    std::string_view rest = f.value;
    while (f.type == ValueType::choice && !rest.empty()) {
        const std::size_t bar = rest.find('|');
        out.push_back(rest.substr(0, bar));
        rest = bar == std::string_view::npos ? std::string_view() : rest.substr(bar + 1);
    }
    return out;
}

std::vector<std::string> flag_names() {
    std::vector<std::string> out;
    for (const Flag& f : flags()) {
        out.push_back("--" + std::string(f.name));
        if (!f.alias.empty()) out.push_back("--" + std::string(f.alias));
    }
    return out;
}

}  // namespace s3tug::cmd
