#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cmd/flags.h"

namespace s3tug::cmd {

/// config.toml: settings by the names of their options. What stands before the first section holds for all runs,
/// [profile.NAME] for that profile. Everything is checked when it is read: an unknown key or a wrong type is a
/// `config` error with its line and the nearest right name, in profiles that are not used too.
class ConfigFile {
  public:
    struct Entry {
        std::string profile;  ///< empty = defaults
        FlagId id;
        std::vector<std::string> values;  ///< as they would be typed; more than one only for lists
        std::size_t line = 0;
    };

    ConfigFile() = default;

    /// @param name  of the file, for messages
    [[nodiscard]] static Result<ConfigFile> parse(std::string_view text, std::string name);

    [[nodiscard]] const Entry* find(std::string_view profile, FlagId id) const;
    [[nodiscard]] bool has_profile(std::string_view profile) const;
    [[nodiscard]] std::string origin(const Entry& entry) const;  ///< "config.toml:12: retries"

  private:
    std::string name_;
    std::vector<std::string> profiles_;
    std::vector<Entry> entries_;
};

}  // namespace s3tug::cmd
