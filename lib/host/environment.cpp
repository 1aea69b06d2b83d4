#include "host/environment.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace s3tug::host {

Environment Environment::system() { return {}; }

Environment::Environment(Variables variables) : variables_(std::move(variables)) {}

std::optional<std::string> Environment::get(std::string_view name) const {
    if (!variables_) {
        const char* value = std::getenv(std::string(name).c_str());
        if (value == nullptr || *value == '\0') return std::nullopt;
        return std::string(value);
    }
    const auto found = variables_->find(name);
    if (found == variables_->end() || found->second.empty()) return std::nullopt;
    return found->second;
}

std::optional<std::string> Environment::home() const {
    auto home = get("HOME");
    if (home && home->front() != '/') return std::nullopt;
    return home;
}

std::string Environment::expand_home(std::string_view path) const {
    if (path != "~" && !path.starts_with("~/")) return std::string(path);
    const auto home_folder = home();
    if (!home_folder) return std::string(path);
    return *home_folder + std::string(path.substr(1));
}

std::vector<std::string> Environment::names(std::string_view prefix) const {
    std::vector<std::string> out;
    const auto take = [&](std::string_view name) {
        if (name.starts_with(prefix) && get(name)) out.emplace_back(name);
    };
    if (variables_) {
        for (const auto& [name, value] : *variables_) take(name);
        return out;
    }
    for (char** line = environ; line != nullptr && *line != nullptr; ++line) {
        const std::string_view text = *line;
        take(text.substr(0, text.find('=')));
    }
    return out;
}

std::vector<std::string> Environment::entries() const {
    std::vector<std::string> lines;
    if (variables_) {
        for (const auto& [name, value] : *variables_) lines.push_back(name + "=" + value);
    } else {
        for (char** line = environ; line != nullptr && *line != nullptr; ++line) lines.emplace_back(*line);
    }
    return lines;
}

}  // namespace s3tug::host
