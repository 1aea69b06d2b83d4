#include "cmd/stoppable_source.h"

#include <utility>

#include "engine/flow.h"

namespace s3tug::cmd {

std::optional<engine::Transfer> StoppableSource::next() {
    if (stopped_) return std::nullopt;
    std::optional<engine::Transfer> item = inner_.next();
    if (item && item->kind == engine::TransferKind::list) failed_listing_.reset();  // told now
    return item;
}

std::optional<engine::PlanningRequest> StoppableSource::request() {
    if (stopped_) return std::nullopt;
    std::optional<engine::PlanningRequest> request = inner_.request();
    if (request) asked_ = request->about;
    return request;
}

void StoppableSource::on_result(engine::OperationResult result) {
    if (result.error) failed_listing_ = {asked_, engine::failed(result)};
    inner_.on_result(std::move(result));
}

void StoppableSource::stop() {
    if (stopped_) return;
    cut_short_ = !inner_.ended();
    left_ = inner_.left();
    stopped_ = true;
    inner_.stop();
}

const StoppableSource::FailedListing* StoppableSource::cut_listing() const {
    return stopped_ && failed_listing_ ? &*failed_listing_ : nullptr;
}

std::optional<uint64_t> StoppableSource::left() const { return stopped_ ? left_ : inner_.left(); }

}  // namespace s3tug::cmd
