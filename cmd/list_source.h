#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cmd/output.h"
#include "engine/item_source.h"
#include "engine/object_listing.h"
#include "wire/uri.h"

namespace s3tug::cmd {

struct ListWish {
    bool recursive = false;
    bool summarize = false;
    bool json = false;
    bool raw_keys = false;
    std::vector<wire::Header> extra = {};
};

/// What `list` prints, as the pages of its listings come in: nothing is kept of a page that was printed. It has no
/// items but those that failed: a listing that broke off, a name that nothing has.
class ListSource final : public engine::ItemSource {
  public:
    /// @param addresses  none: the buckets
    ListSource(std::vector<wire::S3Uri> addresses, ListWish wish, Output& output);

    [[nodiscard]] std::optional<engine::Transfer> next() override;
    [[nodiscard]] bool ended() const override;
    [[nodiscard]] std::optional<engine::PlanningRequest> request() override;
    void on_result(engine::OperationResult result) override;
    void stop() override;
    [[nodiscard]] uint64_t done_itself() const override { return done_; }  ///< addresses

    [[nodiscard]] uint64_t objects() const { return objects_; }  ///< printed so far
    [[nodiscard]] uint64_t bytes() const { return bytes_; }      ///< of these

  private:
    /// Which of a listing's names are printed.
    enum class Show : uint8_t { all, matching, name_itself, folder_itself };
    struct Stage {
        engine::ObjectListing listing;
        Show show;
    };

    void begin_address();
    void end_address();
    void add_stage(std::string prefix, bool by_folder, unsigned max_keys, Show show);
    void on_buckets(engine::OperationResult result);
    void on_page(Stage& stage, const wire::ListObjectsPage& page);
    [[nodiscard]] bool wanted(Show show, const std::string& key) const;
    [[nodiscard]] bool look_for_folder(const Stage& stage, const wire::ListObjectsPage& page) const;
    void fail(engine::Transfer about, Error error, engine::StoreSaid said = {});

    void add_object(const wire::ListedObject& object, std::string& out);
    void add_prefix(const std::string& prefix, std::string& out);
    [[nodiscard]] std::string name_of(const std::string& key) const;
    void print(std::string lines);

    std::vector<wire::S3Uri> addresses_;
    ListWish wish_;
    Output& output_;
    bool shown_;  ///< to somebody at a terminal
    std::size_t position_ = 0;
    bool buckets_;  ///< are still to be listed
    std::string buckets_after_;
    std::deque<Stage> stages_;  ///< of the address at position_
    std::optional<engine::Transfer> failed_;
    bool found_ = false;         ///< something of this address
    bool folder_found_ = false;  ///< NAME/ beside NAME
    bool broken_off_ = false;    ///< there is more than was printed
    uint64_t done_ = 0;
    uint64_t objects_ = 0;
    uint64_t bytes_ = 0;
};

}  // namespace s3tug::cmd
