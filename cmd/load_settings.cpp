#include "cmd/load_settings.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "host/aws_config.h"
#include "host/small_file.h"

namespace s3tug::cmd {
namespace {

std::optional<std::string> usual_config_path(const host::Environment& environment) {
    const std::optional<std::string> folder = environment.get("XDG_CONFIG_HOME");
    if (folder && folder->starts_with('/')) return *folder + "/s3tug/config.toml";
    const std::optional<std::string> home = environment.home();
    if (!home) return std::nullopt;
    return *home + "/.config/s3tug/config.toml";
}

Result<ConfigFile> read_config(const Layers& layers, const host::Environment& environment) {
    const std::optional<Found> named = layers.find(FlagId::config);
    if (named && named->text.empty()) return ConfigFile();
    const std::optional<std::string> path = named ? named->text : usual_config_path(environment);
    if (!path) return ConfigFile();
    const Result<std::optional<std::string>> text = host::read_small_file(*path, limits::config_file_max_bytes);
    if (!text) return Error{ErrorKind::config, "config file: " + text.error().message};
    if (*text) return ConfigFile::parse(**text, printable(*path));
    if (named) return Error{ErrorKind::config, fmt::format("{}: {}: no such file", named->origin, printable(*path))};
    return ConfigFile();
}

Found from_aws(const host::AwsSetting& setting, std::string text) {
    return {std::move(text), setting.origin, ErrorKind::config};
}

std::optional<Found> as_found(const std::optional<host::AwsSetting>& setting) {
    if (!setting) return std::nullopt;
    return from_aws(*setting, setting->value);
}

std::optional<Found> as_checksum(const std::optional<host::AwsSetting>& mode) {
    if (!mode || mode->value != "when_required") return std::nullopt;
    return from_aws(*mode, "none");
}

}  // namespace

Result<AwsProfile> aws_profile(const host::Environment& environment, const host::AwsFiles& files,
                               const std::string& profile, CommandId command) {
    Result<host::AwsSettings> read = host::aws_settings(environment, files, profile);
    if (!read) return std::move(read).error();
    return AwsProfile([aws = *std::move(read), command](FlagId id) -> std::optional<Found> {
        switch (id) {
            case FlagId::region: return as_found(aws.region);
            case FlagId::endpoint_url: return as_found(aws.endpoint_url);
            case FlagId::ca_file: return as_found(aws.ca_bundle);
            case FlagId::addressing: return as_found(aws.addressing_style);
            case FlagId::checksum:
                return as_checksum(command == CommandId::put ? aws.request_checksum_calculation
                                                             : aws.response_checksum_validation);
            case FlagId::retries:
                if (!aws.max_attempts) return std::nullopt;
                return Found{std::to_string(*aws.max_attempts - 1), "max_attempts", ErrorKind::config};
            default: return std::nullopt;
        }
    });
}

Result<Settings> load_settings(const Invocation& invocation, const host::Environment& environment) {
    Layers layers(invocation, [&environment](std::string_view name) { return environment.get(name); });
    const std::optional<Found> named = layers.find(FlagId::profile);
    const std::string profile = named ? named->text : "default";
    Result<ConfigFile> file = read_config(layers, environment);
    if (!file) return std::move(file).error();
    const bool in_file = file->has_profile(profile);
    layers.add_file(*std::move(file), profile);
    bool in_aws_files = false;
    if ((set_of(invocation.command->id) & sends) != 0) {
        const Result<host::AwsFiles> files = host::AwsFiles::load(environment);
        if (!files) return files.error();
        in_aws_files = files->profile(profile).exists();
        if (!in_aws_files && !in_file && profile != "default") return host::no_such_profile(*files, profile);
        Result<AwsProfile> aws =
            aws_profile(environment, *files, in_aws_files ? profile : "default", invocation.command->id);
        if (!aws) return std::move(aws).error();
        layers.add_aws_profile(*std::move(aws));
    }
    Result<Settings> settings = make_settings(layers);
    // A profile that only config.toml knows has no keys of its own: the usual places of credentials count.
    if (settings && !in_aws_files) settings->profile_explicit = false;
    return settings;
}

}  // namespace s3tug::cmd
