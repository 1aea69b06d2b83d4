#include "host/credential_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/iso_time.h"

namespace s3tug::host {

namespace {

Error bad(std::string message) { return {ErrorKind::no_credentials, std::move(message)}; }

/// A text field; empty and null count as missing.
Result<std::string> text_field(const nlohmann::json& document, const char* name, bool required) {
    const auto found = document.find(name);
    if (found != document.end() && !found->is_null() && !found->is_string()) {
        return bad(fmt::format("its {} is not a text", name));
    }
    std::string value;
    if (found != document.end() && found->is_string()) value = found->get<std::string>();
    if (required && value.empty()) return bad(fmt::format("its answer has no {}", name));
    return value;
}

bool is_version_1(const nlohmann::json& document) {
    const auto version = document.find("Version");
    return version != document.end() && version->is_number_integer() && version->get<int64_t>() == 1;
}

}  // namespace

Result<wire::Credentials> parse_credential_document(std::string_view json, std::string source) {
    const auto document = nlohmann::json::parse(json, nullptr, false);
    if (!document.is_object()) return bad("its answer is not a JSON object");
    if (!is_version_1(document)) return bad("its answer is not of Version 1");

    auto id = text_field(document, "AccessKeyId", true);
    if (!id.ok()) return std::move(id).error();
    auto secret = text_field(document, "SecretAccessKey", true);
    if (!secret.ok()) return std::move(secret).error();
    auto token = text_field(document, "SessionToken", false);
    if (!token.ok()) return std::move(token).error();
    const auto expiration = text_field(document, "Expiration", false);
    if (!expiration.ok()) return expiration.error();

    wire::Credentials credentials{*std::move(id), *std::move(secret), *std::move(token), std::nullopt,
                                  std::move(source)};
    if (!expiration->empty()) {
        credentials.expires_at = parse_iso_time(*expiration);
        if (!credentials.expires_at) return bad("its Expiration is not a time such as 2026-11-29T21:01:30Z");
    }
    if (auto keys = check_keys(credentials); !keys.ok()) return bad(std::move(keys).error().message);
    return credentials;
}

Status check_keys(const wire::Credentials& credentials) {
    const auto printable_ascii = [](const std::string& text) {
        return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7F'; });
    };
    const char* wrong = nullptr;
    if (!printable_ascii(credentials.access_key_id)) wrong = "access key id";
    if (!printable_ascii(credentials.secret_access_key)) wrong = "secret access key";
    if (!printable_ascii(credentials.session_token)) wrong = "session token";
    if (wrong == nullptr) return {};
    return Error{ErrorKind::config, fmt::format("the {} from {} holds a blank, a line end or another character that "
                                                "cannot be part of it",
                                                wrong, credentials.source)};
}

}  // namespace s3tug::host
