#include "engine/endpoint_memory.h"

#include "base/limits.h"
#include "base/record.h"

namespace s3tug::engine {
namespace {

constexpr Duration offset_max = hours(24 * 365 * 20);

}  // namespace

EndpointMemory::EndpointMemory(wire::Endpoint endpoint, port::StateStore& state, port::Clock& clock)
    : endpoint_(std::move(endpoint)), state_(state), clock_(clock), origin_(wire::origin(endpoint_)) {}

void EndpointMemory::load(policy::Pace& pace) {
    const std::optional<std::string> text = state_.read(port::Table::endpoint, origin_);
    if (!text) return;
    const std::optional<RecordReader> record = RecordReader::parse(*text);
    if (!record) return;
    const Duration offset = milliseconds(record->number("clock_offset_ms").value_or(0));
    if (offset > -offset_max && offset < offset_max) clock_offset_ = offset;
    refuses_checksums_ = record->number("refuses_checksums").value_or(0) == 1;
    wants_bare_etags_ = record->number("wants_bare_etags").value_or(0) == 1;
    ignores_expect_ = record->number("ignores_expect").value_or(0) == 1;
    pace_record_ = record->text("pace").value_or("");
    if (!pace_record_.empty()) pace.adopt(pace_record_, clock_.wall(), clock_.now());
}

const wire::Endpoint& EndpointMemory::endpoint_for(const std::string& bucket) {
    if (const auto found = by_bucket_.find(bucket); found != by_bucket_.end()) return found->second;
    if (!endpoint_.aws) return endpoint_;
    const std::optional<std::string> region = state_.read(port::Table::bucket, bucket);
    if (!region || !wire::valid_region(*region)) return endpoint_;
    return by_bucket_.emplace(bucket, wire::with_region(endpoint_, *region)).first->second;
}

WallTime EndpointMemory::corrected_now() const { return clock_.wall() + clock_offset_; }

void EndpointMemory::learn_clock_offset(Duration offset) {
    // A clock that has been set right again must not keep the old correction.
    clock_offset_ = offset > -limits::skew_tolerated && offset < limits::skew_tolerated ? Duration::zero() : offset;
    save();
}

void EndpointMemory::learn_region(const std::string& bucket, std::string_view region) {
    by_bucket_.insert_or_assign(bucket, wire::with_region(endpoint_, region));
    if (!endpoint_.aws) return;
    state_.update(port::Table::bucket, bucket, [&](const auto&) { return std::string(region); });
}

void EndpointMemory::learn_refuses_checksums() {
    refuses_checksums_ = true;
    save();
}

void EndpointMemory::learn_bare_etags(bool wanted) {
    if (wanted == wants_bare_etags_) return;
    wants_bare_etags_ = wanted;
    save();
}

void EndpointMemory::learn_ignores_expect() {
    if (ignores_expect_) return;
    ignores_expect_ = true;
    save();
}

void EndpointMemory::save_pace(const policy::Pace& pace) {
    std::string record = pace.record(clock_.wall());
    if (record.empty() && pace_record_.empty()) return;
    pace_record_ = std::move(record);
    save();
}

void EndpointMemory::save() {
    RecordWriter writer;
    if (clock_offset_ != Duration::zero()) writer.number("clock_offset_ms", to_ms(clock_offset_));
    if (refuses_checksums_) writer.number("refuses_checksums", 1);
    if (wants_bare_etags_) writer.number("wants_bare_etags", 1);
    if (ignores_expect_) writer.number("ignores_expect", 1);
    if (!pace_record_.empty()) writer.text("pace", pace_record_);
    std::string record = std::move(writer).take();
    state_.update(port::Table::endpoint, origin_, [&](const auto&) { return record; });
}

}  // namespace s3tug::engine
