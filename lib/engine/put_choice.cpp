#include <algorithm>

#include "base/limits.h"
#include "engine/inner_flow.h"
#include "engine/put_flows.h"
#include "engine/upload_journal.h"

namespace s3tug::engine {
namespace {

/// A put before its source is open: what it is decides how it is sent.
class PutChoice final : public InnerFlow {
  public:
    PutChoice(Services& services, const Transfer& transfer) : services_(services), transfer_(transfer) {}

    Result<std::string> prepare() override {
        Result<std::unique_ptr<Flow>> chosen = choose();
        if (!chosen) return std::move(chosen).error();
        inner_ = std::move(*chosen);
        return inner_->prepare();
    }

  private:
    Result<std::unique_ptr<Flow>> choose() {
        const bool from_stdin = transfer_.local.kind == LocalEnd::Kind::stdio;
        Result<std::unique_ptr<port::SourceFile>> opened =
            from_stdin ? services_.ports.files.open_stdin() : services_.ports.files.open_source(transfer_.local.path);
        if (!opened) return std::move(opened).error();
        const port::FileFacts facts = (*opened)->at_open();
        // A regular file of size 0 may still yield bytes (/proc), so it is read to its end like a stream.
        const bool plain_file = facts.type == port::FileType::regular && facts.size > 0 && !from_stdin;
        if (plain_file) {
            auto warn = [&services = services_, &transfer = transfer_](std::string text) {
                services.trace.warning(item_name(transfer), std::move(text));
            };
            return choose_for(file_body(
                                  std::move(*opened), transfer_.local.path, transfer_.source_changed,
                                  [&services = services_] { return services.may_go_on(); }, std::move(warn)),
                              facts);
        }
        return choose_for_stream(std::move(*opened));
    }

    Result<std::unique_ptr<Flow>> choose_for_stream(std::unique_ptr<port::SourceFile> stream) {
        if (!transfer_.idempotency_key.empty()) {
            // The key needs a digest of all bytes before the first is sent.
            Result<std::unique_ptr<UploadBody>> whole =
                spool_stream(*stream, services_.ports.files, services_.config.spool_folder,
                             limits::put_object_max_bytes, services_.run.deadline);
            if (!whole) return std::move(whole).error();
            return choose_for(std::move(*whole), std::nullopt);
        }
        Result<StreamBeginning> read = spool_beginning(*stream, services_.ports.files, services_.config.spool_folder,
                                                       single_max(), services_.run.deadline);
        if (!read) return std::move(read).error();
        if (read->ended) return make_single_put(services_, transfer_, std::move(read->body));
        return make_stream_put(services_, transfer_, std::move(stream), std::move(read->body));
    }

    Result<std::unique_ptr<Flow>> choose_for(std::unique_ptr<UploadBody> body,
                                             const std::optional<port::FileFacts>& facts) {
        const bool single = body->size() <= single_max() && !(facts && upload_left_behind());
        if (single) return make_single_put(services_, transfer_, std::move(body));
        return make_multipart_put(services_, transfer_, std::move(body), facts);
    }

    /// Of the same file, when it was larger: parts it is then, which look after that upload. A run asks once whether
    /// the state file knows any, which is seldom.
    [[nodiscard]] bool upload_left_behind() {
        if (!services_.config.multipart.resume) return false;
        port::StateStore& state = services_.ports.state;
        if (!services_.uploads_known) services_.uploads_known = !state.list(port::Table::upload).empty();
        return *services_.uploads_known &&
               state.read(port::Table::upload, upload_key(page_of(services_, transfer_.target, transfer_.local.path)));
    }

    [[nodiscard]] uint64_t single_max() const {
        return std::min(services_.config.multipart.threshold, limits::put_object_max_bytes);
    }

    Services& services_;
    const Transfer& transfer_;
};

}  // namespace

std::unique_ptr<Flow> make_put(Services& services, const Transfer& transfer) {
    return std::make_unique<PutChoice>(services, transfer);
}

}  // namespace s3tug::engine
