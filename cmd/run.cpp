#include "cmd/run.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "cmd/cli.h"
#include "cmd/ending.h"
#include "cmd/exit_code.h"
#include "cmd/help.h"
#include "cmd/list_command.h"
#include "cmd/load_settings.h"
#include "cmd/man_page.h"
#include "cmd/output.h"
#include "cmd/plan_command.h"
#include "cmd/run_command.h"
#include "cmd/run_items.h"
#include "cmd/session.h"
#include "cmd/state_command.h"
#include "cmd/unknown_variables.h"
#include "cmd/uploads_command.h"
#include "cmd/version.h"

namespace s3tug::cmd {
namespace {

int print_page(std::string text, Output& output) {
    if (text.ends_with('\n')) text.pop_back();
    output.data(text);
    return end_with(output, exit_ok);
}

int generate(const Invocation& call, Output& output) {
    const std::string what = call.operands.size() == 1 ? call.operands.front() : "";
    if (what == "man") return print_page(man_page(), output);
    if (what == "examples") return print_page(example_lines(), output);
    return fail(output,
                {ErrorKind::usage, fmt::format("generate: right form: s3tug generate {}", call.command->operands)});
}

int transfer(const Invocation& call, Session& session) {
    std::optional<Instant> until;
    if (const auto deadline = session.settings().engine.deadline) until = session.clock().now() + *deadline;
    const Result<Plan> planned =
        plan_command(call.command->id, call.operands, session.settings(), session.files(), until);
    if (!planned) return fail(session.output(), planned.error());
    if (Status status = session.open(); !status) return fail(session.output(), status.error());
    const bool to_stdout = call.command->id == CommandId::get && !call.operands.empty() && call.operands.back() == "-";
    return run_items(session, *planned->items, {.several = planned->several, .to_stdout = to_stdout});
}

int state(const Invocation& call, Session& session) {
    if (Status status = session.open_state_only(); !status) return fail(session.output(), status.error());
    policy::BreakerNow now;
    now.now = session.clock().now();
    now.wall = session.clock().wall();
    now.boot_id = session.processes().self().boot_id;
    const Status done = run_state_command(call.operands, session.settings(), session.state_file(), session.state(), now,
                                          session.output());
    return end_with(session.output(), done ? exit_ok : fail(session.output(), done.error()));
}

}  // namespace

int run(std::span<const std::string> args) {
    StandardOutput output;
    Result<Invocation> call = parse_command_line(args);
    if (!call) return fail(output, call.error());
    if (call->mode == Invocation::Mode::help) return print_page(help_text(call->command), output);
    if (call->mode == Invocation::Mode::version) return print_page(version_text(), output);
    if (call->command->id == CommandId::generate) return generate(*call, output);

    host::Environment environment = host::Environment::system();
    Result<Settings> settings = load_settings(*call, environment);
    if (!settings) return fail(output, settings.error());
    const std::vector<std::string> mistyped = unknown_variables(environment.names(variable_prefix));
    settings->warnings.insert(settings->warnings.end(), mistyped.begin(), mistyped.end());
    Session session(*settings, std::move(environment), output);
    for (const std::string& warning : settings->warnings) session.warn(warning);
    if (call->command->id == CommandId::state) return state(*call, session);
    if (call->command->id == CommandId::list) return list_command(call->operands, session);
    if (call->command->id == CommandId::uploads) return uploads_command(call->operands, session);
    if (call->command->id == CommandId::run) return run_command(*call, session);
    return transfer(*call, session);
}

}  // namespace s3tug::cmd
