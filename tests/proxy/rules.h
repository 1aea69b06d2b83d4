#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace s3tug::proxy {

using Milliseconds = std::chrono::milliseconds;

enum class Way : uint8_t { up, down };  ///< to the server, to the client

/// What happens to one connection. The grammar is in README.md beside this file.
struct Plan {
    enum class Cut : uint8_t { reset, close, stall, swallow };
    struct Break {
        Cut cut;
        Way way;
        uint64_t first = 0, last = 0;      ///< after so many bytes; drawn between the two
        std::optional<Milliseconds> time;  ///< of a stall; empty: for good
    };
    struct Drip {
        uint64_t bytes;
        Milliseconds every;
    };
    bool refuse = false;
    std::optional<Milliseconds> delay;  ///< before the server is called
    std::optional<Break> ending;
    std::optional<Drip> drip_up, drip_down;

    void merge(const Plan& other);  ///< what is not said yet
};

/// `WHEN: ACTION[; ACTION...]`
struct Rule {
    uint64_t first = 1, last = UINT64_MAX, every = 1;
    std::optional<unsigned> percent;
    std::optional<Milliseconds> from, until;
    Plan plan;
};

/// One rule a line, `#` begins a comment; a text is what is wrong, with its line.
[[nodiscard]] std::variant<std::vector<Rule>, std::string> parse_rules(std::string_view text);

/// The plan for connection `number` (from 1), `age` after the rules came into force. Offsets are drawn: the same for
/// the same seed and number, whatever else happens.
[[nodiscard]] Plan plan_for(const std::vector<Rule>& rules, uint64_t number, Milliseconds age, uint64_t seed);

}  // namespace s3tug::proxy
