#include "cmd/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/exit_code.h"
#include "cmd/stat_text.h"

namespace s3tug::cmd {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

/// The end of an item as it would be typed; keys are bytes, what is not UTF-8 in them is replaced when it is written.
Json end_of(const engine::LocalEnd& local, const wire::S3Uri& uri) {
    switch (local.kind) {
        case engine::LocalEnd::Kind::path: return local.path;
        case engine::LocalEnd::Kind::stdio: return "-";
        case engine::LocalEnd::Kind::none: break;
    }
    return uri.bucket.empty() ? Json(nullptr) : Json("s3://" + uri.bucket + "/" + uri.key);
}

Json source_of(const engine::Transfer& t) {
    return end_of(t.kind == engine::TransferKind::put ? t.local : engine::LocalEnd{}, t.source);
}

Json target_of(const engine::Transfer& t) {
    return end_of(t.kind == engine::TransferKind::get ? t.local : engine::LocalEnd{}, t.target);
}

/// An answer to a HEAD has no body to give a code; then that of the AWS tools, where there is one.
std::string code_of(const engine::Outcome& outcome) {
    if (!outcome.code.starts_with("HTTP ")) return outcome.code;
    switch (outcome.status) {
        case 400: return "BadRequest";
        case 403: return "Forbidden";
        case 404: return "NotFound";
        case 412: return "PreconditionFailed";
        default: return {};
    }
}

Json error_of(const engine::Outcome& outcome, int signal) {
    if (outcome.ok()) return nullptr;
    Json error;
    error["kind"] = to_string(outcome.error->kind);
    error["message"] = outcome.error->message;
    error["exit_code"] = exit_code_of(outcome.error->kind, signal);
    error["status"] = outcome.status == 0 ? Json(nullptr) : Json(outcome.status);
    error["code"] = text_or_null(code_of(outcome));
    error["request_id"] = text_or_null(outcome.request_id);
    return error;
}

std::string local_name(const engine::LocalEnd& local) {
    return local.kind == engine::LocalEnd::Kind::stdio ? "-" : printable(local.path);
}

std::string count_of(uint64_t n) { return n == 1 ? std::string("1 item") : fmt::format("{} items", n); }

std::string first_text(const Tally& tally) {
    return fmt::format("{}: {}", tally.first()->item, tally.first()->error.message);
}

/// "; 12 were not begun": what was left and why.
std::string left_text(const Tally& tally, std::string_view why) {
    std::string text = tally.left() ? fmt::format("{} not begun", *tally.left()) : std::string("the rest not begun");
    if (!why.empty()) text += fmt::format(" ({})", why);
    return text;
}

}  // namespace

