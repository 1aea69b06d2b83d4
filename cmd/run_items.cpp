#include "cmd/run_items.h"

#include <unistd.h>

#include <optional>
#include <string>

#include "cmd/ending.h"
#include "cmd/exit_code.h"
#include "cmd/failed_list.h"
#include "cmd/progress.h"
#include "cmd/report.h"
#include "cmd/stoppable_source.h"
#include "cmd/tally.h"
#include "engine/hopeless.h"
#include "host/append_file.h"
#include "host/terminal.h"

namespace s3tug::cmd {
namespace {

/// Why nothing more is to be begun after this outcome; empty: go on.
std::string_view reason_to_stop(const Settings& all, const Tally& tally, const engine::Outcome& outcome) {
    const BookkeepingSettings& settings = all.bookkeeping;
    if (outcome.ok()) return {};
    if (settings.fail_fast) return "--fail-fast";
    if (settings.max_failures && tally.failed() >= *settings.max_failures) return "--max-failures";
    return engine::hopeless(outcome, tally.done() > 0, all.engine.breaker_per_bucket);
}

/// The run of one command: what its items came to, and who hears of it.
class Run {
  public:
    Run(Session& session, engine::ItemSource& items, const RunShape& shape)
        : session_(session),
          settings_(session.settings().bookkeeping),
          source_(items),
          lines_(shape.lines),
          listed_(shape.listed),
          progress_style_(session.progress(shape.to_stdout)),
          report_(session.settings().output, session.output(), shape.several, session.stop()) {}

    /// Opens the list of what fails, before anything is sent.
    Status open();
    [[nodiscard]] int go();

  private:
    void on_done(const engine::Transfer& item, const engine::Outcome& outcome);
    void list_failed(const engine::Transfer& item);
    void note(const Status& listed);
    void count_the_rest();
    void tell_cut_listing();

    Session& session_;
    const BookkeepingSettings& settings_;
    StoppableSource source_;
    RunSource* lines_;
    const ListSource* listed_;
    ProgressStyle progress_style_;
    Report report_;
    Tally tally_;
    std::string_view why_cut_;
    std::optional<host::AppendFile> failed_file_;
    std::optional<FailedList> failed_;
};

Status Run::open() {
    if (settings_.failed_to.empty()) return {};
    Result<host::AppendFile> file = host::AppendFile::open(settings_.failed_to, host::AppendFile::Content::emptied);
    if (!file) return std::move(file).error().with_context("--failed-to");
    failed_file_ = *std::move(file);
    failed_.emplace([this](std::string_view text) { return failed_file_->write_all(text); }, settings_.zero_ended);
    if (lines_ != nullptr) lines_->on_failed_line([this](std::string_view text) { note(failed_->add_line(text)); });
    return {};
}

void Run::on_done(const engine::Transfer& item, const engine::Outcome& outcome) {
    tally_.add(item, outcome, session_.stop().load());
    tally_.done_besides(source_.done_itself());
    if (!outcome.ok()) list_failed(item);  // trouble with the list is told before the reason, which comes last
    report_.item_done(item, outcome);
    source_.on_end(item, outcome);
    const std::string_view reason = reason_to_stop(session_.settings(), tally_, outcome);
    if (reason.empty() || !why_cut_.empty()) return;
    why_cut_ = reason;
    source_.stop();
}

void Run::list_failed(const engine::Transfer& item) {
    if (failed_ && lines_ == nullptr) note(failed_->add(item));
}

void Run::note(const Status& listed) {
    if (!listed) session_.warn("--failed-to: " + listed.error().message);
}

/// What was not begun, and by whose order.
void Run::count_the_rest() {
    if (!source_.cut_short()) return;
    if (!why_cut_.empty()) return tally_.not_begun(source_.left());
    const int signal = session_.stop().load();
    why_cut_ = signal != 0 ? "interrupted by a signal" : "deadline reached";
    tally_.not_begun(source_.left(), signal != 0 ? exit_code_of_signal(signal) : exit_code_of(ErrorKind::deadline));
    tell_cut_listing();
}

/// A listing that a signal or the deadline ended is told like an item, unless items have ended so too and it had met
/// no failure of its own.
void Run::tell_cut_listing() {
    const StoppableSource::FailedListing* const cut = source_.cut_listing();
    if (cut == nullptr) return;
    const bool met_nothing = is_stop(cut->outcome.error->kind) && cut->outcome.code.empty();
    if (tally_.items() > 0 && met_nothing) return;
    tally_.add(cut->item, cut->outcome, session_.stop().load());
    list_failed(cut->item);
    report_.item_done(cut->item, cut->outcome);
}

int Run::go() {
    const Instant began = session_.clock().now();
    Progress progress(
        progress_style_, session_.output(), [] { return host::terminal_width(STDERR_FILENO).value_or(80); }, began);
    if (progress_style_ != ProgressStyle::none) {
        session_.engine().on_tick([&](const engine::RunCounters& counters) { progress.show(counters, tally_); },
                                  limits::progress_draw_every);
    }
    session_.engine().run(
        source_, [this](const engine::Transfer& item, const engine::Outcome& outcome) { on_done(item, outcome); },
        session_.stop());
    progress.end();
    count_the_rest();
    tally_.done_besides(source_.done_itself());
    RunEnd end;
    if (listed_ != nullptr) end.listed = Listed{listed_->objects(), listed_->bytes()};
    end.requests = session_.engine().requests();
    end.retries = session_.engine().retries();
    end.progress_shown = progress.shown();
    end.elapsed = session_.clock().now() - began;
    end.why_cut = why_cut_;
    end.exit_code = tally_.exit_code();
    report_.all_done(tally_, end);
    return end_with(session_.output(), end.exit_code);
}

}  // namespace

int run_items(Session& session, engine::ItemSource& items, const RunShape& shape) {
    Run run(session, items, shape);
    if (Status opened = run.open(); !opened) return fail(session.output(), opened.error());
    return run.go();
}

}  // namespace s3tug::cmd
