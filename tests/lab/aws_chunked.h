#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lab/auth.h"
#include "lab/digest.h"

namespace s3tug::lab {

/// Undoes `Content-Encoding: aws-chunked` (x-amz-content-sha256: STREAMING-...), with chunk and trailer signatures
/// checked when they are signed. Bytes are pushed in as they arrive; payload comes out through the sink.
class AwsChunked {
  public:
    using Sink = std::function<void(std::string_view)>;

    AwsChunked(const Identity& who, Sink sink);

    /// What is wrong, if something is; nothing may be pushed after that.
    [[nodiscard]] std::optional<S3Error> push(std::string_view bytes);
    /// To be asked after the last byte.
    [[nodiscard]] std::optional<S3Error> finish() const;
    [[nodiscard]] const Fields& trailers() const { return trailers_; }

  private:
    enum class State { size_line, data, data_end, trailer, done };

    [[nodiscard]] std::optional<S3Error> take_size_line(std::string_view line);
    [[nodiscard]] std::optional<S3Error> take_trailer(std::string_view line);
    [[nodiscard]] std::optional<S3Error> end_chunk();
    [[nodiscard]] std::optional<S3Error> take_line(std::string_view& bytes);

    Identity who_;
    Sink sink_;
    bool signed_;
    State state_ = State::size_line;
    std::string line_;
    uint64_t left_ = 0;
    std::string chunk_signature_;
    Digest chunk_digest_{Algorithm::sha256};
    std::string previous_signature_;
    std::string trailer_text_;
    Fields trailers_;
};

}  // namespace s3tug::lab
