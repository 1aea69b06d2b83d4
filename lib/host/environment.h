#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace s3tug::host {

/// The environment as an argument, so that a test hands in its own. The process's own is read when asked, not copied.
class Environment {
  public:
    using Variables = std::map<std::string, std::string, std::less<>>;

    [[nodiscard]] static Environment system();
    explicit Environment(Variables variables);

    /// nullopt when unset, and when empty: an exported empty variable means "not set" to the AWS tools and to XDG.
    [[nodiscard]] std::optional<std::string> get(std::string_view name) const;

    /// $HOME when it is an absolute path. The user database is not asked: it may be behind a network.
    [[nodiscard]] std::optional<std::string> home() const;

    /// `~` and `~/x` as the home folder; other paths as they are, also when there is no home.
    [[nodiscard]] std::string expand_home(std::string_view path) const;

    /// The names of all that begin so and are set, in no certain order.
    [[nodiscard]] std::vector<std::string> names(std::string_view prefix) const;

    /// "NAME=value" lines for a child process.
    [[nodiscard]] std::vector<std::string> entries() const;

  private:
    Environment() = default;
    std::optional<Variables> variables_;  ///< nullopt = the process's own
};

}  // namespace s3tug::host
