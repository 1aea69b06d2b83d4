#include "cmd/moving_source.h"

#include "cmd/commands.h"

namespace s3tug::cmd {
namespace {

using engine::Transfer;
using engine::TransferKind;

/// What is removed afterwards must be what was read, and must stand where it went to: streams are neither.
std::optional<Error> why_not(const Transfer& item, port::Files& files) {
    const auto usage = [](std::string text) { return Error{ErrorKind::usage, std::move(text)}; };
    if (item.kind == TransferKind::copy) {
        if (item.source != item.target) return std::nullopt;
        return usage("source and target are the same object, moving it would delete it");
    }
    const bool put = item.kind == TransferKind::put;
    if (item.local.kind != engine::LocalEnd::Kind::path) {
        return usage(put ? "standard input cannot be removed; use put or pipe"
                         : "whether standard output arrived nobody knows; use get or cat, then delete");
    }
    const Result<port::FileFacts> facts = files.stat(item.local.path);
    if (!facts || facts->type == port::FileType::regular) return std::nullopt;
    return usage(put ? "only regular files can be moved; use put" : "only regular files are a safe place; use get");
}

}  // namespace

std::optional<Transfer> MovingSource::next() {
    std::optional<Transfer> item = inner_->next();
    if (!item) return item;
    if (item->command) item->command = command(CommandId::move).name;
    if (item->kind == TransferKind::list) return item;
    item->then_delete_source = true;
    if (!item->refused) item->refused = why_not(*item, files_);
    return item;
}

}  // namespace s3tug::cmd
