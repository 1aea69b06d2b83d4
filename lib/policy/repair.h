#pragma once

#include "policy/classify.h"
#include "wire/answers.h"

namespace s3tug::policy {

/// An answer of the store that is no success, as classify() has read it.
struct RefusingAnswer {
    const wire::HttpAnswer& head;
    const wire::ParsedBody& body;
    bool by_status = false;  ///< no usable code: the row is that of the status
    WallTime received_at{};
};

/// Decides whether the repair that the table suggests can be done with what this answer holds, and which one a bare 400
/// or a refused checksum of ours asks for (design section 3, Repairs). Fills `repair`, `clock_offset` and, where the
/// repair says what the failure really was, `cls`. Without a repair once_after_fix becomes `no`. What the user asked
/// for is never dropped. `verdict` holds the row, the code, the message and the region that the answer named.
void choose_repair(const RequestContext& context, const RefusingAnswer& answer, Verdict& verdict);

}  // namespace s3tug::policy
