#include "cmd/failed_list.h"

#include "base/bytes.h"

namespace s3tug::cmd {
namespace {

std::string address(const wire::S3Uri& uri) { return "s3://" + uri.bucket + "/" + uri.key; }

}  // namespace

std::string list_name(const engine::Transfer& transfer) {
    if (!transfer.listed_as.empty()) return transfer.listed_as;
    switch (transfer.kind) {
        case engine::TransferKind::list: return "s3://" + transfer.target.bucket;
        case engine::TransferKind::put:
            return transfer.local.kind == engine::LocalEnd::Kind::stdio ? "-" : transfer.local.path;
        case engine::TransferKind::get:
        case engine::TransferKind::copy: return address(transfer.source);
        default: return address(transfer.target);
    }
}

Status FailedList::add(const engine::Transfer& transfer) {
    std::string name = list_name(transfer);
    if (end_ == '\n' && name.find('\n') != std::string::npos) {
        return Error{ErrorKind::usage, printable(name) + " has a line break in its name; such names need --from0"};
    }
    if (end_ == '\n' && name.ends_with('\r') && transfer.listed_as.empty() &&
        transfer.kind != engine::TransferKind::put)
        return Error{ErrorKind::usage, printable(name) + " ends in a carriage return; such names need --from0"};
    name.push_back(end_);
    return write_(name);
}

}  // namespace s3tug::cmd
