#include <algorithm>

#include "base/bytes.h"
#include "support/sim_s3.h"

/// Operations on many keys of a bucket.
namespace s3tug::sim {
namespace {

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else
            out += c;
    }
    return out;
}

/// What stands between the tags of each <Key>.
std::vector<std::string> keys_of(const std::string& body) {
    std::vector<std::string> keys;
    for (std::size_t at = body.find("<Key>"); at != std::string::npos; at = body.find("<Key>", at + 1)) {
        std::string key = body.substr(at + 5, body.find("</Key>", at) - at - 5);
        for (const auto& [name, meant] : {std::pair("&lt;", "<"), std::pair("&gt;", ">"), std::pair("&amp;", "&")}) {
            for (std::size_t found = key.find(name); found != std::string::npos; found = key.find(name, found + 1))
                key.replace(found, std::string(name).size(), meant);
        }
        keys.push_back(std::move(key));
    }
    return keys;
}

std::string content_element(const std::string& key, const SimObject& object) {
    return "<Contents><Key>" + percent_encode(key, Slash::keep) + "</Key><ETag>&quot;" + object.etag +
           "&quot;</ETag><Size>" + std::to_string(object.bytes.size()) + "</Size></Contents>";
}

}  // namespace

wire::HttpAnswer SimS3::list(const std::string& bucket, const wire::SignedRequest& request) {
    const std::string prefix = query_value(request.url, "prefix");
    const std::string delimiter = query_value(request.url, "delimiter");
    const std::string token = query_value(request.url, "continuation-token");
    const std::string after = token.empty() ? query_value(request.url, "start-after") : token;
    const std::size_t most = std::min<std::size_t>(list_page, std::stoull(query_value(request.url, "max-keys")));
    std::string inside;
    std::string last = after;
    std::size_t count = 0;
    bool more = false;
    for (auto at = objects.lower_bound(bucket + "/" + std::max(prefix, after)); at != objects.end(); ++at) {
        if (!at->first.starts_with(bucket + "/" + prefix)) break;
        const std::string key = at->first.substr(bucket.size() + 1);
        const std::size_t end = delimiter.empty() ? std::string::npos : key.find(delimiter, prefix.size());
        const std::string group = end == std::string::npos ? key : key.substr(0, end + delimiter.size());
        if (!last.empty() && (group <= last || key <= last)) continue;
        if (count == most) {
            more = true;
            break;
        }
        ++count;
        last = group;
        inside += end == std::string::npos
                      ? content_element(key, at->second)
                      : "<CommonPrefixes><Prefix>" + percent_encode(group, Slash::keep) + "</Prefix></CommonPrefixes>";
    }
    wire::HttpAnswer out;
    out.status = 200;
    out.body = "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>" +
               std::string(more ? "true" : "false") + "</IsTruncated>";
    if (more) out.body += "<NextContinuationToken>" + escaped(last) + "</NextContinuationToken>";
    out.body += inside + "</ListBucketResult>";
    return out;
}

wire::HttpAnswer SimS3::delete_many(const std::string& bucket, const std::string& body) {
    if (!knows_batch_delete) return error(501, "NotImplemented");
    std::string inside;
    for (const std::string& key : keys_of(body)) {
        const std::string code = refuses_delete ? refuses_delete(key) : std::string();
        if (!code.empty()) {
            if (code != "-") inside += "<Error><Key>" + escaped(key) + "</Key><Code>" + code + "</Code></Error>";
            continue;
        }
        effects.push_back("DELETE " + bucket + "/" + key);
        objects.erase(bucket + "/" + key);
        inside += "<Deleted><Key>" + escaped(key) + "</Key></Deleted>";
    }
    wire::HttpAnswer out;
    out.status = 200;
    out.body = "<DeleteResult>" + inside + "</DeleteResult>";
    return out;
}

}  // namespace s3tug::sim
