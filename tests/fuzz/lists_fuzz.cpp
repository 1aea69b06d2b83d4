// Pages of listings and the answers to DeleteObjects. The first line is what was asked for: PREFIX, a tab, AFTER.
#include <algorithm>

#include "base/limits.h"
#include "fuzz/fuzz.h"
#include "wire/batch_answers.h"
#include "wire/list_answers.h"

namespace s3tug::fuzz {
namespace {

void check_objects(const wire::HttpAnswer& answer, std::string_view prefix, std::string_view after) {
    for (const bool by_marker : {false, true}) {
        wire::ListObjectsInput asked;
        asked.bucket = "box";
        asked.prefix = prefix;
        asked.delimiter = "/";
        (by_marker ? asked.position.marker : asked.position.token) = after;
        const auto page = wire::parse_list_objects_v2(answer, asked);
        if (!page) continue;
        for (const auto& object : page->objects) {
            require(object.key.starts_with(prefix), "a listed key begins with the prefix", object.key);
        }
        for (const std::string& folder : page->common_prefixes) {
            require(folder.starts_with(prefix), "a common prefix begins with the prefix", folder);
        }
        require(!page->next || !page->next->at_start(), "the next page is not the first");
        require(!page->next || *page->next != asked.position, "a page leads on");
    }
}

void check_parts(const wire::HttpAnswer& answer, std::string_view after) {
    wire::ListPartsInput asked;
    asked.target = {"box", "key"};
    asked.upload_id = "U";
    asked.after = static_cast<unsigned>(after.size());
    const auto page = wire::parse_list_parts(answer, asked);
    if (!page) return;
    unsigned last = asked.after;
    for (const auto& part : page->parts) {
        require(part.number > last && part.number <= limits::parts_max, "part numbers rise and are S3's");
        last = part.number;
    }
    require(!page->next || *page->next > asked.after, "a page of parts leads on");
}

void check_uploads(const wire::HttpAnswer& answer, std::string_view prefix, std::string_view after) {
    wire::ListMultipartUploadsInput asked;
    asked.bucket = "box";
    asked.prefix = prefix;
    asked.key_marker = after;
    const auto page = wire::parse_list_multipart_uploads(answer, asked);
    if (!page) return;
    for (const auto& upload : page->uploads) {
        require(!upload.upload_id.empty() && !upload.key.empty(), "an upload has a key and an id");
        require(upload.key.starts_with(prefix), "uploads of other prefixes are left out", upload.key);
    }
    const bool leads_on = page->next_key_marker != asked.key_marker || !page->next_upload_id_marker.empty();
    require(page->last || leads_on, "a page of uploads leads on");
}

void check_deletes(const wire::HttpAnswer& answer, std::string_view prefix, std::string_view after) {
    for (const bool quiet : {false, true}) {
        wire::DeleteObjectsInput asked;
        asked.bucket = "box";
        asked.quiet = quiet;
        asked.targets = {{std::string(prefix), {}}, {std::string(after), {}}, {"a", {}}, {"a", "v1"}};
        const auto keys = wire::parse_delete_objects(answer, asked);
        if (!keys) continue;
        require(keys->size() == asked.targets.size(), "each key has one outcome");
        const bool failed = wire::has_failed_keys(answer);
        for (const auto& key : *keys) {
            require(failed || key.outcome != wire::KeyOutcome::failed, "a key fails by an <Error> only");
        }
        const auto deleted = [](const auto& key) { return key.outcome == wire::KeyOutcome::deleted; };
        require(!(quiet && failed && std::ranges::all_of(*keys, deleted)), "no <Error> is lost in a quiet answer");
    }
}

}  // namespace
}  // namespace s3tug::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace s3tug::fuzz;
    std::string_view text = text_of(data, size);
    const std::string_view line = take_line(text);
    const std::string_view prefix = line.substr(0, line.find('\t'));
    const std::string_view after = line.substr(std::min(line.size(), prefix.size() + 1));
    const s3tug::wire::HttpAnswer answer = take_answer(text);
    check_objects(answer, prefix, after);
    check_parts(answer, after);
    check_uploads(answer, prefix, after);
    check_deletes(answer, prefix, after);
    return 0;
}
