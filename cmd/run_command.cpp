#include "cmd/run_command.h"

#include <fmt/format.h>

#include "cmd/ending.h"
#include "cmd/load_settings.h"
#include "cmd/run_items.h"
#include "cmd/run_source.h"

namespace s3tug::cmd {

int run_command(const Invocation& call, Session& session) {
    if (call.operands.size() != 1) {
        return fail(session.output(),
                    {ErrorKind::usage, fmt::format("run: right form: s3tug run {}", call.command->operands)});
    }
    const std::string& name = call.operands.front();
    Result<std::unique_ptr<port::SourceFile>> file =
        name == "-" ? session.files().open_stdin() : session.files().open_source(name);
    if (!file) return fail(session.output(), std::move(file).error().with_context("run"));
    if (Status status = session.open(); !status) return fail(session.output(), status.error());
    const Settings& settings = session.settings();
    RunSource::Wish wish{.json = settings.output.json};
    if (settings.engine.deadline) wish.deadline = session.clock().now() + *settings.engine.deadline;
    CommandLines commands(
        call, [&session](const Invocation& line) { return load_settings(line, session.environment()); },
        session.files(), wish.deadline);
    RunSource source(LineReader(*std::move(file)), std::move(commands), session.output(), wish);
    return run_items(session, source, {.several = true, .lines = &source});
}

}  // namespace s3tug::cmd
