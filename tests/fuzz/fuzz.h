#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "wire/reply.h"

/// What the fuzz targets share. A target is one file NAME_fuzz.cpp with LLVMFuzzerTestOneInput(): it feeds the same
/// bytes to every parser of its kind and checks what those promise. Under clang with S3TUG_FUZZ libFuzzer drives it;
/// in every other build replay_main.cpp runs it over corpus/NAME.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace s3tug::fuzz {

/// Ends the program when a promise is broken: libFuzzer then keeps the input.
inline void require(bool held, std::string_view promise, std::string_view shown = {}) {
    if (held) return;
    const std::string more = printable(shown);
    std::fprintf(stderr, "broken: %.*s: %s\n", static_cast<int>(promise.size()), promise.data(), more.c_str());
    std::abort();
}

inline std::string_view text_of(const uint8_t* data, size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// Takes the line off the front of `text`, without its end.
inline std::string_view take_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
    return line;
}

/// "STATUS", header lines, an empty line, and the body, as they stand in the corpora.
inline wire::HttpAnswer take_answer(std::string_view text) {
    wire::HttpAnswer answer;
    answer.status = 200;
    for (std::string_view line = take_line(text); !line.empty(); line = take_line(text)) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) {
            answer.status = std::atoi(std::string(line.substr(0, 4)).c_str());
        } else {
            line.substr(colon + 1).starts_with(' ') ? answer.headers.add(line.substr(0, colon), line.substr(colon + 2))
                                                    : answer.headers.add(line.substr(0, colon), line.substr(colon + 1));
        }
    }
    answer.body = text;
    return answer;
}

/// Whether a person's terminal can be shown this: no control characters.
inline bool shows_safely(std::string_view text) {
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return false;
    }
    return true;
}

}  // namespace s3tug::fuzz
