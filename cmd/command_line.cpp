#include "cmd/command_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"
#include "cmd/plan_command.h"
#include "host/shell_words.h"
#include "wire/headers.h"

namespace s3tug::cmd {
namespace {

constexpr CommandSet runnable =
    set_of(CommandId::put, CommandId::get, CommandId::remove, CommandId::copy, CommandId::move);

Error usage(std::string message) { return Error{ErrorKind::usage, std::move(message)}; }

/// An option that `run` takes itself is one of the whole run. Two are of use in both places.
bool is_of_the_run(const Flag& f) {
    const bool both = f.id == FlagId::header || f.id == FlagId::dry_run;
    return (f.commands & set_of(CommandId::run)) != 0 && !both;
}

constexpr std::string_view hidden = "[redacted]";

/// The value of an option as it may be shown; nothing: as it is.
std::optional<std::string> without_secret(FlagId id, std::string_view value) {
    if (id == FlagId::proxy) return std::string(hidden);
    if (id == FlagId::header) {
        const std::string_view name = value.substr(0, value.find(':'));
        if (wire::is_secret_header(to_lower(trim(name)))) return fmt::format("{}: {}", name, hidden);
    }
    const bool login = value.find("://") != std::string_view::npos && value.find('@') != std::string_view::npos;
    return login ? std::optional(std::string(hidden)) : std::nullopt;
}

std::string quoted(std::string_view word) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=@%+,~^*?[]{}!";
    if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
    std::string out = "'";
    for (const char c : word) c == '\'' ? out += "'\\''" : out += c;
    return out + "'";
}

/// The line as it was given; where an option of it has a secret, put together anew without that.
std::string shown_line(std::string_view text, std::vector<std::string> words) {
    bool changed = false;
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
        if (!words[i].starts_with("--")) continue;
        const std::size_t sign = words[i].find('=');
        const Flag* const f = find_flag(std::string_view(words[i]).substr(2, sign - 2));
        if (f == nullptr || !takes_value(*f)) continue;
        const bool apart = sign == std::string::npos;
        if (apart && ++i == words.size()) break;
        const std::size_t from = apart ? 0 : sign + 1;
        if (const auto safe = without_secret(f->id, std::string_view(words[i]).substr(from))) {
            words[i].replace(from, std::string::npos, *safe);
            changed = true;
        }
    }
    if (!changed) return printable(text, limits::run_line_max_bytes);
    std::string out;
    for (const std::string& word : words) out.append(out.empty() ? "" : " ").append(quoted(word));
    return printable(out, limits::run_line_max_bytes);
}

/// Of a line that nobody understood: what follows a mistyped --header may be a secret.
std::string before_options(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && !(text[end] == '-' && (end == 0 || text[end - 1] == ' ' || text[end - 1] == '\t')))
        ++end;
    return printable(text.substr(0, end), limits::run_line_max_bytes) + (end < text.size() ? "..." : "");
}

}  // namespace

std::string_view without_comment(std::string_view text) {
    char quote = '\0';
    bool in_word = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != '\0') {
            if (c == '\\' && quote == '"') ++i;
            if (c == quote) quote = '\0';
            continue;
        }
        if (c == '#' && !in_word) return text.substr(0, i);
        if (c == '\\') ++i;
        if (c == '\'' || c == '"') quote = c;
        in_word = c != ' ' && c != '\t' && c != '\r';
    }
    return text;
}

Result<std::shared_ptr<const Settings>> CommandLines::settings_of(const Invocation& call) {
    const bool plain = call.given.size() == run_.given.size();
    const auto kept = plain ? plain_.find(call.command->id) : plain_.end();
    if (kept != plain_.end()) return kept->second;
    Result<Settings> loaded = load_(call);
    if (!loaded) return std::move(loaded).error();
    auto settings = std::make_shared<const Settings>(*std::move(loaded));
    if (plain) plain_.emplace(call.command->id, settings);
    return std::shared_ptr<const Settings>(std::move(settings));
}

Result<Plan> CommandLines::plan_line(Invocation call) {
    const CommandSet chosen = set_of(call.command->id);
    if ((chosen & runnable) == 0) {
        return usage(
            fmt::format("{} cannot stand in a run file; put, get, delete, copy and move can", call.command->name));
    }
    for (const Given& given : call.given) {
        const Flag& f = flag(given.id);
        if (is_of_the_run(f)) return usage(fmt::format("--{} is about the whole run; give it after run", f.name));
    }
    call.given.insert(call.given.begin(), run_.given.begin(), run_.given.end());
    Result<std::shared_ptr<const Settings>> settings = settings_of(call);
    if (!settings) return std::move(settings).error();
    in_use_ = *std::move(settings);
    if (in_use_->tree.files_from == "-") return usage("standard input belongs to the run itself; name a file");
    return plan_command(call.command->id, call.operands, *in_use_, files_, until_);
}

Status CommandLines::read(std::string_view text, CommandLine& line) {
    text = trim(without_comment(text));
    line = {};
    if (text.empty()) return {};
    const Result<std::vector<std::string>> words = host::split_shell_words(text);
    line.shown = before_options(text);
    const std::string first = words ? words->front() : std::string(text.substr(0, text.find_first_of(" \t")));
    if (const Command* const known = find_command(first))
        line.command = known->name;
    else if (words && !first.starts_with('-'))
        line.command = printable(first, limits::trace_text_max_bytes);
    if (!words) return usage(words.error().message);
    Result<Invocation> call = parse_command_line(*words);
    if (!call) return std::move(call).error();
    if (call->mode != Invocation::Mode::run) return usage("it is no command");
    line.shown = shown_line(text, *words);
    line.command = call->command->name;
    Result<Plan> planned = plan_line(*std::move(call));
    if (!planned) return std::move(planned).error();
    line.plan = *std::move(planned);
    return {};
}

}  // namespace s3tug::cmd
