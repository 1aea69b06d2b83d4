#include "engine/chained_items.h"

#include <algorithm>

namespace s3tug::engine {

std::optional<Transfer> ChainedItems::next() {
    for (; current_ < sources_.size(); ++current_) {
        if (std::optional<Transfer> item = sources_[current_]->next()) return item;
        if (!sources_[current_]->ended()) return std::nullopt;
    }
    return std::nullopt;
}

bool ChainedItems::ended() const {
    return std::all_of(sources_.begin() + static_cast<std::ptrdiff_t>(current_), sources_.end(),
                       [](const auto& source) { return source->ended(); });
}

std::optional<PlanningRequest> ChainedItems::request() {
    return current_ < sources_.size() ? sources_[current_]->request() : std::nullopt;
}

void ChainedItems::on_result(OperationResult result) {
    if (current_ < sources_.size()) sources_[current_]->on_result(std::move(result));
}

void ChainedItems::stop() {
    for (const auto& source : sources_) source->stop();
}

}  // namespace s3tug::engine
