#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "base/time.h"
#include "host/curl_handle.h"
#include "port/transport.h"

namespace s3tug::host {

enum class IpVersion : uint8_t { any, v4, v6 };

/// How connections are made. Certificates are always verified, TLS is 1.2 or newer, HTTP is 1.1.
struct TransportConfig {
    std::string user_agent;
    std::string ca_file;               ///< PEM, instead of the system's; empty = the system's
    std::optional<std::string> proxy;  ///< nullopt: http_proxy, https_proxy, no_proxy as curl reads them; "" = none
    std::vector<std::string> resolve;  ///< "HOST:PORT:ADDRESS", as curl's --resolve
    IpVersion ip_version = IpVersion::any;
    Duration connect_timeout = limits::connect_timeout;  ///< name look-up, TCP and TLS together
    uint64_t limit_rate = 0;                             ///< bytes per second, each way, over all attempts; 0 = none
    unsigned max_connections = limits::connections_default;  ///< attempts at once; more of them wait their turn
    int wake_fd = -1;  ///< poll() returns once when it becomes readable; it is never read
};

/// What stays the same for every attempt on this handle. An Error (`config`) names the option that libcurl refused.
[[nodiscard]] Status set_connection_options(CURL* easy, const TransportConfig& config, curl_slist* resolve,
                                            CURLSH* share);

/// Method, URL, header lines and body of one request. `headers` and `inline_body` must outlive the attempt.
/// `inline_body` is empty unless the body goes out in one write with the head (body_is_inline).
[[nodiscard]] CURLcode set_request_options(CURL* easy, const wire::SignedRequest& request, HeaderList& headers,
                                           ByteSpan inline_body, bool fresh_connection);

/// Small bodies go out in the same write as the head: one system call and one packet less (measured: a fifth to a third
/// of the CPU of a small PUT). libcurl does that for bodies given by address only.
[[nodiscard]] bool body_is_inline(const wire::SignedRequest& request);

}  // namespace s3tug::host
