#include "host/credential_provider.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/bytes.h"
#include "host/credential_document.h"
#include "host/iso_time.h"
#include "host/shell_words.h"

namespace s3tug::host {

namespace {

using Found = Result<std::optional<wire::Credentials>>;

Found checked(wire::Credentials credentials) {
    if (auto keys = check_keys(credentials); !keys.ok()) return std::move(keys).error();
    return std::optional<wire::Credentials>(std::move(credentials));
}

class EnvironmentProvider final : public CredentialProvider {
  public:
    explicit EnvironmentProvider(const Environment& environment) : environment_(environment) {}

    std::string looked_at() const override { return "AWS_ACCESS_KEY_ID in the environment"; }

    Found load(LazyAwsFiles&) override {
        const auto id = environment_.get("AWS_ACCESS_KEY_ID");
        const auto secret = environment_.get("AWS_SECRET_ACCESS_KEY");
        if (!id && !secret) return std::optional<wire::Credentials>();
        if (!id || !secret) {
            return Error{ErrorKind::config, fmt::format("{} is set without {}; set both or neither",
                                                        id ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY",
                                                        id ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID")};
        }
        wire::Credentials found{*id, *secret, environment_.get("AWS_SESSION_TOKEN").value_or(""), std::nullopt,
                                "environment"};
        if (const auto expiration = environment_.get("AWS_CREDENTIAL_EXPIRATION")) {
            found.expires_at = parse_iso_time(*expiration);
        }
        return checked(std::move(found));
    }

  private:
    const Environment& environment_;
};

class ProfileKeysProvider final : public CredentialProvider {
  public:
    explicit ProfileKeysProvider(std::string profile) : profile_(std::move(profile)) {}

    std::string looked_at() const override { return fmt::format("keys of profile '{}'", printable(profile_)); }

    Found load(LazyAwsFiles& lazy) override {
        auto files = lazy.get();
        if (!files.ok()) return std::move(files).error();
        const AwsFiles::Profile profile = (*files)->profile(profile_);
        if (!profile.exists()) {
            if (profile_ != "default") return no_such_profile(**files, profile_);
            return std::optional<wire::Credentials>();
        }
        if (const IniProperty* role = profile.find("role_arn")) {
            return Error{
                ErrorKind::no_credentials,
                fmt::format("profile '{}' assumes a role (role_arn, line {}), which s3tug cannot do itself; in "
                            "another profile, let credential_process run `aws configure export-credentials "
                            "--format process --profile {}`",
                            printable(profile_), role->line, printable(profile_))};
        }
        auto found = keys_of(profile.credentials, (*files)->credentials_path());
        if (!found.ok() || *found) return found;
        return keys_of(profile.config, (*files)->config_path());
    }

  private:
    Found keys_of(const IniSection* section, const std::string& path) const {
        const auto value = [&](std::string_view name) {
            const IniProperty* property = section != nullptr ? section->find(name) : nullptr;
            return property != nullptr ? property->value : std::string();
        };
        std::string id = value("aws_access_key_id");
        std::string secret = value("aws_secret_access_key");
        if (id.empty() && secret.empty()) return std::optional<wire::Credentials>();
        if (id.empty() || secret.empty()) {
            return Error{ErrorKind::config,
                         fmt::format("{}:{}: profile '{}' has {} without {}", path, section->line, printable(profile_),
                                     id.empty() ? "aws_secret_access_key" : "aws_access_key_id",
                                     id.empty() ? "aws_access_key_id" : "aws_secret_access_key")};
        }
        return checked({std::move(id), std::move(secret), value("aws_session_token"), std::nullopt,
                        fmt::format("profile {} in {}", printable(profile_), path)});
    }

    std::string profile_;
};

class ProcessProvider final : public CredentialProvider {
  public:
    ProcessProvider(std::string profile, const Environment& environment, ChildLimits limits)
        : profile_(std::move(profile)), environment_(environment), limits_(std::move(limits)) {}

    std::string looked_at() const override {
        return fmt::format("credential_process of profile '{}'", printable(profile_));
    }

    Found load(LazyAwsFiles& lazy) override {
        auto files = lazy.get();
        if (!files.ok()) return std::move(files).error();
        const IniProperty* command = (*files)->profile(profile_).find("credential_process");
        if (command == nullptr || command->value.empty()) return std::optional<wire::Credentials>();

        const auto words = split_shell_words(command->value);
        if (!words.ok())
            return Error(words.error()).with_context(fmt::format("{} (line {})", looked_at(), command->line));
        auto output = run_for_output(*words, environment_, limits_);
        if (!output.ok()) return std::move(output).error().with_context(looked_at());
        auto credentials = parse_credential_document(*output, looked_at());
        if (!credentials.ok()) return std::move(credentials).error().with_context(looked_at());
        return std::optional<wire::Credentials>(std::move(credentials).value());
    }

  private:
    std::string profile_;
    const Environment& environment_;
    ChildLimits limits_;
};

}  // namespace

Result<const AwsFiles*> LazyAwsFiles::get() {
    if (!files_) {
        auto loaded = AwsFiles::load(environment_);
        if (!loaded.ok()) return std::move(loaded).error();
        files_ = std::move(loaded).value();
    }
    return &*files_;
}

std::unique_ptr<CredentialProvider> environment_provider(const Environment& environment) {
    return std::make_unique<EnvironmentProvider>(environment);
}

std::unique_ptr<CredentialProvider> profile_keys_provider(std::string profile) {
    return std::make_unique<ProfileKeysProvider>(std::move(profile));
}

std::unique_ptr<CredentialProvider> process_provider(std::string profile, const Environment& environment,
                                                     ChildLimits limits) {
    return std::make_unique<ProcessProvider>(std::move(profile), environment, std::move(limits));
}

}  // namespace s3tug::host
