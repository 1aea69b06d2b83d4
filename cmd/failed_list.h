#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "engine/transfer.h"

namespace s3tug::cmd {

/// How --files-from names an item: the local path of a put, else the full address of the object that is read or
/// deleted, as bytes. A listing that failed is its bucket alone: a prefix would be taken for a key, and one that
/// happens to exist be deleted for it, while an address without a key is refused.
[[nodiscard]] std::string list_name(const engine::Transfer& transfer);

/// The items that failed, as --failed-to has them: one name to a line, or with a zero byte after each.
class FailedList {
  public:
    /// Appends to the file.
    using Write = std::function<Status(std::string_view text)>;

    FailedList(Write write, bool zero_ended) : write_(std::move(write)), end_(zero_ended ? '\0' : '\n') {}

    /// `cannot_write`: the file does not take it. `usage`: a name with a line break needs zero bytes.
    Status add(const engine::Transfer& transfer);
    /// A line of a `run` file, for another run.
    Status add_line(std::string_view text) { return write_(std::string(text) + '\n'); }

  private:
    Write write_;
    char end_;
};

}  // namespace s3tug::cmd
