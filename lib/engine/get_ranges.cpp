#include <algorithm>

#include "base/limits.h"
#include "engine/get_flow.h"
#include "wire/object_requests.h"

/// A download that spreads over ranges: when it may, which part comes next, and by which request.
namespace s3tug::engine {

wire::Request GetFlow::build_range(const RangeSink& sink) const {
    wire::GetObjectInput input;
    input.source = transfer_.source;
    input.version_id = ranged_->pin().version_id;
    input.extra = transfer_.properties.extra;
    input.if_match = ranged_->pin().etag;
    input.range_first = sink.next_byte();
    input.range_last = sink.last_byte();
    return wire::get_object(input);
}

void GetFlow::send_range(Desk& desk, std::size_t part) {
    const unsigned tag = ++last_tag_;
    auto made = std::make_unique<RangeSink>(ranged_->parts(), writer(), ranged_->pin(), part, claim_behind(part));
    RangeSink* sink = made.get();
    workers_.emplace(tag, std::move(made));
    desk.send(tag, range_spec(*sink));
}

OperationSpec GetFlow::range_spec(RangeSink& sink) const {
    OperationSpec get;
    get.op = wire::Op::get_object;
    get.build = [this, &sink] { return build_range(sink); };
    get.sink = &sink;
    get.local_error = [&sink] { return sink.error(); };
    get.repair = [](policy::Repair repair) { return repair == policy::Repair::restart; };
    get.review = [&sink](const wire::Reply& reply, policy::Verdict& verdict) { sink.review(reply, verdict); };
    return get;
}

bool GetFlow::to_split(const wire::ObjectFacts& facts, const wire::HttpAnswer& head) const {
    if (head.status != 200 || in_order_only_ || single_->received() > 0) return false;
    const DownloadConfig& config = services_.config.download;
    if (!facts.size || *facts.size == 0) return false;
    if (transfer_.expect_size && *transfer_.expect_size != *facts.size) return false;
    if (!target_->seekable() && head.headers.find("accept-ranges").value_or("") != "bytes") return false;
    if (facts.etag.empty() && facts.version_id.empty()) return false;
    return *facts.size > config.threshold || waits_for_sizes(facts);
}

void GetFlow::split(const wire::ObjectFacts& facts) {
    const DownloadConfig& config = services_.config.download;
    const bool stream = !target_->seekable();
    if (stream) {
        window_ = std::make_unique<StreamWindow>(*target_, services_.buffers, services_.run.deadline,
                                                 [this](ByteSpan bytes) { has_left(bytes); });
    }
    if (facts.size <= config.threshold) {  // for the sake of the window: one answer brings it
        flight_ = FlightLimit(1, 1);
    } else if (services_.now() - asked_ < limits::near_answer) {
        const policy::PaceConfig& pace = services_.config.pace;
        flight_ = FlightLimit(first_parts_in_flight(pace), pace.concurrency_max);
    }
    ranged_.emplace(
        *target_,
        RangedDownload::plan(facts, transfer_.version_id, stream ? config.stream_part_bytes : config.part_bytes,
                             wire::origin(services_.config.endpoint), transfer_.checksum.has_value()),
        wish());
    if (stream) begin_passing();
    const std::size_t part = claim().value_or(0);
    auto worker = std::make_unique<RangeSink>(ranged_->parts(), writer(), ranged_->pin(), part, claim_behind(part));
    worker->expect_whole([this](std::size_t further) { return admit(further); });
    if (Status room = target_->reserve(ranged_->pin().size); !room)
        worker->fail(std::move(room).error());
    else
        kept_->save(ranged_->record());
    workers_.emplace(entry_tag, std::move(worker));
}

RangeSink::Writer GetFlow::writer() const {
    if (window_ != nullptr)
        return [window = window_.get()](uint64_t offset, ByteSpan bytes) { return window->write_at(offset, bytes); };
    return [file = target_.get()](uint64_t offset, ByteSpan bytes) { return file->write_at(offset, bytes); };
}

/// A stream must have room for what comes early.
bool GetFlow::admit(std::size_t part) {
    return !window_ || window_->admit(ranged_->parts().first(part), ranged_->parts().bytes(part));
}

std::optional<std::size_t> GetFlow::claim() {
    const std::size_t part = ranged_->parts().lowest_free();
    if (part >= ranged_->parts().count() || !admit(part)) return std::nullopt;
    return ranged_->parts().claim();
}

/// How many parts more one request is to bring: as many as keep those that may be in flight busy once, within a bound.
/// A request that is not sent cannot fail. A stream takes part by part, since it has little room for what comes early.
std::size_t GetFlow::claim_behind(std::size_t part) {
    if (window_) return 0;
    const std::size_t share = (ranged_->parts().count() + flight_.limit() - 1) / flight_.limit();
    return ranged_->parts().claim_behind(part,
                                         std::min<std::size_t>(share, services_.config.download.parts_per_request) - 1);
}

/// The request that every get begins with brings part after part and tells of none: all that came meanwhile is counted.
void GetFlow::part_done() {
    const uint64_t received = ranged_->parts().received();
    if (received > measured_) flight_.part_done(received - measured_, services_.now());
    measured_ = received;
}

}  // namespace s3tug::engine
