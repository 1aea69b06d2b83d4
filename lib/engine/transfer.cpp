#include "engine/transfer.h"

namespace s3tug::engine {

std::string_view to_string(TransferKind kind) {
    switch (kind) {
        case TransferKind::put: return "put";
        case TransferKind::get: return "get";
        case TransferKind::remove: return "delete";
        case TransferKind::copy: return "copy";
        case TransferKind::stat: return "stat";
        case TransferKind::abort_upload: return "abort upload";
        case TransferKind::list: break;
    }
    return "list";
}

std::string_view effect_name(const Transfer& transfer) {
    return transfer.then_delete_source ? std::string_view("move") : to_string(transfer.kind);
}

std::string_view verb(const Transfer& transfer) {
    if (transfer.command && !transfer.command->empty()) return *transfer.command;
    return effect_name(transfer);
}

std::string item_name(const Transfer& transfer) {
    if (!transfer.label.empty()) return transfer.label;
    const wire::S3Uri& uri = transfer.kind == TransferKind::get ? transfer.source : transfer.target;
    return std::string(verb(transfer)).append(" ").append(wire::to_text(uri));
}

}  // namespace s3tug::engine
