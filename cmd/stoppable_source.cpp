#include "cmd/stoppable_source.h"

#include <utility>

#include "engine/flow.h"

namespace s3tug::cmd {

std::optional<engine::Transfer> StoppableSource::next() {
    if (stopped_) return std::nullopt;
    return inner_.next();
}

std::optional<engine::PlanningRequest> StoppableSource::request() {
    if (stopped_) return std::nullopt;
    std::optional<engine::PlanningRequest> request = inner_.request();
    if (request) asked_ = request->about;
    return request;
}

void StoppableSource::on_result(engine::OperationResult result) {
    if (stopped_ && result.error) cut_listing_ = {asked_, engine::failed(result)};
    inner_.on_result(std::move(result));
}

void StoppableSource::stop() {
    if (stopped_) return;
    cut_short_ = !inner_.ended();
    left_ = inner_.left();
    stopped_ = true;
    inner_.stop();
}

std::optional<uint64_t> StoppableSource::left() const { return stopped_ ? left_ : inner_.left(); }

}  // namespace s3tug::cmd
