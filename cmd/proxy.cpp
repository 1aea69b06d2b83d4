#include "cmd/proxy.h"

#include <initializer_list>

#include "base/text.h"

namespace s3tug::cmd {
namespace {

std::string first_of(const Layers& layers, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        if (auto value = layers.variable(name)) return *std::move(value);
    }
    return {};
}

}  // namespace

bool in_no_proxy(std::string_view host, std::string_view list) {
    if (trim(list) == "*") return true;
    while (!list.empty()) {
        const std::size_t end = list.find_first_of(", ");
        std::string name = to_lower(list.substr(0, end));
        list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
        if (name.starts_with('.')) name.erase(0, 1);
        if (name.empty()) continue;
        if (host == name || host.ends_with("." + name)) return true;
    }
    return false;
}

std::string proxy_from_environment(const Layers& layers, const wire::Endpoint& endpoint) {
    std::string proxy =
        endpoint.tls ? first_of(layers, {"https_proxy", "HTTPS_PROXY"}) : first_of(layers, {"http_proxy"});
    if (proxy.empty()) proxy = first_of(layers, {"all_proxy", "ALL_PROXY"});
    if (proxy.empty() || in_no_proxy(endpoint.host, first_of(layers, {"no_proxy", "NO_PROXY"}))) return {};
    return proxy;
}

}  // namespace s3tug::cmd
