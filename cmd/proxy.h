#pragma once

#include <optional>
#include <string>

#include "cmd/layers.h"
#include "wire/endpoint.h"

namespace s3tug::cmd {

/// The proxy that the environment names for this endpoint, by curl's rules (curl man page, ENVIRONMENT): https_proxy or
/// HTTPS_PROXY, http_proxy in lower case only (a web server sets HTTP_PROXY from a request header), then all_proxy or
/// ALL_PROXY; none for a host in no_proxy or NO_PROXY. It is resolved here, once, so that the breaker's key and the
/// connection cannot differ.
[[nodiscard]] std::string proxy_from_environment(const Layers& layers, const wire::Endpoint& endpoint);

/// Whether `host` is in a no_proxy list: names separated by commas or blanks match themselves and what is below them,
/// with or without a leading dot; "*" matches all. Address ranges (192.0.2.0/24) match IPv4 hosts.
[[nodiscard]] bool in_no_proxy(std::string_view host, std::string_view list);

}  // namespace s3tug::cmd
