#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "wire/credentials.h"

namespace s3tug::host {

/// Reads what a credential_process writes: JSON with Version 1, AccessKeyId, SecretAccessKey, and as the case may be
/// SessionToken and Expiration (AWS SDKs and Tools Reference Guide, "Process credential provider"). `source` becomes
/// Credentials::source. Errors are `no_credentials` and name the field, never a value.
[[nodiscard]] Result<wire::Credentials> parse_credential_document(std::string_view json, std::string source);

/// Keys must be printable ASCII without blanks: a line end that came along with a variable or a file would break every
/// request header. `config` error naming which, never the value.
[[nodiscard]] Status check_keys(const wire::Credentials& credentials);

}  // namespace s3tug::host
