#include "engine/multipart_flow.h"

/// The end of an upload in parts: a second request for the part that keeps Complete waiting. The same number with the
/// same bytes: whichever the store has last is right. Not for copies, whose cost is the store's.
namespace s3tug::engine {

void MultipartFlow::hedge(Desk& desk) {
    if (phase_ != Phase::parts || job_.copies || in_flight_.empty() || !supply_->ended() || !desk.may_hedge()) return;
    const Instant now = services_.now();
    for (const auto& [number, part] : in_flight_) {
        const std::optional<Instant> since = desk.in_flight_since(multipart_tag::part + number);
        if (!since || !hedge_.may_begin(number) || !hedge_.is_slow(now - *since)) continue;
        hedge_.begin(number);
        return desk.send(multipart_tag::hedge, part_spec(*part));
    }
}

/// The first answer wins; the request that is slower ends with its connection, before its body was whole.
void MultipartFlow::on_hedge(Desk& desk, OperationResult result) {
    const std::optional<std::size_t> number = hedge_.part();
    hedge_.end();
    if (!number || result.error || phase_ != Phase::parts) return;
    const auto part = static_cast<unsigned>(*number);
    desk.abandon(multipart_tag::part + part);
    on_part(desk, part, std::move(result));
}

}  // namespace s3tug::engine
