#include "host/curl_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace s3tug::host {

namespace {

/// Sets options until one is refused; remembers which.
class Setter {
  public:
    explicit Setter(CURL* easy) : easy_(easy) {}

    template <class Value>
    Setter& set(CURLoption option, Value value) {
        if (code_ == CURLE_OK) {
            code_ = curl_easy_setopt(easy_, option, value);
            failed_ = option;
        }
        return *this;
    }
    [[nodiscard]] CURLcode code() const { return code_; }
    [[nodiscard]] Status status() const {
        if (code_ == CURLE_OK) return {};
        const curl_easyoption* option = curl_easy_option_by_id(failed_);
        return Error{ErrorKind::config,
                     fmt::format("libcurl {} refuses option {}: {}", curl_version_info(CURLVERSION_NOW)->version,
                                 option != nullptr ? option->name : "?", curl_easy_strerror(code_))};
    }

  private:
    CURL* easy_;
    CURLcode code_ = CURLE_OK;
    CURLoption failed_{};
};

long ip_resolve(IpVersion version) {
    switch (version) {
        case IpVersion::any: return CURL_IPRESOLVE_WHATEVER;
        case IpVersion::v4: return CURL_IPRESOLVE_V4;
        case IpVersion::v6: return CURL_IPRESOLVE_V6;
    }
    return CURL_IPRESOLVE_WHATEVER;
}

bool has_ca_file(const TransportConfig& config) {
    if (!config.ca_file.empty()) return true;
    const char* built_in = curl_version_info(CURLVERSION_NOW)->cainfo;
    return built_in != nullptr && ::access(built_in, R_OK) == 0;
}

/// Each connection has a buffer for either way; together they stay within limits::io_all_bytes.
long buffer_bytes(const TransportConfig& config) {
    const std::size_t share = limits::io_all_bytes / std::max(config.max_connections, 1U);
    return static_cast<long>(std::clamp(share, limits::io_chunk_least_bytes, limits::io_chunk_bytes));
}

/// Names that libcurl or the wire itself takes care of.
bool is_framing(std::string_view name) {
    return name == "content-length" || name == "transfer-encoding" || name == "connection";
}

/// False when a line would break out of its line.
bool fill_headers(const wire::SignedRequest& request, HeaderList& headers) {
    constexpr std::string_view line_breakers("\r\n\0", 3);
    headers.clear();
    for (const wire::Header& line : request.headers) {
        if (line.name.find_first_of(line_breakers) != std::string::npos ||
            line.value.find_first_of(line_breakers) != std::string::npos) {
            return false;
        }
        if (!is_framing(line.name)) headers.add(line.name, line.value);
    }
    // What libcurl adds by itself would not be what was signed.
    if (!request.headers.find("accept")) headers.suppress("Accept");
    if (!request.headers.find("content-type")) headers.suppress("Content-Type");
    if (request.expect_continue) {
        headers.add("Expect", "100-continue");
    } else {
        headers.suppress("Expect");
    }
    return true;
}

}  // namespace

Status set_connection_options(CURL* easy, const TransportConfig& config, curl_slist* resolve, CURLSH* share) {
    Setter setter(easy);
    setter.set(CURLOPT_NOSIGNAL, 1L)
        .set(CURLOPT_PROTOCOLS_STR, "http,https")
        .set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1))
        .set(CURLOPT_PATH_AS_IS, 1L)
        .set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L)
        .set(CURLOPT_FOLLOWLOCATION, 0L)
        .set(CURLOPT_FAILONERROR, 0L)
        .set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L)
        .set(CURLOPT_BUFFERSIZE, buffer_bytes(config))
        .set(CURLOPT_UPLOAD_BUFFERSIZE, buffer_bytes(config))
        .set(CURLOPT_TCP_NODELAY, 1L)
        .set(CURLOPT_TCP_KEEPALIVE, 1L)
        .set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::max<int64_t>(to_ms(config.connect_timeout), 1)))
        .set(CURLOPT_IPRESOLVE, ip_resolve(config.ip_version))
        .set(CURLOPT_SSL_VERIFYPEER, 1L)
        .set(CURLOPT_SSL_VERIFYHOST, 2L)
        .set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2))
        .set(CURLOPT_SHARE, share);
#if LIBCURL_VERSION_NUM >= 0x075700
    // A look-up that hangs in the C library must not hold up the end of the program.
    setter.set(CURLOPT_QUICK_EXIT, 1L);
#endif
    if (!config.user_agent.empty()) setter.set(CURLOPT_USERAGENT, config.user_agent.c_str());
    if (!config.ca_file.empty()) {
        setter.set(CURLOPT_CAINFO, config.ca_file.c_str()).set(CURLOPT_PROXY_CAINFO, config.ca_file.c_str());
    }
    if (has_ca_file(config)) {
        // libcurl keeps the parsed certificates for further connections only when there is no folder of them besides
        // (7.88): 1 ms of CPU per TLS connection instead of 21 with Debian's bundle.
        setter.set(CURLOPT_CAPATH, static_cast<const char*>(nullptr))
            .set(CURLOPT_PROXY_CAPATH, static_cast<const char*>(nullptr));
    }
    if (config.proxy) setter.set(CURLOPT_PROXY, config.proxy->c_str());
    if (resolve != nullptr) setter.set(CURLOPT_RESOLVE, resolve);
    return setter.status();
}

bool body_is_inline(const wire::SignedRequest& request) {
    return request.has_body && !request.expect_continue && request.body_bytes <= limits::inline_body_bytes;
}

CURLcode set_request_options(CURL* easy, const wire::SignedRequest& request, HeaderList& headers, ByteSpan inline_body,
                             bool fresh_connection) {
    if (!fill_headers(request, headers)) return CURLE_BAD_FUNCTION_ARGUMENT;
    Setter setter(easy);
    setter.set(CURLOPT_URL, request.url.c_str())
        .set(CURLOPT_HTTPHEADER, headers.list())
        .set(CURLOPT_FRESH_CONNECT, fresh_connection ? 1L : 0L)
        .set(CURLOPT_HTTPGET, 1L)  // also undoes upload, post and no-body of the attempt before
        .set(CURLOPT_CUSTOMREQUEST, static_cast<const char*>(nullptr));
    switch (request.method) {
        case wire::Method::get: break;
        case wire::Method::head: setter.set(CURLOPT_NOBODY, 1L); break;
        case wire::Method::del: setter.set(CURLOPT_CUSTOMREQUEST, "DELETE"); break;
        case wire::Method::put:
        case wire::Method::post:
            if (request.has_body && !body_is_inline(request)) {
                setter.set(CURLOPT_UPLOAD, 1L)
                    .set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.body_bytes));
            } else {
                // Without a body this sends `Content-Length: 0`, which some stores insist on (facts/sigv4.md).
                setter.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(inline_body.size()))
                    .set(CURLOPT_POSTFIELDS,
                         inline_body.empty() ? "" : reinterpret_cast<const char*>(inline_body.data()));
            }
            setter.set(CURLOPT_CUSTOMREQUEST, request.method == wire::Method::put ? "PUT" : "POST");
            break;
    }
    return setter.code();
}

}  // namespace s3tug::host
