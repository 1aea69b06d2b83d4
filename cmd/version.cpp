#include "cmd/version.h"

namespace s3tug::cmd {

std::string_view version() { return S3TUG_VERSION; }
std::string_view commit() { return S3TUG_COMMIT; }

}  // namespace s3tug::cmd
