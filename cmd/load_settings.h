#pragma once

#include "base/result.h"
#include "cmd/cli.h"
#include "cmd/settings.h"
#include "host/aws_files.h"
#include "host/environment.h"

namespace s3tug::cmd {

/// Reads what the command line does not say: environment, config.toml, the AWS files (only for commands that go to a
/// store). Errors: those of make_settings, `config` for a file that cannot be read or a profile that is nowhere.
[[nodiscard]] Result<Settings> load_settings(const Invocation& invocation, const host::Environment& environment);

/// What the profile of the AWS files says about an option, in the words of the option; for the lowest layer.
[[nodiscard]] Result<AwsProfile> aws_profile(const host::Environment& environment, const host::AwsFiles& files,
                                             const std::string& profile, CommandId command);

}  // namespace s3tug::cmd
