#include "engine/part_layout.h"

#include <string>

#include "wire/content_range.h"

namespace s3tug::engine {

PartLayout::PartLayout(uint64_t size, unsigned parts) : size_(size), told_(parts) {
    if (parts == 1) told_.front() = size;
}

bool PartLayout::learn(unsigned number, const wire::HttpAnswer& head) {
    if (number == 0 || number > told_.size()) return false;
    const auto length = wire::parse_decimal(head.headers.find("content-length").value_or(""));
    if (!length || *length > size_) return false;
    if (const auto text = head.headers.find("content-range")) {
        const auto range = wire::parse_content_range(*text);
        if (!range || range->total != size_ || range->last - range->first + 1 != *length) return false;
        if (number == 1 && range->first != 0) return false;
    }
    const auto count = head.headers.find("x-amz-mp-parts-count");
    if (count && *count != std::to_string(told_.size())) return false;
    counted_ = counted_ && count.has_value();
    told_[number - 1] = *length;
    return true;
}

bool PartLayout::looks_uniform() const {
    const std::optional<uint64_t>& first = told_.front();
    if (!first || *first == 0) return false;
    return (size_ - 1) / *first + 1 == told_.size();
}

bool PartLayout::known() const {
    uint64_t sum = 0;
    for (const std::optional<uint64_t>& part : told_) {
        if (!part || *part > size_ - sum) return false;
        sum += *part;
    }
    return sum == size_ && counted_;
}

uint64_t PartLayout::presumed(std::size_t index) const {
    const uint64_t first = told_.front().value_or(0);
    return index + 1 < told_.size() ? first : size_ - first * index;
}

uint64_t PartLayout::bytes(std::size_t index) const { return told_[index].value_or(presumed(index)); }

}  // namespace s3tug::engine
