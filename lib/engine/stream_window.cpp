#include "engine/stream_window.h"

namespace s3tug::engine {

StreamWindow::StreamWindow(port::TargetFile& stream, BufferBudget& budget, std::optional<Instant> until,
                           std::function<void(ByteSpan)> passes)
    : stream_(stream), budget_(budget), until_(until), passes_(std::move(passes)) {}

StreamWindow::~StreamWindow() {
    for (const auto& [first, part] : parts_) budget_.give_back(part.bytes);
}

bool StreamWindow::admit(uint64_t first, uint64_t bytes) {
    if (parts_.contains(first)) return true;
    if (first != passed_ && !budget_.may_take(bytes)) return false;
    budget_.take(bytes);
    parts_[first].bytes = bytes;
    return true;
}

Status StreamWindow::write_at(uint64_t offset, ByteSpan bytes) {
    if (holding_ || offset != passed_) {
        auto part = parts_.upper_bound(offset);
        if (part == parts_.begin()) return Error{ErrorKind::bug, "bytes for a part that was not admitted"};
        --part;
        std::vector<std::byte>& held = part->second.held;
        if (offset != part->first + held.size() || held.size() + bytes.size() > part->second.bytes)
            return Error{ErrorKind::bug, "bytes that do not follow those of their part"};
        held.reserve(static_cast<std::size_t>(part->second.bytes));
        held.insert(held.end(), bytes.begin(), bytes.end());
        return {};
    }
    if (Status written = pass(bytes); !written) return written;
    return pass_held();
}

Status StreamWindow::release() {
    holding_ = false;
    return pass_held();
}

/// What waited for the bytes before it.
Status StreamWindow::pass_held() {
    for (auto next = parts_.find(passed_); next != parts_.end() && !next->second.held.empty();
         next = parts_.find(passed_)) {
        const std::vector<std::byte> held = std::move(next->second.held);
        next->second.held = {};
        if (Status written = pass(held); !written) return written;
    }
    return {};
}

Status StreamWindow::pass(ByteSpan bytes) {
    if (Status written = stream_.write_next(bytes, until_); !written) return written;
    if (passes_) passes_(bytes);
    passed_ += bytes.size();
    forget_passed();
    return {};
}

void StreamWindow::forget_passed() {
    while (!parts_.empty()) {
        const auto front = parts_.begin();
        if (front->first + front->second.bytes > passed_) return;
        budget_.give_back(front->second.bytes);
        parts_.erase(front);
    }
}

}  // namespace s3tug::engine
