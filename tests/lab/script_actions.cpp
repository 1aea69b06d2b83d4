#include "lab/script_actions.h"

#include <algorithm>
#include <array>

#include "lab/bytes.h"
#include "lab/s3_error.h"

namespace s3tug::lab {

namespace {

struct StageName {
    std::string_view name;
    Stage stage;
    bool takes_count;
};
constexpr std::array stage_names = {
    StageName{"before-read", Stage::before_read, false},
    StageName{"after-headers", Stage::after_headers, false},
    StageName{"mid-body", Stage::mid_body, true},
    StageName{"after-body", Stage::after_body, false},
    StageName{"before-answer", Stage::before_answer, false},
    StageName{"mid-head", Stage::mid_head, true},
    StageName{"mid-answer", Stage::mid_answer, true},
    StageName{"after-answer", Stage::after_answer, false},
};

/// STAGE or STAGE@N, if one is next.
Point take_point(Tokens& tokens, Stage otherwise) {
    if (tokens.at_action_end()) return {otherwise, std::nullopt};
    const std::string word = tokens.take("a stage");
    const size_t at = word.find('@');
    for (const StageName& entry : stage_names) {
        if (entry.name != std::string_view(word).substr(0, at)) continue;
        if (at == std::string::npos) return {entry.stage, std::nullopt};
        if (!entry.takes_count) tokens.fail("only mid-body, mid-head and mid-answer take @BYTES");
        return {entry.stage, tokens.to_count(word.substr(at + 1), "bytes after @")};
    }
    std::vector<std::string_view> known;
    for (const StageName& entry : stage_names) known.push_back(entry.name);
    tokens.fail_unknown("stage", word, known);
}

void take_break(Tokens& tokens, Faults& faults, Break::Kind kind) {
    faults.ending = Break{kind, take_point(tokens, Stage::before_read)};
}

const std::vector<std::string_view> answer_options = {"retry-after=SECONDS",
                                                      "retry-after-date=SECONDS",
                                                      "x-amz-retry-after=MS",
                                                      "message=TEXT",
                                                      "region=REGION",
                                                      "html",
                                                      "empty",
                                                      "garbage",
                                                      "no-length",
                                                      "chunked",
                                                      "after-headers",
                                                      "after-body"};

int64_t setting_number(const Tokens& tokens, const std::string& text) {
    return static_cast<int64_t>(tokens.to_count(text, "a number after ="));
}

void take_answer_options(Tokens& tokens, Faults& faults, Synthetic& answer) {
    while (!tokens.at_action_end()) {
        if (const auto seconds = tokens.accept_setting("retry-after"))
            answer.retry_after = setting_number(tokens, *seconds);
        else if (const auto date = tokens.accept_setting("retry-after-date"))
            answer.retry_after_date = setting_number(tokens, *date);
        else if (const auto ms = tokens.accept_setting("x-amz-retry-after"))
            answer.amz_retry_after = setting_number(tokens, *ms);
        else if (const auto message = tokens.accept_setting("message"))
            answer.message = *message;
        else if (const auto region = tokens.accept_setting("region"))
            answer.region = *region;
        else if (tokens.accept("html"))
            answer.form = Synthetic::Form::html;
        else if (tokens.accept("empty"))
            answer.form = Synthetic::Form::empty;
        else if (tokens.accept("garbage"))
            answer.form = Synthetic::Form::garbage;
        else if (tokens.accept("no-length"))
            faults.no_length = true;
        else if (tokens.accept("chunked"))
            faults.chunked = true;
        else if (tokens.accept("after-headers"))
            answer.stage = Stage::after_headers;
        else if (tokens.accept("after-body"))
            answer.stage = Stage::after_body;
        else
            tokens.fail_unknown("option of an answer", tokens.take("an option"), answer_options);
    }
    faults.synthetic = answer;
}

bool is_status(std::string_view word) {
    const auto value = to_number(word);
    return value && word.size() == 3 && *value >= 100;
}

void take_status(Tokens& tokens, Faults& faults, int status, bool apply_first) {
    Synthetic answer;
    answer.status = status;
    answer.apply_first = apply_first;
    answer.form = status < 300 ? Synthetic::Form::empty : Synthetic::Form::xml;
    const bool code_next = !tokens.at_action_end() && tokens.peek().front() >= 'A' && tokens.peek().front() <= 'Z';
    answer.code = code_next ? tokens.take("a code") : std::string(usual_code(status));
    if (code_next) answer.form = Synthetic::Form::xml;
    take_answer_options(tokens, faults, answer);
}

/// `html`, `garbage`, `empty-200`, `200-with-error CODE`, `deny`, `redirect`: answers with a name of their own.
bool take_named_answer(Tokens& tokens, Faults& faults, const std::string& word, bool apply_first) {
    Synthetic answer;
    answer.apply_first = apply_first;
    if (word == "html") {
        answer.status = 502;
        answer.form = Synthetic::Form::html;
    } else if (word == "garbage") {
        answer.form = Synthetic::Form::garbage;
    } else if (word == "empty-200") {
        answer.status = 200;
        answer.form = Synthetic::Form::empty;
    } else if (word == "200-with-error") {
        answer.status = 200;
        answer.code = tokens.take("an error code like InternalError");
    } else if (word == "deny") {
        answer.status = 403;
        answer.code = "AccessDenied";
    } else if (word == "redirect") {
        const uint64_t status = tokens.take_number("301, 302, 307 or 308");
        if (status != 301 && status != 302 && status != 307 && status != 308)
            tokens.fail("a redirect is 301, 302, 307 or 308");
        answer.status = static_cast<int>(status);
        answer.code = status == 307 ? "TemporaryRedirect" : "PermanentRedirect";
        answer.host = tokens.take("the host to redirect to");
    } else {
        return false;
    }
    take_answer_options(tokens, faults, answer);
    return true;
}

void take_apply_then(Tokens& tokens, Faults& faults) {
    const std::string word = tokens.take("an answer: a status, html, garbage, empty-200 or 200-with-error");
    if (is_status(word))
        take_status(tokens, faults, static_cast<int>(*to_number(word)), true);
    else if (!take_named_answer(tokens, faults, word, true))
        tokens.fail_unknown("answer", word, {"STATUS", "html", "garbage", "empty-200", "200-with-error"});
}

void take_drip(Tokens& tokens, Faults& faults) {
    const bool up = tokens.accept("up");
    if (!up) tokens.accept("down");
    const std::string word = tokens.take("BYTES/INTERVAL like 100/10ms");
    const size_t slash = word.find('/');
    if (slash == std::string::npos) tokens.fail("expected BYTES/INTERVAL like 100/10ms");
    const Drip drip{tokens.to_count(word.substr(0, slash), "bytes"),
                    tokens.to_duration(word.substr(slash + 1), "an interval")};
    if (drip.bytes == 0) tokens.fail("0 bytes would never end; `hang` is the word for that");
    (up ? faults.drip_up : faults.drip_down) = drip;
}

void take_flip(Tokens& tokens, Faults& faults) {
    const std::string way = tokens.take("up, stored or down");
    if (way != "up" && way != "stored" && way != "down") tokens.fail_unknown("way", way, {"up", "stored", "down"});
    const uint64_t byte = tokens.take_number("the number of the byte to damage, from 0");
    (way == "up" ? faults.flip_up : way == "stored" ? faults.flip_stored : faults.flip_down) = byte;
}

void take_skew(Tokens& tokens, Faults& faults) {
    std::string word = tokens.take("seconds like 3600 or -3600");
    const bool behind = word.starts_with('-');
    if (behind || word.starts_with('+')) word.erase(0, 1);
    if (word.ends_with('s')) word.pop_back();
    const auto seconds = static_cast<int64_t>(tokens.to_count(word, "seconds like 3600 or -3600"));
    faults.skew = behind ? -seconds : seconds;
}

void take_no_checksum(Tokens& tokens, Faults& faults) {
    faults.no_checksum = 501;
    if (tokens.at_action_end()) return;
    const uint64_t status = tokens.take_number("400 or 501");
    if (status != 400 && status != 501) tokens.fail("a store that knows no checksums answers 400 or 501");
    faults.no_checksum = static_cast<int>(status);
}

void take_delay(Tokens& tokens, Faults& faults) {
    const Milliseconds time = tokens.take_duration("a time like 2s");
    faults.delay = Delay{time, take_point(tokens, Stage::before_answer)};
}

void take_fail_keys(Tokens& tokens, Faults& faults) {
    std::string glob = tokens.take("a pattern for keys like logs/*");
    faults.fail_keys = FailKeys{std::move(glob), tokens.take("an error code like AccessDenied")};
}

struct ActionName {
    std::string_view name;
    void (*take)(Tokens&, Faults&);
};
constexpr std::array action_names = {
    ActionName{"reset", [](Tokens& t, Faults& f) { take_break(t, f, Break::Kind::reset); }},
    ActionName{"close", [](Tokens& t, Faults& f) { take_break(t, f, Break::Kind::close); }},
    ActionName{"hang", [](Tokens& t, Faults& f) { take_break(t, f, Break::Kind::hang); }},
    ActionName{"delay", take_delay},
    ActionName{"apply-then", take_apply_then},
    ActionName{"drip", take_drip},
    ActionName{"cut", [](Tokens& t, Faults& f) { f.cut = t.take_number("how many bytes are missing at the end"); }},
    ActionName{"flip", take_flip},
    ActionName{"late", [](Tokens& t, Faults& f) { f.late = t.take_duration("a time like 500ms"); }},
    ActionName{"hide", [](Tokens& t, Faults& f) { f.hide = t.take_number("how many look-ups say 404"); }},
    ActionName{"fail-keys", take_fail_keys},
    ActionName{"skew", take_skew},
    ActionName{"region", [](Tokens& t, Faults& f) { f.region = t.take("a region like eu-west-1"); }},
    ActionName{"no-checksum", take_no_checksum},
    ActionName{"expire", [](Tokens&, Faults& f) { f.expire = true; }},
    ActionName{"ignore-conditions", [](Tokens&, Faults& f) { f.ignore_conditions = true; }},
    ActionName{"dup", [](Tokens&, Faults& f) { f.duplicate = true; }},
    ActionName{"chunked", [](Tokens&, Faults& f) { f.chunked = true; }},
    ActionName{"no-length", [](Tokens&, Faults& f) { f.no_length = true; }},
    ActionName{"refuse", [](Tokens&, Faults& f) { f.refuse = true; }},
};

}  // namespace

void take_action(Tokens& tokens, Faults& all) {
    Faults faults;
    const std::string word = tokens.take("an action");
    const auto found = std::ranges::find(action_names, word, &ActionName::name);
    if (is_status(word)) {
        take_status(tokens, faults, static_cast<int>(*to_number(word)), false);
    } else if (found != action_names.end()) {
        found->take(tokens, faults);
    } else if (!take_named_answer(tokens, faults, word, false)) {
        std::vector<std::string_view> known = {"STATUS",         "html", "garbage", "empty-200",
                                               "200-with-error", "deny", "redirect"};
        for (const ActionName& entry : action_names) known.push_back(entry.name);
        tokens.fail_unknown("action", word, known);
    }
    if (!tokens.at_action_end()) {
        const std::string extra = tokens.take("");
        tokens.fail("`" + extra + "` is too much here; several actions are parted by `;`");
    }
    all.merge(faults);
}

}  // namespace s3tug::lab
