#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "cmd/layers.h"

namespace s3tug::cmd {

/// Turns the texts of the layers into typed values. Each call changes `out` only when a layer has a value; the first
/// mistake is kept and names where the text stands, so that a long row of reads is checked once at its end.
class Reader {
  public:
    explicit Reader(const Layers& layers) : layers_(layers) {}

    void text(FlagId id, std::string& out);
    void toggle(FlagId id, bool& out);
    void size(FlagId id, uint64_t lowest, std::optional<uint64_t>& out);
    /// Above zero and at most `highest`.
    void duration(FlagId id, Duration highest, Duration& out);
    [[nodiscard]] std::optional<uint64_t> number(FlagId id, uint64_t lowest, uint64_t highest);
    /// Place of the value among the choices of the option.
    [[nodiscard]] std::optional<std::size_t> choice(FlagId id);

    void fail(const Found& where, std::string_view why);
    void fail(Error error);
    [[nodiscard]] bool ok() const { return !error_.has_value(); }
    [[nodiscard]] Status status() const;
    [[nodiscard]] const Layers& layers() const { return layers_; }

  private:
    const Layers& layers_;
    std::optional<Error> error_;
};

}  // namespace s3tug::cmd
