#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>

namespace s3tug::test {

/// A folder of facts and published vectors that lies beside the repository and is not part of it: below $S3TUG_SHARED,
/// else below ../shared of the source folder (where ctest starts the tests). nullopt when it is not there; a test then
/// says so with MESSAGE and skips.
inline std::optional<std::filesystem::path> shared_folder(const std::filesystem::path& name) {
    const char* const from_environment = std::getenv("S3TUG_SHARED");
    const std::filesystem::path root = from_environment != nullptr ? from_environment : "../shared";
    if (!std::filesystem::exists(root / name)) return std::nullopt;
    return root / name;
}

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace s3tug::test
