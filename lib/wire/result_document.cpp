#include "wire/result_document.h"

#include <string>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"
#include "wire/answers.h"
#include "wire/xml.h"

namespace s3tug::wire {

namespace {

std::string describe(const HttpAnswer& answer, std::string_view wanted) {
    const ParsedBody body = parse_body(answer);
    const auto shown = [](std::string_view text) { return printable(text, limits::trace_text_max_bytes); };
    switch (body.kind) {
        case BodyKind::empty: return "an empty body";
        case BodyKind::error_document: return "the error " + shown(body.error.code);
        case BodyKind::other_xml: return "<" + shown(body.root_element) + "> without " + std::string(wanted);
        case BodyKind::html: return "an HTML page, as from a proxy";
        case BodyKind::truncated_xml: return "a body that is cut off";
        case BodyKind::other: break;
    }
    return "a body that is no XML";
}

}  // namespace

bool is_result_root(std::string_view root, std::string_view name) {
    if (!root.starts_with(name)) return false;
    root.remove_prefix(name.size());
    return root == "Result" || root == "Response";
}

pugi::xml_node load_result(pugi::xml_document& document, const HttpAnswer& answer, std::string_view name) {
    if (answer.body_truncated || answer.body.size() > limits::list_body_max_bytes) return {};
    if (!xml::load(document, trim(answer.body))) return {};
    const pugi::xml_node root = document.document_element();
    return is_result_root(xml::local_name(root.name()), name) ? root : pugi::xml_node();
}

Error missing_result(Op op, const HttpAnswer& answer, std::string_view wanted) {
    std::string message = "the store answered " + std::to_string(answer.status) + " to " + std::string(to_string(op)) +
                          ", but with " + describe(answer, wanted) + " in place of a result";
    if (!only_reads(op)) message += "; whether it was done is not known";
    return {ErrorKind::refused, std::move(message)};
}

}  // namespace s3tug::wire
