// The signing test suite of aws-c-auth (facts/sigv4.md section 3): 38 requests, each signed in headers and in the
// query.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/bytes.h"
#include "shared_folder.h"
#include "wire/sigv4.h"

namespace s3tug::wire::sigv4 {

namespace {

struct Context {
    std::string access_key_id, secret, token, region, service;
    bool normalize = true, sign_body = false, omit_token = false;
    int64_t expires_s = 0;
    WallTime time{};
};

struct HttpText {
    std::string method, path, body;
    std::vector<QueryParam> query;
    Headers headers;
};

WallTime time_of(const std::string& text) {
    std::istringstream in(text);
    int year = 0;
    unsigned month = 0, day = 0, hour = 0, minute = 0, second = 0;
    char dash = 0;
    in >> year >> dash >> month >> dash >> day >> dash >> hour >> dash >> minute >> dash >> second;
    REQUIRE(in.good());
    const std::chrono::sys_days date = std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day);
    return WallTime(date.time_since_epoch() + hours(hour) + minutes(minute) + seconds(second));
}

Context read_context(const std::filesystem::path& folder) {
    const auto json = nlohmann::json::parse(test::read_file(folder / "context.json"));
    Context context;
    context.access_key_id = json.at("credentials").at("access_key_id").get<std::string>();
    context.secret = json.at("credentials").at("secret_access_key").get<std::string>();
    context.token = json.at("credentials").value("token", "");
    context.region = json.at("region").get<std::string>();
    context.service = json.at("service").get<std::string>();
    context.normalize = json.at("normalize").get<bool>();
    context.sign_body = json.at("sign_body").get<bool>();
    context.omit_token = json.value("omit_session_token", false);
    context.expires_s = json.at("expiration_in_seconds").get<int64_t>();
    context.time = time_of(json.at("timestamp").get<std::string>());
    return context;
}

std::vector<QueryParam> parse_query(std::string_view text) {
    std::vector<QueryParam> query;
    while (!text.empty()) {
        const std::string_view pair = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(text.size(), pair.size() + 1));
        const std::size_t equals = std::min(pair.find('='), pair.size());
        const std::string_view value = pair.substr(std::min(pair.size(), equals + 1));
        query.push_back({percent_decode(pair.substr(0, equals)).value(), percent_decode(value).value()});
    }
    return query;
}

HttpText parse_http(const std::string& text) {
    HttpText http;
    std::istringstream in(text);
    std::string line;
    std::getline(in, line);
    const std::size_t first = line.find(' '), last = line.rfind(" HTTP/1.1");
    REQUIRE(last != std::string::npos);
    const std::string target = line.substr(first + 1, last - first - 1);
    http.method = line.substr(0, first);
    http.path = target.substr(0, target.find('?'));
    http.query = parse_query(std::string_view(target).substr(std::min(target.size(), http.path.size() + 1)));

    std::vector<Header> lines;
    while (std::getline(in, line) && !line.empty()) {
        if (line.front() == ' ') {
            lines.back().value += "\n" + line;
        } else {
            lines.push_back({line.substr(0, line.find(':')), line.substr(line.find(':') + 1)});
        }
    }
    for (const Header& header : lines) http.headers.add(header.name, header.value);
    http.body.assign(std::istreambuf_iterator<char>(in), {});
    return http;
}

/// RFC 3986 section 5.2.4 and no doubled slashes: what services other than S3 do to a path.
std::string normalised(std::string_view path) {
    std::vector<std::string> segments;
    bool folder = false;
    for (std::size_t begin = 1; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string segment(path.substr(begin, end - begin));
        folder = segment.empty() || segment == "." || segment == "..";
        if (segment == ".." && !segments.empty()) segments.pop_back();
        if (!folder) segments.push_back(segment);
        begin = end + 1;
    }
    std::string result;
    for (const std::string& segment : segments) result += "/" + segment;
    return folder || result.empty() ? result + "/" : result;
}

struct Stages {
    std::string canonical_request, string_to_sign, signature;
};

Stages stages_of(const Context& context, const CanonicalInput& input) {
    const Timestamp time = timestamp(context.time);
    Stages stages;
    stages.canonical_request = canonical_request(input);
    stages.string_to_sign =
        string_to_sign(time, scope(time, context.region, context.service), stages.canonical_request);
    stages.signature =
        signature(signing_key(context.secret, time.date, context.region, context.service), stages.string_to_sign);
    return stages;
}

Stages sign_in_headers(const Context& context, const HttpText& http, std::string_view path, std::string_view word) {
    CanonicalInput input{http.method, path, http.query, http.headers, word};
    input.headers.add("X-Amz-Date", timestamp(context.time).date_time);
    if (context.sign_body) input.headers.add("x-amz-content-sha256", word);
    if (!context.token.empty() && !context.omit_token) input.headers.add("X-Amz-Security-Token", context.token);
    return stages_of(context, input);
}

Stages sign_in_query(const Context& context, const HttpText& http, std::string_view path, std::string_view word) {
    const Timestamp time = timestamp(context.time);
    CanonicalInput input{http.method, path, http.query, http.headers, word};
    input.query.push_back({"X-Amz-Algorithm", "AWS4-HMAC-SHA256"});
    input.query.push_back(
        {"X-Amz-Credential", context.access_key_id + "/" + scope(time, context.region, context.service)});
    input.query.push_back({"X-Amz-Date", time.date_time});
    input.query.push_back({"X-Amz-Expires", std::to_string(context.expires_s)});
    input.query.push_back({"X-Amz-SignedHeaders", signed_header_names(http.headers)});
    if (!context.token.empty() && !context.omit_token) {
        input.query.push_back({"X-Amz-Security-Token", context.token});
    }
    return stages_of(context, input);
}

void check_stages(const Stages& stages, const std::filesystem::path& folder, const std::string& mode) {
    CAPTURE(mode);
    CHECK(stages.canonical_request == test::read_file(folder / (mode + "-canonical-request.txt")));
    CHECK(stages.string_to_sign == test::read_file(folder / (mode + "-string-to-sign.txt")));
    CHECK(stages.signature == test::read_file(folder / (mode + "-signature.txt")));
}

}  // namespace

TEST_SUITE("wire/sigv4 vectors") {
    TEST_CASE("each published vector has the right text at each stage, in headers and in the query") {
        const auto folder = test::shared_folder("vectors/sigv4");
        if (!folder) {
            MESSAGE("skipped: no folder vectors/sigv4 below S3TUG_SHARED or ../shared");
            return;
        }
        std::size_t cases = 0;
        for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
            const std::string name = entry.path().filename().string();
            CAPTURE(name);
            const Context context = read_context(entry.path());
            const HttpText http = parse_http(test::read_file(entry.path() / "request.txt"));
            const std::string path = percent_encode(context.normalize ? normalised(http.path) : http.path, Slash::keep);
            const std::string word = to_hex(sha256(as_bytes(context.sign_body ? http.body : "")));
            check_stages(sign_in_headers(context, http, path, word), entry.path(), "header");
            check_stages(sign_in_query(context, http, path, word), entry.path(), "query");
            ++cases;
        }
        CHECK(cases == 38);
    }
}

}  // namespace s3tug::wire::sigv4
