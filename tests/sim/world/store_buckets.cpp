#include <algorithm>
#include <array>
#include <charconv>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/text.h"
#include "sim/world/store.h"

/// Operations on many keys of a bucket.
namespace s3tug::simworld {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> references{
    {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}}};

std::string unescaped(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto* const found = std::find_if(references.begin(), references.end(),
                                               [&](const auto& r) { return text.starts_with(r.first); });
        if (found == references.end()) {
            out += text.front();
            text.remove_prefix(1);
        } else {
            out += found->second;
            text.remove_prefix(found->first.size());
        }
    }
    return out;
}

std::vector<std::string> keys_of(std::string_view document) {
    std::vector<std::string> keys;
    for (std::size_t at = document.find("<Key>"); at != std::string_view::npos; at = document.find("<Key>", at)) {
        at += 5;
        keys.push_back(unescaped(document.substr(at, document.find("</Key>", at) - at)));
    }
    return keys;
}

std::string bucket_of(const Incoming& in) { return in.name.substr(0, in.name.find('/')) + "/"; }

bool takes_effect(Fault fault) { return fault == Fault::keys_internal_after || fault == Fault::keys_silent_after; }

std::string_view code_of(Fault fault) {
    switch (fault) {
        case Fault::keys_slow_down: return "SlowDown";
        case Fault::keys_denied: return "AccessDenied";
        case Fault::keys_internal_before:
        case Fault::keys_internal_after: return "InternalError";
        default: return {};
    }
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto* const found =
            std::find_if(references.begin(), references.end(), [c](const auto& r) { return r.second[0] == c; });
        if (found != references.end())
            out += found->first;
        else
            out += c;
    }
    return out;
}

wire::HttpAnswer Store::list(const Incoming& in) const {
    if (in.fault == Fault::list_denied) return error(403, "AccessDenied");
    const std::string bucket = bucket_of(in);
    const std::string prefix = bucket + in.value("prefix");
    const std::string token = in.value("continuation-token");
    std::string after;
    if (!token.empty()) {
        const auto bytes = from_hex(token);
        if (!bytes) return error(400, "InvalidArgument");
        after.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    }
    std::size_t room = options_.page;
    const std::string asked = in.value("max-keys");
    std::from_chars(asked.data(), asked.data() + asked.size(), room);
    room = std::min<std::size_t>(room, options_.page);
    const bool encodes = options_.encodes_listings && in.value("encoding-type") == "url";
    std::string inside;
    std::string last;
    bool more = false;
    for (auto at = objects.lower_bound(std::max(prefix, after)); at != objects.end(); ++at) {
        if (!at->first.starts_with(prefix)) break;
        const Version* object = current(at->first);
        if (object == nullptr || at->first == after) continue;
        if (room == 0) {
            more = true;
            break;
        }
        --room;
        last = at->first;
        const std::string_view key = std::string_view(last).substr(bucket.size());
        inside += "<Contents>" + element("Key", encodes ? percent_encode(key, Slash::keep) : escaped(key)) +
                  element("LastModified", format_utc(object->modified)) +
                  element("ETag", "&quot;" + object->etag + "&quot;") +
                  element("Size", std::to_string(object->blob->bytes.size())) + "</Contents>";
    }
    wire::HttpAnswer out = plain_answer(200);
    out.body = "<ListBucketResult>";
    if (encodes) out.body += element("EncodingType", "url");
    out.body += element("IsTruncated", more ? "true" : "false");
    if (more) out.body += element("NextContinuationToken", to_hex(as_bytes(last)));
    out.body += inside + "</ListBucketResult>";
    return out;
}

wire::HttpAnswer Store::delete_many(const Incoming& in) {
    if (!options_.batch_delete) return error(501, "NotImplemented");
    if (wire::HttpAnswer no = damaged(in); no.status != 0) return no;
    if (in.header("content-md5") != to_base64(md5(as_bytes(in.body->bytes)))) return error(400, "BadDigest");
    wire::HttpAnswer out = plain_answer(200);
    out.body = "<DeleteResult>";
    uint64_t place = in.serial;  // which keys the fault strikes
    for (const std::string& key : keys_of(in.body->bytes)) {
        const bool struck = in.fault >= Fault::keys_slow_down && ++place % 2 == 0;
        std::string marker;
        if (!struck || takes_effect(in.fault)) marker = take_away(in, wire::Op::delete_objects, bucket_of(in) + key);
        if (!struck) {
            out.body += "<Deleted>" + element("Key", escaped(key));
            if (!marker.empty()) out.body += element("DeleteMarker", "true") + element("DeleteMarkerVersionId", marker);
            out.body += "</Deleted>";
        } else if (const std::string_view code = code_of(in.fault); !code.empty()) {
            out.body += "<Error>" + element("Key", escaped(key)) + element("Code", code) + element("Message", "sim") +
                        "</Error>";
        }
    }
    out.body += "</DeleteResult>";
    return out;
}

}  // namespace s3tug::simworld
