#include "cmd/uploads_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/ending.h"
#include "cmd/plan_items.h"
#include "cmd/run_items.h"
#include "cmd/uploads_source.h"
#include "engine/put_flows.h"
#include "engine/upload_book.h"

namespace s3tug::cmd {
namespace {

using engine::KnownUpload;
using engine::Transfer;
using engine::TransferKind;
using Json = nlohmann::ordered_json;

Error usage(std::string message) { return Error{ErrorKind::usage, std::move(message)}; }

wire::S3Uri target_of(const engine::UploadRecord& record) { return {record.bucket, record.key}; }

/// One command of `uploads` on its way.
class Uploads {
  public:
    Uploads(Session& session, std::optional<wire::S3Uri> address, std::string id)
        : session_(session), settings_(session.settings()), address_(std::move(address)), id_(std::move(id)) {
        known_ = engine::known_uploads(session.state(), session.processes(), session.clock().wall());
        // A record tells its store; what is kept for another one is not touched.
        const std::string origin = wire::origin(settings_.engine.endpoint);
        const auto elsewhere = [&](const KnownUpload& known) { return known.record.origin != origin; };
        others_ = std::erase_if(known_, elsewhere);
    }

    int list();
    int abort();
    int resume();

  private:
    [[nodiscard]] bool means(const std::string& bucket, const std::string& key, const std::string& id) const {
        return is_meant(address_means, bucket, key, id);
    }
    [[nodiscard]] bool shows(const std::string& bucket, const std::string& key, const std::string& id) const {
        return is_meant(address_shows, bucket, key, id);
    }
    [[nodiscard]] bool is_meant(decltype(address_means)* has, const std::string& bucket, const std::string& key,
                                const std::string& id) const {
        if (!id_.empty() && id != id_) return false;
        return !address_ || (bucket == address_->bucket && has(*address_, key, settings_.raw_keys));
    }
    [[nodiscard]] bool old_enough(const std::optional<WallTime>& began) const {
        return !settings_.older_than || (began && session_.clock().wall() - *began >= *settings_.older_than);
    }
    [[nodiscard]] const KnownUpload* find(const wire::S3Uri& target, const std::string& id) const;
    void print(const wire::S3Uri& target, const std::string& id, const std::optional<WallTime>& began,
               const KnownUpload* known, bool listed);
    void note(const std::string& text) {
        if (!settings_.output.quiet) session_.output().talk("s3tug: uploads: " + text);
    }
    [[nodiscard]] Transfer abort_item(const wire::ListedUpload& upload) const;
    [[nodiscard]] std::optional<Transfer> resume_item(const KnownUpload& known);
    [[nodiscard]] bool one_is_meant() const {
        return !id_.empty() ||
               (!address_->names_folder() && (settings_.raw_keys || address_->key.find('*') == std::string::npos));
    }

