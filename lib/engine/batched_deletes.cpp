#include "engine/batched_deletes.h"

#include <utility>

#include "base/limits.h"

namespace s3tug::engine {

namespace {

bool may_share(const Transfer& item) {
    return item.kind == TransferKind::remove && !item.refused && !item.dry_run && item.idempotency_key.empty() &&
           !item.conditions.any() && wire::fits_batch_delete(item.target.key);
}

}  // namespace

std::optional<Transfer> BatchedDeletes::next() {
    const auto from_source = [this] {
        source_->under_way(under_way_ || batch_);  // keys that are held are not kept waiting either
        return source_->next();
    };
    while (std::optional<Transfer> item = from_source()) {
        if (!may_share(*item)) return item;
        if (batch_ && batch_->target.bucket != item->target.bucket) {
            std::optional<Transfer> done = take();
            add(*std::move(item));
            return done;
        }
        add(*std::move(item));
        if (full()) return take();
    }
    return source_->ended() || (source_->starved() && !under_way_) ? take() : std::nullopt;
}

void BatchedDeletes::add(Transfer item) {
    wire::DeleteTarget target{std::exchange(item.target.key, {}), std::exchange(item.version_id, {})};
    if (!batch_) {
        batch_ = std::move(item);
        key_bytes_ = 0;
    }
    key_bytes_ += target.key.size();
    batch_->batch.push_back(std::move(target));
}

bool BatchedDeletes::full() const {
    return batch_->batch.size() == limits::delete_keys_max || key_bytes_ >= limits::delete_batch_key_bytes;
}

std::optional<Transfer> BatchedDeletes::take() {
    std::optional<Transfer> out = std::exchange(batch_, std::nullopt);
    if (out && out->batch.size() == 1) {
        wire::DeleteTarget only = std::move(out->batch.front());
        out->batch.clear();
        out->target.key = std::move(only.key);
        out->version_id = std::move(only.version_id);
    }
    return out;
}

void BatchedDeletes::stop() {
    source_->stop();
    batch_.reset();
}

}  // namespace s3tug::engine
