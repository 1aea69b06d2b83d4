#include "sim/world/store.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/hash.h"
#include "base/text.h"

namespace s3tug::simworld {
namespace {

std::string two(int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); }

wire::HttpAnswer fine() {
    wire::HttpAnswer out;
    out.status = 0;
    return out;
}

/// Seconds since 1970 of "20261129T120000Z".
int64_t seconds_of(std::string_view date) {
    const auto digits = [&](std::size_t at, std::size_t n) {
        int value = 0;
        std::from_chars(date.data() + at, date.data() + at + n, value);
        return value;
    };
    if (date.size() < 15) return 0;
    using namespace std::chrono;
    const sys_days day = year(digits(0, 4)) / month(static_cast<unsigned>(digits(4, 2))) /
                         std::chrono::day(static_cast<unsigned>(digits(6, 2)));
    return int64_t{day.time_since_epoch().count()} * 86400 + digits(9, 2) * 3600 + digits(11, 2) * 60 + digits(13, 2);
}

}  // namespace

BlobPtr make_blob(std::string bytes) {
    auto blob = std::make_shared<Blob>();
    const ByteSpan span = as_bytes(bytes);
    blob->md5 = to_hex(md5(span));
    Checksummer crc(ChecksumAlgorithm::crc64nvme);
    crc.update(span);
    blob->crc64 = crc.finish().base64;
    blob->bytes = std::move(bytes);
    return blob;
}

wire::HttpAnswer plain_answer(int status) {
    wire::HttpAnswer out;
    out.status = status;
    out.headers.add("x-amz-request-id", "SIM");
    return out;
}

std::string element(std::string_view name, std::string_view text) {
    return std::string("<").append(name).append(">").append(text).append("</").append(name).append(">");
}

wire::HttpAnswer Store::error(int status, std::string_view code, std::string_view more) {
    wire::HttpAnswer out = plain_answer(status);
    out.body = "<Error>" + element("Code", code) + element("Message", "sim") + std::string(more) +
               element("RequestId", "SIM") + "</Error>";
    return out;
}

std::string http_date(WallTime t) {
    using namespace std::chrono;
    static constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    static constexpr std::array weekdays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    const int64_t s = to_unix_seconds(t);
    const sys_days day{days(s / 86400)};
    const year_month_day ymd{day};
    const int64_t rest = s % 86400;
    return std::string(weekdays[weekday(day).c_encoding()]) + ", " + two(unsigned(ymd.day())) + " " +
           months[unsigned(ymd.month()) - 1] + " " + std::to_string(int(ymd.year())) + " " + two(rest / 3600) + ":" +
           two(rest / 60 % 60) + ":" + two(rest % 60) + " GMT";
}

std::vector<wire::Header> metadata_of(const wire::Headers& headers) {
    std::vector<wire::Header> out;
    for (const wire::Header& header : headers) {
        if (header.name.starts_with("x-amz-meta-")) out.push_back(header);
    }
    return out;
}

bool Incoming::has(std::string_view parameter) const {
    for (std::string_view rest = query; !rest.empty();) {
        const std::string_view one = rest.substr(0, rest.find('&'));
        if (one.substr(0, one.find('=')) == parameter) return true;
        rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    }
    return false;
}

std::string Incoming::value(std::string_view parameter) const {
    for (std::string_view rest = query; !rest.empty();) {
        const std::string_view one = rest.substr(0, rest.find('&'));
        const std::size_t equals = one.find('=');
        if (one.substr(0, equals) == parameter && equals != std::string_view::npos)
            return percent_decode(one.substr(equals + 1)).value();
        rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    }
    return {};
}

const Version* Store::current(const std::string& name) const {
    const auto found = objects.find(name);
    if (found == objects.end() || found->second.empty() || !found->second.back().blob) return nullptr;
    return &found->second.back();
}

bool Store::stood_since(const std::string& name, Instant from) const {
    const auto found = history.find(name);
    if (found == history.end()) return false;
    bool stands = false;
    for (const Moment& moment : found->second) {
        if (moment.at <= from)
            stands = moment.blob != nullptr;
        else
            stands &= moment.blob != nullptr;
    }
    return stands;
}

