// s3:// URIs, endpoints, headers that users type, percent-encoding, and what is shown of such bytes.
#include "base/limits.h"
#include "fuzz/fuzz.h"
#include "wire/endpoint.h"
#include "wire/object_headers.h"
#include "wire/uri.h"
#include "wire/user_headers.h"
#include "wire/utf8.h"

namespace s3tug::fuzz {
namespace {

void check_uri(std::string_view text) {
    const auto uri = wire::parse_s3_uri(text);
    if (!uri) {
        require(uri.error().kind == ErrorKind::usage && shows_safely(uri.error().message), "errors can be shown",
                uri.error().message);
        return;
    }
    require(wire::looks_like_s3_uri(text), "a URI looks like one", text);
    require(uri->bucket.find_first_of("/%?#@: \n") == std::string::npos, "no bucket leaves its place", uri->bucket);
    require(uri->key.size() <= limits::key_max_bytes, "a key is bounded");
    const std::string whole = "s3://" + uri->bucket + "/" + uri->key;
    require(text == whole || (uri->key.empty() && text == whole.substr(0, whole.size() - 1)), "no byte is changed",
            text);
    require(shows_safely(wire::to_text(*uri)), "a URI is printable");
    const std::string source = wire::copy_source(*uri, "");
    const auto decoded = percent_decode(source);
    require(decoded && *decoded == "/" + uri->bucket + "/" + uri->key, "a copy source is the key once encoded", source);
}

void check_endpoint(std::string_view text) {
    using wire::Addressing;
    for (const Addressing addressing : {Addressing::automatic, Addressing::path, Addressing::virtual_host}) {
        const auto endpoint = wire::parse_endpoint(text, "us-east-1", addressing);
        if (!endpoint) {
            require(shows_safely(endpoint.error().message), "errors can be shown", endpoint.error().message);
            continue;
        }
        const std::string printed = wire::origin(*endpoint) + endpoint->path_prefix;
        const auto again = wire::parse_endpoint(printed, "us-east-1", addressing);
        require(again && wire::origin(*again) == wire::origin(*endpoint) && again->path_prefix == endpoint->path_prefix,
                "an endpoint is read as it is printed", printed);
        const wire::Address address = wire::address_of(*endpoint, "box", text);
        require(shows_safely(address.host_header) && shows_safely(address.path), "an address breaks no request line",
                address.path);
        require(address.host_header.find_first_of(" /@?#") == std::string::npos, "a host is a host",
                address.host_header);
        require(address.path.find_first_of(" ?#") == std::string::npos, "a path is a path", address.path);
    }
}

void check_encodings(std::string_view text) {
    for (const Slash slash : {Slash::keep, Slash::encode}) {
        const auto back = percent_decode(percent_encode(text, slash));
        require(back && *back == text, "percent-encoding comes back", text);
    }
    const auto hex = from_hex(to_hex(as_bytes(text)));
    require(hex && hex->size() == text.size(), "hex comes back", text);
    const std::string base64 = to_base64(as_bytes(text));
    const auto bytes = from_base64(base64);
    require(bytes && to_base64(*bytes) == base64 && bytes->size() == text.size(), "base64 comes back", text);
    if (const auto read = from_base64(text)) require(to_base64(*read) == text, "equal bytes have equal texts", text);
    if (const auto decoded = percent_decode(text)) (void)percent_encode(*decoded, Slash::keep);
    const std::string shown = printable(text, 100);
    require(shows_safely(shown) && wire::is_utf8(shown) && shown.size() <= 4 * 100 + 3, "printable() is", text);
}

void check_user_headers(std::string_view text) {
    for (const auto& line : {wire::parse_metadata(text), wire::parse_extra_header(text)}) {
        if (!line) {
            require(shows_safely(line.error().message), "errors can be shown", line.error().message);
            continue;
        }
        require(shows_safely(line->name) && shows_safely(line->value), "a header breaks no request", line->value);
        require(!line->name.empty() && line->name.find_first_of(": \t") == std::string::npos, "its name is a token",
                line->name);
    }
    if (wire::check_header_value("--content-type", text)) require(shows_safely(text), "a value breaks no request");
}

}  // namespace
}  // namespace s3tug::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace s3tug::fuzz;
    const std::string_view text = text_of(data, size);
    check_uri(text);
    check_endpoint(text);
    check_encodings(text);
    check_user_headers(text);
    return 0;
}
