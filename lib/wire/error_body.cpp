#include <algorithm>
#include <array>

#include "base/limits.h"
#include "base/text.h"
#include "wire/answers.h"
#include "wire/xml.h"

namespace s3tug::wire {

namespace {

struct Field {
    std::string_view element;
    std::string ErrorBody::*member;
};
constexpr std::array<Field, 8> fields = {{{"Code", &ErrorBody::code},
                                          {"Message", &ErrorBody::message},
                                          {"RequestId", &ErrorBody::request_id},
                                          {"Region", &ErrorBody::region},
                                          {"Endpoint", &ErrorBody::endpoint},
                                          {"ServerTime", &ErrorBody::server_time},
                                          {"StringToSign", &ErrorBody::string_to_sign},
                                          {"CanonicalRequest", &ErrorBody::canonical_request}}};

/// Roots that wrap an <Error>, as STS and gateways with an older dialect send them. DeleteResult is not among them: its
/// <Error> elements speak of single keys.
bool wraps_error(std::string_view root) { return root == "ErrorResponse" || root == "Response" || root == "Errors"; }

/// The bytes to be judged: without byte order mark and without the blanks that a store sends to keep the connection
/// alive while it works.
std::string_view text_of(const HttpAnswer& answer) {
    std::string_view text = answer.body;
    text = text.substr(0, limits::list_body_max_bytes);
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    return trim(text);
}

bool starts_html(std::string_view text) {
    const std::string start = to_lower(text.substr(0, 14));
    return start.starts_with("<!doctype html") || start.starts_with("<html");
}

bool says_html(const HttpAnswer& answer) {
    return to_lower(answer.headers.find("content-type").value_or(std::string_view{})).starts_with("text/html");
}

void read_error(pugi::xml_node element, ErrorBody& error) {
    for (const Field& field : fields) error.*field.member = xml::child_text(element, field.element);
}

/// <Error> itself or the one inside a wrapper; a null node when there is none.
pugi::xml_node find_error(pugi::xml_node root) {
    const std::string_view name = xml::local_name(root.name());
    if (name == "Error") return root;
    if (!wraps_error(name)) return {};
    const pugi::xml_node errors = xml::child(root, "Errors");
    return xml::child(errors ? errors : root, "Error");
}

/// Name of the first element, of a text that may not be well-formed.
std::string_view scan_root(std::string_view text) {
    while (text.starts_with("<?") || text.starts_with("<!")) {
        const std::string_view end = text.starts_with("<!--") ? "-->" : ">";
        const std::size_t at = text.find(end);
        if (at == std::string_view::npos) return {};
        text = trim(text.substr(at + end.size()));
    }
    if (!text.starts_with('<')) return {};
    const std::size_t end = text.find_first_of(" \t\r\n/>", 1);
    return end == std::string_view::npos ? std::string_view{} : text.substr(1, end - 1);
}

/// Text between <element> and </element>, as it stands; empty when one of them is missing.
std::string scan_field(std::string_view text, std::string_view element) {
    const std::string open = "<" + std::string(element) + ">";
    const std::size_t from = text.find(open);
    if (from == std::string_view::npos) return {};
    text.remove_prefix(from + open.size());
    const std::size_t to = text.find("</" + std::string(element) + ">");
    if (to == std::string_view::npos) return {};
    return std::string(trim(text.substr(0, to)));
}

bool is_closed(std::string_view text, std::string_view root) {
    return !root.empty() && text.ends_with("</" + std::string(root) + ">");
}

/// For what the XML parser refuses: cut off, or with bytes that no XML may have.
ParsedBody scan(std::string_view text) {
    ParsedBody parsed;
    const std::string_view root = scan_root(text);
    parsed.root_element = std::string(xml::local_name(root));
    if (parsed.root_element == "Error" || wraps_error(parsed.root_element)) {
        for (const Field& field : fields) parsed.error.*field.member = scan_field(text, field.element);
        if (!parsed.error.code.empty()) {
            parsed.kind = BodyKind::error_document;
            return parsed;
        }
    }
    parsed.kind = is_closed(text, root) ? BodyKind::other : BodyKind::truncated_xml;
    return parsed;
}

/// The results of S3's operations; Swift labels some of them text/html (facts/servers.md names its versions).
bool is_result(std::string_view root) { return root.ends_with("Result") || root.ends_with("Response"); }

/// No error document is so long. A list can be: its parser reads it once, so here only its two ends are looked at.
ParsedBody look_at_ends(std::string_view text) {
    ParsedBody parsed = scan(text.substr(0, limits::error_body_max_bytes));
    const bool whole = is_result(parsed.root_element) && is_closed(text, scan_root(text));
    if (whole && parsed.kind == BodyKind::truncated_xml) parsed.kind = BodyKind::other_xml;
    return parsed;
}

}  // namespace

ParsedBody parse_body(const HttpAnswer& answer) {
    ParsedBody parsed;
    const std::string_view text = text_of(answer);
    if (text.empty() || answer.body_to_sink) return parsed;
    parsed.kind = BodyKind::other;
    if (starts_html(text)) {
        parsed.kind = BodyKind::html;
        return parsed;
    }
    if (!text.starts_with('<')) return parsed;

    if (text.size() > limits::error_body_max_bytes) return look_at_ends(text);
    pugi::xml_document document;
    if (!xml::load(document, text)) {
        parsed = scan(text);
        if (parsed.kind != BodyKind::error_document && says_html(answer)) parsed.kind = BodyKind::html;
        return parsed;
    }
    const pugi::xml_node root = document.document_element();
    parsed.root_element = std::string(xml::local_name(root.name()));
    const pugi::xml_node error = find_error(root);
    if (error) {
        parsed.kind = BodyKind::error_document;
        read_error(error, parsed.error);
        if (parsed.error.request_id.empty()) parsed.error.request_id = xml::child_text(root, "RequestId");
    } else {
        const bool page = says_html(answer) && !is_result(parsed.root_element);
        parsed.kind = page || parsed.root_element == "html" ? BodyKind::html : BodyKind::other_xml;
    }
    return parsed;
}

std::string request_id_of(const HttpAnswer& answer, const ParsedBody& body) {
    const auto header = answer.headers.find("x-amz-request-id");
    if (header && !trim(*header).empty()) return std::string(trim(*header));
    return body.error.request_id;
}

}  // namespace s3tug::wire
