// Sizes and durations as people type them, and command lines of credential_process.
#include <cmath>

#include "base/text.h"
#include "fuzz/fuzz.h"
#include "host/shell_words.h"
#include "wire/utf8.h"

namespace s3tug::fuzz {
namespace {

void check_quantities(std::string_view text) {
    if (const auto size = parse_size(text)) {
        require(text.find('-') == std::string_view::npos, "no size is negative", text);
        const auto again = parse_size(std::to_string(*size) + " B");
        require(again && *again == *size, "a size is read as it is printed", text);
        (void)format_size(*size);
    } else {
        require(size.error().kind == ErrorKind::usage && shows_safely(size.error().message), "errors can be shown");
    }
    if (const auto duration = parse_duration(text)) {
        require(*duration >= Duration::zero(), "no duration is negative", text);
        const auto ms = std::chrono::duration_cast<milliseconds>(*duration);
        const auto again = parse_duration(std::to_string(ms.count()) + "ms");
        require(again && *again == ms, "a duration is read as it is printed", text);
        (void)format_duration(*duration);
    }
}

/// Words in single quotes come back as they were.
void check_shell_words(std::string_view text) {
    const auto words = host::split_shell_words(text);
    if (!words) {
        require(text.size() < 16 || words.error().message.find(text) == std::string::npos, "a command is not shown");
        return;
    }
    std::string quoted;
    for (const std::string& word : *words) {
        quoted += quoted.empty() ? "'" : " '";
        for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
        quoted += "'";
    }
    const auto again = host::split_shell_words(quoted);
    require(again && *again == *words, "quoted words come back", quoted);
}

}  // namespace
}  // namespace s3tug::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace s3tug;
    const std::string_view text = fuzz::text_of(data, size);
    fuzz::check_quantities(text);
    fuzz::check_shell_words(text);
    const std::string_view candidates[] = {"--retries", "--region", text.substr(0, 40)};
    (void)nearest(text, candidates);
    (void)to_lower(text);
    return 0;
}
