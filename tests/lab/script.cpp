#include "lab/script.h"

#include <algorithm>
#include <charconv>

#include "lab/bytes.h"
#include "lab/script_actions.h"

namespace s3tug::lab {

namespace {

void take_count(Tokens& tokens, When& when, const std::string& word) {
    const size_t dash = word.find('-');
    when.first = tokens.to_count(word.substr(0, dash), "a request number, from 1");
    when.last = when.first;
    if (dash != std::string::npos)
        when.last = dash + 1 == word.size() ? UINT64_MAX : tokens.to_count(word.substr(dash + 1), "a request number");
    if (when.first == 0 || when.last < when.first) tokens.fail("requests are counted from 1, and a range goes upwards");
}

void take_condition(Tokens& tokens, Rule& rule) {
    if (const auto key = tokens.accept_setting("key")) {
        rule.key = *key;
    } else if (const auto bucket = tokens.accept_setting("bucket")) {
        rule.bucket = *bucket;
    } else if (const auto part = tokens.accept_setting("part")) {
        rule.part = tokens.to_count(*part, "a part number");
    } else if (const auto connection = tokens.accept_setting("conn")) {
        if (*connection != "fresh" && *connection != "reused")
            tokens.fail_unknown("connection", *connection, {"fresh", "reused"});
        rule.reused = *connection == "reused";
    } else if (tokens.accept("every")) {
        rule.when.every = tokens.take_number("a number after `every`");
        if (rule.when.every == 0) tokens.fail("every 0th request does not exist");
    } else if (tokens.accept("from")) {
        rule.when.from = tokens.take_duration("a time after `from`, like 2s");
    } else if (tokens.accept("to")) {
        rule.when.until = tokens.take_duration("a time after `to`, like 22s");
    } else if (tokens.accept("for")) {
        rule.when.lasting = tokens.take_duration("a time after `for`, like 20s");
    } else {
        const std::string word = tokens.take("a condition or `:`");
        double percent = 0;
        const char* end = word.data() + word.size();
        if (word.ends_with('%')) {
            const auto [stop, error] = std::from_chars(word.data(), end, percent);
            if (error != std::errc{} || stop + 1 != end || percent < 0 || percent > 100)
                tokens.fail("a share is a number from 0 to 100 with %");
            rule.when.percent = percent;
        } else if (word.front() >= '0' && word.front() <= '9') {
            take_count(tokens, rule.when, word);
        } else {
            tokens.fail_unknown("condition", word,
                                {"key=GLOB", "bucket=GLOB", "part=N", "conn=fresh", "conn=reused", "N", "N-M", "N-",
                                 "every", "P%", "from", "to", "for"});
        }
    }
}

void check_sense(const Tokens& tokens, const Rule& rule) {
    const Faults& f = rule.faults;
    const bool any_request = rule.when.first == 1 && rule.when.last == UINT64_MAX && rule.when.every == 1 &&
                             !rule.when.percent && rule.key == "*" && rule.bucket == "*";
    if (f.refuse && !(rule.op == "*" && any_request && !rule.when.lasting))
        tokens.fail("a closed port sees no requests: write `* from 2s to 22s: refuse` (the window may be left out)");
    const bool synthetic_ok = !f.synthetic || f.synthetic->form == Synthetic::Form::garbage;
    if (rule.op == "Connection" && (!(f.ending || f.delay || f.synthetic) || !synthetic_ok))
        tokens.fail("a connection without a request takes reset, close, hang, delay or garbage only");
    if (rule.when.from && rule.when.until && *rule.when.until <= *rule.when.from)
        tokens.fail("the window ends before it begins");
}

Rule take_rule(Tokens& tokens, std::string_view text) {
    Rule rule;
    rule.text = trim(text);
    rule.op = tokens.take("an operation, a method or `*`");
    std::vector<std::string_view> known = operation_names();
    for (const std::string_view more : {"*", "Connection", "GET", "HEAD", "PUT", "POST", "DELETE"})
        known.push_back(more);
    if (std::ranges::find(known, rule.op) == known.end()) tokens.fail_unknown("operation", rule.op, known);
    while (!tokens.accept(":")) {
        if (tokens.at_action_end()) static_cast<void>(tokens.take("`:` and an action"));
        take_condition(tokens, rule);
    }
    do take_action(tokens, rule.faults);
    while (tokens.accept(";") && !tokens.at_end());
    check_sense(tokens, rule);
    return rule;
}

}  // namespace

const std::vector<std::string_view>& operation_names() {
    static const std::vector<std::string_view> names = {"PutObject",
                                                        "GetObject",
                                                        "HeadObject",
                                                        "DeleteObject",
                                                        "CopyObject",
                                                        "DeleteObjects",
                                                        "ListObjects",
                                                        "ListObjectsV2",
                                                        "ListObjectVersions",
                                                        "ListBuckets",
                                                        "HeadBucket",
                                                        "CreateBucket",
                                                        "DeleteBucket",
                                                        "GetBucketLocation",
                                                        "GetBucketVersioning",
                                                        "PutBucketVersioning",
                                                        "CreateMultipartUpload",
                                                        "UploadPart",
                                                        "UploadPartCopy",
                                                        "CompleteMultipartUpload",
                                                        "AbortMultipartUpload",
                                                        "ListParts",
                                                        "ListMultipartUploads"};
    return names;
}

std::variant<std::vector<Rule>, ScriptError> parse_script(std::string_view text) {
    std::vector<Rule> rules;
    size_t number = 0;
    try {
        for (const std::string_view line : split(text, '\n')) {
            Tokens tokens(line, ++number);
            if (!tokens.at_end()) rules.push_back(take_rule(tokens, line));
        }
    } catch (const ScriptError& error) { return error; }
    return rules;
}

}  // namespace s3tug::lab
