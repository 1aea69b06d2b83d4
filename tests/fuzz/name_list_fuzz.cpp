// --files-from: names as they stand in a list, read in pieces of any size. The first byte chooses the separator.
#include <algorithm>
#include <vector>

#include "base/limits.h"
#include "engine/named_items.h"
#include "fuzz/fuzz.h"

namespace s3tug::fuzz {
namespace {

/// Gives its text in pieces whose sizes the text itself chooses.
class List final : public port::SourceFile {
  public:
    explicit List(std::string_view text) : left_(text) {}
    const port::FileFacts& at_open() const override { return facts_; }
    Result<port::FileFacts> now() const override { return facts_; }
    Result<std::size_t> read_at(uint64_t, MutableByteSpan) const override { return std::size_t{0}; }
    Result<std::size_t> read_next(MutableByteSpan out, std::optional<Instant>) override {
        if (left_.empty()) return std::size_t{0};
        const std::size_t wanted = 1 + static_cast<unsigned char>(left_.front()) % 64;
        const std::size_t count = std::min({wanted, left_.size(), out.size()});
        std::ranges::copy(as_bytes(left_.substr(0, count)), out.begin());
        left_.remove_prefix(count);
        return count;
    }

  private:
    std::string_view left_;
    port::FileFacts facts_;
};

/// The names by the book: what stands between separators, without empty ones.
std::vector<std::string> names_of(std::string_view text, char separator) {
    std::vector<std::string> names;
    while (!text.empty()) {
        const std::string_view name = text.substr(0, text.find(separator));
        text.remove_prefix(std::min(text.size(), name.size() + 1));
        if (!name.empty()) names.emplace_back(name);
    }
    return names;
}

}  // namespace
}  // namespace s3tug::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace s3tug;
    std::string_view text = fuzz::text_of(data, size);
    const char separator = text.starts_with('0') ? '\0' : '\n';
    text.remove_prefix(std::min<std::size_t>(1, text.size()));
    std::vector<std::string> seen;
    engine::NamedItems items(
        {.file = std::make_unique<fuzz::List>(text), .name = "list", .separator = separator, .until = {}},
        engine::Transfer{}, [&](const std::string& name) {
            seen.push_back(name);
            return std::optional<engine::Transfer>(engine::Transfer{});
        });
    bool refused = false;
    while (!items.ended()) {
        if (const auto item = items.next()) refused = item->refused.has_value();
    }
    const std::vector<std::string> lines = fuzz::names_of(text, separator);
    if (separator == '\n' && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const std::vector<std::string> wanted = fuzz::names_of(text, separator);
    const bool too_long =
        std::ranges::any_of(lines, [](const std::string& name) { return name.size() > limits::list_line_max_bytes; });
    fuzz::require(refused == too_long, "only a name that is too long is refused");
    fuzz::require(too_long || seen == wanted, "every name is given once, as it stands");
    fuzz::require(std::ranges::equal(seen, std::vector<std::string>(
                                               wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                                    seen.size(), wanted.size())))),
                  "in order");
    return 0;
}