    Session& session_;
    const Settings& settings_;
    std::optional<wire::S3Uri> address_;
    std::string id_;
    std::vector<KnownUpload> known_;
    std::size_t others_ = 0;
};

const KnownUpload* Uploads::find(const wire::S3Uri& target, const std::string& id) const {
    const auto found = std::find_if(known_.begin(), known_.end(), [&](const KnownUpload& known) {
        return known.record.upload_id == id && target_of(known.record) == target;
    });
    return found == known_.end() ? nullptr : &*found;
}

/// What the state file knows of it, in words.
std::string about(const KnownUpload& known, bool listed) {
    const engine::UploadRecord& record = known.record;
    std::string text;
    const auto add = [&text](const std::string& words) { text.append(text.empty() ? "" : ", ").append(words); };
    add(known.source.empty() ? "from a stream or copy" : "from " + printable(known.source));
    if (known.bytes > 0) add(fmt::format("{} of {} sent", format_size(known.bytes), format_size(record.source.size)));
    if (known.at_work)
        add(fmt::format("process {} is at work on it", record.owner ? record.owner->pid : 0));
    else if (engine::good_only_to_abort(record))
        add("good only to be aborted");
    if (record.completing) add("it may be complete");
    if (record.upload_id.empty()) add("its begin was not answered");
    if (!listed && !record.upload_id.empty()) add("the store does not list it");
    return text;
}

void Uploads::print(const wire::S3Uri& target, const std::string& id, const std::optional<WallTime>& began,
                    const KnownUpload* known, bool listed) {
    if (settings_.output.json) {
        Json line{{"bucket", target.bucket}, {"key", target.key}};
        line["upload_id"] = id.empty() ? Json(nullptr) : Json(id);
        line["initiated"] = began ? Json(format_utc(*began)) : Json(nullptr);
        line["listed"] = listed;
        line["known"] = known != nullptr;
        if (known != nullptr) {
            line["source"] = known->source.empty() ? Json(nullptr) : Json(known->source);
            line["sent"] = known->bytes;
            line["size"] = known->record.source.size;
            line["at_work"] = known->at_work && known->record.owner ? Json(known->record.owner->pid) : Json(nullptr);
        }
        return session_.output().data(line.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    std::string time = began ? format_utc(*began).substr(0, 19) : std::string(19, ' ');
    time[10] = ' ';
    std::string line = fmt::format("{} {} {}", time, id.empty() ? "-" : printable(id), wire::to_text(target));
    if (known != nullptr) line += fmt::format("  ({})", about(*known, listed));
    session_.output().data(line);
}

int Uploads::list() {
    std::set<std::string> listed;
    const auto show_rest = [&] {
        for (const KnownUpload& known : known_) {
            const engine::UploadRecord& record = known.record;
            if (listed.contains(record.upload_id) || !shows(record.bucket, record.key, record.upload_id)) continue;
            if (old_enough(record.started))
                print(target_of(record), record.upload_id, record.started, &known, !address_.has_value());
        }
    };
    if (!address_) {
        show_rest();
        if (others_ > 0) note(fmt::format("{} more of other stores; --endpoint-url names one", others_));
        return end_with(session_.output(), 0);
    }
    UploadsSource source(*address_, settings_.item.properties.extra, "list", false,
                         [&](const wire::ListedUpload& upload) {
                             if (!shows(address_->bucket, upload.key, upload.upload_id)) return UploadsSource::Answer{};
                             const wire::S3Uri target{address_->bucket, upload.key};
                             const KnownUpload* known = find(target, upload.upload_id);
                             if (known != nullptr) listed.insert(upload.upload_id);
                             if (old_enough(upload.initiated))
                                 print(target, upload.upload_id, upload.initiated, known, true);
                             return UploadsSource::Answer{true, std::nullopt};
                         });
    const int code = run_items(session_, source, {});
    if (code == 0) show_rest();
    return end_with(session_.output(), code);
}

Transfer Uploads::abort_item(const wire::ListedUpload& upload) const {
    Transfer item = settings_.item;
    item.kind = TransferKind::abort_upload;
    item.target = {address_->bucket, upload.key};
    item.upload_id = upload.upload_id;
    item.label = fmt::format("abort upload {} of {}", printable(upload.upload_id), wire::to_text(item.target));
    const KnownUpload* known = find(item.target, upload.upload_id);
    if (known == nullptr || settings_.force) return item;
    if (known->at_work) {
        item.refused = {ErrorKind::precondition,
                        fmt::format("process {} is at work on it; --force aborts it all the same",
                                    known->record.owner ? known->record.owner->pid : 0)};
    } else if (known->record.completing) {
        item.refused = {ErrorKind::precondition, "the same command may still find it complete; --force aborts it"};
    }
    return item;
}

int Uploads::abort() {
    if (address_->key.empty() && id_.empty() && !settings_.older_than && !settings_.force) {
        return fail(
            session_.output(),
            usage(fmt::format("uploads abort {}: that is every upload of the bucket, those of others too; name a "
                              "key or folder, or give --older-than DUR or --force",
                              wire::to_text(*address_))));
    }
    const bool must_find = one_is_meant() && !settings_.older_than;
    UploadsSource source(*address_, settings_.item.properties.extra, "abort", must_find,
                         [&](const wire::ListedUpload& upload) {
                             const bool meant = means(address_->bucket, upload.key, upload.upload_id);
                             if (!meant || !old_enough(upload.initiated)) return UploadsSource::Answer{};
                             return UploadsSource::Answer{true, abort_item(upload)};
                         });
    return run_items(session_, source, {.several = true});
}

/// The put that began it, when it is known to be the same; else an item that says what to do.
std::optional<Transfer> Uploads::resume_item(const KnownUpload& known) {
    const engine::UploadRecord& record = known.record;
    const wire::S3Uri target = target_of(record);
    const std::string name = "upload of " + wire::to_text(target);
    if (known.at_work) {
        note(fmt::format("{}: process {} is at work on it", name, record.owner ? record.owner->pid : 0));
        return std::nullopt;
    }
    Transfer item;
    item.target = target;
    const auto refused = [&](Error error) {
        item.label = name;
        item.refused = std::move(error);
        return item;
    };
    const std::string abort = fmt::format("s3tug uploads abort '{}' {}", wire::to_text(target), record.upload_id);
    if (engine::good_only_to_abort(record)) return refused(usage("it cannot be gone on with; type: " + abort));
    const std::string put = fmt::format("s3tug put '{}' '{}'", printable(record.path), wire::to_text(target));
    const Result<port::FileFacts> source = session_.files().stat(record.path);
    if (!source) return refused(Error{source.error().kind, source.error().message + "; or type: " + abort});
    if (!engine::same_source(*source, record.source)) {
        return refused({ErrorKind::source_changed,
                        fmt::format("{} changed since; to upload it anew type: {}", printable(record.path), put)});
    }
    const std::string address = "s3://" + target.bucket + "/" + target.key;
    Result<std::vector<Transfer>> planned =
        plan_items(CommandId::put, {record.path, address}, settings_, session_.files());
    if (!planned) return refused(planned.error());
    if (engine::upload_options(planned->front(), settings_.engine.write_token) != record.options) {
        return refused(
            usage("it was begun with other options (type, metadata, storage class, checksum); give them here "
                  "again, or type the same put as before: " +
                  put));
    }
    return planned->front();
}

int Uploads::resume() {
    std::vector<Transfer> items;
    bool found = false;
    for (const KnownUpload& known : known_) {
        if (!means(known.record.bucket, known.record.key, known.record.upload_id)) continue;
        if (!old_enough(known.record.started)) continue;
        found = true;
        if (std::optional<Transfer> item = resume_item(known)) items.push_back(*std::move(item));
    }
    if (!found && address_ && one_is_meant()) {
        return fail(session_.output(),
                    {ErrorKind::not_found, fmt::format("uploads resume {}: the state file knows no such "
                                                       "upload",
                                                       wire::to_text(*address_))});
    }
    engine::ItemList source(items);
    return run_items(session_, source, {.several = items.size() > 1});
}

}  // namespace

int uploads_command(const std::vector<std::string>& operands, Session& session) {
    const std::string what = operands.empty() ? std::string() : operands.front();
    const bool known = what == "list" || what == "abort" || what == "resume";
    if (!known || operands.size() > 3 || (what == "abort" && operands.size() < 2)) {
        return fail(session.output(),
                    usage(fmt::format("uploads: right form: s3tug uploads {}", command(CommandId::uploads).operands)));
    }
    std::optional<wire::S3Uri> address;
    if (operands.size() > 1) {
        Result<wire::S3Uri> parsed = wire::parse_s3_uri(operands[1]);
        if (!parsed) return fail(session.output(), parsed.error());
        address = *std::move(parsed);
    }
    if (Status status = session.open(); !status) return fail(session.output(), status.error());
    Uploads uploads(session, std::move(address), operands.size() > 2 ? operands[2] : std::string());
    return what == "list" ? uploads.list() : what == "abort" ? uploads.abort() : uploads.resume();
}

}  // namespace s3tug::cmd
