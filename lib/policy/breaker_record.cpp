#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/record.h"
#include "policy/breaker.h"
#include "policy/process_text.h"

namespace s3tug::policy {

namespace {

constexpr std::array all_states{BreakerState::closed, BreakerState::open, BreakerState::half_open};

std::optional<BreakerState> state_from_text(const std::optional<std::string>& text) {
    for (const BreakerState state : all_states) {
        if (text == to_string(state)) return state;
    }
    return std::nullopt;
}

std::string permit_text(const Permit& permit) {
    return fmt::format("{:x} {} {}", permit.id, permit.lease_end.time_since_epoch().count(),
                       process_text(permit.owner));
}

bool sane(Duration since_epoch) { return since_epoch >= -limits::instant_max && since_epoch <= limits::instant_max; }

std::optional<Permit> permit_from_text(std::string_view text) {
    const auto id = number_from_word<uint64_t>(take_word(text), 16);
    const auto lease_end = number_from_word<int64_t>(take_word(text));
    auto owner = process_from_text(text);
    if (!id || !lease_end || !sane(Duration(*lease_end)) || !owner) return std::nullopt;
    return Permit{*id, *std::move(owner), Instant(Duration(*lease_end))};
}

/// Reads fields one by one and remembers whether one was missing, not a number or out of its bounds.
class FieldReader {
  public:
    explicit FieldReader(const RecordReader& reader) : reader_(reader) {}

    uint64_t count(std::string_view name, int64_t most) { return static_cast<uint64_t>(bounded(name, 0, most)); }
    Instant instant(std::string_view name) {
        return Instant(Duration(bounded(name, -limits::instant_max.count(), limits::instant_max.count())));
    }
    WallTime wall(std::string_view name) {
        return WallTime(Duration(bounded(name, 0, std::numeric_limits<int64_t>::max())));
    }
    std::string text(std::string_view name) {
        auto value = reader_.text(name);
        valid_ = valid_ && value.has_value();
        return std::move(value).value_or(std::string());
    }
    [[nodiscard]] bool valid() const { return valid_; }

  private:
    int64_t bounded(std::string_view name, int64_t least, int64_t most) {
        const auto value = reader_.number(name);
        if (value && *value >= least && *value <= most) return *value;
        valid_ = false;
        return 0;
    }

    const RecordReader& reader_;
    bool valid_ = true;
};

bool read_permits(const RecordReader& reader, BreakerRecord& record) {
    const std::vector<std::string> texts = reader.all("permit");
    if (texts.size() > limits::breaker_trials_max) return false;
    for (const std::string& text : texts) {
        auto permit = permit_from_text(text);
        if (!permit) return false;
        const auto same_id = [&](const Permit& other) { return other.id == permit->id; };
        if (std::any_of(record.permits.begin(), record.permits.end(), same_id)) return false;
        record.permits.push_back(*std::move(permit));
    }
    return record.permits.empty() || record.state == BreakerState::half_open;
}

}  // namespace

std::string_view to_string(BreakerState s) {
    switch (s) {
        case BreakerState::closed: break;
        case BreakerState::open: return "open";
        case BreakerState::half_open: return "half-open";
    }
    return "closed";
}

std::string encode(const BreakerRecord& record) {
    RecordWriter writer;
    writer.text("state", to_string(record.state))
        .number("generation", static_cast<int64_t>(record.generation))
        .number("failures", record.failures)
        .number("successes", record.successes)
        .number("failed_rounds", record.failed_rounds)
        .number("changed_at_ns", record.changed_at.time_since_epoch().count())
        .number("last_failure_at_ns", record.last_failure_at.time_since_epoch().count())
        .number("changed_wall_ns", record.changed_wall.time_since_epoch().count())
        .number("last_failure_wall_ns", record.last_failure_wall.time_since_epoch().count())
        .text("boot_id", record.boot_id)
        .text("last_error", record.last_error);
    for (const Permit& permit : record.permits) writer.text("permit", permit_text(permit));
    return std::move(writer).take();
}

std::optional<BreakerRecord> decode_breaker(std::string_view text) {
    if (text.size() > limits::state_value_max_bytes) return std::nullopt;
    const auto reader = RecordReader::parse(text);
    if (!reader) return std::nullopt;
    const auto state = state_from_text(reader->text("state"));
    if (!state) return std::nullopt;

    FieldReader fields(*reader);
    BreakerRecord record;
    record.state = *state;
    record.generation = fields.count("generation", std::numeric_limits<int64_t>::max() - 1);
    record.failures = static_cast<unsigned>(fields.count("failures", limits::breaker_count_max));
    record.successes = static_cast<unsigned>(fields.count("successes", limits::breaker_trials_max));
    record.failed_rounds = static_cast<unsigned>(fields.count("failed_rounds", limits::breaker_count_max));
    record.changed_at = fields.instant("changed_at_ns");
    record.last_failure_at = fields.instant("last_failure_at_ns");
    record.changed_wall = fields.wall("changed_wall_ns");
    record.last_failure_wall = fields.wall("last_failure_wall_ns");
    record.boot_id = fields.text("boot_id");
    record.last_error = fields.text("last_error");
    if (!fields.valid() || record.last_error.size() > limits::breaker_error_max_bytes) return std::nullopt;
    if (!read_permits(*reader, record)) return std::nullopt;
    return record;
}

}  // namespace s3tug::policy
