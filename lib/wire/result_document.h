#pragma once

#include <pugixml.hpp>
#include <string_view>

#include "base/error.h"
#include "wire/operation.h"
#include "wire/reply.h"

/// Private to lib/wire: results that stand in the body of an answer.
namespace s3tug::wire {

/// Is this the root of a result, "CopyObjectResult" for "CopyObject"? moto writes "...Response" for some.
[[nodiscard]] bool is_result_root(std::string_view root, std::string_view name);

/// Reads the body into `document` and gives the root element when it is `name`'s result; a null node when the body is
/// cut, is not XML or is something else. Blanks before the document are skipped (they keep the connection alive).
[[nodiscard]] pugi::xml_node load_result(pugi::xml_document& document, const HttpAnswer& answer, std::string_view name);

/// What stands where a result with `wanted` was due ("an ETag"). For writes it says that the outcome is not known.
[[nodiscard]] Error missing_result(Op op, const HttpAnswer& answer, std::string_view wanted);

}  // namespace s3tug::wire
