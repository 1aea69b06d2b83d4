#pragma once

#include <string>
#include <string_view>

#include "policy/verdict.h"
#include "wire/endpoint.h"

namespace s3tug::engine {

/// What may lie behind a failure that the endpoint has shown from the start, for the end of its message: begins with
/// "; ", or is empty. The proxy is named without user and password.
/// @param proxy        as configured; empty = none
/// @param store_known  the endpoint has answered as a store does: then its scheme is right
[[nodiscard]] std::string connection_hint(const policy::Verdict& verdict, const wire::Endpoint& endpoint,
                                          std::string_view proxy, bool store_known);

}  // namespace s3tug::engine
