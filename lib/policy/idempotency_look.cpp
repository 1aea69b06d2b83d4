#include <algorithm>

#include "base/text.h"
#include "policy/idempotency.h"

namespace s3tug::policy {

namespace {

enum class Match : uint8_t { equal, unequal, cannot_tell };

bool same_etag(std::string_view a, std::string_view b) {
    return to_lower(wire::unquote_etag(a)) == to_lower(wire::unquote_etag(b));
}

/// Compares with the stored checksum of the same algorithm and scope; others say nothing about each other.
Match compare_checksum(const Expected& expected, const wire::ObjectFacts& found) {
    if (!expected.checksum) return Match::cannot_tell;
    for (const wire::StoredChecksum& stored : found.checksums) {
        if (stored.value.algorithm != expected.checksum->value.algorithm || stored.scope != expected.checksum->scope) {
            continue;
        }
        return stored.value.base64 == expected.checksum->value.base64 ? Match::equal : Match::unequal;
    }
    return Match::cannot_tell;
}

/// Does the object carry all the metadata that ours has? The store may add its own.
bool has_our_metadata(const Expected& expected, const wire::ObjectFacts& found) {
    return std::all_of(expected.metadata.begin(), expected.metadata.end(), [&](const wire::Header& ours) {
        return std::find(found.metadata.begin(), found.metadata.end(), ours) != found.metadata.end();
    });
}

/// Is the content ours? Checksum and size can refute; an unequal ETag cannot, since it need not be a digest.
Match compare_content(const Expected& expected, const wire::ObjectFacts& found) {
    if (expected.size && found.size && *expected.size != *found.size) return Match::unequal;
    const Match checksum = compare_checksum(expected, found);
    if (checksum != Match::cannot_tell) return checksum;
    const bool etags_known = !expected.etag.empty() && !found.etag.empty();
    return etags_known && same_etag(expected.etag, found.etag) ? Match::equal : Match::cannot_tell;
}

/// Still the object that the write was to replace: nothing of ours has landed yet.
bool is_object_of_before(const Expected& expected, const wire::ObjectFacts& found) {
    return !expected.condition_etag.empty() && same_etag(expected.condition_etag, found.etag);
}

Finding judge_by_token(const Expected& expected, const wire::ObjectFacts& found) {
    if (expected.write_token.empty()) return Finding::undecidable;
    if (found.write_token == expected.write_token) {
        const bool cut = expected.size && found.size && *expected.size != *found.size;
        return cut ? Finding::other : Finding::applied;
    }
    return is_object_of_before(expected, found) ? Finding::absent : Finding::other;
}

Finding judge_by_time(const Expected& expected, const wire::ObjectFacts& found) {
    if (!expected.not_before || !found.last_modified) return Finding::undecidable;
    if (to_unix_seconds(*found.last_modified) < to_unix_seconds(*expected.not_before)) return Finding::absent;
    switch (compare_content(expected, found)) {
        case Match::equal:
            return !expected.conditional && has_our_metadata(expected, found) ? Finding::applied : Finding::undecidable;
        case Match::unequal: return is_object_of_before(expected, found) ? Finding::absent : Finding::other;
        case Match::cannot_tell: break;
    }
    return Finding::undecidable;
}

Finding judge_by_absence(const Expected& expected, const wire::ObjectFacts& found) {
    const bool rewritten = !expected.condition_etag.empty() && !is_object_of_before(expected, found);
    return rewritten ? Finding::other : Finding::absent;
}

}  // namespace

Finding judge_look(const Expected& expected, const std::optional<wire::ObjectFacts>& found) {
    const bool stands = found && !found->delete_marker;
    switch (expected.proof) {
        case Proof::write_token: return stands ? judge_by_token(expected, *found) : Finding::absent;
        case Proof::modified_since: return stands ? judge_by_time(expected, *found) : Finding::absent;
        case Proof::absence: return stands ? judge_by_absence(expected, *found) : Finding::applied;
        case Proof::not_needed:
        case Proof::none: break;
    }
    return Finding::undecidable;
}

}  // namespace s3tug::policy
