#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace s3tug::lab {

/// An element of a request body: enough XML for CompleteMultipartUpload, Delete and CreateBucketConfiguration.
struct XmlElement {
    std::string name;  ///< without a namespace prefix
    std::string text;
    std::vector<XmlElement> children;

    [[nodiscard]] std::string text_of(std::string_view child) const;
    [[nodiscard]] std::vector<const XmlElement*> children_named(std::string_view child) const;
};

/// The root element; empty when the text is not well formed (or uses a DTD, CDATA or more than 8 levels).
[[nodiscard]] std::optional<XmlElement> parse_xml(std::string_view text);

}  // namespace s3tug::lab
