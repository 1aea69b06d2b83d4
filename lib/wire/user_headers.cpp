#include "wire/user_headers.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"
#include "wire/object_headers.h"

namespace s3tug::wire {

namespace {

constexpr std::string_view metadata_prefix = "x-amz-meta-";

/// RFC 9110 section 5.6.2.
bool is_token(std::string_view text) {
    static constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               marks.find(c) != std::string_view::npos;
    });
}

/// What is wrong with a value; empty when nothing is.
std::string_view value_fault(std::string_view value) {
    for (const char c : value) {
        if (c == '\r' || c == '\n') return "the value has a line break";
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return "the value has a control character";
        if (static_cast<unsigned char>(c) >= 0x80) return "the value is not ASCII; percent-encode it";
    }
    if (trim(value).size() != value.size()) return "blanks at the ends of the value would be lost; leave them out";
    if (value.size() > limits::option_header_max_bytes) return "the value is too long";
    return {};
}

Error refused(std::string_view what, std::string_view shown, std::string_view reason) {
    return {ErrorKind::usage,
            std::string(what) + " '" + printable(shown, limits::trace_text_max_bytes) + "': " + std::string(reason)};
}

struct Owned {
    std::string_view start;  ///< of the name; a name that is meant as a whole ends in ':'
    std::string_view reason;
};

constexpr std::string_view of_signature = "it is made by the signature";
constexpr std::string_view of_connection = "it belongs to the connection";
constexpr std::string_view of_checksum = "it is computed from the bytes; choose with --checksum";
constexpr std::array<Owned, 27> owned_headers = {{
    {"host:", "it follows from the endpoint; set --endpoint-url"},
    {"authorization:", of_signature},
    {"date:", of_signature},
    {"x-amz-date:", of_signature},
    {"x-amz-content-sha256:", of_signature},
    {"x-amz-security-token:", "it comes with the credentials"},
    {"x-amz-s3session-token:", "it comes with the credentials"},
    {"content-length:", "it follows from the bytes"},
    {"x-amz-decoded-content-length:", "it follows from the bytes"},
    {"transfer-encoding:", of_connection},
    {"connection:", of_connection},
    {"keep-alive:", of_connection},
    {"te:", of_connection},
    {"trailer:", of_connection},
    {"upgrade:", of_connection},
    {"proxy-", of_connection},
    {"expect:", of_connection},
    {"range:", "parts of an object are chosen by the transfer"},
    {"if-", "a condition must be known to be checked; use --if-match or --no-overwrite"},
    {"content-md5:", of_checksum},
    {"x-amz-checksum-", of_checksum},
    {"x-amz-sdk-checksum-algorithm:", of_checksum},
    {"x-amz-trailer:", of_checksum},
    {"x-amz-copy-source:", "it follows from the source"},
    {"x-amz-copy-source-if-", "the source is pinned by the copy itself"},
    {"x-amz-metadata-directive:", "it follows from --metadata"},
    {"x-amz-meta-s3tug-write:", "it is our write token; see --write-token"},
}};

/// Why a header of that name cannot be given; empty when it can.
std::string_view why_owned(std::string_view lower_name) {
    const std::string whole = std::string(lower_name) + ":";
    for (const Owned& owned : owned_headers) {
        if (whole.starts_with(owned.start)) return owned.reason;
    }
    return {};
}

}  // namespace

Result<Header> parse_metadata(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return refused("metadata", text, "write it as NAME=VALUE");
    Header item{.name = to_lower(text.substr(0, equals)), .value = std::string(text.substr(equals + 1))};
    if (item.name.empty()) return refused("metadata", text, "the name is missing; write it as NAME=VALUE");
    if (!is_token(item.name)) {
        return refused("metadata", text, "a name has only ASCII letters, digits and marks like '-', '_' and '.'");
    }
    if (item.name.starts_with(metadata_prefix)) {
        return refused("metadata", text, "leave x-amz-meta- out, it is put in front of every name");
    }
    if (metadata_prefix.size() + item.name.size() == write_token_header.size() &&
        write_token_header.ends_with(item.name)) {
        return refused("metadata", text, "this name is taken by our write token; choose another or see --write-token");
    }
    if (const std::string_view fault = value_fault(item.value); !fault.empty()) {
        return refused("metadata", text, fault);
    }
    return item;
}

Status check_metadata(std::span<const Header> metadata, std::size_t token_bytes) {
    std::size_t total = token_bytes == 0 ? 0 : token_bytes + write_token_header.size() - metadata_prefix.size();
    for (auto item = metadata.begin(); item != metadata.end(); ++item) {
        if (std::ranges::find(metadata.begin(), item, item->name, &Header::name) != item) {
            return refused("metadata", item->name, "the name is given twice");
        }
        total += item->name.size() + item->value.size();
    }
    if (total > limits::user_metadata_max_bytes) {
        return Error{ErrorKind::usage, "metadata: names and values have " + std::to_string(total) +
                                           " bytes together, S3 takes " +
                                           std::to_string(limits::user_metadata_max_bytes) + "; shorten them"};
    }
    return {};
}

Result<Header> parse_extra_header(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view typed_name = text.substr(0, std::min(colon, text.find_first_of(" =")));
    if (colon == std::string_view::npos) return refused("header", typed_name, "write it as 'NAME: VALUE'");
    if (!is_token(text.substr(0, colon))) return refused("header", typed_name, "the name is not a header name");
    const std::string name = to_lower(typed_name);
    std::string_view value = text.substr(colon + 1);
    while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
    while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
    if (value.empty()) return refused("header", typed_name, "the value is missing; write it as 'NAME: VALUE'");
    if (const std::string_view fault = value_fault(value); !fault.empty()) return refused("header", typed_name, fault);
    if (const std::string_view reason = why_owned(name); !reason.empty()) return refused("header", typed_name, reason);
    return Header{.name = name, .value = std::string(value)};
}

Status check_header_value(std::string_view option, std::string_view value) {
    if (value.empty()) return refused(option, value, "it is empty");
    if (const std::string_view fault = value_fault(value); !fault.empty()) return refused(option, value, fault);
    return {};
}

bool goes_with_every_request(std::string_view lower_name) {
    static constexpr std::array<std::string_view, 2> object_headers = {"cache-control", "expires"};
    if (lower_name.starts_with("x-amz-server-side-encryption-customer-")) return true;
    if (lower_name == "x-amz-request-payer" || lower_name == "x-amz-expected-bucket-owner") return true;
    if (lower_name.starts_with("x-amz-") || lower_name.starts_with("content-")) return false;
    return std::ranges::find(object_headers, lower_name) == object_headers.end();
}

}  // namespace s3tug::wire
