#include "wire/batch_requests.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/limits.h"
#include "wire/request_parts.h"
#include "wire/xml_writer.h"

namespace s3tug::wire {

namespace {

std::string delete_document(const DeleteObjectsInput& input) {
    static constexpr std::size_t markup_bytes = 64;
    std::size_t bytes = 2 * markup_bytes;
    for (const DeleteTarget& target : input.targets) {
        bytes += markup_bytes + target.key.size() + target.version_id.size();
    }
    std::string xml;
    xml.reserve(bytes);
    xml.append("<Delete xmlns=\"").append(xml_namespace).append("\">");
    for (const DeleteTarget& target : input.targets) {
        xml.append("<Object>");
        xml::append_element(xml, "Key", target.key);
        if (!target.version_id.empty()) xml::append_element(xml, "VersionId", target.version_id);
        xml.append("</Object>");
    }
    if (input.quiet) xml.append("<Quiet>true</Quiet>");
    return xml.append("</Delete>");
}

}  // namespace

bool fits_batch_delete(std::string_view key) { return !key.empty() && xml::can_carry(key); }

Result<Request> delete_objects(const DeleteObjectsInput& input) {
    if (input.targets.empty() || input.targets.size() > limits::delete_keys_max) {
        return Error{ErrorKind::usage, "DeleteObjects takes 1 to " + std::to_string(limits::delete_keys_max) +
                                           " keys, not " + std::to_string(input.targets.size())};
    }
    for (const DeleteTarget& target : input.targets) {
        if (fits_batch_delete(target.key) && xml::can_carry(target.version_id)) continue;
        return Error{ErrorKind::usage, "key '" + printable(target.key, limits::trace_text_max_bytes) +
                                           "' cannot stand in a DeleteObjects request, since XML cannot carry it; "
                                           "delete it by itself"};
    }
    Request request = bucket_request(Op::delete_objects, Method::post, input.bucket);
    add_parameter(request, "delete", "");
    request.body_limit = limits::list_body_max_bytes;
    add_extra(request, input.extra);
    set_xml_body(request, delete_document(input));
    request.headers.set("content-md5", to_base64(md5(as_bytes(request.body))));
    return request;
}

}  // namespace s3tug::wire
