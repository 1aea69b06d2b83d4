#include "cmd/item_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"
#include "wire/user_headers.h"

namespace s3tug::cmd {
namespace {

void read_conditions(Reader& read, Settings& out) {
    engine::Transfer& item = out.item;
    read.toggle(FlagId::dry_run, item.dry_run);
    read.toggle(FlagId::no_clobber, item.no_clobber);
    read.toggle(FlagId::raw, out.raw_keys);
    read.toggle(FlagId::summarize, out.summarize);
    read.toggle(FlagId::force, out.force);
    Duration older_than{};
    read.duration(FlagId::older_than, limits::deadline_max, older_than);
    if (older_than > Duration::zero()) out.older_than = older_than;
    read.toggle(FlagId::no_overwrite, item.conditions.if_none_match_any);
    const std::optional<Found> etag = read.layers().find(FlagId::if_match);
    if (etag) {
        item.conditions.if_match = etag->text;
        const auto bad = std::find_if(etag->text.begin(), etag->text.end(), [](char c) { return c < ' ' || c > '~'; });
        if (wire::unquote_etag(etag->text).empty() || bad != etag->text.end()) {
            return read.fail(*etag, fmt::format("'{}' is not an ETag", printable(etag->text)));
        }
        if (item.conditions.if_none_match_any) read.fail(*etag, "contradicts --no-overwrite");
    }
    const std::optional<Found> version = read.layers().find(FlagId::version_id);
    if (version && version->text.empty()) return read.fail(*version, "a version id is missing");
    if (version) item.version_id = version->text;
}

bool is_sha256_hex(std::string_view text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void read_expectations(Reader& read, Settings& out) {
    read.size(FlagId::expect_size, 0, out.item.expect_size);
    if (const std::optional<Found> digest = read.layers().find(FlagId::expect_sha256)) {
        out.item.expect_sha256 = to_lower(digest->text);
        if (!is_sha256_hex(out.item.expect_sha256)) {
            read.fail(*digest, fmt::format("'{}' is not 64 hex digits", printable(digest->text, 80)));
        }
    }
}

void read_checksum(Reader& read, Settings& out) {
    constexpr std::array<engine::SourceChanged, 3> changed = {engine::SourceChanged::fail, engine::SourceChanged::warn,
                                                              engine::SourceChanged::snapshot};
    engine::Transfer& item = out.item;
    if (const auto place = read.choice(FlagId::checksum)) {
        const std::string_view name = choices(flag(FlagId::checksum)).at(*place);
        item.checksum = checksum_from_name(name);  // none is not an algorithm: no checksum
        item.checksum_by_user = true;
    }
    read.toggle(FlagId::unsigned_payload, item.unsigned_payload);
    if (const auto place = read.choice(FlagId::source_changed)) item.source_changed = changed.at(*place);
}

void read_key(Reader& read, Settings& out) {
    out.item.idempotency_keep = limits::idempotency_keep;
    read.duration(FlagId::idempotency_keep, limits::idempotency_keep_max, out.item.idempotency_keep);
    const std::optional<Found> key = read.layers().find(FlagId::idempotency_key);
    if (!key) return;
    out.item.idempotency_key = key->text;
    if (key->text.empty()) return read.fail(*key, "a key is missing");
    if (key->text.size() > limits::idempotency_key_max_bytes) {
        return read.fail(*key, fmt::format("longer than {} bytes", limits::idempotency_key_max_bytes));
    }
    if (!out.use_state) read.fail(*key, "needs the state file, which --no-state switches off");
}

/// An option that becomes a header as it stands.
bool read_header_text(Reader& read, FlagId id, std::string& out) {
    const std::optional<Found> found = read.layers().find(id);
    if (!found) return false;
    if (Status status = wire::check_header_value(found->origin, found->text); !status) {
        read.fail(Error{found->blame, status.error().message});
    }
    out = found->text;
    return true;
}

void read_properties(Reader& read, Settings& out) {
    wire::ObjectProperties& object = out.item.properties;
    bool given = read_header_text(read, FlagId::content_type, object.content_type);
    given |= read_header_text(read, FlagId::cache_control, object.cache_control);
    given |= read_header_text(read, FlagId::content_encoding, object.content_encoding);
    given |= read_header_text(read, FlagId::content_disposition, object.content_disposition);
    read_header_text(read, FlagId::storage_class, object.storage_class);
    for (const Found& text : read.layers().all(FlagId::metadata)) {
        Result<wire::Header> line = wire::parse_metadata(text.text);
        if (!line) return read.fail(Error{text.blame, line.error().message});
        object.metadata.push_back(*std::move(line));
        given = true;
    }
    for (const Found& text : read.layers().all(FlagId::header)) {
        Result<wire::Header> line = wire::parse_extra_header(text.text);
        if (!line) return read.fail(text, line.error().message);
        object.extra.push_back(*std::move(line));
    }
    const bool token = out.engine.write_token != engine::TokenMode::off;
    if (Status status = wire::check_metadata(object.metadata, token ? limits::write_token_bytes : 0); !status) {
        read.fail(std::move(status).error());
    }
    out.item.replace_metadata = given;  // only copy looks at it
}

void read_tree(Reader& read, Settings& out) {
    read.toggle(FlagId::recursive, out.tree.recursive);
    bool no_follow = false;
    read.toggle(FlagId::no_follow_symlinks, no_follow);
    out.tree.follow_links = !no_follow;
    for (const Given& given : read.layers().invocation().given) {
        if (given.id != FlagId::include && given.id != FlagId::exclude) continue;
        const auto rule =
            given.id == FlagId::include ? engine::PathFilter::Rule::include : engine::PathFilter::Rule::exclude;
        if (Status added = out.tree.filter.add(rule, given.text); !added) return read.fail(std::move(added).error());
        out.tree.filtered = true;
    }
    if (out.tree.filter.includes_in_vain()) {
        read.fail({ErrorKind::usage,
                   "--include: all names are taken at first, so it changes nothing; put --exclude '*' before it"});
    }
    read.text(FlagId::files_from, out.tree.files_from);
    read.toggle(FlagId::from0, out.bookkeeping.zero_ended);
    if (out.bookkeeping.zero_ended && out.tree.files_from.empty() && out.bookkeeping.failed_to.empty())
        read.fail({ErrorKind::usage, "--from0: it is about --files-from and --failed-to"});
}

}  // namespace

void read_item(Reader& read, Settings& out) {
    read_conditions(read, out);
    read_expectations(read, out);
    read_checksum(read, out);
    read_key(read, out);
    read_properties(read, out);
    read_tree(read, out);
}

}  // namespace s3tug::cmd
