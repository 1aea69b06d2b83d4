#pragma once

#include <string>

namespace s3tug::cmd {

/// The manual page s3tug(1) in man(7) form. Depends on nothing but the tables: the same source gives the same page, so
/// that the committed one can be compared.
[[nodiscard]] std::string man_page();

/// The examples of the manual page, one line each, for the test that runs them: LINE, FILES and OBJECTS that must be
/// there first, parted by tabs.
[[nodiscard]] std::string example_lines();

}  // namespace s3tug::cmd
