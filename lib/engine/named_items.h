#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/item_source.h"
#include "port/files.h"

namespace s3tug::engine {

/// The items that a list names (--files-from), one name a line as it stands there, or each ended by NUL. Empty names
/// are passed over, and so is a byte order mark before the first line. The list is read as items are wanted, so it may
/// be a pipe without an end: with nothing under way the run waits for the next name.
class NamedItems final : public ItemSource {
  public:
    /// What a name of the list becomes; may be an item that is refused. Nothing: it is left out.
    using Make = std::function<std::optional<Transfer>(const std::string& name)>;

    struct List {
        std::unique_ptr<port::SourceFile> file;
        std::string name;  ///< for messages
        char separator = '\n';
        std::optional<Instant> until;  ///< bound on waiting for names
    };
    /// @param about  names the item that is refused when the list cannot be read to its end
    NamedItems(List list, Transfer about, Make make);

    [[nodiscard]] std::optional<Transfer> next() override;
    [[nodiscard]] bool ended() const override { return ended_; }
    [[nodiscard]] bool starved() const override { return starved_; }
    void under_way(bool any) override { under_way_ = any; }
    void stop() override;

  private:
    [[nodiscard]] Result<std::optional<std::string>> next_name();
    [[nodiscard]] std::string take(std::size_t length);

    List list_;
    Transfer about_;
    Make make_;
    std::string buffer_;
    std::size_t position_ = 0;  ///< of the next name in the buffer
    bool first_ = true;         ///< no name was taken yet
    bool under_way_ = false;
    bool starved_ = false;
    bool at_end_ = false;
    bool ended_ = false;
};

}  // namespace s3tug::engine
