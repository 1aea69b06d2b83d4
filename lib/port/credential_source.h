#pragma once

#include <optional>

#include "base/result.h"
#include "base/time.h"
#include "wire/credentials.h"

namespace s3tug::port {

/// Gives credentials for each request; may cache, must not hand out expired ones.
class CredentialSource {
  public:
    virtual ~CredentialSource() = default;

    /// Credentials to sign with at `now`. nullopt means: sign nothing (--no-sign-request). Errors: `no_credentials`
    /// when no source has any (names the sources that were tried), `config` for a broken file (names file and line).
    [[nodiscard]] virtual Result<std::optional<wire::Credentials>> current(WallTime now) = 0;

    /// Reads the source again after the store refused or expired `refused`. True when the keys are other ones now.
    [[nodiscard]] virtual Result<bool> refresh(const wire::Credentials& refused, WallTime now) = 0;
};

}  // namespace s3tug::port
