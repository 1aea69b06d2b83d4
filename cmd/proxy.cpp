#include "cmd/proxy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <initializer_list>

#include "base/bytes.h"
#include "base/text.h"

namespace s3tug::cmd {
namespace {

std::string first_of(const Layers& layers, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        if (auto value = layers.variable(name)) return *std::move(value);
    }
    return {};
}

Error bad_proxy(std::string_view why) {
    return {ErrorKind::usage, fmt::format("{}; the right form is [SCHEME://][USER:PASSWORD@]HOST[:PORT]", why)};
}

bool is_port(std::string_view text) {
    unsigned port = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc() && rest == text.data() + text.size() && port >= 1 && port <= 65535;
}

bool is_host(std::string_view host) {
    if (host.starts_with('[')) {
        return host.size() > 4 && host.ends_with(']') &&
               host.find_first_not_of("0123456789abcdefABCDEF:.%", 1) == host.size() - 1;
    }
    const auto fits = [](unsigned char c) {
        return c > 0x7f || std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
    };
    return !host.empty() && std::all_of(host.begin(), host.end(), fits);
}

}  // namespace

Status check_proxy(std::string_view proxy) {
    if (proxy.empty()) return {};
    std::string_view rest = proxy;
    if (const std::size_t end = rest.find("://"); end != std::string_view::npos) {
        constexpr std::array<std::string_view, 6> schemes = {"http", "https", "socks4", "socks4a", "socks5", "socks5h"};
        const std::string scheme = to_lower(rest.substr(0, end));
        if (std::find(schemes.begin(), schemes.end(), scheme) == schemes.end())
            return bad_proxy(fmt::format("'{}' is no kind of proxy", printable(scheme, 20)));
        rest.remove_prefix(end + 3);
    }
    if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) rest.remove_prefix(at + 1);
    if (rest.ends_with('/')) rest.remove_suffix(1);
    const std::size_t colon = rest.find(':', rest.starts_with('[') ? std::min(rest.find(']'), rest.size()) : 0);
    if (colon != std::string_view::npos && !is_port(rest.substr(colon + 1)))
        return bad_proxy(fmt::format("'{}' is no port", printable(rest.substr(colon + 1), 20)));
    if (const std::string_view host = rest.substr(0, colon); !is_host(host))
        return bad_proxy(host.empty() ? std::string("the host is missing")
                                      : fmt::format("'{}' is no host", printable(host, 60)));
    return {};
}

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
