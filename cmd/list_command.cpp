#include "cmd/list_command.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "cmd/ending.h"
#include "cmd/list_source.h"
#include "cmd/run_items.h"

namespace s3tug::cmd {

int list_command(const std::vector<std::string>& operands, Session& session) {
    const Settings& settings = session.settings();
    std::vector<wire::S3Uri> addresses;
    for (const std::string& operand : operands) {
        if (!wire::looks_like_s3_uri(operand)) {
            return fail(session.output(),
                        {ErrorKind::usage, fmt::format("list {}: it lists s3://BUCKET/PREFIX; for local files use ls",
                                                       printable(operand, limits::trace_text_max_bytes))});
        }
        Result<wire::S3Uri> address = wire::parse_s3_uri(operand);
        if (!address) return fail(session.output(), address.error());
        addresses.push_back(*std::move(address));
    }
    if (Status status = session.open(); !status) return fail(session.output(), status.error());
    const ListWish wish{.recursive = settings.tree.recursive,
                        .summarize = settings.summarize,
                        .json = settings.output.json,
                        .raw_keys = settings.raw_keys,
                        .extra = settings.item.properties.extra};
    const bool several = addresses.size() > 1;
    ListSource source(std::move(addresses), wish, session.output());
    return run_items(session, source, {.several = several, .listed = &source});
}

}  // namespace s3tug::cmd
