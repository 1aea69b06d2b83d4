#include "wire/etag.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"

namespace s3tug::wire {

std::string unquote_etag(std::string_view etag) {
    etag = trim(etag);
    if (etag.starts_with("W/")) etag.remove_prefix(2);
    if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') {
        etag.remove_prefix(1);
        etag.remove_suffix(1);
    }
    return std::string(etag);
}

std::string quote_etag(std::string_view etag) {
    std::string bare = unquote_etag(etag);
    if (bare == "*") return bare;
    return "\"" + bare + "\"";
}

Result<std::string> parse_etag(std::string_view typed) {
    std::string bare = unquote_etag(typed);
    const auto refused = [typed](std::string_view reason) {
        return Error{ErrorKind::usage, "ETag '" + printable(typed, limits::trace_text_max_bytes) +
                                           "': " + std::string(reason) + "; give it as the store shows it"};
    };
    if (bare.empty()) return refused("it is empty");
    if (bare.size() > limits::etag_max_bytes) {
        return refused("it is longer than " + std::to_string(limits::etag_max_bytes) + " bytes");
    }
    const bool clean = std::ranges::all_of(bare, [](char c) { return c > 0x20 && c < 0x7f && c != '"'; });
    if (!clean) return refused("an ETag has no blanks, quotes or control characters inside");
    return bare;
}

}  // namespace s3tug::wire
