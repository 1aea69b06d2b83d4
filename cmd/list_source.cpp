#include "cmd/list_source.h"

#include <fmt/format.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/bytes.h"
#include "base/text.h"
#include "engine/flow.h"
#include "engine/glob.h"
#include "wire/utf8.h"

namespace s3tug::cmd {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json time_or_null(const std::optional<WallTime>& time) { return time ? Json(format_utc(*time)) : Json(nullptr); }

void add_line(const Json& line, std::string& out) {
    out += line.dump(-1, ' ', false, Json::error_handler_t::replace);
    out += '\n';
}

/// JSON has no bytes, only characters: a key that is not UTF-8 stands there percent-encoded too.
void add_key(const std::string& key, Json& line) {
    line["key"] = key;
    if (!wire::is_utf8(key)) line["key_encoded"] = percent_encode(key, Slash::keep);
}

/// "2026-11-29 21:01:30", as wide when it is not known.
std::string time_column(const std::optional<WallTime>& time) {
    if (!time) return std::string(19, ' ');
    std::string text = format_utc(*time).substr(0, 19);
    text[10] = ' ';
    return text;
}

}  // namespace

ListSource::ListSource(std::vector<wire::S3Uri> addresses, ListWish wish, Output& output)
    : addresses_(std::move(addresses)),
      wish_(std::move(wish)),
      output_(output),
      shown_(output.data_is_shown()),
      buckets_(addresses_.empty()) {
    if (!buckets_) begin_address();
}

std::optional<engine::Transfer> ListSource::next() { return std::exchange(failed_, std::nullopt); }

bool ListSource::ended() const { return !failed_ && !buckets_ && position_ == addresses_.size(); }

void ListSource::stop() {
    buckets_ = false;
    stages_.clear();
    position_ = addresses_.size();
}

void ListSource::add_stage(std::string prefix, bool by_folder, unsigned max_keys, Show show) {
    wire::ListObjectsInput scope;
    scope.bucket = addresses_[position_].bucket;
    scope.prefix = std::move(prefix);
    if (by_folder) scope.delimiter = "/";
    scope.max_keys = max_keys;
    scope.extra = wish_.extra;
    stages_.push_back({engine::ObjectListing(std::move(scope)), show});
}

void ListSource::begin_address() {
    found_ = folder_found_ = false;
    const std::string& key = addresses_[position_].key;
    const std::optional<engine::KeyPattern> pattern = wish_.raw_keys ? std::nullopt : engine::key_pattern(key);
    if (pattern) return add_stage(pattern->prefix, false, limits::list_page_max, Show::matching);
    if (addresses_[position_].names_folder()) return add_stage(key, !wish_.recursive, limits::list_page_max, Show::all);
    // The name itself comes first of all that begin so; NAME/ may stand behind any number of them (NAME-, NAME.).
    add_stage(key, !wish_.recursive, wish_.recursive ? 1 : limits::list_page_max, Show::name_itself);
    if (wish_.recursive)
        add_stage(key + "/", false, limits::list_page_max, Show::all);
    else
        add_stage(key + "/", false, 1, Show::folder_itself);
}

void ListSource::end_address() {
    const wire::S3Uri& address = addresses_[position_++];
    stages_.clear();
    if (!failed_ && (found_ || address.key.empty())) {
        ++done_;
    } else if (!failed_) {
        engine::Transfer about;
        about.kind = engine::TransferKind::list;
        about.target = address;
        fail(std::move(about), {ErrorKind::not_found, "nothing there has that name"});
    }
    if (position_ < addresses_.size()) return begin_address();
    // With --json the sum comes with the summary of the run.
    if (wish_.summarize && !wish_.json && !broken_off_)
        print(fmt::format("\nTotal Objects: {}\n   Total Size: {}\n", objects_, bytes_));
}

void ListSource::fail(engine::Transfer about, Error error, engine::StoreSaid said) {
    broken_off_ |= error.kind != ErrorKind::not_found || found_;
    about.refused = std::move(error);
    about.refused_by = std::move(said);
    failed_ = std::move(about);
}

std::optional<engine::PlanningRequest> ListSource::request() {
    if (failed_) return std::nullopt;
    if (buckets_) {
        engine::PlanningRequest out;
        out.about.kind = engine::TransferKind::list;
        out.about.label = "list buckets";
        out.spec.op = wire::Op::list_buckets;
        out.spec.build = [input = wire::ListBucketsInput{buckets_after_, wish_.extra}] {
            return wire::list_buckets(input);
        };
        return out;
    }
    if (stages_.empty()) return std::nullopt;
    return stages_.front().listing.request();
}

