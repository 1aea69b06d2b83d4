#include "engine/listed_items.h"

#include <utility>

#include "engine/flow.h"

namespace s3tug::engine {

ListedItems::ListedItems(KeySelection selection, const std::vector<wire::Header>& extra, ObjectItem make,
                         std::string command)
    : selection_(std::move(selection)),
      make_(std::move(make)),
      command_(std::move(command)),
      stages_(selection_.listings()) {
    for (wire::ListObjectsInput& stage : stages_) stage.extra = extra;
}

std::optional<Transfer> ListedItems::next() {
    for (;;) {
        if (ended_) return std::nullopt;
        if (std::optional<Transfer> item = from_page()) return item;
        if (!ahead_.empty()) {
            page_ = std::exchange(ahead_, {});
            position_ = 0;
            continue;
        }
        if (!all_listed()) return std::nullopt;
        ended_ = true;
        if (failure_) return std::exchange(failure_, std::nullopt);
        if (!found_) return nothing_there();
    }
}

Transfer ListedItems::nothing_there() const {
    wire::ListObjectsInput whole;
    whole.bucket = selection_.bucket;
    whole.prefix = selection_.pattern ? selection_.pattern->pattern : selection_.root;
    Transfer item =
        refused(whole, {ErrorKind::not_found,
                        selection_.pattern ? "no object matches it" : "there is no object of this name or below it"});
    if (!command_.empty()) item.command = command_;
    return item;
}

std::optional<Transfer> ListedItems::from_page() {
    while (position_ < page_.size()) {
        const wire::ListedObject& object = page_[position_++];
        const std::optional<std::string> name = selection_.name_of(object.key);
        if (!name) continue;
        found_ = true;
        if (!selection_.filter.keeps(*name)) continue;
        if (std::optional<Transfer> item = make_(object, *name)) return item;
    }
    return std::nullopt;
}

std::optional<PlanningRequest> ListedItems::request() {
    const bool enough = !ahead_.empty() || page_.size() - position_ > limits::list_page_max / 2;
    if (ended_ || asked_ || all_listed() || enough) return std::nullopt;
    if (!listing_) listing_.emplace(stages_[stage_]);
    asked_ = true;
    return listing_->request();
}

void ListedItems::on_result(OperationResult result) {
    asked_ = false;
    if (ended_) return;
    StoreSaid said = said_by_store(result);
    Result<wire::ListObjectsPage> page = listing_->take(std::move(result));
    if (!page) {
        failure_ = refused(listing_->scope(), std::move(page).error());
        failure_->refused_by = std::move(said);
        stage_ = stages_.size();
        return;
    }
    const bool only_itself = stage_ + 1 < stages_.size();
    if (only_itself) std::erase_if(page->objects, [this](const auto& o) { return !selection_.is_root(o.key); });
    ahead_ = std::move(page->objects);
    if (!only_itself && !listing_->ended()) return;
    listing_.reset();
    ++stage_;
}

Transfer ListedItems::refused(const wire::ListObjectsInput& scope, Error error) const {
    Transfer item = listing_of(scope);
    item.refused = std::move(error);
    return item;
}

void ListedItems::stop() {
    ended_ = true;
    page_.clear();
    ahead_.clear();
    failure_.reset();
}

}  // namespace s3tug::engine