wire::HttpAnswer Store::serve(const wire::SignedRequest& request, std::string body, uint64_t serial, Fault fault) {
    Incoming in;
    in.fault = fault;
    in.request = &request;
    in.serial = serial;
    const std::string_view url = request.url;
    const std::size_t path = url.find('/', url.find("://") + 3) + 1;
    const std::size_t mark = std::min(url.find('?'), url.size());
    in.name = percent_decode(url.substr(path, mark - path)).value();
    if (mark < url.size()) in.query = url.substr(mark + 1);
    in.body = make_blob(std::move(body));
    wire::HttpAnswer out = refused_by_auth(in);
    if (out.status == 0) out = route(in);
    out.headers.set("date", http_date(now()));
    if (request.method == wire::Method::head) out.body.clear();
    return out;
}

wire::HttpAnswer Store::refused_by_auth(const Incoming& in) const {
    const std::string_view auth = in.header("authorization");
    const std::size_t scope = auth.find("Credential=") + 11;
    const std::string_view key = auth.substr(scope, auth.find('/', scope) - scope);
    if (key != valid_key) return error(400, "ExpiredToken");
    if (auth.find("/" + options_.region + "/s3/") == std::string_view::npos) {
        wire::HttpAnswer out = error(400, "AuthorizationHeaderMalformed", element("Region", options_.region));
        out.headers.add("x-amz-bucket-region", options_.region);
        return out;
    }
    const int64_t off = seconds_of(in.header("x-amz-date")) - to_unix_seconds(now());
    if (options_.checks_skew && (off > 900 || off < -900)) return error(403, "RequestTimeTooSkewed");
    return fine();
}

wire::HttpAnswer Store::route(Incoming& in) {
    const wire::Method method = in.request->method;
    if (in.has("delete")) return delete_many(in);
    if (in.has("list-type")) return list(in);
    if (in.has("uploads")) return method == wire::Method::post ? create(in) : list_uploads(in);
    if (in.has("uploadId")) {
        if (method == wire::Method::post) return complete(in);
        if (method == wire::Method::del) return abort(in);
        if (method == wire::Method::get) return list_parts(in);
        const auto upload = uploads.find(in.value("uploadId"));
        if (upload == uploads.end() || upload->second.name != in.name) return error(404, "NoSuchUpload");
        return part(in, upload->second);
    }
    switch (method) {
        case wire::Method::put: return in.header("x-amz-copy-source").empty() ? put(in) : copy(in);
        case wire::Method::del: return remove(in);
        case wire::Method::head: {
            if (!options_.head_allowed) return plain_answer(403);
            if (on_look && !in.has("versionId")) on_look(in.serial, in.name);
            return get(in, true);
        }
        default: return get(in, false);
    }
}

wire::HttpAnswer Store::condition(const Incoming& in, Condition kind) const {
    const std::string_view wanted = in.header("if-match");
    const bool absent_wanted = !in.header("if-none-match").empty();
    if (wanted.empty() && !absent_wanted) return fine();
    if (kind == Condition::refused) return error(501, "NotImplemented");
    if (kind == Condition::ignored) return fine();
    const Version* present = current(in.name);
    if (absent_wanted && present != nullptr) return error(412, "PreconditionFailed");
    if (wanted.empty()) return fine();
    if (present == nullptr) return error(404, "NoSuchKey");
    return plain_tag(wanted) == present->etag ? fine() : error(412, "PreconditionFailed");
}

/// What the request's own digests say of the body that arrived.
wire::HttpAnswer Store::damaged(const Incoming& in) const {
    const std::string_view payload = in.header("x-amz-content-sha256");
    const ByteSpan body = as_bytes(in.body->bytes);
    if (payload.size() == 64 && payload != to_hex(sha256(body))) return error(400, "XAmzContentSHA256Mismatch");
    const std::optional<SentChecksum> sum = sent_checksum(in);
    if (sum && options_.refuses_checksums) return error(501, "NotImplemented");
    if (sum && !options_.ignores_checksums && sum->text != digest_of(sum->algorithm, *in.body))
        return error(400, "BadDigest");
    if (in.request->body_bytes != in.body->bytes.size() && !options_.keeps_short_bodies)
        return error(400, "IncompleteBody");
    return fine();
}

