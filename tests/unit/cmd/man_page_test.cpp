#include "cmd/man_page.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cmd/exit_code.h"
#include "cmd/flags.h"
#include "cmd/help.h"
#include "cmd/report.h"
#include "cmd/trace_line.h"

namespace s3tug::cmd {

namespace {

/// As the page writes it: hyphens escaped.
std::string in_page(std::string_view text) {
    std::string out;
    for (const char c : text) out += c == '-' ? std::string("\\-") : std::string(1, c);
    return out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE("cmd/man_page") {
    TEST_CASE("the committed page is the one that the tables give") {
        std::ifstream file("man/s3tug.1");
        REQUIRE_MESSAGE(file.is_open(), "run from the source folder");
        std::ostringstream committed;
        committed << file.rdbuf();
        CHECK_MESSAGE(committed.str() == man_page(), "man/s3tug.1 is old: s3tug generate man > man/s3tug.1");
    }

    TEST_CASE("the page and --help name every option, command and exit code") {
        const std::string page = man_page();
        const std::string help = help_text(nullptr);
        for (const Flag& f : flags()) {
            CAPTURE(f.name);
            CHECK(has(page, "\\fB\\-\\-" + in_page(f.name) + "\\fR"));
            CHECK(has(help, "--" + std::string(f.name)));
            if (f.use != Use::this_time) CHECK(has(page, "Environment: " + environment_name(f)));
        }
        for (const Command& c : commands()) {
            CHECK(has(page, "\\fB" + std::string(c.name) + "\\fR"));
            CHECK(has(help, "\n  " + std::string(c.name)));
        }
        for (const ExitCode& row : exit_codes()) {
            CHECK(has(page, "\\fB" + std::to_string(row.code) + "\\fR"));
            CHECK(has(help, " " + std::to_string(row.code) + "  "));
        }
    }

    TEST_CASE("help of a command has the options that apply to it and no others") {
        for (const Command& c : commands()) {
            const std::string help = help_text(&c);
            CHECK(has(help, "Usage: s3tug [OPTIONS] " + std::string(c.name)));
            for (const Flag& f : flags()) {
                CAPTURE(f.name);
                const std::string head = "--" + std::string(f.name) + " ";
                const bool listed = has(help, "      " + head) || has(help, ", " + head);
                CHECK(listed == ((f.commands & set_of(c.id)) != 0));
            }
        }
    }

    TEST_CASE("help fits a terminal of 120 columns, but for lists of choices and examples") {
        for (const std::string& text : {help_text(nullptr), help_text(&command(CommandId::put))}) {
            std::istringstream lines(text);
            for (std::string line; std::getline(lines, line);) {
                if (line.starts_with("  s3tug ") || line.find('|') != std::string::npos) continue;
                CAPTURE(line);
                CHECK(line.size() <= 120);
            }
        }
    }

    TEST_CASE("every field of a JSON trace is documented") {
        port::TraceEvent event;
        event.kind = port::EventKind::headers;
        event.item = event.op = event.code = event.cls = event.effect = event.request_id = event.peer = event.next =
            event.why = event.breaker = "x";
        event.attempt = event.attempts_max = 1;
        event.status = 1;
        event.reused = true;
        event.elapsed = milliseconds(1);
        event.bytes_sent = event.bytes_received = 1;
        event.wait = milliseconds(1);
        event.budget = 1;
        event.headers.add("a", "b");
        const std::string page = man_page();
        const nlohmann::json fields = nlohmann::json::parse(trace_json(event));
        CHECK(fields.size() == 24);
        for (auto field = fields.begin(); field != fields.end(); ++field) {
            const std::string name = field.key();
            CAPTURE(name);
            CHECK((has(page, "\\fB" + name) || has(page, ", " + name)));
        }
    }

    TEST_CASE("every field of --json is documented") {
        engine::Transfer item;
        item.group = 1;
        engine::Outcome outcome;
        outcome.skipped = outcome.dry_run = true;
        outcome.error = Error{ErrorKind::not_found, "x"};
        Tally tally;
        tally.add(item, outcome);
        const std::string page = man_page();
        const std::string section =
            page.substr(page.find(".SH JSON\n"), page.find(".SH TRACES") - page.find(".SH JSON\n"));
        const nlohmann::json line = nlohmann::json::parse(json_result(item, outcome));
        const nlohmann::json sum = nlohmann::json::parse(json_summary(tally, {.listed = Listed{}}));
        for (const nlohmann::json& fields : {line, line["error"], sum, sum["summary"], sum["summary"]["first_error"]}) {
            REQUIRE(fields.is_object());
            for (auto field = fields.begin(); field != fields.end(); ++field) {
                CAPTURE(field.key());
                bool found = false;
                for (std::size_t at = section.find(field.key()); at != std::string::npos && !found;
                     at = section.find(field.key(), at + 1)) {
                    const char after = section[at + field.key().size()];
                    found = std::isalnum(static_cast<unsigned char>(after)) == 0 && after != '_';
                }
                CHECK(found);
            }
        }
    }

    TEST_CASE("no line of the page is taken for a request by accident") {
        std::istringstream lines(man_page());
        for (std::string line; std::getline(lines, line);) {
            CAPTURE(line);
            CHECK_FALSE(line.starts_with("'"));
            if (!line.starts_with('.')) continue;
            const std::string request = line.substr(0, line.find(' '));
            const bool known = request == ".TH" || request == ".SH" || request == ".SS" || request == ".TP" ||
                               request == ".PP" || request == ".B" || request == ".BR" || request == ".br" ||
                               request == ".nf" || request == ".nh" || request == ".ad" || request == ".fi" ||
                               request == ".in" || request == ".\\\"";
            CHECK(known);
        }
    }

    TEST_CASE("examples are listed for the test that runs them, with what they need") {
        std::istringstream lines(example_lines());
        std::size_t count = 0;
        for (std::string line; std::getline(lines, line); ++count) {
            CAPTURE(line);
            CHECK(has(line, "s3tug "));
            CHECK(std::count(line.begin(), line.end(), '\t') == 2);
        }
        CHECK(count >= 8);
    }
}

}  // namespace s3tug::cmd
