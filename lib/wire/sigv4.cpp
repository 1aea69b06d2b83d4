#include "wire/sigv4.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "base/limits.h"

namespace s3tug::wire::sigv4 {

namespace {

constexpr std::string_view algorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view service_name = "s3";
constexpr std::string_view date_header = "x-amz-date";
constexpr std::string_view payload_header = "x-amz-content-sha256";
constexpr std::string_view token_header = "x-amz-security-token";

/// botocore's and aws-c-auth's lists, and what proxies were seen to change (facts/sigv4.md, Headers). The authorization
/// cannot cover itself.
constexpr std::array<std::string_view, 16> never_signed = {
    "accept",         "accept-encoding",   "authorization", "connection", "content-length",
    "expect",         "forwarded",         "keep-alive",    "range",      "te",
    "trailer",        "transfer-encoding", "upgrade",       "user-agent", "via",
    "x-amzn-trace-id"};
constexpr std::array<std::string_view, 3> never_signed_prefixes = {"proxy-", "sec-websocket-", "x-forwarded-"};

/// Pointers into Headers, sorted by name; equal names keep their order.
using SignedLines = std::vector<const Header*>;

template <class Predicate>
SignedLines sorted_lines(const Headers& headers, Predicate&& is_signed) {
    SignedLines lines;
    lines.reserve(headers.size());
    for (const Header& header : headers) {
        if (is_signed(header.name)) lines.push_back(&header);
    }
    std::stable_sort(lines.begin(), lines.end(), [](const Header* a, const Header* b) { return a->name < b->name; });
    return lines;
}

SignedLines all_lines(const Headers& headers) {
    return sorted_lines(headers, [](std::string_view) { return true; });
}

/// The value without blanks at its ends and with one for each run inside, quoted text and folded lines included.
void append_normalised(std::string& out, std::string_view value) {
    constexpr std::string_view blanks = " \t\r\n";
    std::size_t begin = value.find_first_not_of(blanks);
    while (begin != std::string_view::npos) {
        const std::size_t end = std::min(value.find_first_of(blanks, begin), value.size());
        out += value.substr(begin, end - begin);
        begin = value.find_first_not_of(blanks, end);
        if (begin != std::string_view::npos) out += ' ';
    }
}

std::string names_of(const SignedLines& lines) {
    std::string names;
    std::string_view previous;
    for (const Header* line : lines) {
        if (line->name == previous) continue;
        if (!names.empty()) names += ';';
        names += line->name;
        previous = line->name;
    }
    return names;
}

struct Covered {
    std::string_view method, encoded_path, encoded_query, names, payload_word;
    const SignedLines& lines;
};

std::string canonical_text(const Covered& covered) {
    std::string out;
    out.reserve(512);
    out.append(covered.method).append("\n");
    out.append(covered.encoded_path.empty() ? "/" : covered.encoded_path).append("\n");
    out.append(covered.encoded_query).append("\n");
    std::string_view previous;
    for (const Header* line : covered.lines) {
        if (line->name == previous) {
            out.back() = ',';  // in place of the end of the line before
        } else {
            out.append(line->name).append(":");
        }
        append_normalised(out, line->value);
        out += '\n';
        previous = line->name;
    }
    out.append("\n").append(covered.names).append("\n").append(covered.payload_word);
    return out;
}

std::string url_of(const Endpoint& endpoint, const Address& address, std::string_view encoded_query) {
    std::string url = endpoint.tls ? "https://" : "http://";
    url.append(address.host_header).append(address.path);
    if (!encoded_query.empty()) url.append("?").append(encoded_query);
    return url;
}

/// What a presigned URL binds besides the host: whoever uses it must send these, so only those that change the effect.
bool is_signed_in_url(std::string_view lower_name) {
    return lower_name == "host" || lower_name.starts_with("x-amz-") || lower_name.starts_with("if-");
}

}  // namespace

bool is_never_signed(std::string_view lower_name) {
    return std::ranges::find(never_signed, lower_name) != never_signed.end() ||
           std::ranges::any_of(never_signed_prefixes, [&](auto prefix) { return lower_name.starts_with(prefix); });
}

Timestamp timestamp(WallTime t) {
    const auto since_epoch = t.time_since_epoch();
    const auto days = std::chrono::floor<std::chrono::days>(since_epoch);
    const std::chrono::year_month_day ymd{std::chrono::sys_days(days)};
    const auto s = std::chrono::floor<seconds>(since_epoch - days).count();
    Timestamp result;
    result.date = fmt::format("{:04}{:02}{:02}", static_cast<int>(ymd.year()), static_cast<unsigned>(ymd.month()),
                              static_cast<unsigned>(ymd.day()));
    result.date_time = fmt::format("{}T{:02}{:02}{:02}Z", result.date, s / 3600, s / 60 % 60, s % 60);
    return result;
}

std::string canonical_query(const std::vector<QueryParam>& query) {
    std::vector<std::pair<std::string, std::string>> encoded;
    encoded.reserve(query.size());
    for (const QueryParam& param : query) {
        encoded.emplace_back(percent_encode(param.name, Slash::encode), percent_encode(param.value, Slash::encode));
    }
    std::sort(encoded.begin(), encoded.end());
    std::string out;
    for (const auto& [name, value] : encoded) {
        if (!out.empty()) out += '&';
        out.append(name).append("=").append(value);
    }
    return out;
}

std::string signed_header_names(const Headers& headers) { return names_of(all_lines(headers)); }

std::string canonical_request(const CanonicalInput& input) {
    const SignedLines lines = all_lines(input.headers);
    return canonical_text(
        {input.method, input.encoded_path, canonical_query(input.query), names_of(lines), input.payload_word, lines});
}

std::string scope(const Timestamp& time, std::string_view region, std::string_view service) {
    return fmt::format("{}/{}/{}/aws4_request", time.date, region, service);
}

std::string string_to_sign(const Timestamp& time, std::string_view scope, std::string_view canonical_request) {
    return fmt::format("{}\n{}\n{}\n{}", algorithm, time.date_time, scope, to_hex(sha256(as_bytes(canonical_request))));
}

Sha256Digest signing_key(std::string_view secret, std::string_view date, std::string_view region,
                         std::string_view service) {
    Sha256Digest key = hmac_sha256(as_bytes(fmt::format("AWS4{}", secret)), as_bytes(date));
    for (const std::string_view part : {region, service, std::string_view("aws4_request")}) {
        key = hmac_sha256(key, as_bytes(part));
    }
    return key;
}

std::string signature(const Sha256Digest& key, std::string_view string_to_sign) {
    return to_hex(hmac_sha256(key, as_bytes(string_to_sign)));
}

const Sha256Digest& KeyCache::get(std::string_view secret, std::string_view date, std::string_view region,
                                  std::string_view service) {
    std::string wanted = fmt::format("{}/{}/{}", date, region, service);
    if (wanted != scope_ || secret != secret_) {
        key_ = signing_key(secret, date, region, service);
        secret_ = secret;
        scope_ = std::move(wanted);
    }
    return key_;
}

SignedRequest sign(const Request& request, const Endpoint& endpoint, const Credentials* credentials, WallTime now,
                   KeyCache& cache) {
    const Address address = address_of(endpoint, request.bucket, request.key);
    const std::string query = canonical_query(request.query);

    SignedRequest result;
    result.op = request.op;
    result.method = request.method;
    result.url = url_of(endpoint, address, query);
    result.headers = request.headers;
    result.headers.set("host", address.host_header);
    result.body_bytes = request.body_bytes;
    result.has_body = request.has_body;
    result.body_limit = request.body_limit;
    if (credentials == nullptr) return result;

    const Timestamp time = timestamp(now);
    // A body without a word is signed as if empty: the store then refuses it, which nothing else would notice.
    const std::string_view payload_word = request.payload_word.empty() ? empty_payload_sha256 : request.payload_word;
    result.headers.set(date_header, time.date_time);
    result.headers.set(payload_header, payload_word);
    if (!credentials->session_token.empty()) result.headers.set(token_header, credentials->session_token);

    const SignedLines lines = sorted_lines(result.headers, [](auto name) { return !is_never_signed(name); });
    const std::string names = names_of(lines);
    const std::string canonical =
        canonical_text({to_string(request.method), address.path, query, names, payload_word, lines});
    const std::string its_scope = scope(time, endpoint.region, service_name);
    const Sha256Digest& key = cache.get(credentials->secret_access_key, time.date, endpoint.region, service_name);
    result.headers.set("authorization", fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", algorithm,
                                                    credentials->access_key_id, its_scope, names,
                                                    signature(key, string_to_sign(time, its_scope, canonical))));
    return result;
}

