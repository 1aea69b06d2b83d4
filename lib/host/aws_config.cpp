#include "host/aws_config.h"

#include <fmt/format.h>

#include <charconv>
#include <initializer_list>
#include <utility>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"

namespace s3tug::host {

namespace {

using Found = std::optional<AwsSetting>;
constexpr std::size_t value_shown_max_bytes = 100;

/// Looks values up in the order environment, profile.
class Lookup {
  public:
    Lookup(const Environment& environment, const AwsFiles& files, std::string profile)
        : environment_(environment), files_(files), name_(std::move(profile)), profile_(files.profile(name_)) {}

    [[nodiscard]] Found in_environment(std::initializer_list<std::string_view> variables) const {
        for (const std::string_view variable : variables) {
            if (auto value = environment_.get(variable)) return AwsSetting{std::move(*value), std::string(variable)};
        }
        return std::nullopt;
    }

    [[nodiscard]] Found in_profile(std::string_view property) const {
        return from(profile_.find(property), profile_.config != nullptr && profile_.config->find(property) != nullptr);
    }

    [[nodiscard]] Found either(std::initializer_list<std::string_view> variables, std::string_view property) const {
        auto found = in_environment(variables);
        return found ? found : in_profile(property);
    }

    /// `name =` with indented lines below it, in a section of the config file.
    [[nodiscard]] Found nested(const IniSection* section, std::string_view name, std::string_view property) const {
        const IniProperty* outer = section != nullptr ? section->find(name) : nullptr;
        return from(outer != nullptr ? find_property(outer->nested, property) : nullptr, true);
    }

    [[nodiscard]] const AwsFiles::Profile& profile() const { return profile_; }

    [[nodiscard]] Found service_endpoint() const {
        const auto services = in_profile("services");
        return services ? nested(files_.services(services->value), "s3", "endpoint_url") : std::nullopt;
    }

  private:
    [[nodiscard]] Found from(const IniProperty* property, bool in_config) const {
        if (property == nullptr || property->value.empty()) return std::nullopt;
        const std::string& path = in_config ? files_.config_path() : files_.credentials_path();
        return AwsSetting{property->value, fmt::format("profile {}, {}:{}", name_, path, property->line)};
    }

    const Environment& environment_;
    const AwsFiles& files_;
    std::string name_;
    AwsFiles::Profile profile_;
};

Found endpoint(const Lookup& look) {
    const auto ignored = look.either({"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"}, "ignore_configured_endpoint_urls");
    if (ignored && to_lower(ignored->value) == "true") return std::nullopt;
    if (auto found = look.in_environment({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"})) return found;
    if (auto found = look.service_endpoint()) return found;
    return look.in_profile("endpoint_url");
}

Error bad_value(const AwsSetting& setting, std::string_view name, std::string_view right) {
    return {ErrorKind::config, fmt::format("{} '{}' ({}): must be {}", name,
                                           printable(setting.value, value_shown_max_bytes), setting.origin, right)};
}

Result<std::optional<uint32_t>> attempts(const Found& setting) {
    if (!setting) return std::optional<uint32_t>();
    const std::string& text = setting->value;
    uint32_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || number == 0 ||
        number > limits::retries_max + 1) {
        return bad_value(*setting, "max_attempts", fmt::format("a number from 1 to {}", limits::retries_max + 1));
    }
    return std::optional<uint32_t>(number);
}

Result<Found> checksum_mode(Found setting, std::string_view name) {
    if (!setting) return setting;
    setting->value = to_lower(setting->value);
    if (setting->value != "when_supported" && setting->value != "when_required") {
        return bad_value(*setting, name, "when_supported or when_required");
    }
    return setting;
}

}  // namespace

Result<AwsSettings> aws_settings(const Environment& environment, const AwsFiles& files,
                                 std::string_view explicit_profile) {
    AwsSettings settings;
    settings.profile = profile_in_use(environment, explicit_profile);
    const Lookup look(environment, files, settings.profile);
    if (!look.profile().exists() && settings.profile != "default") return no_such_profile(files, settings.profile);

    settings.region = look.either({"AWS_REGION", "AWS_DEFAULT_REGION"}, "region");
    settings.endpoint_url = endpoint(look);
    settings.ca_bundle = look.either({"AWS_CA_BUNDLE"}, "ca_bundle");
    settings.addressing_style = look.nested(look.profile().config, "s3", "addressing_style");

    auto max_attempts = attempts(look.either({"AWS_MAX_ATTEMPTS"}, "max_attempts"));
    if (!max_attempts.ok()) return std::move(max_attempts).error();
    settings.max_attempts = *max_attempts;

    auto request = checksum_mode(look.either({"AWS_REQUEST_CHECKSUM_CALCULATION"}, "request_checksum_calculation"),
                                 "request_checksum_calculation");
    if (!request.ok()) return std::move(request).error();
    settings.request_checksum_calculation = std::move(request).value();

    auto response = checksum_mode(look.either({"AWS_RESPONSE_CHECKSUM_VALIDATION"}, "response_checksum_validation"),
                                  "response_checksum_validation");
    if (!response.ok()) return std::move(response).error();
    settings.response_checksum_validation = std::move(response).value();
    return settings;
}

}  // namespace s3tug::host