void ListSource::on_result(engine::OperationResult result) {
    if (buckets_) return on_buckets(std::move(result));
    if (stages_.empty()) return;  // it was stopped meanwhile
    Stage& stage = stages_.front();
    engine::StoreSaid said = engine::said_by_store(result);
    const wire::ListObjectsPage page = [&] {
        Result<wire::ListObjectsPage> taken = stage.listing.take(std::move(result));
        if (taken) return *std::move(taken);
        Error error = std::move(taken).error();
        if (found_) error.message += "; the listing is incomplete";
        fail(engine::listing_of(stage.listing.scope()), std::move(error), std::move(said));
        return wire::ListObjectsPage();
    }();
    if (failed_) return end_address();
    on_page(stage, page);
    if (stages_.empty()) return;
    const bool one_page = stage.show == Show::name_itself || stage.show == Show::folder_itself;
    if (!stage.listing.ended() && !one_page) return;
    const bool go_on = wish_.recursive || stage.show != Show::name_itself || look_for_folder(stage, page);
    stages_.pop_front();
    if (!go_on || stages_.empty()) end_address();
}

/// Is NAME/ still to be looked for behind this page?
bool ListSource::look_for_folder(const Stage& stage, const wire::ListObjectsPage& page) const {
    if (folder_found_ || stage.listing.ended()) return false;
    const std::string folder = addresses_[position_].key + "/";
    return page.objects.empty() || page.objects.back().key < folder;
}

void ListSource::on_buckets(engine::OperationResult result) {
    engine::Transfer about;
    about.kind = engine::TransferKind::list;
    about.label = "list buckets";
    buckets_ = false;
    if (result.error) return fail(std::move(about), *result.error, engine::said_by_store(result));
    const Result<wire::ListBucketsPage> page = wire::parse_list_buckets(result.answer, {buckets_after_, wish_.extra});
    if (!page) return fail(std::move(about), page.error());
    std::string out;
    for (const wire::ListedBucket& bucket : page->buckets) {
        if (wish_.json) {
            add_line({{"type", "bucket"}, {"bucket", bucket.name}, {"created", time_or_null(bucket.created)}}, out);
        } else {
            out += fmt::format("{} s3://{}\n", time_column(bucket.created), printable(bucket.name));
        }
    }
    buckets_after_ = page->next;
    buckets_ = !page->next.empty();
    if (!buckets_) ++done_;
    print(std::move(out));
}

bool ListSource::wanted(Show show, const std::string& key) const {
    switch (show) {
        case Show::all: return true;
        case Show::matching: return engine::glob_match(addresses_[position_].key, key, engine::GlobSyntax::uri);
        case Show::name_itself: return key == addresses_[position_].key;
        case Show::folder_itself: return false;
    }
    return false;
}

void ListSource::on_page(Stage& stage, const wire::ListObjectsPage& page) {
    const std::string folder = addresses_[position_].key + "/";
    std::string out;
    for (const std::string& prefix : page.common_prefixes) {
        const bool is_folder = stage.show == Show::name_itself && prefix == folder;
        if (stage.show != Show::all && !is_folder) continue;
        folder_found_ |= is_folder;
        add_prefix(prefix, out);
    }
    if (stage.show == Show::folder_itself && !page.objects.empty()) add_prefix(folder, out);
    for (const wire::ListedObject& object : page.objects) {
        if (wanted(stage.show, object.key)) add_object(object, out);
    }
    print(std::move(out));
}

/// Within one folder the last segment tells enough; of what is below or matches a pattern the whole key is needed.
std::string ListSource::name_of(const std::string& key) const {
    const std::string& asked = addresses_[position_].key;
    const bool whole = wish_.recursive || (!wish_.raw_keys && engine::key_pattern(asked));
    const std::size_t folder = whole ? 0 : asked.rfind('/') + 1;
    // The marker of the folder itself has no name in it.
    const std::string name = key.size() > folder ? key.substr(folder) : "./";
    return shown_ ? printable(name) : name;
}

void ListSource::add_object(const wire::ListedObject& object, std::string& out) {
    found_ = true;
    ++objects_;
    bytes_ += object.size.value_or(0);
    if (wish_.json) {
        Json line{{"type", "object"}, {"bucket", addresses_[position_].bucket}};
        add_key(object.key, line);
        line["size"] = object.size ? Json(*object.size) : Json(nullptr);
        line["last_modified"] = time_or_null(object.last_modified);
        line["etag"] = text_or_null(object.etag);
        line["storage_class"] = text_or_null(object.storage_class);
        return add_line(line, out);
    }
    const std::string size = object.size ? fmt::format("{}", *object.size) : std::string("-");
    out += fmt::format("{} {:>10} {}\n", time_column(object.last_modified), size, name_of(object.key));
}

void ListSource::add_prefix(const std::string& prefix, std::string& out) {
    found_ = true;
    if (wish_.json) {
        Json line{{"type", "prefix"}, {"bucket", addresses_[position_].bucket}};
        add_key(prefix, line);
        return add_line(line, out);
    }
    out += fmt::format("{:>30} {}\n", "PRE", name_of(prefix));
}

/// A page in one write; whoever reads no more is not served any further.
void ListSource::print(std::string lines) {
    if (lines.empty()) return;
    lines.pop_back();
    output_.data(lines);
    if (output_.data_error() == 0) return;
    stop();
}

}  // namespace s3tug::cmd
