#pragma once

#include <map>
#include <memory>

#include "engine/item_source.h"
#include "port/credential_source.h"
#include "port/files.h"
#include "port/observer.h"
#include "port/state_store.h"
#include "port/transport.h"
#include "sim/world/account.h"

/// Between an engine and the world, so that each counts what it allocates: the ports of a process as its engine sees
/// them. What the world hands over is copied, and so belongs to the engine from then on.
namespace s3tug::simworld {

class BorderTransport final : public port::Transport {
  public:
    BorderTransport(port::Transport& world, Account& account) : world_(world), account_(account) {}
    void submit(port::Submission submission) override;
    void cancel(port::AttemptId id, wire::TransportCode reason) override;
    std::vector<port::Completion> poll(Instant until) override;
    port::Progress progress(port::AttemptId id) const override { return world_.progress(id); }

  private:
    struct Ends;  ///< of one attempt
    port::Transport& world_;
    Account& account_;
    std::map<port::AttemptId, std::shared_ptr<Ends>> ends_;
};

class BorderState final : public port::StateStore {
  public:
    BorderState(port::StateStore& world, Account& account) : world_(world), account_(account) {}
    std::optional<std::string> read(port::Table table, std::string_view key) override;
    bool update(port::Table table, std::string_view key, const Step& step) override;
    std::vector<port::StateEntry> list(port::Table table) override;
    bool erase_all(port::Table table) override { return world_.erase_all(table); }
    Status healthy() override { return world_.healthy(); }

  private:
    port::StateStore& world_;
    Account& account_;
};

class BorderFiles final : public port::Files {
  public:
    explicit BorderFiles(port::Files& world) : world_(world) {}
    Result<port::FileFacts> stat(const std::string& path) override;
    Result<std::unique_ptr<port::SourceFile>> open_source(const std::string& path) override;
    Result<std::unique_ptr<port::SourceFile>> open_stdin() override;
    Result<std::unique_ptr<port::TargetFile>> open_target(const std::string& path,
                                                          const port::TargetOptions& options) override;
    Result<std::unique_ptr<port::TargetFile>> open_stdout() override;
    Result<std::unique_ptr<port::SpoolFile>> open_spool(const std::string& folder) override;
    Status remove(const std::string& path, const port::FileFacts& seen) override;
    Result<std::unique_ptr<port::Folder>> open_folder(const std::string& path) override;

  private:
    port::Files& world_;
};

class BorderCredentials final : public port::CredentialSource {
  public:
    explicit BorderCredentials(port::CredentialSource& world) : world_(world) {}
    Result<std::optional<wire::Credentials>> current(WallTime now) override;
    Result<bool> refresh(const wire::Credentials& refused, WallTime now) override;

  private:
    port::CredentialSource& world_;
};

class BorderObserver final : public port::Observer {
  public:
    explicit BorderObserver(port::Observer& world) : world_(world) {}
    bool wants(port::EventKind kind) const override { return world_.wants(kind); }
    void on(const port::TraceEvent& event) override;

  private:
    port::Observer& world_;
};

/// Counts what the engine has begun and not ended; each key of a batch is one.
class CountedItems final : public engine::ItemSource {
  public:
    CountedItems(std::unique_ptr<engine::ItemSource> source, std::size_t& begun)
        : source_(std::move(source)), begun_(begun) {}
    void under_way(bool any) override { source_->under_way(any); }
    std::optional<engine::Transfer> next() override;
    bool ended() const override { return source_->ended(); }
    bool starved() const override { return source_->starved(); }
    std::optional<engine::PlanningRequest> request() override { return source_->request(); }
    void on_result(engine::OperationResult result) override { source_->on_result(std::move(result)); }
    void on_end(const engine::Transfer& item, const engine::Outcome& outcome) override;
    void stop() override { source_->stop(); }
    uint64_t done_itself() const override { return source_->done_itself(); }
    std::optional<uint64_t> left() const override { return source_->left(); }

  private:
    std::unique_ptr<engine::ItemSource> source_;
    std::size_t& begun_;
};

}  // namespace s3tug::simworld
