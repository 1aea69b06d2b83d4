#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cmd/cli.h"
#include "cmd/config_file.h"
#include "cmd/flags.h"

namespace s3tug::cmd {

/// Value of an environment variable. Empty variables count as not set.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

/// A setting as text, and where it came from.
struct Found {
    std::string text;
    std::string origin;  ///< "--retries", "S3TUG_RETRIES", "config.toml:12: retries"
    ErrorKind blame;     ///< of an error in it: `usage` for the command line, else `config`
    bool typed = false;  ///< on the command line
};

/// What the chosen profile of the AWS files says about an option, in the words of the option.
using AwsProfile = std::function<std::optional<Found>(FlagId id)>;

/// Everything that can give an option its value, strongest first: command line, S3TUG_ variable, AWS variable, profile
/// of config.toml, defaults of config.toml, profile of the AWS config file. The built-in value is not a layer: it is
/// what remains when nothing here has one. Options that do not apply to the command have no value.
class Layers {
  public:
    Layers(const Invocation& invocation, Environment environment);

    /// The files are found through the layers above them (--config, --profile), so they come in later.
    void add_file(ConfigFile file, std::string profile);
    void add_aws_profile(AwsProfile aws_profile);

    [[nodiscard]] std::optional<Found> find(FlagId id) const;
    /// All values of an option that may be given several times, of the strongest layer that has one.
    [[nodiscard]] std::vector<Found> all(FlagId id) const;

    [[nodiscard]] const Invocation& invocation() const { return invocation_; }
    [[nodiscard]] std::optional<std::string> variable(std::string_view name) const;
    /// Variables that are set and look like an option of this command, but are not read: it is for the command line
    /// only.
    [[nodiscard]] std::vector<std::string> ignored_variables() const;

  private:
    [[nodiscard]] std::optional<Found> from_environment(const Flag& f) const;
    [[nodiscard]] std::optional<Found> from_aws_environment(const Flag& f) const;
    [[nodiscard]] const ConfigFile::Entry* in_file(FlagId id) const;

    const Invocation& invocation_;
    Environment environment_;
    ConfigFile file_;
    std::string profile_;
    AwsProfile aws_profile_;
};

}  // namespace s3tug::cmd
