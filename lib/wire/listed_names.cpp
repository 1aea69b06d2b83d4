#include "wire/listed_names.h"

#include <algorithm>

#include "base/bytes.h"

namespace s3tug::wire {

namespace {

bool all_begin_with(const std::vector<std::string>& names, std::string_view prefix) {
    return std::ranges::all_of(names, [prefix](const std::string& name) { return name.starts_with(prefix); });
}

}  // namespace

bool decode_listed_name(std::string_view text, std::string& name) {
    if (!std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f; })) return false;
    name = text;
    if (name.find_first_of("+%") == std::string::npos) return true;
    std::ranges::replace(name, '+', ' ');
    Result<std::string> decoded = percent_decode(name);
    if (!decoded) return false;
    name = *std::move(decoded);
    return true;
}

bool decode_listed_names(std::vector<std::string>& names, bool declared, std::string_view prefix) {
    if (declared) {
        std::vector<std::string> decoded(names.size());
        bool encoded = true;
        for (std::size_t i = 0; encoded && i < names.size(); ++i) encoded = decode_listed_name(names[i], decoded[i]);
        if (encoded && all_begin_with(decoded, prefix)) {
            names = std::move(decoded);
            return true;
        }
    }
    return all_begin_with(names, prefix);
}

}  // namespace s3tug::wire
