#pragma once

#include <optional>
#include <string>

#include "engine/flow.h"
#include "policy/idempotency.h"
#include "wire/object_headers.h"

namespace s3tug::engine {

/// Conditions of a copy, of Complete and of a delete are looked at beforehand where nothing is known of the store: some
/// of those that stand under any name ignore them there and overwrite (Ceph 16 and moto, measured). The condition is
/// sent all the same, since only the store can exclude a race.
[[nodiscard]] bool condition_wants_look(const wire::Endpoint& endpoint, const wire::WriteConditions& conditions,
                                        policy::ConditionUse use);

[[nodiscard]] OperationSpec head_of(const wire::S3Uri& uri, const std::string& version_id,
                                    const std::vector<wire::Header>& extra);

/// The end of the item when the look shows that the condition does not hold; nothing when it holds or the look was
/// refused or failed, since the store has the last word. An object with `own_token` (where not empty) is ours.
[[nodiscard]] std::optional<Outcome> condition_fails(const OperationResult& look,
                                                     const wire::WriteConditions& conditions,
                                                     const std::string& own_token);

}  // namespace s3tug::engine
