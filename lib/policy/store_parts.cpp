#include "policy/store_parts.h"

#include "policy/store_host.h"

namespace s3tug::policy {

StoreParts store_parts(std::string_view endpoint_host) {
    const std::string host = plain_host(endpoint_host);
    StoreParts parts;
    if (is_host_below(host, "r2.cloudflarestorage.com")) parts.equal_sizes = true;
    if (is_host_below(host, "scw.cloud")) parts.parts_max = 1000;
    return parts;
}

}  // namespace s3tug::policy
