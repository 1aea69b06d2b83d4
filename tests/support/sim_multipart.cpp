#include "support/sim_multipart.h"

#include "base/bytes.h"
#include "base/text.h"

namespace s3tug::sim {
namespace {

std::string between(const std::string& text, const std::string& open, const std::string& close, std::size_t& at) {
    const std::size_t begin = text.find(open, at);
    if (begin == std::string::npos) return at = std::string::npos, std::string();
    const std::size_t end = text.find(close, begin);
    at = end + close.size();
    return text.substr(begin + open.size(), end - begin - open.size());
}

std::string element(const std::string& name, const std::string& text) {
    return "<" + name + ">" + text + "</" + name + ">";
}

}  // namespace

bool has_query(const std::string& url, const std::string& name) {
    return url.find("?" + name + "=") != std::string::npos || url.find("&" + name + "=") != std::string::npos;
}

std::string query_value(const std::string& url, const std::string& name) {
    std::size_t at = url.find("?" + name + "=");
    if (at == std::string::npos) at = url.find("&" + name + "=");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + name.size() + 2;
    return percent_decode(url.substr(begin, url.find('&', begin) - begin)).value();
}

std::vector<NamedPart> parts_of(const std::string& body) {
    std::vector<NamedPart> parts;
    for (std::size_t at = 0;;) {
        const std::string part = between(body, "<Part>", "</Part>", at);
        if (at == std::string::npos) return parts;
        std::size_t inside = 0;
        const std::string number = between(part, "<PartNumber>", "</PartNumber>", inside);
        inside = 0;
        std::string etag = between(part, "<ETag>", "</ETag>", inside);
        for (const std::string quote : {"&quot;", "\""}) {
            for (std::size_t q; (q = etag.find(quote)) != std::string::npos;) etag.erase(q, quote.size());
        }
        parts.push_back({static_cast<unsigned>(std::stoul(number)), etag});
    }
}

std::string SimUploads::create(const std::string& name, const wire::SignedRequest& request, WallTime now) {
    const std::string id = "upload-" + std::to_string(++created_);
    SimUpload upload;
    upload.name = name;
    upload.initiated = now;
    upload.content_type = request.headers.find("content-type").value_or("");
    upload.algorithm = request.headers.find("x-amz-checksum-algorithm").value_or("");
    for (const wire::Header& header : request.headers) {
        if (header.name.starts_with("x-amz-meta-")) upload.metadata.add(header.name, header.value);
    }
    open[id] = std::move(upload);
    return "<InitiateMultipartUploadResult>" + element("UploadId", id) + "</InitiateMultipartUploadResult>";
}

std::string SimUploads::list_parts(const std::string& id, unsigned after, std::size_t max) const {
    const SimUpload& upload = open.at(id);
    std::string xml = "<ListPartsResult>" + element("UploadId", id);
    std::size_t count = 0;
    auto it = upload.parts.upper_bound(after);
    unsigned last = after;
    for (; it != upload.parts.end() && count < std::min(max, page); ++it, ++count) {
        last = it->first;
        xml += "<Part>" + element("PartNumber", std::to_string(it->first)) +
               element("ETag", "&quot;" + it->second.etag + "&quot;") +
               element("Size", std::to_string(it->second.bytes.size()));
        if (lists_checksums && !upload.algorithm.empty()) xml += element("ChecksumCRC64NVME", it->second.crc64);
        xml += "</Part>";
    }
    const bool more = it != upload.parts.end();
    xml += element("IsTruncated", more ? "true" : "false");
    if (more) xml += element("NextPartNumberMarker", std::to_string(last));
    return xml + "</ListPartsResult>";
}

std::string SimUploads::list_uploads(const std::string& bucket, const std::string& prefix) const {
    std::string xml = "<ListMultipartUploadsResult>" + element("IsTruncated", "false");
    for (const auto& [id, upload] : open) {
        if (!upload.name.starts_with(bucket + "/" + prefix)) continue;
        xml += "<Upload>" + element("Key", upload.name.substr(bucket.size() + 1)) + element("UploadId", id) +
               element("Initiated", format_utc(upload.initiated)) + "</Upload>";
    }
    return xml + "</ListMultipartUploadsResult>";
}

}  // namespace s3tug::sim
