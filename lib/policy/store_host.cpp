#include "policy/store_host.h"

#include "base/text.h"

namespace s3tug::policy {

std::string plain_host(std::string_view host) {
    if (const std::size_t colon = host.rfind(':'); colon != std::string_view::npos) host = host.substr(0, colon);
    if (host.ends_with('.')) host.remove_suffix(1);
    return to_lower(host);
}

bool is_host_below(std::string_view host, std::string_view domain) {
    if (!host.ends_with(domain)) return false;
    return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

}  // namespace s3tug::policy
