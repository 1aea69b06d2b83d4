#include <algorithm>
#include <charconv>
#include <string>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"
#include "wire/endpoint.h"

namespace s3tug::wire {

namespace {

constexpr std::size_t host_label_max = 63;  // RFC 1035 section 2.3.4, as the total below
constexpr std::size_t host_max = 253;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_alnum(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The URL as a message may show it: what stands before '@' and after '?' can be a secret.
std::string shown(std::string_view url) {
    const std::size_t query = url.find_first_of("?#");
    std::string text(url.substr(0, query));
    const std::size_t scheme_end = text.find("://");
    const std::size_t from = scheme_end == std::string::npos ? 0 : scheme_end + 3;
    if (const std::size_t at = text.rfind('@'); at != std::string::npos && at >= from) {
        text.replace(from, at - from, "***");
    }
    if (query != std::string_view::npos) text.append(1, url[query]).append("...");
    return printable(text, limits::trace_text_max_bytes);
}

Error bad_endpoint(std::string_view url, std::string_view reason) {
    return {ErrorKind::config, "endpoint '" + shown(url) + "': " + std::string(reason) +
                                   "; write https://HOST[:PORT][/PREFIX] or http://..."};
}

bool is_ipv4(std::string_view host) {
    int octets = 0;
    while (!host.empty() && octets < 4) {
        const std::size_t dot = host.find('.');
        const std::string_view octet = host.substr(0, dot);
        if (octet.empty() || octet.size() > 3 || !std::ranges::all_of(octet, is_digit)) return false;
        int value = 0;
        std::from_chars(octet.data(), octet.data() + octet.size(), value);
        if (value > 255) return false;
        ++octets;
        if (dot == std::string_view::npos) return octets == 4;
        host.remove_prefix(dot + 1);
    }
    return false;
}

/// Groups of one half of an address, or -1. `may_end_in_ipv4` holds for the half at the end.
int ipv6_groups(std::string_view half, bool may_end_in_ipv4) {
    if (half.empty()) return 0;
    int groups = 0;
    while (groups <= 8) {
        const std::size_t colon = half.find(':');
        const std::string_view group = half.substr(0, colon);
        const bool last = colon == std::string_view::npos;
        if (last && may_end_in_ipv4 && is_ipv4(group)) return groups + 2;
        if (group.empty() || group.size() > 4 || !std::ranges::all_of(group, is_hex)) return -1;
        ++groups;
        if (last) return groups;
        half.remove_prefix(colon + 1);
    }
    return -1;
}

/// RFC 4291 section 2.2, without zone.
bool is_ipv6(std::string_view host) {
    const std::size_t gap = host.find("::");
    if (gap == std::string_view::npos) return ipv6_groups(host, true) == 8;
    const int left = ipv6_groups(host.substr(0, gap), false);
    const int right = ipv6_groups(host.substr(gap + 2), true);
    return left >= 0 && right >= 0 && left + right < 8;
}

/// What is wrong with a host name; empty when nothing is. '_' is no letter of the DNS but common in container names.
std::string host_fault(std::string_view host) {
    if (host.empty()) return "the host is missing";
    if (host.size() > host_max) return "the host is longer than " + std::to_string(host_max) + " characters";
    if (host.back() == '.') host.remove_suffix(1);
    std::size_t label = 0;
    for (const char c : host) {
        if (c == '.') {
            if (label == 0) return "the host has an empty part";
            label = 0;
            continue;
        }
        if (static_cast<unsigned char>(c) >= 0x80) return "the host is not ASCII, write its xn-- form";
        if (!is_alnum(c) && c != '-' && c != '_') return "'" + printable({&c, 1}) + "' cannot stand in a host";
        if (++label > host_label_max) return "a part of the host is longer than 63 characters";
    }
    return label == 0 ? "the host has an empty part" : std::string{};
}

/// Signing regions of stores other than AWS are any word that fits into a credential scope.
bool is_region_word(std::string_view region) {
    return !region.empty() && region.size() <= host_label_max &&
           std::ranges::all_of(region, [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
}

struct Parts {
    std::string_view scheme, authority, path;
};

Result<Parts> split(std::string_view url) {
    const std::size_t scheme_end = url.find("://");
    if (scheme_end == std::string_view::npos) {
        if (url.empty()) return bad_endpoint(url, "it is empty");
        return bad_endpoint(url, "the scheme is missing");
    }
    Parts parts{.scheme = url.substr(0, scheme_end), .authority = url.substr(scheme_end + 3), .path = {}};
    if (parts.authority.find('?') != std::string_view::npos) return bad_endpoint(url, "a query has no place here");
    if (parts.authority.find('#') != std::string_view::npos) return bad_endpoint(url, "a fragment has no place here");
    if (const std::size_t slash = parts.authority.find('/'); slash != std::string_view::npos) {
        parts.path = parts.authority.substr(slash);
        parts.authority = parts.authority.substr(0, slash);
    }
    if (parts.authority.find('@') != std::string_view::npos) {
        return bad_endpoint(url, "keys do not belong into the endpoint, use a profile or the environment");
    }
    return parts;
}

/// Takes `:PORT` off the end of the authority. 0 = none given.
Result<uint16_t> take_port(std::string_view url, std::string_view& authority) {
    const std::size_t bracket = authority.rfind(']');
    if (authority.starts_with('[') && bracket == std::string_view::npos) {
        return bad_endpoint(url, "the ']' after the IPv6 address is missing");
    }
    const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
    if (colon == std::string_view::npos) return uint16_t{0};
    const std::string_view digits = authority.substr(colon + 1);
    authority = authority.substr(0, colon);
    if (bracket == std::string_view::npos && digits.find(':') != std::string_view::npos) {
        return bad_endpoint(url, "an IPv6 address stands in brackets, as in https://[::1]:9000");
    }
    uint16_t port = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (code != std::errc{} || end != digits.data() + digits.size() || port == 0) {
        return bad_endpoint(url, "the port is not a number from 1 to 65535");
    }
    return port;
}

/// Decoded and encoded again, so that what goes on the wire is what is signed.
Result<std::string> clean_prefix(std::string_view url, std::string_view path) {
    Result<std::string> raw = percent_decode(path);
    if (!raw) return bad_endpoint(url, "the path is not percent-encoded well");
    while (raw->ends_with('/')) raw->pop_back();
    if (raw->empty()) return std::string{};
    if (raw->size() > limits::key_max_bytes) return bad_endpoint(url, "the path is too long");
    const std::string closed = *raw + "/";
    if (closed.find("/./") != std::string::npos || closed.find("/../") != std::string::npos) {
        return bad_endpoint(url, "'.' and '..' cannot stand in the path");
    }
    return percent_encode(*raw, Slash::keep);
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view url, std::string_view region, Addressing addressing) {
    Result<Parts> parts = split(url);
    if (!parts) return std::move(parts).error();
    const std::string scheme = to_lower(parts->scheme);
    if (scheme != "https" && scheme != "http") return bad_endpoint(url, "the scheme is neither https nor http");
    if (!is_region_word(region)) {
        return Error{ErrorKind::config, "region '" + printable(region, host_label_max) +
                                            "': it has 1 to 63 letters, digits, '-', '_' or '.', as in us-east-1"};
    }

    Endpoint endpoint;
    endpoint.tls = scheme == "https";
    endpoint.region = std::string(region);
    endpoint.addressing = addressing;
    std::string_view host = parts->authority;
    const Result<uint16_t> port = take_port(url, host);
    if (!port) return port.error();
    endpoint.port = *port != 0 ? *port : endpoint.tls ? uint16_t{443} : uint16_t{80};

    bool is_address = is_ipv4(host);
    if (host.starts_with('[')) {
        if (!host.ends_with(']')) return bad_endpoint(url, "after the ']' comes a port or nothing");
        host = host.substr(1, host.size() - 2);
        if (!is_ipv6(host)) return bad_endpoint(url, "between the brackets is no IPv6 address (zones are not taken)");
        is_address = true;
    } else if (const std::string fault = host_fault(host); !fault.empty()) {
        return bad_endpoint(url, fault);
    }
    if (is_address && addressing == Addressing::virtual_host) {
        return bad_endpoint(url, "virtual-host addressing needs a host name, not an address (or --addressing path)");
    }
    endpoint.host = to_lower(host);

    Result<std::string> prefix = clean_prefix(url, parts->path);
    if (!prefix) return std::move(prefix).error();
    endpoint.path_prefix = *std::move(prefix);
    return endpoint;
}

}  // namespace s3tug::wire
