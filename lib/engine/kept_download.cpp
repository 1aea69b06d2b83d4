#include "engine/kept_download.h"

#include "base/limits.h"

namespace s3tug::engine {

KeptDownload::KeptDownload(Services& services, const Transfer& transfer, port::TargetFile& target, bool wanted)
    : services_(services), target_(target), transfer_(transfer), wanted_(wanted) {}

const std::string& KeptDownload::key() {
    if (!key_) {
        const std::string name = wanted_ ? target_.kept_as() : std::string();
        key_ = name.empty() ? std::string() : download_key(name, transfer_);
    }
    return *key_;
}

std::optional<DownloadRecord> KeptDownload::find() {
    if (target_.left_over() == 0 || key().empty()) return std::nullopt;
    const std::optional<std::string> text = services_.ports.state.read(port::Table::download, key());
    if (!text) return std::nullopt;
    std::optional<DownloadRecord> record = decode_download(*text);
    if (!record) return std::nullopt;
    recorded_ = true;
    target_.keep(true);
    last_ = *text;
    saved_at_ = services_.now();
    saved_bytes_ = record->parts.received();
    return record;
}

void KeptDownload::save(const DownloadRecord& record) {
    if (key().empty()) return;
    std::string text = encode(record);
    saved_at_ = services_.now();
    saved_bytes_ = record.parts.received();
    if (text == last_) return;
    last_ = text;
    recorded_ = services_.ports.state.update(port::Table::download, key(),
                                             [&](const std::optional<std::string>&) { return std::optional(text); });
    target_.keep(recorded_);
}

void KeptDownload::save_now_and_then(const DownloadRecord& record) {
    const uint64_t there = record.parts.received();
    const bool many = there >= saved_bytes_ + services_.config.download.record_bytes;
    if (many || services_.now() - saved_at_ >= limits::download_record_every) save(record);
}

void KeptDownload::drop() {
    target_.keep(false);
    if (!recorded_) return;
    recorded_ = false;
    last_.clear();
    services_.ports.state.update(port::Table::download, key(),
                                 [](const std::optional<std::string>&) { return std::optional(std::string()); });
}

}  // namespace s3tug::engine
