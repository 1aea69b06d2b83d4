#pragma once

#include <string>
#include <string_view>

/// Private to lib/policy: stores are told by the end of their host name.
namespace s3tug::policy {

/// Lower case, without port and final dot.
[[nodiscard]] std::string plain_host(std::string_view host);

/// Is it `domain` or a name below it? Both plain; "evilamazonaws.com" is not below "amazonaws.com".
[[nodiscard]] bool is_host_below(std::string_view host, std::string_view domain);

}  // namespace s3tug::policy
