#include "cmd/line_reader.h"

#include "base/limits.h"
#include "base/text.h"

namespace s3tug::cmd {

Result<LineReader::Got> LineReader::next(std::string& line, std::optional<Instant> until) {
    std::size_t searched = position_;
    for (;;) {
        const std::size_t stop = held_.find('\n', searched);
        const bool last = stop == std::string::npos && end_;
        if (last && position_ == held_.size()) return Got::end;
        if (stop != std::string::npos || last) {
            line = held_.substr(position_, stop - position_);
            position_ = last ? held_.size() : stop + 1;
            ++number_;
            if (number_ == 1 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
            if (line.ends_with('\r')) line.pop_back();
            if (line.find('\0') != std::string::npos) return Error{ErrorKind::usage, "it holds a NUL byte"};
            return Got::line;
        }
        held_.erase(0, position_);
        position_ = 0;
        searched = held_.size();
        if (searched > limits::run_line_max_bytes) {
            end_ = true;
            ++number_;
            held_.clear();
            return Error{ErrorKind::usage,
                         "it is longer than " + std::to_string(limits::run_line_max_bytes) + " bytes"};
        }
        held_.resize(searched + limits::run_line_max_bytes);
        const MutableByteSpan room(reinterpret_cast<std::byte*>(held_.data()) + searched, limits::run_line_max_bytes);
        const Result<std::size_t> read = source_->read_next(room, until);
        held_.resize(searched + (read ? *read : 0));
        if (!read && read.error().kind == ErrorKind::deadline) return Got::nothing_yet;
        if (!read) {
            end_ = true;
            return read.error();
        }
        end_ = *read == 0;
    }
}

}  // namespace s3tug::cmd
