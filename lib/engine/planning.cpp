#include "engine/planning.h"

namespace s3tug::engine {

void PlanningFlow::begin(Desk& desk, const std::string&, bool) { desk.send(0, std::move(spec_)); }

void PlanningFlow::on_result(Desk& desk, unsigned, OperationResult result) {
    result_ = std::move(result);
    desk.finish(failed(*result_));
}

OperationResult PlanningFlow::take_result(const Outcome& outcome) {
    if (result_) return std::move(*result_);
    OperationResult result;
    result.error = outcome.error;
    return result;
}

Transfer about_planning(Transfer about) {
    about.kind = TransferKind::list;
    about.refused.reset();
    about.refused_by = {};
    about.batch.clear();
    about.dry_run = false;
    about.idempotency_key.clear();
    return about;
}

}  // namespace s3tug::engine
