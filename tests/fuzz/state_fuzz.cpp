// Records of the state file, which another version or another program may have written.
#include "base/limits.h"
#include "base/record.h"
#include "engine/download_record.h"
#include "engine/upload_record.h"
#include "fuzz/fuzz.h"
#include "policy/breaker.h"
#include "policy/idempotency.h"
#include "policy/pace.h"
#include "policy/process_text.h"

namespace s3tug::fuzz {
namespace {

constexpr WallTime wall_now = wall_from_unix_seconds(1'790'000'000);
constexpr Instant boot_now{hours(5)};

/// What is written of a record that was read is read as the same record.
template <class Decode>
auto checked(std::string_view text, Decode decode, const char* what) {
    auto record = decode(text);
    if (record) {
        const std::string written = encode(*record);
        const auto again = decode(written);
        require(again.has_value(), std::string(what) + " is read as it was written", written);
        require(encode(*again) == written, std::string(what) + " does not change by being written", written);
    }
    return record;
}

void check_breaker(std::string_view text) {
    const auto record = checked(text, policy::decode_breaker, "a breaker record");
    if (!record) return;
    policy::BreakerConfig config;
    const ProcessId self;
    const policy::BreakerNow at{boot_now, wall_now, "boot", [](const ProcessId&) { return Liveness::unknown; }};
    const policy::Admission admission = policy::ask(config, *record, at, self, 7);
    require(admission.ticket || !admission.reason.empty(), "a refusal has a reason");
    require(!admission.retry_in || *admission.retry_in <= config.open_for_max, "no record holds it open for longer");
    require(admission.record.permits.size() <= std::max<std::size_t>(config.trials, record->permits.size()),
            "permits are bounded");
    if (!admission.ticket) return;
    using policy::ItemResult;
    for (const ItemResult result : {ItemResult::success, ItemResult::failure, ItemResult::released}) {
        const auto update = policy::report(config, admission.record, at, *admission.ticket, result, "503");
        require(!update.changed || policy::decode_breaker(encode(update.record)).has_value(),
                "a record that is stored can be read", encode(update.record));
    }
    (void)policy::renew(config, admission.record, at, *admission.ticket);
}

void check_key(std::string_view text) {
    const auto record = checked(text, policy::decode_key_record, "a key record");
    for (const Liveness owner : {Liveness::alive, Liveness::dead, Liveness::unknown}) {
        const auto claim =
            policy::claim_key(record, "print", ProcessId{}, "token", wall_now, limits::idempotency_keep, owner);
        require(claim.kind != policy::ClaimKind::kept || (record && record->done && record->fingerprint == "print"),
                "only a result of the same thing is given");
    }
}

void check_upload(std::string_view text) {
    const auto record = checked(text, engine::decode_upload, "an upload record");
    if (record) {
        for (const Liveness owner : {Liveness::alive, Liveness::dead, Liveness::unknown}) {
            (void)engine::plan_resume(record, *record, owner, ProcessId{}, wall_now);
        }
        (void)engine::upload_key(*record);
    }
    const auto parts = engine::decode_parts(text);
    const std::string written = engine::encode(parts);
    require(engine::decode_parts(written) == parts, "parts are read as they were written", written);
}

void check_download(std::string_view text) {
    auto record = checked(text, engine::decode_download, "a download record");
    if (!record) return;
    require(record->parts.count() <= limits::download_parts_max, "a download has bounded parts");
    uint64_t sum = 0;
    for (std::size_t i = 0; i < record->parts.count(); ++i) {
        require(record->parts.part(i).reached <= record->parts.bytes(i), "no part holds more than its size");
        sum += record->parts.bytes(i);
    }
    require(sum == record->parts.size(), "the parts are the object");
    require(!record->parts.all_done(), "nothing is believed before it was hashed");
}

void check_pace(std::string_view text) {
    const policy::PaceConfig config;
    policy::Pace pace(config, boot_now);
    pace.adopt(text, wall_now, boot_now);
    require(pace.concurrency() >= 1 && pace.concurrency() <= config.concurrency_max, "a pace keeps its bounds");
    pace.sent(boot_now);
    require(pace.next_send(boot_now) <= boot_now + config.interval_max, "and its interval");
    const std::string written = pace.record(wall_now);
    policy::Pace second(config, boot_now);
    second.adopt(written, wall_now, boot_now);
    require(second.record(wall_now) == written, "a pace is read as it was written", written);
}

}  // namespace
}  // namespace s3tug::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace s3tug;
    const std::string_view text = fuzz::text_of(data, size);
    RecordWriter writer;
    const std::string written = writer.text("a", text).take();
    const auto reader = RecordReader::parse(written);
    fuzz::require(reader && reader->text("a") == text && reader->all("a").size() == 1, "a text comes back", text);
    fuzz::check_breaker(text);
    fuzz::check_key(text);
    fuzz::check_upload(text);
    fuzz::check_download(text);
    fuzz::check_pace(text);
    if (const auto process = policy::process_from_text(text)) {
        fuzz::require(policy::process_from_text(policy::process_text(*process)) == process, "a process comes back");
    }
    return 0;
}
