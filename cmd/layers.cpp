#include "cmd/layers.h"

#include <fmt/format.h>

#include "base/text.h"

namespace s3tug::cmd {
namespace {

std::vector<std::string_view> words(std::string_view text, char separator) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        const std::size_t end = text.find(separator);
        if (end != 0) out.push_back(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return out;
}

/// What an AWS variable says, in the words of our option; nullopt when it says nothing about it.
std::optional<std::string> in_our_words(FlagId id, std::string text) {
    if (id == FlagId::checksum) {
        // The other value, when_supported, is what we do anyway.
        return to_lower(text) == "when_required" ? std::optional<std::string>("none") : std::nullopt;
    }
    if (id == FlagId::retries) {
        // Attempts, the first included. What is no number from 1 on stays, to be refused where retries are read.
        const Result<uint64_t> attempts = parse_size(text);
        return attempts && *attempts > 0 ? std::to_string(*attempts - 1) : "(attempts) " + text;
    }
    return text;
}

/// AWS has one name for uploads and one for downloads where we have one option.
bool is_for_command(std::string_view name, CommandId command) {
    if (name == "AWS_REQUEST_CHECKSUM_CALCULATION") return command == CommandId::put;
    if (name == "AWS_RESPONSE_CHECKSUM_VALIDATION") return command == CommandId::get;
    return true;
}

}  // namespace

Layers::Layers(const Invocation& invocation, Environment environment)
    : invocation_(invocation), environment_(std::move(environment)) {}

void Layers::add_file(ConfigFile file, std::string profile) {
    file_ = std::move(file);
    profile_ = std::move(profile);
}

void Layers::add_aws_profile(AwsProfile aws_profile) { aws_profile_ = std::move(aws_profile); }

std::optional<std::string> Layers::variable(std::string_view name) const {
    std::optional<std::string> value = environment_(name);
    if (value && value->empty()) return std::nullopt;
    return value;
}

std::vector<std::string> Layers::ignored_variables() const {
    std::vector<std::string> out;
    for (const Flag& f : flags()) {
        if (f.use != Use::this_time || f.id == FlagId::help || f.id == FlagId::version) continue;
        if ((f.commands & set_of(invocation_.command->id)) == 0) continue;
        if (std::string name = environment_name(f); variable(name)) out.push_back(std::move(name));
    }
    return out;
}

std::optional<Found> Layers::from_environment(const Flag& f) const {
    std::string name = environment_name(f);
    std::optional<std::string> value = variable(name);
    if (!value) return std::nullopt;
    return Found{*std::move(value), std::move(name), ErrorKind::config};
}

std::optional<Found> Layers::from_aws_environment(const Flag& f) const {
    if (f.id == FlagId::endpoint_url &&
        to_lower(variable("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS").value_or("")) == "true") {
        return std::nullopt;
    }
    for (const std::string_view name : words(f.aws, ' ')) {
        if (!is_for_command(name, invocation_.command->id)) continue;
        std::optional<std::string> value = variable(name);
        if (value) value = in_our_words(f.id, *std::move(value));
        if (value) return Found{*std::move(value), std::string(name), ErrorKind::config};
    }
    return std::nullopt;
}

const ConfigFile::Entry* Layers::in_file(FlagId id) const {
    const ConfigFile::Entry* entry = profile_.empty() ? nullptr : file_.find(profile_, id);
    return entry != nullptr ? entry : file_.find({}, id);
}

std::optional<Found> Layers::find(FlagId id) const {
    const Flag& f = flag(id);
    if ((f.commands & set_of(invocation_.command->id)) == 0) return std::nullopt;
    if (const auto typed = invocation_.find(id)) {
        return Found{std::string(*typed), "--" + std::string(f.name), ErrorKind::usage, true};
    }
    if (f.use == Use::this_time) return std::nullopt;
    if (auto found = from_environment(f)) return found;
    if (auto found = from_aws_environment(f)) return found;
    const ConfigFile::Entry* entry = in_file(id);
    if (entry != nullptr && !entry->values.empty()) {
        return Found{entry->values.back(), file_.origin(*entry), ErrorKind::config};
    }
    return aws_profile_ ? aws_profile_(id) : std::nullopt;
}

std::vector<Found> Layers::all(FlagId id) const {
    const Flag& f = flag(id);
    std::vector<Found> out;
    if ((f.commands & set_of(invocation_.command->id)) == 0) return out;
    for (std::string& text : invocation_.all(id)) {
        out.push_back({std::move(text), "--" + std::string(f.name), ErrorKind::usage, true});
    }
    if (!out.empty() || f.use == Use::this_time) return out;
    if (const auto found = from_environment(f)) {
        for (const std::string_view line : words(found->text, '\n')) {
            out.push_back({std::string(line), found->origin, found->blame});
        }
        return out;
    }
    if (const ConfigFile::Entry* entry = in_file(id)) {
        for (const std::string& text : entry->values) out.push_back({text, file_.origin(*entry), ErrorKind::config});
    }
    return out;
}

}  // namespace s3tug::cmd
