#include "cmd/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/bytes.h"
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

Json error_of(const engine::Outcome& outcome) {
    if (outcome.ok()) return nullptr;
    Json error;
    error["kind"] = to_string(outcome.error->kind);
    error["message"] = outcome.error->message;
    error["exit_code"] = exit_code_of(outcome.error->kind);
    error["status"] = outcome.status == 0 ? Json(nullptr) : Json(outcome.status);
    error["code"] = text_or_null(outcome.code);
    error["request_id"] = text_or_null(outcome.request_id);
    return error;
}

std::string local_name(const engine::LocalEnd& local) {
    return local.kind == engine::LocalEnd::Kind::stdio ? "-" : printable(local.path);
}

}  // namespace

std::string json_result(const engine::Transfer& transfer, const engine::Outcome& outcome) {
    Json line;
    line["op"] = engine::verb(transfer);
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
    line["error"] = error_of(outcome);
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
    return fmt::format("{}: {}", engine::to_string(transfer.kind), wire::to_text(transfer.target));
}

std::string failure_line(const engine::Transfer& transfer, const Error& error) {
    return fmt::format("s3tug: {}: {}", engine::item_name(transfer), error.message);
}

Report::Report(const OutputSettings& settings, Output& output, bool several)
    : settings_(settings), output_(output), several_(several) {}

void Report::item_done(const engine::Transfer& transfer, const engine::Outcome& outcome) {
    const bool to_stdout =
        transfer.kind == engine::TransferKind::get && transfer.local.kind == engine::LocalEnd::Kind::stdio;
    if (outcome.ok() && outcome.facts)
        output_.data(settings_.json ? stat_json(transfer, outcome) : stat_text(transfer, outcome));
    else if (settings_.json)
        output_.data(json_result(transfer, outcome));
    if (!outcome.ok()) {
        if (several_) output_.talk(failure_line(transfer, *outcome.error));
        return;
    }
    if (outcome.dry_run && !settings_.json) {
        const std::string line = "(dryrun) " + both_ends(transfer);
        // Standard output belongs to the object then.
        to_stdout ? output_.talk(line) : output_.data(line);
    }
    if (settings_.quiet || settings_.json) return;
    const std::string name = "s3tug: " + engine::item_name(transfer);
    if (outcome.skipped) output_.talk(name + ": skipped, something stands there already (--no-clobber)");
    if (outcome.cached) {
        output_.talk(fmt::format("{}: done before under this idempotency key, nothing was sent (size {}, ETag {})",
                                 name, outcome.size, outcome.etag.empty() ? "not known" : printable(outcome.etag)));
    }
}

void Report::all_done(const Tally& tally) {
    if (!tally.first()) return;
    const Tally::Failure& first = *tally.first();
    // Whoever closed the pipe knows; head(1) is no trouble worth a line.
    if (first.error.kind == ErrorKind::broken_pipe) return;
    const std::string reason = fmt::format("{}: {}", first.item, first.error.message);
    if (!several_) return output_.talk("s3tug: " + reason);
    output_.talk(fmt::format("s3tug: {} of {} items failed; the first: {}", tally.failed(), tally.items(), reason));
}

}  // namespace s3tug::cmd
