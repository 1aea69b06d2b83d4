#pragma once

#include <string_view>

namespace s3tug::cmd {

[[nodiscard]] std::string_view version();  ///< "0.1.0"
[[nodiscard]] std::string_view commit();   ///< as git describes it when the build was configured, else "unknown"

}  // namespace s3tug::cmd
