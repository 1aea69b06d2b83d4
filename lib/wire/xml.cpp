#include "wire/xml.h"

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"

namespace s3tug::wire::xml {

pugi::xml_parse_result load(pugi::xml_document& document, std::string_view text) {
    if (static_cast<std::size_t>(std::ranges::count(text, '<')) > limits::xml_tags_max) {
        pugi::xml_parse_result refused;
        refused.status = pugi::status_out_of_memory;
        return refused;
    }
    constexpr unsigned options = pugi::parse_cdata | pugi::parse_escapes | pugi::parse_ws_pcdata_single;
    return document.load_buffer(text.data(), text.size(), options, pugi::encoding_utf8);
}

std::string_view local_name(std::string_view name) {
    const std::size_t colon = name.rfind(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

pugi::xml_node child(pugi::xml_node parent, std::string_view name) {
    for (const pugi::xml_node node : parent.children()) {
        if (node.type() == pugi::node_element && local_name(node.name()) == name) return node;
    }
    return {};
}

std::string child_text(pugi::xml_node parent, std::string_view name) {
    return std::string(trim(child(parent, name).text().get()));
}

std::string raw_text(pugi::xml_node node) {
    std::string text;
    for (const pugi::xml_node part : node.children()) {
        if (part.type() == pugi::node_pcdata || part.type() == pugi::node_cdata) text += part.value();
    }
    return text;
}

}  // namespace s3tug::wire::xml
