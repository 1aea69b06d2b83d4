#pragma once

#include <optional>
#include <string>

#include "base/time.h"

namespace s3tug::wire {

/// Keys for signing. Has no printer on purpose: the secret and the token never reach text of any kind. `source` may
/// be shown ("environment", "profile backup in ~/.aws/credentials").
struct Credentials {
    std::string access_key_id;
    std::string secret_access_key;
    std::string session_token;  ///< empty for long-lived keys
    std::optional<WallTime> expires_at;
    std::string source;

    bool operator==(const Credentials&) const = default;
};

}  // namespace s3tug::wire
