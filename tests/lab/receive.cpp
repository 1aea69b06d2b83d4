#include "lab/receive.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lab/aws_chunked.h"

namespace s3tug::lab {

namespace {

constexpr uint64_t step = uint64_t{256} << 10U;

bool stores_object(const Call& call) { return call.op == "PutObject" || call.op == "UploadPart"; }

/// Everything that is computed over one body while it comes in.
class Verifier {
  public:
    Verifier(const Call& call, const Quirks& quirks)
        : call_(call), quirks_(quirks), writer_(quirks.discard.value_or(UINT64_MAX)) {
        hash_payload_ = call.who.payload_word.size() == 64;
        if (hash_payload_) digests_.emplace(Algorithm::sha256, Algorithm::sha256);
        digests_.emplace(Algorithm::md5, Algorithm::md5);
        if (!quirks.no_checksums) choose_checksums();
    }

    void take(std::string_view bytes) {
        std::string damaged;
        const auto& flip = call_.faults.flip_up;
        if (flip && *flip >= size_ && *flip - size_ < bytes.size()) {
            damaged = bytes;
            const auto at = static_cast<size_t>(*flip - size_);
            damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ 1U);
            bytes = damaged;
        }
        size_ += bytes.size();
        for (auto& [algorithm, running] : digests_) running.update(bytes);
        writer_.append(bytes);
    }

    std::variant<Received, S3Error> finish(const Fields& trailers) {
        std::map<Algorithm, std::string> raw;
        for (auto& [algorithm, running] : digests_) raw[algorithm] = running.finish();
        if (hash_payload_ && to_hex(raw[Algorithm::sha256]) != call_.who.payload_word) {
            S3Error error = s3_error("XAmzContentSHA256Mismatch");
            error.elements = {{"ClientComputedContentSHA256", call_.who.payload_word},
                              {"S3ComputedContentSHA256", to_hex(raw[Algorithm::sha256])}};
            return error;
        }
        if (auto error = check_length()) return *error;
        if (auto error = check_md5(raw[Algorithm::md5])) return *error;
        Received received;
        for (const Algorithm algorithm : checksums_) {
            received.checksums[algorithm] = to_base64(raw[algorithm]);
            if (auto error = check_checksum(algorithm, received.checksums[algorithm], trailers)) return *error;
        }
        received.md5 = raw[Algorithm::md5];
        received.content = writer_.finish();
        return received;
    }

  private:
    void choose_checksums() {
        if (call_.op == "CompleteMultipartUpload") return;  // there the header is about the object, not about this body
        const std::string trailer = call_.head.header_or("x-amz-trailer", "");
        for (const Algorithm algorithm : checksum_algorithms) {
            const std::string name = fmt::format("x-amz-checksum-{}", to_string(algorithm));
            if (call_.head.header(name) != nullptr || equal_nocase(trim(trailer), name))
                checksums_.push_back(algorithm);
        }
        if (checksums_.empty() && stores_object(call_) && !quirks_.no_default_checksum)
            checksums_.push_back(Algorithm::crc64nvme);
        for (const Algorithm algorithm : checksums_) digests_.try_emplace(algorithm, algorithm);
    }

    [[nodiscard]] std::optional<S3Error> check_length() const {
        const std::string* decoded = call_.head.header("x-amz-decoded-content-length");
        if (decoded == nullptr || to_number(*decoded) == std::optional(size_)) return std::nullopt;
        return s3_error("IncompleteBody", "x-amz-decoded-content-length differs from what came.");
    }

    [[nodiscard]] std::optional<S3Error> check_md5(const std::string& computed) const {
        const std::string* given = call_.head.header("content-md5");
        if (given == nullptr) return std::nullopt;
        const auto value = from_base64(*given);
        if (!value || value->size() != 16) return s3_error("InvalidDigest");
        if (*value == computed) return std::nullopt;
        return s3_error("BadDigest", "The Content-MD5 you specified did not match what we received.");
    }

    [[nodiscard]] std::optional<S3Error> check_checksum(Algorithm algorithm, const std::string& computed,
                                                        const Fields& trailers) const {
        const std::string name = fmt::format("x-amz-checksum-{}", to_string(algorithm));
        const std::string* given = call_.head.header(name);
        if (given == nullptr) given = find_field(trailers, name);
        if (given == nullptr && equal_nocase(trim(call_.head.header_or("x-amz-trailer", "")), name))
            return s3_error("InvalidRequest", "The trailer that was announced did not come.");
        if (given == nullptr || *given == computed) return std::nullopt;
        return s3_error("BadDigest", fmt::format("The {} you specified did not match the calculated checksum.",
                                                 to_string(algorithm)));
    }

    const Call& call_;
    const Quirks& quirks_;
    ContentWriter writer_;
    bool hash_payload_ = false;
    uint64_t size_ = 0;
    std::map<Algorithm, Digest> digests_;
    std::vector<Algorithm> checksums_;
};

}  // namespace

std::variant<Received, S3Error, BodyLost> receive_body(BodyReader& body, const Call& call, const ReceiveRules& rules,
                                                       uint64_t& received) {
    Verifier verifier(call, rules.quirks);
    AwsChunked decoder(call.who, [&](std::string_view bytes) { verifier.take(bytes); });
    const bool streaming = call.who.payload_word.starts_with("STREAMING-");
    std::optional<S3Error> wrong;
    while (!body.complete()) {
        const auto allowed = rules.gate(received);
        if (!allowed) return BodyLost{received};
        const std::string bytes = body.next(static_cast<size_t>(std::min(step, *allowed)));
        if (bytes.empty()) break;
        received += bytes.size();
        // After an error the rest is still read, so that the client hears of it instead of a reset.
        if (streaming && !wrong) wrong = decoder.push(bytes);
        if (!streaming) verifier.take(bytes);
    }
    if (!body.complete() && !rules.quirks.keeps_short_bodies) return BodyLost{received};
    if (streaming && !wrong) wrong = decoder.finish();
    if (wrong) return *wrong;
    auto result = verifier.finish(decoder.trailers());
    if (auto* error = std::get_if<S3Error>(&result)) return std::move(*error);
    return std::move(std::get<Received>(result));
}

}  // namespace s3tug::lab
