#include <algorithm>
#include <array>
#include <charconv>

#include "base/bytes.h"
#include "base/text.h"
#include "sim/world/store.h"

/// Checksums of several algorithms, and of objects of parts as stores keep and tell them (AWS API reference,
/// HeadObject; facts/idempotency.md fact 9).
namespace s3tug::simworld {
namespace {

constexpr std::array algorithms{ChecksumAlgorithm::crc64nvme, ChecksumAlgorithm::crc32, ChecksumAlgorithm::crc32c,
                                ChecksumAlgorithm::sha1, ChecksumAlgorithm::sha256};

bool has_whole(const StoreOptions& options, ChecksumAlgorithm algorithm) {
    if (algorithm == ChecksumAlgorithm::crc64nvme) return true;
    const bool crc = algorithm == ChecksumAlgorithm::crc32 || algorithm == ChecksumAlgorithm::crc32c;
    return crc && !options.only_composite;
}

}  // namespace

std::string digest_of(ChecksumAlgorithm algorithm, const Blob& blob) {
    if (algorithm == ChecksumAlgorithm::crc64nvme) return blob.crc64;
    Checksummer sum(algorithm);
    sum.update(as_bytes(blob.bytes));
    return sum.finish().base64;
}

std::string digest_of(ChecksumAlgorithm algorithm, const std::vector<Piece>& pieces) {
    Checksummer sum(algorithm);
    for (const Piece& piece : pieces) sum.update(from_base64(piece.checksum).value());
    return sum.finish().base64 + "-" + std::to_string(pieces.size());
}

std::string checksum_header(ChecksumAlgorithm algorithm) {
    return std::string("x-amz-checksum-").append(wire_name(algorithm));
}

std::string checksum_name(ChecksumAlgorithm algorithm) {
    std::string name = "Checksum";
    for (const char c : wire_name(algorithm)) name += c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
    return name;
}

std::optional<SentChecksum> sent_checksum(const Incoming& in) {
    for (const ChecksumAlgorithm algorithm : algorithms) {
        const std::string_view text = in.header(checksum_header(algorithm));
        if (!text.empty()) return SentChecksum{algorithm, text};
    }
    return std::nullopt;
}

std::string_view plain_tag(std::string_view etag) {
    if (etag.size() >= 2 && etag.front() == '"') etag = etag.substr(1, etag.size() - 2);
    return etag;
}

/// The checksum that the store keeps of an object of parts.
void Store::sum_up(const Upload& upload, Version& made) const {
    if (!upload.checksums) return;
    made.algorithm = *upload.checksums;
    made.checksum = has_whole(options_, made.algorithm) ? digest_of(made.algorithm, *made.blob)
                                                        : digest_of(made.algorithm, made.pieces);
}

/// A checksum that Complete brings for the whole. Without a scope of its own a store takes it for one of the request's
/// body, or does not look at it.
wire::HttpAnswer Store::fits_parts(const Incoming& in, const Upload& upload, const Version& made) const {
    wire::HttpAnswer fine;
    fine.status = 0;
    const std::optional<SentChecksum> sum = sent_checksum(in);
    if (!sum) return fine;
    if (made.composite() && in.header("x-amz-checksum-type") == "FULL_OBJECT")
        return options_.complete_takes_no_sum ? error(400, "BadDigest") : fine;
    const bool kept = upload.checksums == sum->algorithm;
    if (!kept && in.header("x-amz-checksum-type") == "COMPOSITE") return fine;  // nothing to hold it against
    const std::string text = kept ? made.checksum : digest_of(sum->algorithm, *made.blob);
    return sum->text == text ? fine : error(400, "BadDigest");
}

/// What is said of one part: its size, its own checksum, and the ETag of the object but for stores where it has one.
wire::HttpAnswer Store::part_of(const Version& found, const Incoming& in, bool head) const {
    if (options_.part_numbers == PartNumbers::refused)
        return error(options_.part_number_refusal, options_.part_number_refusal == 501 ? "NotImplemented" : "Other");
    std::size_t number = 0;
    const std::string asked = in.value("partNumber");
    std::from_chars(asked.data(), asked.data() + asked.size(), number);
    const std::size_t count = std::max<std::size_t>(1, found.pieces.size());
    if (number == 0 || number > count) return error(416, "InvalidPartNumber");
    const std::string& bytes = found.blob->bytes;
    const Piece piece = found.pieces.empty() ? Piece{bytes.size(), found.etag, {}} : found.pieces[number - 1];
    const std::string& etag = options_.part_etags ? piece.etag : found.etag;
    if (const std::string_view pin = in.header("if-match"); !pin.empty() && plain_tag(pin) != etag)
        return error(412, "PreconditionFailed");
    std::size_t first = 0;
    for (std::size_t i = 0; i + 1 < number; ++i) first += found.pieces[i].bytes;
    const bool ranged = options_.part_numbers != PartNumbers::told_by_200 && piece.bytes > 0;
    wire::HttpAnswer out = plain_answer(ranged ? 206 : 200);
    if (ranged)
        out.headers.add("content-range", "bytes " + std::to_string(first) + "-" +
                                             std::to_string(first + piece.bytes - 1) + "/" +
                                             std::to_string(bytes.size()));
    out.headers.add("content-length", std::to_string(piece.bytes));
    out.headers.add("etag", "\"" + etag + "\"");
    out.headers.add("last-modified", http_date(found.modified));
    if (!found.id.empty()) out.headers.add("x-amz-version-id", found.id);
    if (!found.pieces.empty() && options_.part_numbers != PartNumbers::told_all_but)
        out.headers.add("x-amz-mp-parts-count", std::to_string(count));
    if (!piece.checksum.empty() && in.header("x-amz-checksum-mode") == "ENABLED")
        out.headers.add(checksum_header(found.algorithm), piece.checksum);
    if (!head) out.body = bytes.substr(first, piece.bytes);
    return out;
}

}  // namespace s3tug::simworld
