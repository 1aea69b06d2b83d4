#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rng.h"

namespace s3tug::fuzz {

/// FNV-1a: a seed from the id of a commit.
[[nodiscard]] constexpr uint64_t seed_of(std::string_view text) {
    uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    return hash;
}

/// Inputs made of those of a corpus by a few small changes, and of two of them. The n-th is always the same for a seed,
/// so that a run which breaks something can say what did. Without libFuzzer's knowledge of what an input has reached:
/// a short run in every build, in addition to scripts/fuzz.
class Mutants {
  public:
    /// `corpus` is not empty.
    Mutants(std::vector<std::string> corpus, uint64_t seed) : corpus_(std::move(corpus)), seed_(seed) {}

    [[nodiscard]] std::string nth(uint64_t n) const {
        Rng rng(seed_ ^ n * 0xD1342543DE82EF95ULL);
        std::string text = pick(rng);
        for (uint64_t changes = 1 + rng.up_to(5); changes > 0; --changes) change(text, rng);
        text.resize(std::min<std::size_t>(text.size(), longest));
        return text;
    }

  private:
    static constexpr std::size_t longest = 16384;
    /// What ends, begins or escapes something in one of the formats.
    static constexpr char telling[] = "\0\xFF\x80\r\n\t \"'\\/<>&;=:,#[]{}%+-.0914ex*?!";

    [[nodiscard]] const std::string& pick(Rng& rng) const { return corpus_[rng.up_to(corpus_.size() - 1)]; }
    [[nodiscard]] static std::string piece(const std::string& text, Rng& rng) {
        if (text.empty()) return {};
        const std::size_t at = rng.up_to(text.size() - 1);
        return text.substr(at, 1 + rng.up_to(31));
    }

    void change(std::string& text, Rng& rng) const {
        const std::size_t at = rng.up_to(text.size());
        const char byte = telling[rng.up_to(sizeof telling - 2)];
        switch (rng.up_to(7)) {
            case 0:
                if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << rng.up_to(7)));
                break;
            case 1:
                if (at < text.size()) text[at] = byte;
                break;
            case 2: text.insert(at, 1, byte); break;
            case 3: text.erase(at, 1 + rng.up_to(15)); break;
            case 4: text.insert(at, piece(text, rng)); break;
            case 5: text.insert(at, piece(pick(rng), rng)); break;
            case 6: text = text.substr(0, at) + pick(rng).substr(0, rng.up_to(longest)); break;
            default: text.insert(at, std::to_string(rng.next() >> rng.up_to(63))); break;
        }
    }

    std::vector<std::string> corpus_;
    uint64_t seed_;
};

}  // namespace s3tug::fuzz
