#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "host/aws_files.h"
#include "host/child_process.h"
#include "host/environment.h"
#include "wire/credentials.h"

namespace s3tug::host {

/// The shared files, read when a provider first asks: keys in the environment need none of them.
class LazyAwsFiles {
  public:
    explicit LazyAwsFiles(const Environment& environment) : environment_(environment) {}
    [[nodiscard]] Result<const AwsFiles*> get();

  private:
    const Environment& environment_;
    std::optional<AwsFiles> files_;
};

/// One place that credentials may come from. The chain asks its providers in order; each load reads the place anew.
class CredentialProvider {
  public:
    virtual ~CredentialProvider() = default;

    /// What is looked at, for the message when nothing was found: "AWS_ACCESS_KEY_ID in the environment".
    [[nodiscard]] virtual std::string looked_at() const = 0;

    /// nullopt = this place has none, ask the next. Errors end the search: `config` for what is there but broken,
    /// `no_credentials` for a helper that failed.
    [[nodiscard]] virtual Result<std::optional<wire::Credentials>> load(LazyAwsFiles& files) = 0;
};

/// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN; AWS_CREDENTIAL_EXPIRATION is heeded.
[[nodiscard]] std::unique_ptr<CredentialProvider> environment_provider(const Environment& environment);

/// aws_access_key_id, aws_secret_access_key, aws_session_token of a profile: the credentials file first, then the
/// config file. A profile with role_arn is refused, since its keys are those of somebody else.
[[nodiscard]] std::unique_ptr<CredentialProvider> profile_keys_provider(std::string profile);

/// credential_process of a profile. The command is run anew by each load.
[[nodiscard]] std::unique_ptr<CredentialProvider> process_provider(std::string profile, const Environment& environment,
                                                                   ChildLimits limits);

}  // namespace s3tug::host
