#pragma once

#include "cmd/reader.h"
#include "cmd/settings.h"

namespace s3tug::cmd {

/// The part of the settings that each item carries: conditions, expectations, checksum, what the object carries.
void read_item(Reader& read, Settings& out);

}  // namespace s3tug::cmd
