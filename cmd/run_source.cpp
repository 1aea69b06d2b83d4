#include "cmd/run_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cmd/exit_code.h"

namespace s3tug::cmd {

using engine::Transfer;

std::optional<Transfer> RunSource::next() {
    for (;;) {
        if (refused_) return std::exchange(refused_, std::nullopt);
        if (items_) {
            if (std::optional<Transfer> item = from_line()) return item;
            if (items_) return std::nullopt;  // its listing is under way
        }
        if (end_) return std::nullopt;
        read_next();
        if (!refused_ && !items_ && waiting_) return std::nullopt;
    }
}

/// The next item of the line; with its last one the line is all begun.
std::optional<Transfer> RunSource::from_line() {
    std::optional<Transfer> item = items_->next();
    Line& line = under_way_[lines_.number()];
    if (item) {
        item->group = lines_.number();
        if (item->local.kind == engine::LocalEnd::Kind::stdio && !item->refused)
            item->refused = Error{ErrorKind::usage, "standard input and output belong to the run itself; name a file"};
        const std::size_t count = std::max<std::size_t>(1, item->batch.size());
        line.items += count;
        line.left += count;
        return item;
    }
    if (!items_->ended()) return std::nullopt;
    items_.reset();
    line.all_begun = true;
    settle(lines_.number());
    return std::nullopt;
}

void RunSource::read_next() {
    std::string text;
    // With nothing under way there is nothing else to do than to wait for the writer.
    const std::optional<Instant> until = under_way_.empty() ? wish_.deadline : std::optional(Instant::min());
    const Result<LineReader::Got> got = lines_.next(text, until);
    waiting_ = false;
    if (!got) {
        end_ |= got.error().kind != ErrorKind::usage;
        return refuse(got.error());
    }
    if (*got == LineReader::Got::line) return read_line(text);
    if (*got == LineReader::Got::nothing_yet && !under_way_.empty()) {
        waiting_ = true;
        return;
    }
    end_ = true;
    if (*got == LineReader::Got::nothing_yet)
        refuse({ErrorKind::deadline, "deadline reached while the next line was waited for"});
}

void RunSource::read_line(const std::string& text) {
    CommandLine line;
    const Status read = commands_.read(text, line);
    if (read && !line.plan.items) return;
    Line& begun = under_way_[lines_.number()];
    begun.shown = std::move(line.shown);
    if (tell_failed_) begun.text = text;
    if (!read) return refuse(read.error(), std::move(line.command));
    items_ = std::move(line.plan.items);
}

/// What cannot be run is an item that failed, so that it counts.
void RunSource::refuse(Error error, std::string command) {
    Transfer item;
    item.group = lines_.number();
    item.label = fmt::format("run line {}", item.group);
    item.command = std::move(command);
    item.refused = std::move(error);
    Line& line = under_way_[item.group];
    ++line.items;
    ++line.left;
    line.all_begun = true;
    refused_ = std::move(item);
}

std::optional<engine::PlanningRequest> RunSource::request() { return items_ ? items_->request() : std::nullopt; }

void RunSource::on_result(engine::OperationResult result) {
    if (items_) items_->on_result(std::move(result));
}

void RunSource::on_end(const Transfer& item, const engine::Outcome& outcome) {
    const auto found = under_way_.find(item.group);
    if (found == under_way_.end()) return;
    Line& line = found->second;
    if (items_ && item.group == lines_.number()) items_->on_end(item, outcome);
    if (!outcome.ok()) {
        if (line.failed == 0) {
            line.first = *outcome.error;
            if (tell_failed_ && !line.text.empty()) tell_failed_(line.text);
        }
        ++line.failed;
    }
    --line.left;
    settle(item.group);
}

void RunSource::settle(std::size_t number) {
    const auto found = under_way_.find(number);
    if (found == under_way_.end() || !found->second.all_begun || found->second.left > 0) return;
    print(number, found->second);
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
    refused_.reset();
    items_.reset();
}

}  // namespace s3tug::cmd
