#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace s3tug::port {

/// Tables of the state file (design section 5). Records are text (base/record.h); policy owns their meaning.
enum class Table : uint8_t { breaker, idempotency, upload, upload_part, download, endpoint, bucket, run };
[[nodiscard]] std::string_view to_string(Table table);

struct StateEntry {
    std::string key;
    std::string value;
    WallTime updated{};
};

/// What is remembered between processes. Losing it costs work, never correctness, so a store that does not work behaves
/// like an empty one that forgets; `healthy()` tells, and the first trouble is told to the observer once.
class StateStore {
  public:
    virtual ~StateStore() = default;

    /// Reads one record without a lock. Never creates the file.
    [[nodiscard]] virtual std::optional<std::string> read(Table table, std::string_view key) = 0;

    /// One atomic read-modify-write. `step` gets the present record (nullopt: none) and gives the one to be stored;
    /// nullopt = leave as it is; an empty string = erase. It must be pure: it may run more than once.
    /// Returns false when nothing could be recorded (broken, locked longer than limits::state_lock_wait, read-only):
    /// the step has then been applied to this process's own memory, which later reads see.
    using Step = std::function<std::optional<std::string>(const std::optional<std::string>& present)>;
    virtual bool update(Table table, std::string_view key, const Step& step) = 0;

    [[nodiscard]] virtual std::vector<StateEntry> list(Table table) = 0;
    virtual bool erase_all(Table table) = 0;

    /// Does the store really keep things? An idempotency key is refused when it does not.
    [[nodiscard]] virtual Status healthy() = 0;
};

}  // namespace s3tug::port
