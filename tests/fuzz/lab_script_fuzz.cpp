// Fault scripts of the lab. A script that was read prints rules that are read as the same rules.
#include "fuzz/fuzz.h"
#include "lab/script.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace s3tug;
    const auto read = lab::parse_script(fuzz::text_of(data, size));
    if (const auto* error = std::get_if<lab::ScriptError>(&read)) {
        fuzz::require(error->line > 0 && !error->message.empty(), "an error says where and what");
        (void)error->text();
        return 0;
    }
    for (const lab::Rule& rule : std::get<0>(read)) {
        const auto again = lab::parse_script(rule.text);
        const auto* rules = std::get_if<std::vector<lab::Rule>>(&again);
        fuzz::require(rules != nullptr && rules->size() == 1, "a rule's text is that rule", rule.text);
        fuzz::require(rules->front().op == rule.op && rules->front().key == rule.key &&
                          rules->front().when.first == rule.when.first && rules->front().when.last == rule.when.last,
                      "and says the same", rule.text);
        lab::Occasion occasion;
        occasion.op = "PutObject";
        occasion.method = "PUT";
        occasion.key = "k";
        (void)rule.matches(occasion);
    }
    return 0;
}
