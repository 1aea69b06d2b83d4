#include "engine/named_items.h"

#include <utility>

#include "base/limits.h"
#include "base/text.h"

namespace s3tug::engine {

namespace {

constexpr std::size_t read_bytes = 16U << 10;

}  // namespace

NamedItems::NamedItems(List list, Transfer about, Make make)
    : list_(std::move(list)), about_(std::move(about)), make_(std::move(make)) {}

std::optional<Transfer> NamedItems::next() {
    starved_ = false;
    while (!ended_) {
        Result<std::optional<std::string>> name = next_name();
        starved_ = !name && under_way_ && name.error().kind == ErrorKind::deadline;
        if (starved_) return std::nullopt;
        if (!name) {
            stop();
            Transfer item = about_;
            item.listed_as = "s3://";  // nothing: nobody knows which names are missing
            item.refused = std::move(name).error().with_context("--files-from " + list_.name);
            return item;
        }
        if (!*name) {
            stop();
            return std::nullopt;
        }
        if ((*name)->empty()) continue;
        if (std::optional<Transfer> item = make_(**name)) return item;
    }
    return std::nullopt;
}

Result<std::optional<std::string>> NamedItems::next_name() {
    std::size_t looked = position_;
    for (;;) {
        const std::size_t end = buffer_.find(list_.separator, looked);
        const std::size_t length = (end == std::string::npos ? buffer_.size() : end) - position_;
        if (length > limits::list_line_max_bytes) {
            return Error{ErrorKind::usage, "a name is longer than " + std::to_string(limits::list_line_max_bytes) +
                                               " bytes; are names ended by NUL? then give --from0"};
        }
        if (end != std::string::npos) {
            std::string name = take(length);
            position_ = end + 1;
            return std::optional(std::move(name));
        }
        if (at_end_) {
            std::string name = take(length);
            position_ = buffer_.size();
            return name.empty() ? std::optional<std::string>() : std::optional(std::move(name));
        }
        buffer_.erase(0, std::exchange(position_, 0));
        looked = buffer_.size();
        buffer_.resize(looked + read_bytes);
        const MutableByteSpan room(reinterpret_cast<std::byte*>(buffer_.data()) + looked, read_bytes);
        const Result<std::size_t> n =
            list_.file->read_next(room, under_way_ ? std::optional(Instant::min()) : list_.until);
        buffer_.resize(looked + (n ? *n : 0));
        if (!n) return n.error();
        at_end_ = *n == 0;
    }
}

/// Names that end with NUL are taken byte by byte, those of a text without what its editor put before the first.
std::string NamedItems::take(std::size_t length) {
    std::string name = buffer_.substr(position_, length);
    if (std::exchange(first_, false) && list_.separator == '\n' && name.starts_with(byte_order_mark))
        name.erase(0, byte_order_mark.size());
    return name;
}

void NamedItems::stop() {
    ended_ = true;
    list_.file.reset();
}

}  // namespace s3tug::engine
