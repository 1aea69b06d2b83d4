#include "engine/inline_body.h"

#include <algorithm>
#include <cstring>

namespace s3tug::engine {

Result<std::size_t> InlineBody::read(uint64_t offset, MutableByteSpan out) {
    if (offset >= bytes_.size()) return std::size_t{0};
    const std::size_t count = std::min<std::size_t>(out.size(), bytes_.size() - offset);
    std::memcpy(out.data(), bytes_.data() + offset, count);
    return count;
}

}  // namespace s3tug::engine
