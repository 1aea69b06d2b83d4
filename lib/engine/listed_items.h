#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/item_source.h"
#include "engine/key_selection.h"
#include "engine/object_listing.h"

namespace s3tug::engine {

/// What a listed object becomes. `name` is its name below KeySelection::base(). Nothing: it is left out.
using ObjectItem = std::function<std::optional<Transfer>(const wire::ListedObject& object, const std::string& name)>;

/// The objects that a selection means, as a listing gives them. Holds two pages at most. A listing that fails ends the
/// source with an item of kind `list` that is refused with the error; what earlier pages held is not taken back. A
/// selection that means no object at all is `not_found`, so that a mistyped prefix is no success; one of which the
/// filter leaves nothing is not.
class ListedItems final : public ItemSource {
  public:
    /// @param extra    the user's headers, which a listing may need too
    /// @param command  what names a selection of which there is nothing; empty: "list"
    ListedItems(KeySelection selection, const std::vector<wire::Header>& extra, ObjectItem make,
                std::string command = {});

    [[nodiscard]] std::optional<Transfer> next() override;
    [[nodiscard]] bool ended() const override { return ended_; }
    [[nodiscard]] std::optional<PlanningRequest> request() override;
    void on_result(OperationResult result) override;
    void stop() override;

  private:
    [[nodiscard]] std::optional<Transfer> from_page();
    [[nodiscard]] Transfer nothing_there() const;
    [[nodiscard]] Transfer refused(const wire::ListObjectsInput& scope, Error error) const;
    [[nodiscard]] bool all_listed() const { return stage_ == stages_.size(); }

    KeySelection selection_;
    ObjectItem make_;
    std::string command_;
    std::vector<wire::ListObjectsInput> stages_;
    std::size_t stage_ = 0;
    std::optional<ObjectListing> listing_;
    bool asked_ = false;  ///< a page is under way
    std::vector<wire::ListedObject> page_;
    std::vector<wire::ListedObject> ahead_;  ///< the page after it
    std::size_t position_ = 0;
    std::optional<Transfer> failure_;  ///< told after what was listed before it
    bool found_ = false;
    bool ended_ = false;
};

}  // namespace s3tug::engine