std::string json_result(const engine::Transfer& transfer, const engine::Outcome& outcome, int signal) {
    Json line;
    line["op"] = transfer.command ? text_or_null(*transfer.command) : Json(engine::verb(transfer));
    if (transfer.group > 0) line["line"] = transfer.group;
    line["source"] = source_of(transfer);
    line["target"] = target_of(transfer);
    line["size"] = outcome.size;
    line["etag"] = text_or_null(outcome.etag);
    line["version_id"] = text_or_null(outcome.version_id);
    line["checksum"] = text_or_null(outcome.checksum);
    line["attempts"] = outcome.attempts;
    line["elapsed_ms"] = to_ms(outcome.elapsed);
    line["cached"] = outcome.cached;
    // Only where they hold, so that nobody takes such a line for a transfer.
    if (outcome.skipped) line["skipped"] = true;
    if (outcome.dry_run) line["dry_run"] = true;
    line["error"] = error_of(outcome, signal);
    return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string summary_text(const Tally& tally, const RunEnd& end) {
    // A listing, or a tree of which no item had its turn.
    if (tally.items() == 0 && tally.cut_short() && !tally.left()) return fmt::format("not finished: {}", end.why_cut);
    std::string text;
    const bool total_known = !tally.cut_short() || tally.left();
    if (tally.failed() > 0 && total_known) {
        text = fmt::format("{} of {} failed, ", tally.failed(), count_of(tally.items() + tally.left().value_or(0)));
    } else if (tally.failed() > 0) {
        text = fmt::format("{} failed, ", count_of(tally.failed()));
    }
    text += tally.failed() > 0 ? fmt::format("{} done", tally.done()) : count_of(tally.done()) + " done";
    if (tally.skipped() > 0) text += fmt::format(" ({} skipped)", tally.skipped());
    if (tally.cut_short()) text += ", " + left_text(tally, end.why_cut);
    text += fmt::format(", {} in {}", format_size(tally.bytes()), format_duration(end.elapsed));
    if (end.retries > 0) text += fmt::format(", {} {}", end.retries, end.retries == 1 ? "retry" : "retries");
    if (tally.first()) text += "; the first: " + first_text(tally);
    return text;
}

std::string json_summary(const Tally& tally, const RunEnd& end) {
    Json sum;
    sum["done"] = tally.done();
    sum["failed"] = tally.failed();
    sum["skipped"] = tally.skipped();
    sum["not_begun"] = !tally.cut_short() ? Json(0) : tally.left() ? Json(*tally.left()) : Json(nullptr);
    sum["bytes"] = tally.bytes();
    sum["requests"] = end.requests;
    sum["retries"] = end.retries;
    sum["elapsed_ms"] = to_ms(end.elapsed);
    sum["exit_code"] = end.exit_code;
    sum["first_error"] = nullptr;
    if (tally.first()) {
        Json error;
        error["item"] = tally.first()->item;
        error["kind"] = to_string(tally.first()->error.kind);
        error["message"] = tally.first()->error.message;
        sum["first_error"] = std::move(error);
    }
    Json line;
    if (end.listed) {
        line["type"] = "sum";
        line["objects"] = end.listed->objects;
        line["bytes"] = end.listed->bytes;
    }
    line["summary"] = std::move(sum);
    return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string both_ends(const engine::Transfer& transfer) {
    switch (transfer.kind) {
        case engine::TransferKind::put:
            return fmt::format("{}: {} to {}", engine::verb(transfer), local_name(transfer.local),
                               wire::to_text(transfer.target));
        case engine::TransferKind::get:
            return fmt::format("{}: {} to {}", engine::verb(transfer), wire::to_text(transfer.source),
                               local_name(transfer.local));
        case engine::TransferKind::copy:
            return fmt::format("{}: {} to {}", engine::verb(transfer), wire::to_text(transfer.source),
                               wire::to_text(transfer.target));
        case engine::TransferKind::remove:
        case engine::TransferKind::stat:
        case engine::TransferKind::abort_upload:
        case engine::TransferKind::list: break;
    }
    return fmt::format("{}: {}", engine::verb(transfer), wire::to_text(transfer.target));
}

std::string failure_line(const engine::Transfer& transfer, const Error& error) {
    return fmt::format("s3tug: {}: {}", engine::item_name(transfer), error.message);
}

Report::Report(const OutputSettings& settings, Output& output, bool several, const std::atomic<int>& stop)
    : settings_(settings), output_(output), several_(several), stop_(stop) {}

void Report::item_done(const engine::Transfer& transfer, const engine::Outcome& outcome) {
    const bool to_stdout =
        transfer.kind == engine::TransferKind::get && transfer.local.kind == engine::LocalEnd::Kind::stdio;
    if (outcome.ok() && outcome.facts)
        output_.data(settings_.json ? stat_json(transfer, outcome) : stat_text(transfer, outcome));
    else if (settings_.json)
        output_.data(json_result(transfer, outcome, stop_.load()));
    if (!outcome.ok()) {
        const bool reader_left = outcome.error->kind == ErrorKind::broken_pipe;
        if (several_ && !reader_left) output_.talk(failure_line(transfer, *outcome.error));
        return;
    }
    if (outcome.dry_run && !settings_.json) {
        const std::string line = "(dryrun) " + both_ends(transfer);
        // Standard output belongs to the object then.
        to_stdout ? output_.talk(line) : output_.data(line);
    }
    if (settings_.quiet || settings_.json) return;
    const std::string name = "s3tug: " + engine::item_name(transfer);
    if (outcome.skipped && !several_) output_.talk(name + ": skipped, something stands there already (--no-clobber)");
    if (outcome.cached) {
        output_.talk(fmt::format("{}: done before under this idempotency key, nothing was sent (size {}, ETag {})",
                                 name, outcome.size, outcome.etag.empty() ? "not known" : printable(outcome.etag)));
    }
}

void Report::all_done(const Tally& tally, const RunEnd& end) {
    if ((several_ || end.listed) && settings_.json) output_.data(json_summary(tally, end));
    const bool went_well = !tally.first() && !tally.cut_short();
    if (went_well) {
        if (several_ && (settings_.verbosity > 0 || end.progress_shown))
            output_.talk("s3tug: " + summary_text(tally, end));
        return;
    }
    // Whoever closed the pipe knows; head(1) is no trouble worth a line.
    if (tally.first() && tally.first()->error.kind == ErrorKind::broken_pipe) return;
    // The only item there was: its line is the last one already.
    if (several_ && tally.failed() == 1 && tally.items() == 1 && !tally.cut_short()) return;
    const bool single = !several_ && tally.first();
    output_.talk("s3tug: " + (single ? first_text(tally) : summary_text(tally, end)));
}

}  // namespace s3tug::cmd
