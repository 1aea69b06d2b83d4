#include "cmd/trace_printer.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"
#include "cmd/trace_line.h"

namespace s3tug::cmd {

using port::EventKind;

namespace {

/// The -v level at which a kind is shown.
unsigned level_of(EventKind kind) {
    switch (kind) {
        case EventKind::retry:
        case EventKind::repair:
        case EventKind::verify:
        case EventKind::breaker:
        case EventKind::give_up:
        case EventKind::note:  // those about an item; the others are shown from 2 on
        case EventKind::item_done: return 1;
        case EventKind::attempt:
        case EventKind::pace: return 2;
        case EventKind::headers: return 3;
        case EventKind::warning: return 0;
    }
    return 3;
}

}  // namespace

bool TracePrinter::shown(EventKind kind) const {
    if (kind == EventKind::warning) return !settings_.quiet;
    return settings_.verbosity >= level_of(kind);
}

bool TracePrinter::wants(EventKind kind) const { return file_ != nullptr || shown(kind); }

void TracePrinter::on(const port::TraceEvent& event) {
    if (file_) write_file(event);
    if (!shown(event.kind)) return;
    // What holds for the whole run is asked for less often than why one item took its time.
    if (event.kind == EventKind::note && event.item.empty() && settings_.verbosity < 2) return;
    if (event.kind == EventKind::warning) return warn(event);
    for (const std::string& line : trace_text(event)) output_.talk(line);
}

void TracePrinter::warn(const port::TraceEvent& event) {
    std::string line = "s3tug: warning: ";
    if (!event.item.empty()) line += printable(event.item) + ": ";
    line += printable(event.why, limits::trace_text_max_bytes);
    if (warned_.count(line) != 0) return;
    output_.talk(line);
    if (warned_.size() < limits::warnings_kept_max) warned_.insert(std::move(line));
}

void TracePrinter::write_file(const port::TraceEvent& event) {
    std::string line = trace_json(event);
    if (file_bytes_ + line.size() < file_bytes_max_) return append(line);
    port::TraceEvent last;
    last.kind = EventKind::note;
    last.wall = event.wall;
    last.since_start = event.since_start;
    last.why = fmt::format("the trace ends here: {} were written", format_size(file_bytes_max_));
    append(trace_json(last));
    file_ = nullptr;
}

void TracePrinter::append(const std::string& line) {
    file_bytes_ += line.size() + 1;
    const Status written = file_(line);
    if (written) return;
    file_ = nullptr;
    if (!settings_.quiet) output_.talk("s3tug: warning: no more trace: " + written.error().message);
}

}  // namespace s3tug::cmd
