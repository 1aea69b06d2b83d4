#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/item_source.h"
#include "engine/upload_book.h"
#include "wire/list_answers.h"
#include "wire/uri.h"

namespace s3tug::cmd {

/// The multipart uploads that a store has below an address, page by page. What each becomes `use` says: an item, or
/// nothing when it was only looked at. A listing that fails is an item that failed, and so is an address of one key or
/// one id when `use` took nothing of it.
class UploadsSource final : public engine::ItemSource {
  public:
    struct Answer {
        bool taken = false;
        std::optional<engine::Transfer> item = std::nullopt;
    };
    using Use = std::function<Answer(const wire::ListedUpload&)>;

    /// @param must_find  that nothing is taken is `not_found`
    /// @param verb  what is to be done with them: "list", "abort"; names a listing that failed
    UploadsSource(wire::S3Uri address, std::vector<wire::Header> extra, std::string verb, bool must_find, Use use);

    [[nodiscard]] std::optional<engine::Transfer> next() override;
    [[nodiscard]] bool ended() const override { return listed_ && ready_.empty(); }
    [[nodiscard]] std::optional<engine::PlanningRequest> request() override;
    void on_result(engine::OperationResult result) override;
    void stop() override;

  private:
    [[nodiscard]] engine::Transfer listing() const;  ///< what names it
    void fail(Error error, engine::StoreSaid said = {});

    wire::S3Uri address_;
    std::string verb_;
    bool must_find_;
    Use use_;
    wire::ListMultipartUploadsInput scope_;
    std::deque<engine::Transfer> ready_;  ///< of one page
    bool listed_ = false;
    bool found_ = false;
};

/// Does the address mean this key? One that ends in '/' or has none means all below, one with * a pattern.
[[nodiscard]] bool address_means(const wire::S3Uri& address, const std::string& key, bool raw_keys);
/// The same for looking only, which harms nothing: any other address is a prefix.
[[nodiscard]] bool address_shows(const wire::S3Uri& address, const std::string& key, bool raw_keys);

}  // namespace s3tug::cmd
