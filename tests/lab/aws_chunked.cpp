#include "lab/aws_chunked.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "lab/http.h"

namespace s3tug::lab {

namespace {
S3Error broken(std::string_view why) { return s3_error("InvalidRequest", why); }
}  // namespace

AwsChunked::AwsChunked(const Identity& who, Sink sink)
    : who_(who),
      sink_(std::move(sink)),
      signed_(who.payload_word.starts_with("STREAMING-AWS4-HMAC-SHA256-PAYLOAD") && !who.signing_key.empty()),
      previous_signature_(who.signature) {}

std::optional<S3Error> AwsChunked::push(std::string_view bytes) {
    while (!bytes.empty()) {
        if (state_ == State::done) return broken("There are bytes after the end of the aws-chunked body.");
        if (state_ != State::data) {
            if (auto error = take_line(bytes)) return error;
            continue;
        }
        const std::string_view piece = bytes.substr(0, static_cast<size_t>(std::min<uint64_t>(left_, bytes.size())));
        sink_(piece);
        if (signed_) chunk_digest_.update(piece);
        bytes.remove_prefix(piece.size());
        left_ -= piece.size();
        if (left_ > 0) continue;
        state_ = State::data_end;
        if (auto error = end_chunk()) return error;
    }
    return std::nullopt;
}

std::optional<S3Error> AwsChunked::take_line(std::string_view& bytes) {
    const size_t end = bytes.find('\n');
    line_ += bytes.substr(0, end == std::string_view::npos ? bytes.size() : end + 1);
    if (line_.size() > line_limit) return broken("A line of the aws-chunked body is too long.");
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string line = std::exchange(line_, {});
    if (!line.ends_with("\r\n")) return broken("A line of the aws-chunked body does not end with CRLF.");
    const std::string_view text = std::string_view(line).substr(0, line.size() - 2);
    if (state_ == State::size_line) return take_size_line(text);
    if (state_ == State::trailer) return take_trailer(text);
    if (!text.empty()) return broken("A chunk is longer than it says.");
    state_ = State::size_line;
    return std::nullopt;
}

std::optional<S3Error> AwsChunked::take_size_line(std::string_view line) {
    const size_t semicolon = line.find(';');
    const std::string_view size = line.substr(0, semicolon);
    const auto [stop, error] = std::from_chars(size.data(), size.data() + size.size(), left_, 16);
    if (error != std::errc{} || stop != size.data() + size.size()) return broken("A chunk size is not a number.");
    constexpr std::string_view label = ";chunk-signature=";
    chunk_signature_.clear();
    if (semicolon != std::string_view::npos && line.substr(semicolon).starts_with(label))
        chunk_signature_ = line.substr(semicolon + label.size());
    state_ = left_ > 0 ? State::data : State::trailer;
    return left_ > 0 ? std::nullopt : end_chunk();
}

std::optional<S3Error> AwsChunked::end_chunk() {
    if (!signed_) return std::nullopt;
    const std::string data_hash = to_hex(std::exchange(chunk_digest_, Digest(Algorithm::sha256)).finish());
    const std::string to_sign = fmt::format("AWS4-HMAC-SHA256-PAYLOAD\n{}\n{}\n{}\n{}\n{}", who_.time, who_.scope,
                                            previous_signature_, sha256_hex(""), data_hash);
    previous_signature_ = to_hex(hmac_sha256(who_.signing_key, to_sign));
    if (previous_signature_ == chunk_signature_) return std::nullopt;
    return s3_error("SignatureDoesNotMatch", "The signature of a chunk does not match.");
}

std::optional<S3Error> AwsChunked::take_trailer(std::string_view line) {
    if (!line.empty()) {
        const size_t colon = line.find(':');
        if (colon == std::string_view::npos) return broken("A trailer has no colon.");
        const std::string name = to_lower(trim(line.substr(0, colon)));
        const std::string value(trim(line.substr(colon + 1)));
        if (name != "x-amz-trailer-signature") trailer_text_ += fmt::format("{}:{}\n", name, value);
        trailers_.push_back({name, value});
        return trailers_.size() > 64 ? std::optional(broken("There are too many trailers.")) : std::nullopt;
    }
    state_ = State::done;
    if (!signed_ || !who_.payload_word.ends_with("-TRAILER")) return std::nullopt;
    const std::string to_sign = fmt::format("AWS4-HMAC-SHA256-TRAILER\n{}\n{}\n{}\n{}", who_.time, who_.scope,
                                            previous_signature_, sha256_hex(trailer_text_));
    const std::string* given = find_field(trailers_, "x-amz-trailer-signature");
    if (given != nullptr && *given == to_hex(hmac_sha256(who_.signing_key, to_sign))) return std::nullopt;
    return s3_error("SignatureDoesNotMatch", "The signature of the trailer does not match.");
}

std::optional<S3Error> AwsChunked::finish() const {
    if (state_ == State::done) return std::nullopt;
    return s3_error("IncompleteBody", "The aws-chunked body has no end.");
}

}  // namespace s3tug::lab
