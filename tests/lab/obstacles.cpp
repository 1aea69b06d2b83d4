#include "lab/obstacles.h"

#include <fmt/format.h>

#include <algorithm>

namespace s3tug::lab {

std::string_view to_string(Stage stage) {
    switch (stage) {
        case Stage::before_read: return "before-read";
        case Stage::after_headers: return "after-headers";
        case Stage::mid_body: return "mid-body";
        case Stage::after_body: return "after-body";
        case Stage::before_answer: return "before-answer";
        case Stage::mid_head: return "mid-head";
        case Stage::mid_answer: return "mid-answer";
        case Stage::after_answer: return "after-answer";
    }
    return "";
}

bool Obstacles::wait(Milliseconds time) {
    if (wire_.wait(time)) return true;
    on_end_("client left");
    wire_.reset();
    return false;
}

void Obstacles::end(const Break& ending) {
    const std::string_view stage = to_string(ending.point.stage);
    switch (ending.kind) {
        case Break::Kind::reset:
            on_end_(fmt::format("reset {}", stage));
            wire_.reset();
            return;
        case Break::Kind::close:
            on_end_(fmt::format("close {}", stage));
            wire_.close();
            return;
        case Break::Kind::hang:
            on_end_(fmt::format("hang {}", stage));
            static_cast<void>(wire_.wait(hang_limit_));
            wire_.reset();
            return;
    }
}

bool Obstacles::pass(Stage stage) {
    if (faults_.delay && !delayed_ && faults_.delay->point.stage == stage) {
        delayed_ = true;
        if (!wait(faults_.delay->time)) return false;
    }
    if (!faults_.ending || faults_.ending->point.stage != stage) return true;
    end(*faults_.ending);
    return false;
}

std::optional<uint64_t> Obstacles::gate(Stage stage, uint64_t moved, uint64_t total) {
    uint64_t allowed = UINT64_MAX;
    const auto left_until = [&](const Point& point) {
        const uint64_t position = std::min(point.at.value_or(total / 2), total);
        return position > moved ? position - moved : 0;
    };
    if (faults_.delay && !delayed_ && faults_.delay->point.stage == stage) {
        const uint64_t left = left_until(faults_.delay->point);
        delayed_ = left == 0;
        if (delayed_ && !wait(faults_.delay->time)) return std::nullopt;
        if (!delayed_) allowed = std::min(allowed, left);
    }
    if (faults_.ending && faults_.ending->point.stage == stage) {
        const uint64_t left = left_until(faults_.ending->point);
        if (left == 0) {
            end(*faults_.ending);
            return std::nullopt;
        }
        allowed = std::min(allowed, left);
    }
    const auto& drip = stage == Stage::mid_body ? faults_.drip_up : faults_.drip_down;
    if (drip && stage != Stage::mid_head) {
        if (moved > 0 && moved < total && !wait(drip->interval)) return std::nullopt;
        allowed = std::min(allowed, drip->bytes);
    }
    return allowed;
}

}  // namespace s3tug::lab
