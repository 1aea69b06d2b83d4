#pragma once

#include <string>

namespace s3tug::lab {

/// Makes an ECDSA certificate for localhost, *.localhost, 127.0.0.1 and ::1, good for a day, and writes it and its key
/// as PEM files. Throws std::runtime_error.
void write_self_signed(const std::string& certificate_file, const std::string& key_file);

}  // namespace s3tug::lab
