#include "cmd/run_items.h"

#include "cmd/ending.h"
#include "cmd/exit_code.h"
#include "cmd/report.h"
#include "cmd/tally.h"

namespace s3tug::cmd {

int run_items(Session& session, engine::ItemSource& items, bool several) {
    Report report(session.settings().output, session.output(), several);
    Tally tally;
    session.engine().run(
        items,
        [&](const engine::Transfer& item, const engine::Outcome& outcome) {
            tally.add(item, outcome);
            report.item_done(item, outcome);
            items.on_end(item, outcome);
        },
        session.stop());
    report.all_done(tally);
    const int code = tally.exit_code();
    // Only the signal itself says which of the two it was.
    const int signal = session.stop().load();
    const bool interrupted = code == exit_code_of(ErrorKind::interrupted) && signal != 0;
    return end_with(session.output(), interrupted ? exit_code_of_signal(signal) : code);
}

}  // namespace s3tug::cmd
