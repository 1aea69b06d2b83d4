#include "cmd/man_page.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <vector>

#include "cmd/commands.h"
#include "cmd/exit_code.h"
#include "cmd/flags.h"
#include "cmd/man_text.h"
#include "cmd/version.h"

namespace s3tug::cmd {
namespace {

/// Date of the page. Fixed: a page that changes each day cannot be compared.
constexpr std::string_view page_date = "2026-11-29";

/// Text that man(7) would take for requests or escapes, made plain. Hyphens stay hyphens when they are copied.
std::string plain(std::string_view text) {
    std::string out;
    if (text.starts_with('.') || text.starts_with('\'')) out = "\\&";
    for (const char c : text) {
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else if (c == '\'') {
            out += "\\(aq";
        } else if (c == '~') {
            out += "\\(ti";
        } else if (c == '^') {
            out += "\\(ha";
        } else {
            out.push_back(c);
        }
    }
    return out;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

/// The page as it grows.
class Page {
  public:
    void heading(std::string_view text) { out_ += fmt::format(".SH {}\n", text); }
    /// Starts a paragraph; a heading has begun one already.
    void paragraph() {
        const std::size_t last_line = out_.rfind('\n', out_.size() - 2) + 1;
        if (!std::string_view(out_).substr(last_line).starts_with(".SH")) out_ += ".PP\n";
    }
    void subheading(std::string_view text) { out_ += fmt::format(".SS \"{}\"\n", text); }
    void line(const std::string& text) { out_ += text + "\n"; }
    void paragraphs(std::span<const std::string_view> texts) {
        for (const std::string_view text : texts) {
            paragraph();
            line(plain(text));
        }
    }
    void term(const std::string& head, std::string_view text) {
        out_ += fmt::format(".TP\n{}\n{}\n", head, plain(text));
    }
    void terms(std::span<const man_text::Term> rows) {
        for (const man_text::Term& row : rows) term(bold(row.name), row.text);
    }
    /// Lines that are not filled: commands, files.
    void verbatim(std::string_view lines) {
        out_ += ".PP\n.in +4n\n.nf\n";
        while (!lines.empty()) {
            const std::size_t end = lines.find('\n');
            const std::string_view text = lines.substr(0, end);
            out_ += text.empty() ? "\\&\n" : plain(text) + "\n";
            lines = end == std::string_view::npos ? std::string_view() : lines.substr(end + 1);
        }
        out_ += ".fi\n.in\n";
    }
    [[nodiscard]] std::string take() && { return std::move(out_); }

  private:
    std::string out_;
};

void add_synopsis(Page& page) {
    page.heading("SYNOPSIS");
    for (const Command& c : commands()) {
        if (c.id == CommandId::help) continue;
        page.line(fmt::format(".B s3tug\n[{}] {} {}\n.br", italic("OPTIONS"), bold(c.name), italic(c.operands)));
    }
    page.line(fmt::format(".B s3tug\n{} | {}", bold("--help"), bold("--version")));
}

void add_commands(Page& page) {
    page.heading("COMMANDS");
    for (const Command& c : commands()) {
        std::string head = fmt::format("{} {}", bold(c.name), italic(c.operands));
        if (!c.alias.empty()) head += fmt::format(" (or {})", bold(c.alias));
        page.term(head, fmt::format("{}. {}", c.brief, c.text));
    }
}

/// "Default: 6. Environment: S3TUG_RETRIES, AWS_MAX_ATTEMPTS."
std::string about(const Flag& f) {
    std::string out;
    if (!f.standard.empty()) out += fmt::format(" Default: {}.", f.standard);
    if (f.use == Use::this_time) return out;
    out += fmt::format(" Environment: {}", environment_name(f));
    std::string aws(f.aws);
    for (std::size_t at = aws.find(' '); at != std::string::npos; at = aws.find(' ', at + 2)) aws.replace(at, 1, ", ");
    out += aws.empty() ? "." : fmt::format(", {}.", aws);
    return out;
}

/// The commands an option applies to, where that is not all that transfer.
std::string applies_to(const Flag& f) {
    if ((f.commands & transfers) == transfers) return {};
    std::string names;
    for (const Command& c : commands()) {
        if ((f.commands & set_of(c.id)) != 0) names += (names.empty() ? "" : ", ") + std::string(c.name);
    }
    return fmt::format(" For {}.", names);
}

void add_options(Page& page) {
    constexpr std::array groups = {Group::general, Group::run,   Group::store,
                                   Group::trouble, Group::proof, Group::object};
    page.heading("OPTIONS");
    page.line(plain(fmt::format("Options stand before or after the command. {}", value_forms)));
    for (const Group group : groups) {
        page.subheading(title(group));
        for (const Flag& f : flags()) {
            if (f.group != group) continue;
            std::string head;
            if (f.letter != 0) head += bold(std::string("-") + f.letter) + ", ";
            head += bold("--" + std::string(f.name));
            if (!f.alias.empty()) head += ", " + bold("--" + std::string(f.alias));
            if (takes_value(f)) head += " " + italic(f.value);
            std::string text = fmt::format("{}.", f.brief);
            if (!f.text.empty()) text += " " + std::string(f.text);
            page.term(head, text + applies_to(f) + about(f));
        }
    }
}

void add_exit_status(Page& page) {
    page.heading("EXIT STATUS");
    page.line(
        plain("What ended a command that failed stands on the last line of standard error. Several items that "
              "failed for one cause end with the code of that cause."));
    for (const ExitCode& row : exit_codes()) {
        std::string text = fmt::format("{}.", row.means);
        if (row.dies_by != 0) {
            text += " s3tug dies by that signal, so that shell loops stop.";
        } else {
            text += fmt::format(" What to do: {}.", row.do_next);
        }
        page.term(bold(std::to_string(row.code)), text);
    }
}

void add_environment(Page& page) {
    page.heading("ENVIRONMENT");
    page.line(
        plain("Every setting has a variable: S3TUG_ and the name of the option in capitals, with _ for -, as given "
              "with the option above. Empty variables count as not set; a name that looks mistyped is a warning. Other "
              "variables:"));
    page.terms(man_text::other_variables);
}

void add_json(Page& page) {
    page.heading("JSON");
    page.paragraphs(man_text::json);
    page.terms(man_text::json_fields);
    page.paragraphs(man_text::json_after);
}

void add_traces(Page& page) {
    page.heading("TRACES");
    page.paragraphs(man_text::traces);
    page.verbatim(man_text::trace_example);
    page.paragraphs(man_text::traces_after);
    page.terms(man_text::trace_fields);
}

void add_examples(Page& page) {
    page.heading("EXAMPLES");
    for (const Command& c : commands()) {
        for (const Example& e : c.examples) {
            page.paragraphs(std::array{std::string_view(e.what)});
            page.verbatim(e.line);
        }
    }
}

}  // namespace

std::string man_page() {
    Page page;
    page.line(".\\\" Made by `s3tug generate man` from the tables in cmd/; do not edit.");
    page.line(fmt::format(".TH S3TUG 1 {} \"s3tug {}\" \"User Commands\"", page_date, version()));
    page.line(".nh\n.ad l");
    page.heading("NAME");
    page.line("s3tug \\- move files to, from and between S3 buckets, and mean it");
    add_synopsis(page);
    page.heading("DESCRIPTION");
    page.paragraphs(man_text::description);
    add_commands(page);
    add_options(page);
    add_exit_status(page);
    page.heading("TREES");
    page.paragraphs(man_text::trees);
    page.heading("\"WHEN THINGS GO WRONG\"");
    page.paragraphs(man_text::trouble);
    page.heading("CONFIGURATION");
    page.paragraphs(man_text::configuration);
    page.verbatim(man_text::config_example);
    page.heading("CREDENTIALS");
    page.paragraphs(man_text::credentials);
    add_environment(page);
    page.heading("FILES");
    page.terms(man_text::files);
    add_json(page);
    add_traces(page);
    add_examples(page);
    page.heading("\"SEE ALSO\"");
    page.line(".BR curl (1)");
    return std::move(page).take();
}

std::string example_lines() {
    std::string out;
    for (const Command& c : commands()) {
        for (const Example& e : c.examples) out += fmt::format("{}\t{}\t{}\n", e.line, e.files, e.objects);
    }
    return out;
}

}  // namespace s3tug::cmd