Store::Moment Store::moment_of(const Version& version) const {
    Moment moment{timeline_.now(), version.blob, version.etag};
    moment.whole = !version.checksum.empty() && !version.composite();
    for (const Piece& piece : version.pieces) {
        if (version.composite()) moment.cut.push_back(piece.bytes);
    }
    return moment;
}

void Store::amend(const std::string& name, const std::function<void(Version&)>& change) {
    Version& version = objects.at(name).back();
    change(version);
    Moment& moment = history.at(name).back();
    const Instant since = moment.at;
    moment = moment_of(version);
    moment.at = since;
}

std::string Store::place(const std::string& name, Version version) {
    std::vector<Version>& versions = objects[name];
    if (options_.bucket == policy::BucketKind::plain) {
        versions.clear();
    } else {
        version.id = "v" + std::to_string(++made_);
    }
    history[name].push_back(moment_of(version));
    const std::string id = version.id;
    if (!id.empty()) made_versions.emplace_back(name, id);
    if (version.blob || options_.bucket != policy::BucketKind::plain) versions.push_back(std::move(version));
    return id;
}

void Store::tell(Effect effect) {
    effect.at = timeline_.now();
    if (on_effect) on_effect(effect);
}

void Store::write_by_other(const std::string& name, BlobPtr blob) {
    Version version;
    version.etag = blob ? blob->md5 : std::string();
    version.checksum = blob ? blob->crc64 : std::string();
    version.blob = std::move(blob);
    version.modified = now();
    place(name, std::move(version));
}

wire::HttpAnswer Store::put(const Incoming& in) {
    if (wire::HttpAnswer no = condition(in, options_.put); no.status != 0) return no;
    if (wire::HttpAnswer no = damaged(in); no.status != 0) return no;
    const std::optional<SentChecksum> sum = sent_checksum(in);
    const bool has_digest = !in.header("content-md5").empty() || sum;
    if (options_.bucket == policy::BucketKind::locked && !has_digest) return error(400, "InvalidRequest");
    Version version;
    version.blob = in.body;
    version.etag = in.body->md5;
    version.modified = now();
    version.metadata = metadata_of(in.request->headers);
    if (sum && options_.echoes_checksums) {
        version.algorithm = sum->algorithm;
        version.checksum = digest_of(sum->algorithm, *in.body);
    }
    wire::HttpAnswer out = plain_answer(200);
    out.headers.add("etag", "\"" + version.etag + "\"");
    if (!version.checksum.empty()) out.headers.add(checksum_header(version.algorithm), version.checksum);
    const std::string id = place(in.name, std::move(version));
    if (!id.empty()) out.headers.add("x-amz-version-id", id);
    tell({wire::Op::put_object, in.name, in.serial, {}, in.body, true, id});
    return out;
}

const Version* Store::source_of(const Incoming& in, wire::HttpAnswer& refusal) const {
    const std::string_view asked = in.header("x-amz-copy-source");
    constexpr std::string_view by_version = "?versionId=";
    const std::size_t mark = std::min(asked.find(by_version), asked.size());
    std::string name = percent_decode(asked.substr(0, mark)).value();
    if (name.starts_with('/')) name.erase(0, 1);
    const bool versioned = mark < asked.size();
    const Version* source =
        versioned ? version(name, percent_decode(asked.substr(mark + by_version.size())).value()) : current(name);
    if (source == nullptr && versioned) refusal = error(404, "NoSuchVersion");
    if (source == nullptr && versioned) return nullptr;
    if (source != nullptr && !source->blob) {
        refusal = error(400, "InvalidRequest");  // a marker has nothing to copy
        return nullptr;
    }
    if (source == nullptr) {
        refusal = error(404, "NoSuchKey");
        return nullptr;
    }
    const std::string_view pin = in.header("x-amz-copy-source-if-match");
    if (options_.honours_pin && !pin.empty() && plain_tag(pin) != source->etag) {
        refusal = error(412, "PreconditionFailed");
        return nullptr;
    }
    return source;
}

