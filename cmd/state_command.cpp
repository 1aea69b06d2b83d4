#include "cmd/state_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/record.h"
#include "base/text.h"
#include "policy/idempotency.h"

namespace s3tug::cmd {
namespace {

using Json = nlohmann::ordered_json;
using port::Table;

constexpr std::array shown_tables = {Table::breaker, Table::idempotency, Table::endpoint, Table::bucket,
                                     Table::upload,  Table::upload_part, Table::download, Table::run};

/// One record as name and value pairs; the same for text and JSON.
Json breaker_fields(const port::StateEntry& entry, const policy::BreakerConfig& config, const policy::BreakerNow& now) {
    Json fields;
    const std::optional<policy::BreakerRecord> record = policy::decode_breaker(entry.value);
    if (!record) {
        fields["state"] = "unreadable";
        return fields;
    }
    fields["state"] = policy::to_string(record->state);
    // A breaker that has only counted failures has never changed.
    if (record->changed_wall != WallTime{}) fields["since"] = format_utc(record->changed_wall);
    if (record->state == policy::BreakerState::open) {
        const policy::Admission asked = policy::ask(config, *record, now, {}, 0);
        fields["trials_in_ms"] = to_ms(asked.retry_in.value_or(Duration::zero()));
    }
    if (record->state == policy::BreakerState::half_open) {
        fields["trials_running"] = record->permits.size();
        fields["trials_done"] = record->successes;
    }
    // What failed in trials is told by the rounds.
    if (record->state == policy::BreakerState::closed || record->failures != 0) fields["failures"] = record->failures;
    if (record->failed_rounds != 0) fields["failed_rounds"] = record->failed_rounds;
    if (!record->last_error.empty()) fields["last_error"] = printable(record->last_error);
    return fields;
}

Json idempotency_fields(const port::StateEntry& entry) {
    Json fields;
    const std::optional<policy::KeyRecord> record = policy::decode_key_record(entry.value);
    if (!record) {
        fields["state"] = "unreadable";
        return fields;
    }
    fields["state"] = record->done ? "done" : "at work";
    fields["since"] = format_utc(record->done ? record->finished : record->started);
    if (record->done) fields["kept_until"] = format_utc(policy::kept_until(*record, limits::idempotency_keep));
    if (!record->done) fields["pid"] = record->owner.pid;
    return fields;
}

Json endpoint_fields(const port::StateEntry& entry) {
    Json fields;
    const std::optional<RecordReader> record = RecordReader::parse(entry.value);
    if (!record) return Json{{"record", "unreadable"}};
    if (const auto offset = record->number("clock_offset_ms")) fields["clock_offset_ms"] = *offset;
    if (record->number("refuses_checksums").value_or(0) == 1) fields["refuses_checksums"] = true;
    if (record->number("wants_bare_etags").value_or(0) == 1) fields["wants_bare_etags"] = true;
    if (record->number("ignores_expect").value_or(0) == 1) fields["ignores_expect"] = true;
    if (const auto pace = RecordReader::parse(record->text("pace").value_or(""))) {
        if (const auto n = pace->number("concurrency")) fields["concurrency"] = *n;
        if (const auto us = pace->number("interval_us")) fields["interval_ms"] = *us / 1000;
        if (const auto at = pace->number("at_unix_ms")) fields["throttled"] = format_utc(WallTime(milliseconds(*at)));
    }
    fields["updated"] = format_utc(entry.updated);
    return fields;
}

std::vector<std::string_view> lines_of(std::string_view text, std::string_view end) {
    std::vector<std::string_view> out;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t stop = std::min(text.find(end, at), text.size());
        out.push_back(text.substr(at, stop - at));
        at = stop + end.size();
    }
    return out;
}

Json fields_of(Table table, const port::StateEntry& entry, const policy::BreakerConfig& config,
               const policy::BreakerNow& now) {
    if (table == Table::breaker) return breaker_fields(entry, config, now);
    if (table == Table::idempotency) return idempotency_fields(entry);
    if (table == Table::endpoint) return endpoint_fields(entry);
    // Records are lines; one within another has its line ends escaped.
    std::string record = fmt::format("{}", fmt::join(lines_of(trim(entry.value), "\n"), " "));
    record = fmt::format("{}", fmt::join(lines_of(record, "\\n"), " "));
    return Json{{"record", printable(trim(record))}, {"updated", format_utc(entry.updated)}};
}

std::string text_line(Table table, const port::StateEntry& entry, const Json& fields) {
    std::string line = fmt::format("{} {}", port::to_string(table), printable(entry.key));
    for (const auto& [name, value] : fields.items()) {
        if (name.ends_with("_ms")) {
            line += fmt::format(" {}={}", std::string_view(name).substr(0, name.size() - 3),
                                format_duration(milliseconds(value.get<int64_t>())));
        } else {
            line += fmt::format(" {}={}", name, value.is_string() ? value.get<std::string>() : value.dump());
        }
    }
    return line;
}

std::string json_line(Table table, const port::StateEntry& entry, const Json& fields) {
    Json line{{"table", port::to_string(table)}, {"key", entry.key}};
    line.update(fields);
    return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void show_file(const host::StateDescription& file, bool json, Output& output) {
    if (json) {
        Json line{{"table", "file"}, {"path", file.path}, {"exists", file.exists}, {"bytes", file.bytes}};
        line["trouble"] = file.trouble.empty() ? Json(nullptr) : Json(file.trouble);
        return output.data(line.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    std::string line = "file " + (file.path.empty() ? std::string("(no place works)") : printable(file.path));
    line += file.exists ? ", " + format_size(file.bytes) : ", not there yet";
    if (!file.trouble.empty()) line += ", does not work: " + file.trouble;
    output.data(line);
    for (const std::string& refused : file.refused) output.data("passed over " + printable(refused));
}

Error bad_words() {
    return {ErrorKind::usage, fmt::format("state: right form: s3tug state {}", command(CommandId::state).operands)};
}

/// The tables that a word of `state reset` stands for; empty = not such a word.
std::vector<Table> tables_named(std::string_view word) {
    if (word == "all") return {shown_tables.begin(), shown_tables.end()};
    if (word == "upload") return {Table::upload, Table::upload_part};
    for (const Table table : shown_tables) {
        if (table != Table::upload_part && port::to_string(table) == word) return {table};
    }
    return {};
}

Status reset(std::span<const std::string> words, port::StateStore& store) {
    if (words.empty()) {
        return Error{ErrorKind::usage, "state reset: say what to forget, or all; as in s3tug state reset breaker"};
    }
    std::vector<Table> tables;
    for (const std::string& word : words) {
        const std::vector<Table> named = tables_named(word);
        if (named.empty()) return bad_words();
        tables.insert(tables.end(), named.begin(), named.end());
    }
    for (const Table table : tables) {
        if (!store.erase_all(table)) {
            return Error{ErrorKind::state_file,
                         fmt::format("state reset: {} could not be erased", port::to_string(table))};
        }
    }
    return {};
}

}  // namespace

Status run_state_command(const std::vector<std::string>& operands, const Settings& settings,
                         const host::StateDescription& file, port::StateStore& store, const policy::BreakerNow& now,
                         Output& output) {
    if (operands.empty()) return bad_words();
    if (operands.front() == "reset") return reset(std::span(operands).subspan(1), store);
    if (operands.front() != "show" || operands.size() > 2) return bad_words();
    const std::string only = operands.size() == 2 && operands[1] != "all" ? operands[1] : std::string();
    const auto wanted = [&only](Table table) { return only.empty() || only == port::to_string(table); };
    if (std::none_of(shown_tables.begin(), shown_tables.end(), wanted)) return bad_words();
    show_file(file, settings.output.json, output);
    if (!file.exists || !file.trouble.empty()) return {};
    for (const Table table : shown_tables) {
        if (!wanted(table)) continue;
        for (const port::StateEntry& entry : store.list(table)) {
            const Json fields = fields_of(table, entry, settings.engine.breaker, now);
            output.data(settings.output.json ? json_line(table, entry, fields) : text_line(table, entry, fields));
        }
    }
    return {};
}

}  // namespace s3tug::cmd
