#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/environment.h"
#include "host/ini_file.h"

namespace s3tug::host {

/// The two files that AWS tools share: `config` ($AWS_CONFIG_FILE, else ~/.aws/config) and `credentials`
/// ($AWS_SHARED_CREDENTIALS_FILE, else ~/.aws/credentials). A missing file is an empty one. So is one that we may not
/// read (HOME of another user is common in containers), but it is named when something was not found.
class AwsFiles {
  public:
    /// Errors: `config` with file and line for a broken file, or one above limits::config_file_max_bytes.
    [[nodiscard]] static Result<AwsFiles> load(const Environment& environment);

    /// A profile: its sections in both files; null = it is not there. In `config` it is `[profile x]`, or `[default]`
    /// for the default one, in `credentials` just `[x]`.
    struct Profile {
        const IniSection* credentials = nullptr;
        const IniSection* config = nullptr;
        [[nodiscard]] bool exists() const { return credentials != nullptr || config != nullptr; }
        /// From `config`, else from `credentials`.
        [[nodiscard]] const IniProperty* find(std::string_view property) const;
    };
    [[nodiscard]] Profile profile(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> profile_names() const;

    /// `[services NAME]` of `config`; null = none.
    [[nodiscard]] const IniSection* services(std::string_view name) const;

    [[nodiscard]] const std::string& config_path() const { return config_.path; }
    [[nodiscard]] const std::string& credentials_path() const { return credentials_.path; }

    /// "FILE or FILE", with the reason for one that could not be read.
    [[nodiscard]] std::string looked_at() const;

  private:
    IniFile config_;
    IniFile credentials_;
    std::string config_trouble_;
    std::string credentials_trouble_;
};

/// The profile in use: `explicit_profile` (--profile), $AWS_PROFILE, $AWS_DEFAULT_PROFILE, "default".
[[nodiscard]] std::string profile_in_use(const Environment& environment, std::string_view explicit_profile);

/// `config` error naming the profile, the files, and the nearest profile that there is.
[[nodiscard]] Error no_such_profile(const AwsFiles& files, std::string_view profile);

}  // namespace s3tug::host
