#include "port/observer.h"
#include "port/state_store.h"

namespace s3tug::port {

std::string_view to_string(Table table) {
    switch (table) {
        case Table::breaker: return "breaker";
        case Table::idempotency: return "idempotency";
        case Table::upload: return "upload";
        case Table::upload_part: return "upload_part";
        case Table::download: return "download";
        case Table::endpoint: return "endpoint";
        case Table::bucket: return "bucket";
        case Table::run: return "run";
    }
    return "unknown";
}

std::string_view to_string(EventKind kind) {
    switch (kind) {
        case EventKind::attempt: return "attempt";
        case EventKind::retry: return "retry";
        case EventKind::repair: return "repair";
        case EventKind::verify: return "verify";
        case EventKind::breaker: return "breaker";
        case EventKind::give_up: return "give_up";
        case EventKind::pace: return "pace";
        case EventKind::warning: return "warning";
        case EventKind::headers: return "headers";
        case EventKind::note: return "note";
        case EventKind::item_done: return "item_done";
    }
    return "unknown";
}

}  // namespace s3tug::port
