#include "lab/auth.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/digest.h"

namespace s3tug::lab {

namespace {

constexpr std::string_view algorithm_name = "AWS4-HMAC-SHA256";
constexpr int64_t skew_limit = 15 * 60;
constexpr int64_t presign_limit = 7 * 24 * 3600;

/// What the client claims, from the Authorization header or from the query.
struct Claim {
    bool presigned = false;
    std::string credential;
    std::string signed_headers;
    std::string signature;
    std::string time;
    std::string token;
    int64_t expires = 0;  ///< presigned only: seconds after `time`
};

std::string_view path_of(const Head& head) { return std::string_view(head.target).substr(0, head.target.find('?')); }

std::string_view query_of(const Head& head) {
    const size_t mark = head.target.find('?');
    return mark == std::string::npos ? std::string_view() : std::string_view(head.target).substr(mark + 1);
}

std::optional<std::string> raw_parameter(const Head& head, std::string_view name) {
    for (const std::string_view item : split(query_of(head), '&'))
        if (item.substr(0, item.find('=')) == name)
            return item.find('=') == std::string_view::npos ? "" : percent_decode(item.substr(item.find('=') + 1));
    return std::nullopt;
}

/// Value with runs of blanks collapsed; the ends were trimmed when the head was read.
std::string collapse(std::string_view value) {
    std::string out;
    for (const char c : value) {
        const bool blank = c == ' ' || c == '\t';
        if (!blank || out.empty() || out.back() != ' ') out += blank ? ' ' : c;
    }
    return out;
}

/// The first byte of `text` that is not as S3 encodes it.
std::optional<size_t> first_odd_byte(std::string_view text, std::string_view also_allowed) {
    for (size_t i = 0; i < text.size(); ++i) {
        if (also_allowed.find(text[i]) != std::string_view::npos) continue;
        if (text[i] == '%' && i + 2 < text.size()) {
            const std::string byte = percent_decode(text.substr(i, 3));
            if (byte.size() == 1 && percent_encode(byte, false) == text.substr(i, 3)) {
                i += 2;
                continue;
            }
            return i;
        }
        if (percent_encode(text.substr(i, 1), false) != text.substr(i, 1)) return i;
    }
    return std::nullopt;
}

std::optional<S3Error> check_form(const Head& head) {
    const auto complain = [](std::string_view what, std::string_view text, size_t at) {
        return s3_error("InvalidURI", fmt::format("The {} is not in S3's canonical encoding at byte {}: {}", what, at,
                                                  text.substr(at, 12)));
    };
    if (const auto at = first_odd_byte(path_of(head), "/")) return complain("path", path_of(head), *at);
    if (const auto at = first_odd_byte(query_of(head), "=&")) return complain("query", query_of(head), *at);
    return std::nullopt;
}

std::variant<Claim, S3Error> claim_in_header(const Head& head, std::string_view authorization) {
    const auto malformed = [](std::string_view why) { return s3_error("AuthorizationHeaderMalformed", why); };
    if (!authorization.starts_with(algorithm_name) || authorization.size() <= algorithm_name.size() ||
        authorization[algorithm_name.size()] != ' ')
        return s3_error("InvalidRequest", "The authorization mechanism is not supported. Please use AWS4-HMAC-SHA256.");
    Claim claim;
    for (const std::string_view item : split(authorization.substr(algorithm_name.size() + 1), ',')) {
        const std::string_view part = trim(item);
        const size_t equals = part.find('=');
        if (equals == std::string_view::npos) return malformed("A part of the authorization header has no `=`.");
        const std::string_view name = part.substr(0, equals);
        if (name == "Credential") claim.credential = part.substr(equals + 1);
        if (name == "SignedHeaders") claim.signed_headers = part.substr(equals + 1);
        if (name == "Signature") claim.signature = part.substr(equals + 1);
    }
    if (claim.credential.empty() || claim.signed_headers.empty() || claim.signature.empty())
        return malformed("The authorization header lacks Credential, SignedHeaders or Signature.");
    claim.time = head.header_or("x-amz-date", "");
    claim.token = head.header_or("x-amz-security-token", "");
    return claim;
}

std::variant<Claim, S3Error> claim_in_query(const Head& head) {
    const auto wrong = [](std::string_view why) { return s3_error("AuthorizationQueryParametersError", why); };
    if (raw_parameter(head, "X-Amz-Algorithm") != std::optional<std::string>(algorithm_name))
        return wrong("X-Amz-Algorithm only supports AWS4-HMAC-SHA256.");
    const auto value = [&](std::string_view name) { return raw_parameter(head, name).value_or(""); };
    Claim claim{true,
                value("X-Amz-Credential"),
                value("X-Amz-SignedHeaders"),
                value("X-Amz-Signature"),
                value("X-Amz-Date"),
                value("X-Amz-Security-Token")};
    const auto expires = to_number(value("X-Amz-Expires"));
    if (!expires || *expires < 1 || *expires > static_cast<uint64_t>(presign_limit))
        return wrong("X-Amz-Expires must be a number from 1 to 604800.");
    claim.expires = static_cast<int64_t>(*expires);
    if (claim.credential.empty() || claim.signed_headers.empty() || claim.signature.empty() || claim.time.empty())
        return wrong("Query-string authentication needs X-Amz-Credential, -Date, -SignedHeaders and -Signature.");
    return claim;
}

std::optional<S3Error> check_time(const Claim& claim, int64_t now) {
    const auto at = parse_amz_date(claim.time);
    if (!at) return s3_error("AccessDenied", "AWS authentication requires a valid x-amz-date.");
    if (claim.presigned && now > *at + claim.expires) {
        S3Error error = s3_error("AccessDenied", "Request has expired");
        error.elements = {{"X-Amz-Expires", std::to_string(claim.expires)},
                          {"Expires", iso_date((*at + claim.expires) * 1000)},
                          {"ServerTime", iso_date(now * 1000)}};
        return error;
    }
    if (claim.presigned ? *at - now > skew_limit : std::abs(*at - now) > skew_limit) {
        S3Error error = s3_error("RequestTimeTooSkewed");
        error.elements = {{"RequestTime", claim.time},
                          {"ServerTime", iso_date(now * 1000)},
                          {"MaxAllowedSkewMilliseconds", std::to_string(skew_limit * 1000)}};
        return error;
    }
    return std::nullopt;
}

std::optional<S3Error> check_scope(const Claim& claim, std::string_view region) {
    const auto parts = split(claim.credential, '/');
    const std::string_view code =
        claim.presigned ? "AuthorizationQueryParametersError" : "AuthorizationHeaderMalformed";
    if (parts.size() != 5 || parts[3] != "s3" || parts[4] != "aws4_request")
        return s3_error(code, "The credential is not KEY/DATE/REGION/s3/aws4_request.");
    if (parts[1] != claim.time.substr(0, 8))
        return s3_error(code, "The date in the credential scope differs from x-amz-date.");
    if (parts[2] == region) return std::nullopt;
    S3Error error = s3_error(code, fmt::format("The authorization header is malformed; the region '{}' is wrong; "
                                               "expecting '{}'",
                                               parts[2], region));
    error.elements = {{"Region", std::string(region)}};
    error.headers = {{"x-amz-bucket-region", std::string(region)}};
    return error;
}

/// Every x-amz-* header must be signed, else somebody on the way could have put it there.
std::optional<S3Error> check_signed_headers(const Head& head, const std::vector<std::string_view>& names) {
    if (!std::ranges::is_sorted(names)) return s3_error("AuthorizationHeaderMalformed", "SignedHeaders is not sorted.");
    if (std::ranges::find(names, "host") == names.end())
        return s3_error("AccessDenied", "The host header must be signed.");
    std::string unsigned_names;
    for (const Field& field : head.headers) {
        const std::string name = to_lower(field.name);
        if (!name.starts_with("x-amz-") || name == "x-amz-content-sha256") continue;
        if (std::ranges::find(names, name) == names.end())
            unsigned_names += (unsigned_names.empty() ? "" : ", ") + name;
    }
    for (const std::string_view name : names)
        if (head.header(name) == nullptr)
            return s3_error("AccessDenied", fmt::format("The signed header {} is not there.", name));
    if (unsigned_names.empty()) return std::nullopt;
    S3Error error = s3_error("AccessDenied", "There were headers present in the request which were not signed");
    error.elements = {{"HeadersNotSigned", unsigned_names}};
    return error;
}

std::string signing_key(const Credential& credential, const std::vector<std::string_view>& scope) {
    std::string key = "AWS4" + credential.secret_key;
    for (size_t i = 1; i < scope.size(); ++i) key = hmac_sha256(key, scope[i]);
    return key;
}

std::variant<Identity, S3Error> check_signature(const Head& head, const Claim& claim, const Credential& credential) {
    const auto scope = split(claim.credential, '/');
    Identity who;
    who.access_key = credential.access_key;
    who.session_token = credential.session_token;
    who.payload_word = head.header_or("x-amz-content-sha256", claim.presigned ? "UNSIGNED-PAYLOAD" : "");
    if (who.payload_word.empty())
        return s3_error("InvalidRequest", "Missing required header for this request: x-amz-content-sha256");
    const std::string canonical = canonical_request(head, split(claim.signed_headers, ';'), who.payload_word,
                                                    claim.presigned ? "X-Amz-Signature" : "");
    who.time = claim.time;
    who.scope = claim.credential.substr(claim.credential.find('/') + 1);
    who.signing_key = signing_key(credential, scope);
    const std::string to_sign =
        fmt::format("{}\n{}\n{}\n{}", algorithm_name, who.time, who.scope, sha256_hex(canonical));
    who.signature = to_hex(hmac_sha256(who.signing_key, to_sign));
    if (who.signature == claim.signature) return who;
    S3Error error = s3_error("SignatureDoesNotMatch");
    error.elements = {{"AWSAccessKeyId", credential.access_key},
                      {"StringToSign", to_sign},
                      {"SignatureProvided", claim.signature},
                      {"CanonicalRequest", canonical}};
    return error;
}

std::optional<S3Error> check_token(const Claim& claim, const Credential& credential, int64_t now) {
    if (claim.token != credential.session_token) return s3_error("InvalidToken");
    if (credential.expires && now >= *credential.expires) return s3_error("ExpiredToken");
    return std::nullopt;
}

std::variant<Identity, S3Error> check_claim(const Head& head, const Claim& claim, const AuthRules& rules) {
    if (auto error = check_form(head)) return *error;
    if (auto error = check_time(claim, rules.now)) return *error;
    if (auto error = check_scope(claim, rules.region)) return *error;
    const std::string_view access_key = split(claim.credential, '/').front();
    // A rotated session keeps its access key on some stores: the token decides between entries of one key.
    const Credential* credential = nullptr;
    for (const Credential& entry : rules.credentials)
        if (entry.access_key == access_key && (credential == nullptr || entry.session_token == claim.token))
            credential = &entry;
    if (credential == nullptr) {
        S3Error error = s3_error("InvalidAccessKeyId");
        error.elements = {{"AWSAccessKeyId", std::string(access_key)}};
        return error;
    }
    if (auto error = check_signed_headers(head, split(claim.signed_headers, ';'))) return *error;
    auto who = check_signature(head, claim, *credential);
    if (std::holds_alternative<S3Error>(who)) return who;
    if (auto error = check_token(claim, *credential, rules.now)) return *error;
    return who;
}

}  // namespace

std::string canonical_request(const Head& head, const std::vector<std::string_view>& signed_headers,
                              std::string_view payload_word, std::string_view without) {
    std::vector<std::pair<std::string_view, std::string_view>> parameters;
    for (const std::string_view item : split(query_of(head), '&')) {
        if (item.empty()) continue;
        const size_t equals = item.find('=');
        const std::string_view value = equals == std::string_view::npos ? "" : item.substr(equals + 1);
        if (without.empty() || item.substr(0, equals) != without)
            parameters.emplace_back(item.substr(0, equals), value);
    }
    std::ranges::sort(parameters);
    std::string out = fmt::format("{}\n{}\n", head.method, path_of(head));
    for (size_t i = 0; i < parameters.size(); ++i)
        out += fmt::format("{}{}={}", i == 0 ? "" : "&", parameters[i].first, parameters[i].second);
    out += '\n';
    std::string names;
    for (const std::string_view name : signed_headers) {
        std::string values;
        for (const Field& field : head.headers)
            if (equal_nocase(field.name, name)) values += (values.empty() ? "" : ",") + collapse(field.value);
        out += fmt::format("{}:{}\n", name, values);
        names += (names.empty() ? "" : ";") + std::string(name);
    }
    return out + fmt::format("\n{}\n{}", names, payload_word);
}

std::variant<Identity, S3Error> authenticate(const Head& head, const AuthRules& rules) {
    const std::string* authorization = head.header("authorization");
    const bool presigned = raw_parameter(head, "X-Amz-Algorithm") || raw_parameter(head, "X-Amz-Signature");
    if (authorization != nullptr && presigned)
        return s3_error("InvalidArgument", "Only one auth mechanism allowed: the header or the query.");
    Identity unchecked;
    unchecked.payload_word = head.header_or("x-amz-content-sha256", "UNSIGNED-PAYLOAD");
    if (!rules.check_signature) return unchecked;
    if (raw_parameter(head, "AWSAccessKeyId"))
        return s3_error("InvalidRequest", "The authorization mechanism is not supported. Please use AWS4-HMAC-SHA256.");
    if (authorization == nullptr && !presigned) {
        if (rules.allow_anonymous) return unchecked;
        return s3_error("AccessDenied");
    }
    const auto claim = presigned ? claim_in_query(head) : claim_in_header(head, *authorization);
    if (const auto* error = std::get_if<S3Error>(&claim)) return *error;
    return check_claim(head, std::get<Claim>(claim), rules);
}

}  // namespace s3tug::lab
