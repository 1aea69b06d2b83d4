#include "cmd/uploads_source.h"

#include <utility>

#include "engine/flow.h"
#include "engine/glob.h"

namespace s3tug::cmd {

bool address_means(const wire::S3Uri& address, const std::string& key, bool raw_keys) {
    if (!raw_keys) {
        if (const auto pattern = engine::key_pattern(address.key)) return pattern->matches(key);
    }
    return address.names_folder() ? key.starts_with(address.key) : key == address.key;
}

bool address_shows(const wire::S3Uri& address, const std::string& key, bool raw_keys) {
    const bool pattern = !raw_keys && engine::key_pattern(address.key).has_value();
    return pattern ? address_means(address, key, raw_keys) : key.starts_with(address.key);
}

UploadsSource::UploadsSource(wire::S3Uri address, std::vector<wire::Header> extra, std::string verb, bool must_find,
                             Use use)
    : address_(std::move(address)), verb_(std::move(verb)), must_find_(must_find), use_(std::move(use)) {
    scope_.bucket = address_.bucket;
    const auto pattern = engine::key_pattern(address_.key);
    scope_.prefix = pattern ? pattern->prefix : address_.key;
    scope_.extra = std::move(extra);
}

std::optional<engine::Transfer> UploadsSource::next() {
    if (ready_.empty()) return std::nullopt;
    engine::Transfer item = std::move(ready_.front());
    ready_.pop_front();
    return item;
}

void UploadsSource::stop() {
    listed_ = true;
    ready_.clear();
}

engine::Transfer UploadsSource::listing() const {
    engine::Transfer item;
    item.kind = engine::TransferKind::list;
    item.target = address_;
    item.label = verb_ + " uploads of " + wire::to_text(address_);
    return item;
}

std::optional<engine::PlanningRequest> UploadsSource::request() {
    if (listed_ || !ready_.empty()) return std::nullopt;
    engine::PlanningRequest out{listing(), {}};
    out.spec.op = wire::Op::list_multipart_uploads;
    out.spec.build = [asked = scope_] { return wire::list_multipart_uploads(asked); };
    return out;
}

void UploadsSource::fail(Error error, engine::StoreSaid said) {
    engine::Transfer item = listing();
    if (verb_ != "list") item.command = verb_ + " upload";  // as those that are found
    item.refused = std::move(error);
    item.refused_by = std::move(said);
    ready_.push_back(std::move(item));
    listed_ = true;
}

void UploadsSource::on_result(engine::OperationResult result) {
    if (listed_) return;  // it was stopped meanwhile
    if (result.error) return fail(*result.error, engine::said_by_store(result));
    const Result<wire::ListMultipartUploadsPage> page = wire::parse_list_multipart_uploads(result.answer, scope_);
    if (!page) return fail(page.error());
    for (const wire::ListedUpload& upload : page->uploads) {
        Answer answer = use_(upload);
        found_ |= answer.taken;
        if (answer.item) ready_.push_back(*std::move(answer.item));
    }
    listed_ = page->last;
    scope_.key_marker = page->next_key_marker;
    scope_.upload_id_marker = page->next_upload_id_marker;
    if (listed_ && !found_ && must_find_) fail({ErrorKind::not_found, "the store has no such upload"});
}

}  // namespace s3tug::cmd
