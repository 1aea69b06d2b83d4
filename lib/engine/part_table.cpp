#include "engine/part_table.h"

#include <algorithm>

#include "base/limits.h"
#include "engine/range_crc.h"

namespace s3tug::engine {

PartTable::PartTable(uint64_t size, uint64_t part_bytes, ChecksumAlgorithm algorithm)
    : size_(size), part_bytes_(std::max<uint64_t>(part_bytes, 1)), algorithm_(algorithm) {
    const uint64_t least = (size + limits::download_parts_max - 1) / limits::download_parts_max;
    part_bytes_ = std::max(part_bytes_, least);
    parts_.resize(static_cast<std::size_t>((size + part_bytes_ - 1) / part_bytes_));
}

uint64_t PartTable::bytes(std::size_t index) const { return std::min(part_bytes_, size_ - first(index)); }

void PartTable::set(Part& part, State state) {
    if (part.state == State::done) --done_;
    if (state == State::done) ++done_;
    if (state == State::free) lowest_free_ = std::min(lowest_free_, static_cast<std::size_t>(&part - parts_.data()));
    part.state = state;
}

std::size_t PartTable::lowest_free() {
    while (lowest_free_ < parts_.size() && parts_[lowest_free_].state != State::free) ++lowest_free_;
    return lowest_free_;
}

std::optional<std::size_t> PartTable::claim() {
    const std::size_t index = lowest_free();
    if (!claim(index)) return std::nullopt;
    return index;
}

bool PartTable::claim(std::size_t index) {
    if (index >= parts_.size() || parts_[index].state != State::free) return false;
    set(parts_[index], State::claimed);
    return true;
}

std::size_t PartTable::claim_behind(std::size_t index, std::size_t most) {
    std::size_t last = index;
    while (last - index < most && last + 1 < parts_.size() && parts_[last + 1].reached == 0 && claim(last + 1)) ++last;
    return last - index;
}

void PartTable::release_behind(std::size_t index, std::size_t last) {
    for (std::size_t i = index + 1; i <= last; ++i) set(parts_[i], State::free);
}

void PartTable::add(std::size_t index, ByteSpan bytes_in) {
    Part& part = parts_[index];
    part.crc = crc_update(algorithm_, part.crc, bytes_in);
    part.reached += bytes_in.size();
    received_ += bytes_in.size();
    if (missing(index) == 0) set(part, State::done);
}

void PartTable::recall(std::size_t index, uint64_t reached, uint64_t crc) {
    received_ = received_ - parts_[index].reached + reached;
    parts_[index].reached = reached;
    parts_[index].crc = crc;
    set(parts_[index], State::unproven);
}

std::optional<std::size_t> PartTable::unproven() const {
    const auto found =
        std::find_if(parts_.begin(), parts_.end(), [](const Part& part) { return part.state == State::unproven; });
    if (found == parts_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - parts_.begin());
}

void PartTable::judge(std::size_t index, bool proven) {
    if (!proven) return reset(index);
    set(parts_[index], missing(index) == 0 ? State::done : State::free);
}

void PartTable::doubt() {
    for (Part& part : parts_) {
        if (part.state == State::done) set(part, State::unproven);
    }
}

void PartTable::reset(std::size_t index) {
    received_ -= parts_[index].reached;
    parts_[index].reached = 0;
    parts_[index].crc = 0;
    set(parts_[index], State::free);
}

Checksum PartTable::whole() const {
    uint64_t value = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) value = crc_combine(algorithm_, value, parts_[i].crc, bytes(i));
    return crc_checksum(algorithm_, value);
}

}  // namespace s3tug::engine
