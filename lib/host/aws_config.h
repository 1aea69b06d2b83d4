#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "host/aws_files.h"
#include "host/environment.h"

namespace s3tug::host {

/// A value and where it stands, for messages: "AWS_REGION", "profile backup, /home/u/.aws/config:7".
struct AwsSetting {
    std::string value;
    std::string origin;
};

/// Settings that AWS tools share, as the environment and the profile in use give them. Flags and config.toml stand
/// above them (cmd). Values are as written, except max_attempts; who uses one checks it and names its origin.
struct AwsSettings {
    std::string profile;  ///< name of the profile in use
    std::optional<AwsSetting> region;
    std::optional<AwsSetting> endpoint_url;
    std::optional<AwsSetting> ca_bundle;
    std::optional<AwsSetting> request_checksum_calculation;  ///< when_supported or when_required, lower case
    std::optional<AwsSetting> response_checksum_validation;  ///< likewise
    std::optional<AwsSetting> addressing_style;              ///< of the nested `s3 =`: path, virtual or auto
    std::optional<uint32_t> max_attempts;                    ///< attempts, not retries; at least 1
};

/// Order (AWS SDKs and Tools Reference Guide, settings pages): environment, then profile. Endpoint:
/// AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, `s3` in the profile's `services` section, `endpoint_url` of the profile; none
/// of them when AWS_IGNORE_CONFIGURED_ENDPOINT_URLS or ignore_configured_endpoint_urls is true. Region: AWS_REGION,
/// AWS_DEFAULT_REGION, profile. An explicit --profile changes which profile is read, not that order.
/// Errors: `config` for a named profile that is not there, a bad max_attempts, a bad checksum mode.
[[nodiscard]] Result<AwsSettings> aws_settings(const Environment& environment, const AwsFiles& files,
                                               std::string_view explicit_profile);

}  // namespace s3tug::host
