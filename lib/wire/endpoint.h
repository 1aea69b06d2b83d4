#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace s3tug::wire {

enum class Addressing : uint8_t {
    automatic,  ///< path for custom endpoints, IP addresses and buckets that do not fit a certificate; else virtual
    path,
    virtual_host,  ///< but path for a bucket that cannot stand in a host: upper case, '_', over 63 characters
};

/// Where a store answers. A value; changing the region of an AWS endpoint builds the new host, a custom endpoint never
/// changes host or scheme (design section 3, Repairs).
struct Endpoint {
    bool tls = true;
    std::string host;  ///< lower case; IPv6 without brackets
    uint16_t port = 443;
    std::string path_prefix;  ///< "" or "/prefix" without trailing slash, for gateways below a path
    std::string region = "us-east-1";
    bool aws = false;  ///< host was built by us for an AWS partition
    Addressing addressing = Addressing::automatic;
};

/// `https://host[:port][/prefix]`. User info, query, fragment, other schemes, bad ports, IPv6 zones, dot segments in
/// the prefix and virtual_host for an IP address are `config` errors that name the input (without what may be a secret
/// in it) and the right form. `region` is any word of letters, digits, `-`, `_` and `.`, since custom stores name
/// theirs.
[[nodiscard]] Result<Endpoint> parse_endpoint(std::string_view url, std::string_view region, Addressing addressing);

/// The regional AWS host, china and gov partitions included. `region` must pass valid_region().
[[nodiscard]] Result<Endpoint> aws_endpoint(std::string_view region, Addressing addressing);

/// Letters, digits and `-` (not at the ends), 1 to 63: what an answer must look like before it is believed
/// (facts/sigv4.md, Region).
[[nodiscard]] bool valid_region(std::string_view region);

/// The same store for another region: a new host for AWS, only another signing region for a custom endpoint. Unchanged
/// when `region` is not a valid_region(), so that an answer cannot lead anywhere.
[[nodiscard]] Endpoint with_region(const Endpoint& endpoint, std::string_view region);

/// Host header (lower case, default port left out, IPv6 in brackets) and encoded path for a bucket and key.
struct Address {
    std::string host_header;
    std::string path;  ///< encoded once; no normalisation
};
[[nodiscard]] Address address_of(const Endpoint& endpoint, std::string_view bucket, std::string_view key);

[[nodiscard]] std::string origin(const Endpoint& endpoint);  ///< "https://host:port", port always written

/// Scheme, host and port of a proxy in one spelling, without its user and password: they must not be told or kept.
[[nodiscard]] std::string proxy_origin(std::string_view proxy);

/// Key of the circuit breaker: scheme, host, port (after region routing, without the bucket label) and the proxy
/// (without its user and password), plus the bucket when the scope says so (facts/breaker.md pitfall 14). Equal for
/// HOST, host and host:443.
[[nodiscard]] std::string breaker_key(const Endpoint& endpoint, std::string_view proxy, std::string_view scope_bucket);

}  // namespace s3tug::wire
