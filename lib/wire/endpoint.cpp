#include "wire/endpoint.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "base/text.h"

namespace s3tug::wire {

namespace {

/// DNS suffixes of the AWS partitions by the start of the region's name; all others are in amazonaws.com
/// (botocore's partitions.json: aws-cn, aws-iso, aws-iso-b, aws-iso-e, aws-iso-f, aws-eusc).
struct Partition {
    std::string_view region_start;
    std::string_view suffix;
};
constexpr std::array<Partition, 6> partitions = {{{"cn-", "amazonaws.com.cn"},
                                                  {"us-iso-", "c2s.ic.gov"},
                                                  {"us-isob-", "sc2s.sgov.gov"},
                                                  {"us-isof-", "csp.hci.ic.gov"},
                                                  {"eu-isoe-", "cloud.adc-e.uk"},
                                                  {"eusc-", "amazonaws.eu"}}};

std::string_view suffix_of(std::string_view region) {
    for (const Partition& partition : partitions) {
        if (region.starts_with(partition.region_start)) return partition.suffix;
    }
    return "amazonaws.com";
}

bool is_lower_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// Whether the bucket can stand before the host without loss: lower case (hosts have none), labels of the DNS.
bool fits_host(std::string_view bucket) {
    if (bucket.empty() || bucket.size() > 63) return false;
    char before = '.';
    for (const char c : bucket) {
        const bool edge = before == '.';
        if (c == '.' ? edge || before == '-' : !is_lower_alnum(c) && (c != '-' || edge)) return false;
        before = c;
    }
    return is_lower_alnum(before);
}

bool uses_virtual_host(const Endpoint& endpoint, std::string_view bucket) {
    if (!fits_host(bucket)) return false;
    switch (endpoint.addressing) {
        case Addressing::path: return false;
        case Addressing::virtual_host: return true;
        case Addressing::automatic: break;
    }
    // A wildcard certificate covers one label only.
    return endpoint.aws && !(endpoint.tls && bucket.find('.') != std::string_view::npos);
}

std::string bracketed(std::string_view host) {
    if (host.find(':') == std::string_view::npos) return std::string(host);
    return "[" + std::string(host) + "]";
}

std::string_view scheme_of(const Endpoint& endpoint) { return endpoint.tls ? "https" : "http"; }

}  // namespace

bool valid_region(std::string_view region) {
    return !region.empty() && region.size() <= 63 && region.front() != '-' && region.back() != '-' &&
           std::ranges::all_of(region, [](char c) { return is_lower_alnum(c) || (c >= 'A' && c <= 'Z') || c == '-'; });
}

Result<Endpoint> aws_endpoint(std::string_view region, Addressing addressing) {
    if (!valid_region(region)) {
        return Error{ErrorKind::config, "region '" + printable(region, 63) +
                                            "': a region of AWS has letters, digits and '-', as in eu-central-1"};
    }
    Endpoint endpoint;
    endpoint.region = to_lower(region);
    endpoint.host = "s3." + endpoint.region + "." + std::string(suffix_of(endpoint.region));
    endpoint.aws = true;
    endpoint.addressing = addressing;
    return endpoint;
}

Endpoint with_region(const Endpoint& endpoint, std::string_view region) {
    if (!valid_region(region)) return endpoint;
    if (endpoint.aws) {
        if (Result<Endpoint> moved = aws_endpoint(region, endpoint.addressing)) return *std::move(moved);
    }
    Endpoint same_host = endpoint;
    same_host.region = std::string(region);
    return same_host;
}

Address address_of(const Endpoint& endpoint, std::string_view bucket, std::string_view key) {
    const bool virtual_host = uses_virtual_host(endpoint, bucket);
    Address address;
    if (virtual_host) address.host_header.append(bucket).append(".");
    address.host_header.append(bracketed(endpoint.host));
    if (endpoint.port != (endpoint.tls ? 443 : 80)) address.host_header.append(":" + std::to_string(endpoint.port));

    address.path.reserve(endpoint.path_prefix.size() + bucket.size() + key.size() + 16);
    address.path.append(endpoint.path_prefix).append("/");
    if (!virtual_host) {
        address.path.append(percent_encode(bucket, Slash::encode));
        if (!key.empty()) address.path.append("/");
    }
    address.path.append(percent_encode(key, Slash::keep));
    return address;
}

std::string origin(const Endpoint& endpoint) {
    return std::string(scheme_of(endpoint)) + "://" + bracketed(endpoint.host) + ":" + std::to_string(endpoint.port);
}

std::string proxy_origin(std::string_view proxy) {
    std::string scheme = "http";
    if (const std::size_t end = proxy.find("://"); end != std::string_view::npos) {
        scheme = to_lower(proxy.substr(0, end));
        proxy.remove_prefix(end + 3);
    }
    if (const std::size_t at = proxy.rfind('@'); at != std::string_view::npos) proxy.remove_prefix(at + 1);
    proxy = proxy.substr(0, proxy.find('/'));
    std::string text = scheme + "://" + to_lower(proxy);
    const std::size_t bracket = proxy.rfind(']');
    const bool has_port = proxy.find(':', bracket == std::string_view::npos ? 0 : bracket) != std::string_view::npos;
    if (!has_port) text.append(scheme == "https" ? ":443" : ":1080");  // libcurl's defaults
    return text;
}

std::string breaker_key(const Endpoint& endpoint, std::string_view proxy, std::string_view scope_bucket) {
    std::string key = origin(endpoint);
    if (!proxy.empty()) key.append(" via ").append(proxy_origin(proxy));
    if (!scope_bucket.empty()) key.append(" bucket ").append(scope_bucket);
    return key;
}

}  // namespace s3tug::wire
