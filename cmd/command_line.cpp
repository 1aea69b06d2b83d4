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
    line.shown = printable(text.substr(0, text.find_first_of(" \t")), limits::trace_text_max_bytes);
    if (!words) return usage(words.error().message);
    Result<Invocation> call = parse_command_line(*words);
    if (!call) return std::move(call).error();
    if (call->mode != Invocation::Mode::run) return usage("it is no command");
    line.shown = shown_words(*call->command, call->operands);
    Result<Plan> planned = plan_line(*std::move(call));
    if (!planned) return std::move(planned).error();
    line.plan = *std::move(planned);
    return {};
}

}  // namespace s3tug::cmd
