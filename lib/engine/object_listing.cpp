#include "engine/object_listing.h"

#include <utility>

namespace s3tug::engine {

Transfer listing_of(const wire::ListObjectsInput& scope) {
    Transfer item;
    item.kind = TransferKind::list;
    item.target = {scope.bucket, scope.prefix};
    return item;
}

PlanningRequest ObjectListing::request() {
    page_ = std::make_shared<wire::ListObjectsPage>();
    PlanningRequest out{listing_of(scope_), {}};
    out.spec.op = wire::Op::list_objects_v2;
    out.spec.build = [asked = scope_] { return wire::list_objects_v2(asked); };
    out.spec.review = [asked = scope_, page = page_](const wire::Reply& reply, policy::Verdict& verdict) {
        if (!verdict.success() || reply.answer() == nullptr) return;
        Result<wire::ListObjectsPage> parsed = wire::parse_list_objects_v2(*reply.answer(), asked);
        if (parsed)
            *page = *std::move(parsed);
        else
            verdict = policy::without_result(wire::Op::list_objects_v2, std::move(verdict), parsed.error().message);
    };
    return out;
}

Result<wire::ListObjectsPage> ObjectListing::take(OperationResult result) {
    if (result.error) {
        ended_ = true;
        return *std::move(result.error);
    }
    wire::ListObjectsPage page = std::move(*std::exchange(page_, nullptr));
    ended_ = !page.next.has_value();
    if (page.next) scope_.position = *page.next;
    return page;
}

}  // namespace s3tug::engine
