#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "host/credential_provider.h"
#include "host/environment.h"
#include "port/credential_source.h"

namespace s3tug::host {

struct CredentialOptions {
    bool sign = true;     ///< false: --no-sign-request
    std::string profile;  ///< --profile; empty = not given
    Duration process_timeout = limits::credential_process_timeout;
    std::function<bool()> interrupted;  ///< asked while a credential_process runs; empty = never
};

/// Credentials from the first provider that has some. With an explicit profile: its keys, its credential_process.
/// Else: keys in the environment, then the profile in use (AWS_PROFILE, or "default"). Design section 2.
///
/// Loaded at the first request and kept. Those that expire are loaded again from limits::credential_refresh_early on;
/// while that fails the ones at hand are used as long as they are valid. A place is not asked more often than every
/// limits::credential_retry_pause, so that a broken helper is not started for each of 5000 items.
///
/// Where files and helpers name a source that is not supported yet (SSO, web identity, container, instance metadata),
/// the error says so. Used by one thread; `environment` is copied.
class CredentialChain final : public port::CredentialSource {
  public:
    CredentialChain(Environment environment, CredentialOptions options);
    CredentialChain(const CredentialChain&) = delete;
    CredentialChain& operator=(const CredentialChain&) = delete;

    [[nodiscard]] Result<std::optional<wire::Credentials>> current(WallTime now) override;

    /// Also true when they were renewed since `refused` was handed out. When the place cannot be read or its helper
    /// fails: `credentials_refused`, with the cause.
    [[nodiscard]] Result<bool> refresh(const wire::Credentials& refused, WallTime now) override;

  private:
    [[nodiscard]] Result<wire::Credentials> load(WallTime now);
    [[nodiscard]] Error nothing_found(LazyAwsFiles& files) const;

    Environment environment_;
    CredentialOptions options_;
    std::string profile_;
    std::vector<std::unique_ptr<CredentialProvider>> providers_;

    std::optional<wire::Credentials> held_;
    std::optional<WallTime> last_load_;
    std::optional<Error> last_error_;            ///< of the last load
    std::optional<WallTime> last_vain_refresh_;  ///< the last refresh, when it brought nothing new
};

}  // namespace s3tug::host
