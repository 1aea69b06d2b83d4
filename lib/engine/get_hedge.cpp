#include "engine/get_flow.h"

/// The end of a download in parts: a second request for the part that keeps all others waiting.
namespace s3tug::engine {

void GetFlow::hedge(Desk& desk) {
    if (window_) return;  // a stream takes each byte once
    if (second_ || workers_.empty() || ranged_->busy() || !desk.may_hedge()) return;
    const Instant now = services_.now();
    for (const auto& [tag, worker] : workers_) {
        const std::size_t index = worker->part();
        const std::optional<Instant> since = desk.in_flight_since(tag);
        if (!since || worker->error() || !hedge_.may_begin(index) ||
            !hedge_.is_slow((now - *since) / worker->parts_begun()))
            continue;
        const PartTable& parts = ranged_->parts();
        Second second{tag, std::make_unique<PartTable>(parts.size(), parts.part_bytes(), parts.algorithm()), nullptr};
        const PartTable::Part& part = parts.part(index);
        if (part.reached > 0) {
            second.parts->recall(index, part.reached, part.crc);
            second.parts->judge(index, true);
        }
        if (!second.parts->claim(index)) continue;
        second.sink = std::make_unique<RangeSink>(*second.parts, writer(), ranged_->pin(), index);
        hedge_.begin(index);
        second_ = std::move(second);
        return desk.send(hedge_tag, range_spec(*second_->sink));
    }
}

/// The first of the two that has the whole part wins. Both wrote to the same place, so what lies there is hashed before
/// it counts: a byte that was damaged on the slower way may have come last.
void GetFlow::on_hedge(Desk& desk, const OperationResult& result) {
    const std::size_t index = second_->sink->part();
    const uint64_t crc = second_->parts->part(index).crc;
    const bool whole = !result.error && second_->parts->missing(index) == 0;
    const unsigned first = second_->first_tag;
    second_.reset();
    hedge_.end();
    const auto worker = workers_.find(first);
    if (!whole || worker == workers_.end() || worker->second->part() != index) return;
    desk.abandon(first);
    ranged_->parts().release_behind(index, worker->second->last_part());
    workers_.erase(worker);
    ranged_->take_over(index, crc);
}

void GetFlow::drop_hedge(Desk& desk) {
    desk.abandon(hedge_tag);
    second_.reset();
    hedge_.end();
}

}  // namespace s3tug::engine
