#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cmd/layers.h"
#include "wire/endpoint.h"

namespace s3tug::cmd {

/// The proxy that the environment names for this endpoint; empty when none. libcurl reads the same variables by itself
/// and its reading decides how the connection is made; this one only tells breakers with and without a proxy apart.
/// Order (curl man page, ENVIRONMENT): https_proxy, HTTPS_PROXY for https; http_proxy in lower case only for http,
/// since a web server sets HTTP_PROXY from a request header; then all_proxy, ALL_PROXY. None for hosts in no_proxy,
/// NO_PROXY.
[[nodiscard]] std::string proxy_from_environment(const Layers& layers, const wire::Endpoint& endpoint);

/// Is it what curl takes for --proxy: [SCHEME://][USER[:PASSWORD]@]HOST[:PORT][/]? Empty means none. `usage` says what
/// is wrong and never repeats a password.
[[nodiscard]] Status check_proxy(std::string_view proxy);

/// Whether `host` is in a no_proxy list: names between commas or blanks match themselves and all below them, with or
/// without a leading dot; "*" matches everything.
[[nodiscard]] bool in_no_proxy(std::string_view host, std::string_view list);

}  // namespace s3tug::cmd