wire::HttpAnswer Store::copy(const Incoming& in) {
    if (wire::HttpAnswer no = condition(in, options_.copy); no.status != 0) return no;
    wire::HttpAnswer refusal;
    const Version* source = source_of(in, refusal);
    if (source == nullptr) return refusal;
    Version version = *source;
    version.modified = now();
    if (in.header("x-amz-metadata-directive") == "REPLACE") version.metadata = metadata_of(in.request->headers);
    if (version.etag.find('-') != std::string::npos && made_ % 2 == 0) {  // put at once, as far as that is concerned
        version.etag = version.blob->md5;
        if (version.composite()) version.checksum = digest_of(version.algorithm, *version.blob);
        version.pieces.clear();
    }
    const std::string etag = version.etag;
    const BlobPtr blob = version.blob;
    const std::string id = place(in.name, std::move(version));
    tell({wire::Op::copy_object, in.name, in.serial, {}, blob, true, id});
    wire::HttpAnswer out = plain_answer(200);
    if (!id.empty()) out.headers.add("x-amz-version-id", id);
    out.body = "<CopyObjectResult>" + element("ETag", "&quot;" + etag + "&quot;") + "</CopyObjectResult>";
    return out;
}

wire::HttpAnswer Store::remove(const Incoming& in) {
    if (in.has("versionId")) return remove_version(in);
    if (wire::HttpAnswer no = condition(in, options_.remove); no.status != 0) return no;
    wire::HttpAnswer out = plain_answer(204);
    const std::string id = take_away(in, wire::Op::delete_object, in.name);
    if (!id.empty()) out.headers.add("x-amz-version-id", id);
    return out;
}

std::string Store::take_away(const Incoming& in, wire::Op op, const std::string& name) {
    const bool residue = current(name) != nullptr || options_.bucket != policy::BucketKind::plain;
    std::string id;
    if (residue) {
        Version marker;
        marker.modified = now();
        id = place(name, std::move(marker));
    }
    tell({op, name, in.serial, {}, nullptr, residue, id});
    return id;
}

wire::HttpAnswer Store::get(const Incoming& in, bool head) const {
    wire::HttpAnswer refusal;
    const Version* found = wanted(in, refusal);
    if (found == nullptr) return refusal;
    const bool by_part = in.has("partNumber") && options_.part_numbers != PartNumbers::ignored;
    return by_part ? part_of(*found, in, head) : answer_with(*found, in, head);
}

wire::HttpAnswer Store::answer_with(const Version& found, const Incoming& in, bool head) const {
    const std::string& bytes = found.blob->bytes;
    if (const std::string_view pin = in.header("if-match"); !pin.empty() && plain_tag(pin) != found.etag)
        return error(412, "PreconditionFailed");
    std::size_t first = 0;
    std::size_t end = bytes.size();
    wire::HttpAnswer out = plain_answer(200);
    if (const std::string_view range = in.header("range"); !range.empty() && !options_.ignores_ranges) {
        const std::string_view asked = range.substr(6);
        std::from_chars(asked.data(), asked.data() + asked.size(), first);
        if (first >= bytes.size()) return error(416, "InvalidRange");
        std::size_t last = bytes.size() - 1;
        const std::string_view to = asked.substr(asked.find('-') + 1);
        if (!to.empty()) std::from_chars(to.data(), to.data() + to.size(), last);
        end = std::min(bytes.size(), last + 1);
        out.status = 206;
        out.headers.add("content-range", "bytes " + std::to_string(first) + "-" + std::to_string(end - 1) + "/" +
                                             std::to_string(bytes.size()));
    }
    out.headers.add("content-length", std::to_string(end - first));
    if (!options_.ignores_ranges) out.headers.add("accept-ranges", "bytes");
    out.headers.add("etag", "\"" + found.etag + "\"");
    out.headers.add("last-modified", http_date(found.modified));
    if (!found.id.empty()) out.headers.add("x-amz-version-id", found.id);
    const bool shows = !found.checksum.empty() && in.header("x-amz-checksum-mode") == "ENABLED";
    if (shows && end - first == bytes.size()) {
        out.headers.add(checksum_header(found.algorithm), found.checksum);
        out.headers.add("x-amz-checksum-type", found.composite() ? "COMPOSITE" : "FULL_OBJECT");
    }
    for (const wire::Header& line : found.metadata) out.headers.add(line.name, line.value);
    if (!head) out.body = bytes.substr(first, end - first);
    return out;
}

}  // namespace s3tug::simworld
