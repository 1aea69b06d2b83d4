#include "sim/world/border.h"

#include <algorithm>
#include <utility>

namespace s3tug::simworld {
namespace {

class Body final : public port::BodySource {
  public:
    Body(port::BodySource* engine, Account& account) : engine_(engine), account_(account) {}
    Result<std::size_t> read(uint64_t offset, MutableByteSpan out) override {
        const Allocating engine(&account_);
        return engine_->read(offset, out);
    }

  private:
    port::BodySource* engine_;
    Account& account_;
};

class Sink final : public port::BodySink {
  public:
    Sink(port::BodySink* engine, Account& account) : engine_(engine), account_(account) {}
    bool begin(const wire::HttpAnswer& head) override {
        const Allocating engine(&account_);
        return engine_->begin(head);
    }
    Status write(ByteSpan bytes) override {
        const Allocating engine(&account_);
        return engine_->write(bytes);
    }

  private:
    port::BodySink* engine_;
    Account& account_;
};

/// Something open: its own call is the world's, and so is its end.
template <class Port>
class Open : public Port {
  public:
    explicit Open(std::unique_ptr<Port> world) : world_(std::move(world)) {}
    ~Open() override {
        const Allocating world(nullptr);
        world_.reset();
    }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

  protected:
    template <class Call>
    auto ask(Call call) const {
        const Allocating world(nullptr);
        return call(*world_);
    }
    std::unique_ptr<Port> world_;
};

class Source final : public Open<port::SourceFile> {
  public:
    using Open::Open;
    const port::FileFacts& at_open() const override { return world_->at_open(); }
    Result<port::FileFacts> now() const override {
        return ask([](auto& file) { return file.now(); });
    }
    Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override {
        return ask([&](auto& file) { return file.read_at(offset, out); });
    }
    Result<std::size_t> read_next(MutableByteSpan out, std::optional<Instant> until) override {
        return ask([&](auto& file) { return file.read_next(out, until); });
    }
};

class Target final : public Open<port::TargetFile> {
  public:
    using Open::Open;
    bool seekable() const override { return world_->seekable(); }
    Status reserve(uint64_t size) override {
        return ask([&](auto& file) { return file.reserve(size); });
    }
    Status write_at(uint64_t offset, ByteSpan bytes) override {
        return ask([&](auto& file) { return file.write_at(offset, bytes); });
    }
    Status write_next(ByteSpan bytes, std::optional<Instant> until) override {
        return ask([&](auto& file) { return file.write_next(bytes, until); });
    }
    Status truncate(uint64_t size) override {
        return ask([&](auto& file) { return file.truncate(size); });
    }
    Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override {
        return ask([&](auto& file) { return file.read_at(offset, out); });
    }
    std::string kept_as() const override { return world_->kept_as(); }
    void keep(bool stay) override { world_->keep(stay); }
    uint64_t left_over() const override { return world_->left_over(); }
    Status commit(std::optional<WallTime> mtime) override {
        return ask([&](auto& file) { return file.commit(mtime); });
    }
};

class Folder final : public Open<port::Folder> {
  public:
    using Open::Open;
    const port::FileFacts& at_open() const override { return world_->at_open(); }
    Result<std::optional<port::FolderEntry>> next() override {
        const Result<std::optional<port::FolderEntry>> entry = ask([](auto& folder) { return folder.next(); });
        return Result<std::optional<port::FolderEntry>>(entry);
    }
};

class Spool final : public Open<port::SpoolFile> {
  public:
    using Open::Open;
    Status append(ByteSpan bytes) override {
        return ask([&](auto& file) { return file.append(bytes); });
    }
    Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override {
        return ask([&](auto& file) { return file.read_at(offset, out); });
    }
};

template <class Mine, class Port>
Result<std::unique_ptr<Port>> bordered(Result<std::unique_ptr<Port>> opened) {
    if (!opened) return opened;
    return std::unique_ptr<Port>(std::make_unique<Mine>(*std::move(opened)));
}

template <class Call>
auto in_world(Call call) {
    const Allocating world(nullptr);
    return call();
}

}  // namespace

struct BorderTransport::Ends {
    Body body;
    Sink sink;
};

void BorderTransport::submit(port::Submission submission) {
    const Allocating world(nullptr);
    const auto ends = std::make_shared<Ends>(Ends{Body(submission.body, account_), Sink(submission.sink, account_)});
    ends_[submission.id] = ends;
    if (submission.body != nullptr) submission.body = &ends->body;
    if (submission.sink != nullptr) submission.sink = &ends->sink;
    world_.submit(std::move(submission));
}

void BorderTransport::cancel(port::AttemptId id, wire::TransportCode reason) {
    const Allocating world(nullptr);
    world_.cancel(id, reason);
}

std::vector<port::Completion> BorderTransport::poll(Instant until) {
    const std::vector<port::Completion> completed = in_world([&] { return world_.poll(until); });
    for (const port::Completion& one : completed) ends_.erase(one.id);
    return std::vector<port::Completion>(completed);
}

std::optional<std::string> BorderState::read(port::Table table, std::string_view key) {
    const std::optional<std::string> value = in_world([&] { return world_.read(table, key); });
    return std::optional<std::string>(value);
}

bool BorderState::update(port::Table table, std::string_view key, const Step& step) {
    return in_world([&] {
        return world_.update(table, key, [&](const std::optional<std::string>& present) {
            std::optional<std::string> next;
            {
                const Allocating engine(&account_);
                next = step(present);
            }
            return std::optional<std::string>(std::as_const(next));
        });
    });
}

std::vector<port::StateEntry> BorderState::list(port::Table table) {
    const std::vector<port::StateEntry> entries = in_world([&] { return world_.list(table); });
    return std::vector<port::StateEntry>(entries);
}

Result<port::FileFacts> BorderFiles::stat(const std::string& path) {
    return in_world([&] { return world_.stat(path); });
}
Result<std::unique_ptr<port::SourceFile>> BorderFiles::open_source(const std::string& path) {
    return bordered<Source>(in_world([&] { return world_.open_source(path); }));
}
Result<std::unique_ptr<port::SourceFile>> BorderFiles::open_stdin() {
    return bordered<Source>(in_world([&] { return world_.open_stdin(); }));
}
Result<std::unique_ptr<port::TargetFile>> BorderFiles::open_target(const std::string& path,
                                                                   const port::TargetOptions& options) {
    return bordered<Target>(in_world([&] { return world_.open_target(path, options); }));
}
Result<std::unique_ptr<port::TargetFile>> BorderFiles::open_stdout() {
    return bordered<Target>(in_world([&] { return world_.open_stdout(); }));
}
Result<std::unique_ptr<port::SpoolFile>> BorderFiles::open_spool(const std::string& folder) {
    return bordered<Spool>(in_world([&] { return world_.open_spool(folder); }));
}
Status BorderFiles::remove(const std::string& path, const port::FileFacts& seen) {
    return in_world([&] { return world_.remove(path, seen); });
}
Result<std::unique_ptr<port::Folder>> BorderFiles::open_folder(const std::string& path) {
    return bordered<Folder>(in_world([&] { return world_.open_folder(path); }));
}

Result<std::optional<wire::Credentials>> BorderCredentials::current(WallTime now) {
    const Result<std::optional<wire::Credentials>> found = in_world([&] { return world_.current(now); });
    return Result<std::optional<wire::Credentials>>(found);
}

Result<bool> BorderCredentials::refresh(const wire::Credentials& refused, WallTime now) {
    return in_world([&] { return world_.refresh(refused, now); });
}

void BorderObserver::on(const port::TraceEvent& event) {
    const Allocating world(nullptr);
    world_.on(event);
}

std::optional<engine::Transfer> CountedItems::next() {
    std::optional<engine::Transfer> item = source_->next();
    if (item) begun_ += std::max<std::size_t>(1, item->batch.size());
    return item;
}

void CountedItems::on_end(const engine::Transfer& item, const engine::Outcome& outcome) {
    --begun_;
    source_->on_end(item, outcome);
}

}  // namespace s3tug::simworld
