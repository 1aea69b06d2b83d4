#include "cmd/help.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "cmd/exit_code.h"
#include "cmd/version.h"

namespace s3tug::cmd {
namespace {

constexpr std::size_t option_column = 34;

/// "  -v, --verbose[=N]"
std::string option_head(const Flag& f) {
    std::string head = f.letter != 0 ? fmt::format("  -{}, --{}", f.letter, f.name) : fmt::format("      --{}", f.name);
    if (f.type == ValueType::choice && f.value.size() > 24) {
        head += " NAME";
    } else if (takes_value(f)) {
        head += fmt::format(" {}", f.value);
    }
    return head;
}

void add_option(const Flag& f, std::string& out) {
    const std::string head = option_head(f);
    out += head;
    if (head.size() + 2 > option_column) {
        out += "\n" + std::string(option_column, ' ');
    } else {
        out += std::string(option_column - head.size(), ' ');
    }
    out += f.brief;
    if (!f.standard.empty() && f.use == Use::setting && f.standard.front() != '$')
        out += fmt::format(" [{}]", f.standard);
    if (f.type == ValueType::choice && f.value.size() > 24) {
        out += fmt::format("\n{}{}", std::string(option_column, ' '), f.value);
    }
    if (!f.alias.empty()) out += fmt::format(" (also --{})", f.alias);
    out += "\n";
}

/// Text in lines of at most 78 characters.
std::string wrapped(std::string_view text) {
    constexpr std::size_t width = 78;
    std::string out;
    while (text.size() > width) {
        const std::size_t end = text.rfind(' ', width);
        if (end == std::string_view::npos) break;
        out.append(text.substr(0, end)).append("\n");
        text.remove_prefix(end + 1);
    }
    return out.append(text);
}

void add_options(CommandSet wanted, std::string& out) {
    constexpr std::array groups = {Group::general, Group::run,   Group::store,
                                   Group::trouble, Group::proof, Group::object};
    for (const Group group : groups) {
        std::string rows;
        for (const Flag& f : flags()) {
            if (f.group == group && (f.commands & wanted) != 0) add_option(f, rows);
        }
        if (!rows.empty()) out += fmt::format("\n{}:\n{}", title(group), rows);
    }
    out += fmt::format("\n{}\n", wrapped(value_forms));
}

void add_exit_codes(std::string& out) {
    out += "\nExit codes:\n";
    for (const ExitCode& row : exit_codes()) out += fmt::format("  {:>3}  {}\n", row.code, row.means);
}

std::string overview() {
    std::string out = fmt::format(
        "s3tug {}: moves files to, from and between S3 buckets, and means it\n\n"
        "Usage: s3tug [OPTIONS] COMMAND ...\n\nCommands:\n",
        version());
    for (const Command& c : commands()) {
        const std::string name = c.alias.empty() ? std::string(c.name) : fmt::format("{}, {}", c.name, c.alias);
        out += fmt::format("  {:<12} {}\n", name, c.brief);
        if (c.operands.size() < 60) out += fmt::format("  {:<12} s3tug {} {}\n", "", c.name, c.operands);
    }
    out += "\ns3tug COMMAND --help shows the options of one command; man s3tug says more.\n";
    return out;
}

}  // namespace

std::string help_text(const Command* chosen) {
    std::string out;
    if (chosen == nullptr) {
        out = overview();
        add_options(everywhere, out);
    } else {
        out = fmt::format("Usage: s3tug [OPTIONS] {} {}\n\n{}.\n{}\n", chosen->name, chosen->operands, chosen->brief,
                          wrapped(chosen->text));
        for (const Example& e : chosen->examples) out += fmt::format("\n  # {}\n  {}\n", e.what, e.line);
        add_options(set_of(chosen->id), out);
    }
    add_exit_codes(out);
    return out;
}

std::string version_text() { return fmt::format("s3tug {} ({})", version(), commit()); }

}  // namespace s3tug::cmd
