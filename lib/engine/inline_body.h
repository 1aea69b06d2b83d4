#pragma once

#include <string>
#include <utility>

#include "port/transport.h"

namespace s3tug::engine {

/// A request's own body (wire::Request::body) as a source for the transport: `operation` moves it out of the request
/// that was built and keeps it until the attempt has ended.
class InlineBody final : public port::BodySource {
  public:
    explicit InlineBody(std::string bytes) : bytes_(std::move(bytes)) {}
    [[nodiscard]] Result<std::size_t> read(uint64_t offset, MutableByteSpan out) override;

  private:
    std::string bytes_;
};

}  // namespace s3tug::engine
