#include "cmd/command_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"
#include "cmd/plan_command.h"
#include "host/shell_words.h"

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

std::string shown_words(const Command& chosen, const std::vector<std::string>& operands) {
    std::string text(chosen.name);
    for (const std::string& operand : operands) text.append(" ").append(printable(operand));
    return text;
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

Result<const Settings*> CommandLines::settings_of(const Invocation& call, Settings& own) {
    const bool plain = call.given.size() == run_.given.size();
    const CommandId id = call.command->id;
    const auto kept = std::find_if(plain_.begin(), plain_.end(), [id](const auto& entry) { return entry.first == id; });
    if (plain && kept != plain_.end()) return &kept->second;
    Result<Settings> loaded = load_(call);
    if (!loaded) return std::move(loaded).error();
    own = *std::move(loaded);
    if (plain) plain_.emplace_back(id, own);
    return &own;
}

Result<std::vector<engine::Transfer>> CommandLines::plan(Invocation call) {
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
    Settings own;
    const Result<const Settings*> settings = settings_of(call, own);
    if (!settings) return settings.error();
    Result<std::vector<engine::Transfer>> items = plan_command(call.command->id, call.operands, **settings, files_);
    if (!items) return items;
    for (const engine::Transfer& item : *items) {
        if (item.local.kind == engine::LocalEnd::Kind::stdio)
            return usage("standard input and output belong to the run itself; name a file");
    }
    return items;
}

Status CommandLines::read(std::string_view text, CommandLine& line) {
    text = trim(without_comment(text));
    line = {};
    if (text.empty()) return {};
    const Result<std::vector<std::string>> words = host::split_shell_words(text);
    line.shown = printable(text.substr(0, text.find_first_of(" \t")), limits::trace_text_max_bytes);
    if (!words) return usage(words.error().message);
    Result<Invocation> call = parse_command_line(*words);
    if (!call) return std::move(call).error();
    if (call->mode != Invocation::Mode::run) return usage("it is no command");
    line.shown = shown_words(*call->command, call->operands);
    Result<std::vector<engine::Transfer>> items = plan(*std::move(call));
    if (!items) return std::move(items).error();
    line.items = *std::move(items);
    return {};
}

}  // namespace s3tug::cmd
