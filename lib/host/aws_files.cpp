#include "host/aws_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"
#include "host/small_file.h"

namespace s3tug::host {

namespace {

constexpr std::string_view profile_prefix = "profile ";
constexpr std::size_t name_shown_max_bytes = 100;

std::string path_of(const Environment& environment, std::string_view variable, std::string_view below_home) {
    if (const auto path = environment.get(variable)) return environment.expand_home(*path);
    return environment.expand_home(below_home);
}

Result<IniFile> load_one(std::string path, std::string& trouble) {
    IniFile empty;
    empty.path = path;
    if (path.starts_with('~')) {
        trouble = "HOME is not set";
        return empty;
    }
    auto text = read_small_file(path, limits::config_file_max_bytes);
    if (!text.ok()) {
        trouble = text.error().message;
        return empty;
    }
    if (!*text) return empty;
    return parse_ini(**text, std::move(path));
}

std::string with_trouble(const std::string& path, const std::string& trouble) {
    return trouble.empty() ? path : fmt::format("{} ({})", path, trouble);
}

}  // namespace

Result<AwsFiles> AwsFiles::load(const Environment& environment) {
    AwsFiles files;
    auto config = load_one(path_of(environment, "AWS_CONFIG_FILE", "~/.aws/config"), files.config_trouble_);
    if (!config.ok()) return std::move(config).error();
    auto credentials =
        load_one(path_of(environment, "AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"), files.credentials_trouble_);
    if (!credentials.ok()) return std::move(credentials).error();
    files.config_ = std::move(config).value();
    files.credentials_ = std::move(credentials).value();
    return files;
}

const IniProperty* AwsFiles::Profile::find(std::string_view property) const {
    const IniProperty* found = config != nullptr ? config->find(property) : nullptr;
    if (found == nullptr && credentials != nullptr) found = credentials->find(property);
    return found;
}

AwsFiles::Profile AwsFiles::profile(std::string_view name) const {
    Profile found;
    found.credentials = credentials_.find(name);
    found.config = config_.find(fmt::format("{}{}", profile_prefix, name));
    if (found.config == nullptr && name == "default") found.config = config_.find(name);
    return found;
}

std::vector<std::string> AwsFiles::profile_names() const {
    std::vector<std::string> names;
    for (const IniSection& section : credentials_.sections) names.push_back(section.name);
    for (const IniSection& section : config_.sections) {
        if (section.name == "default") names.push_back(section.name);
        if (section.name.starts_with(profile_prefix)) names.push_back(section.name.substr(profile_prefix.size()));
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

const IniSection* AwsFiles::services(std::string_view name) const {
    return config_.find(fmt::format("services {}", name));
}

std::string AwsFiles::looked_at() const {
    return fmt::format("{} or {}", with_trouble(credentials_.path, credentials_trouble_),
                       with_trouble(config_.path, config_trouble_));
}

std::string profile_in_use(const Environment& environment, std::string_view explicit_profile) {
    if (!explicit_profile.empty()) return std::string(explicit_profile);
    if (auto name = environment.get("AWS_PROFILE")) return *name;
    if (auto name = environment.get("AWS_DEFAULT_PROFILE")) return *name;
    return "default";
}

Error no_such_profile(const AwsFiles& files, std::string_view profile) {
    const std::vector<std::string> names = files.profile_names();
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    std::string message =
        fmt::format("profile '{}' is not in {}", printable(profile, name_shown_max_bytes), files.looked_at());
    if (const auto near = nearest(profile, candidates)) {
        message += fmt::format("; did you mean '{}'?", printable(*near, name_shown_max_bytes));
    }
    return {ErrorKind::config, std::move(message)};
}

}  // namespace s3tug::host
