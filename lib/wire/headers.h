#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace s3tug::wire {

struct Header {
    std::string name;  ///< lower case
    std::string value;
    bool operator==(const Header&) const = default;
};

/// Header lines in order; names are held in lower case, repeated names are kept.
class Headers {
  public:
    void add(std::string_view name, std::string_view value);
    void set(std::string_view name, std::string_view value);  ///< replaces all of that name
    void remove(std::string_view name);
    [[nodiscard]] std::optional<std::string_view> find(std::string_view lower_name) const;  ///< the first
    [[nodiscard]] bool empty() const { return lines_.empty(); }
    [[nodiscard]] auto begin() const { return lines_.begin(); }
    [[nodiscard]] auto end() const { return lines_.end(); }
    [[nodiscard]] std::size_t size() const { return lines_.size(); }

  private:
    std::vector<Header> lines_;
};

/// True for headers whose value must not be shown: authorization, security tokens, SSE-C keys, cookies.
[[nodiscard]] bool is_secret_header(std::string_view lower_name);

}  // namespace s3tug::wire
