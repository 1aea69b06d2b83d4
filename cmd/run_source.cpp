#include "cmd/run_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cmd/exit_code.h"

namespace s3tug::cmd {

using engine::Transfer;

std::optional<Transfer> RunSource::next() {
    while (ready_.empty() && !end_) {
        std::string text;
        // With nothing under way there is nothing else to do than to wait for the writer.
        const std::optional<Instant> until = under_way_.empty() ? wish_.deadline : std::optional(clock_.now());
        const Result<LineReader::Got> got = lines_.next(text, until);
        if (!got) {
            const bool over = got.error().kind != ErrorKind::usage;
            refuse(got.error());
            end_ |= over;
        } else if (*got == LineReader::Got::end) {
            end_ = true;
        } else if (*got == LineReader::Got::line) {
            read_line(text);
        } else if (!under_way_.empty()) {
            return std::nullopt;
        } else {
            refuse({ErrorKind::deadline, "deadline reached while the next line was waited for"});
            end_ = true;
        }
    }
    if (ready_.empty()) return std::nullopt;
    Transfer item = std::move(ready_.front());
    ready_.pop_front();
    return item;
}

void RunSource::read_line(const std::string& text) {
    CommandLine line;
    const Status read = commands_.read(text, line);
    if (!read) {
        under_way_[lines_.number()].shown = line.shown;
        return refuse(read.error());
    }
    if (line.items.empty()) return;
    Line& state = under_way_[lines_.number()];
    state.shown = std::move(line.shown);
    for (Transfer& item : line.items) {
        item.group = lines_.number();
        state.items += std::max<std::size_t>(1, item.batch.size());
        ready_.push_back(std::move(item));
    }
    state.left = state.items;
}

/// What cannot be run is an item that failed, so that it counts.
void RunSource::refuse(Error error) {
    Transfer item;
    item.group = lines_.number();
    item.label = fmt::format("run line {}", item.group);
    item.refused = std::move(error);
    Line& state = under_way_[item.group];
    state.items = state.left = 1;
    ready_.push_back(std::move(item));
}

void RunSource::on_end(const Transfer& item, const engine::Outcome& outcome) {
    const auto found = under_way_.find(item.group);
    if (found == under_way_.end()) return;
    Line& line = found->second;
    if (!outcome.ok()) {
        if (line.failed == 0) line.first = *outcome.error;
        ++line.failed;
    }
    if (--line.left > 0) return;
    print(item.group, line);
    under_way_.erase(found);
}

void RunSource::print(std::size_t number, const Line& line) {
    if (!wish_.json) {
        return output_.data(fmt::format("{} {} {}", line.failed == 0 ? "ok" : "failed", number, line.shown));
    }
    nlohmann::ordered_json out{{"op", "run"}, {"line", number}, {"command", line.shown}};
    out["ok"] = line.failed == 0;
    out["items"] = line.items;
    out["failed"] = line.failed;
    out["exit_code"] = line.failed == 0 ? 0 : line.failed < line.items ? exit_mixed : exit_code_of(line.first.kind);
    output_.data(out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

/// Lines whose items were not all begun get no result; the summary tells that there was more.
void RunSource::stop() {
    end_ = true;
    ready_.clear();
}

}  // namespace s3tug::cmd