Result<std::string> presign(const Request& request, const Endpoint& endpoint, const Credentials& credentials,
                            WallTime now, Duration expires, KeyCache& cache) {
    if (expires < limits::presign_expires_min || expires > limits::presign_expires_max) {
        return Error{ErrorKind::usage, "a presigned URL lasts from 1 second to 7 days (168h)"};
    }
    const Address address = address_of(endpoint, request.bucket, request.key);
    const Timestamp time = timestamp(now);
    const std::string its_scope = scope(time, endpoint.region, service_name);

    Headers headers = request.headers;
    headers.set("host", address.host_header);
    const SignedLines lines = sorted_lines(headers, is_signed_in_url);
    const std::string names = names_of(lines);

    std::vector<QueryParam> params = request.query;
    params.push_back({"X-Amz-Algorithm", std::string(algorithm)});
    params.push_back({"X-Amz-Credential", fmt::format("{}/{}", credentials.access_key_id, its_scope)});
    params.push_back({"X-Amz-Date", time.date_time});
    params.push_back({"X-Amz-Expires", std::to_string(std::chrono::floor<seconds>(expires).count())});
    params.push_back({"X-Amz-SignedHeaders", names});
    if (!credentials.session_token.empty()) params.push_back({"X-Amz-Security-Token", credentials.session_token});

    const std::string query = canonical_query(params);
    const std::string canonical =
        canonical_text({to_string(request.method), address.path, query, names, unsigned_payload, lines});
    const Sha256Digest& key = cache.get(credentials.secret_access_key, time.date, endpoint.region, service_name);
    const std::string its_signature = signature(key, string_to_sign(time, its_scope, canonical));
    return url_of(endpoint, address, query + "&X-Amz-Signature=" + its_signature);
}

}  // namespace s3tug::wire::sigv4
