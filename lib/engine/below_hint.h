#pragma once

#include <string>
#include <vector>

#include "engine/operation.h"
#include "wire/headers.h"
#include "wire/uri.h"

namespace s3tug::engine {

/// Whoever names "tree" or "tree/" may mean what is below it. One listing of one key says whether there is anything;
/// it is sent once, and its failure is no news.
[[nodiscard]] OperationSpec look_below(const wire::S3Uri& key, const std::vector<wire::Header>& extra);
/// For people; empty where the listing does not say so.
[[nodiscard]] std::string below_hint(const wire::S3Uri& key, const OperationResult& listed);

}  // namespace s3tug::engine
