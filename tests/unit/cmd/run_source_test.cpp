#include "cmd/run_source.h"

#include <doctest/doctest.h>

#include "base/limits.h"
#include "unit/cmd/captured_output.h"
#include "unit/cmd/plain_files.h"

namespace s3tug::cmd {
namespace {

using engine::Outcome;
using engine::Transfer;
using Pieces = std::vector<std::string>;

/// A `run` whose lines come from `pieces`.
struct Script {
    explicit Script(Pieces pieces, const std::vector<std::string>& options = {}) : invocation(parsed(options)) {
        files.types["a b"] = port::FileType::regular;
        CommandLines commands(
            invocation,
            [this](const Invocation& call) {
                ++loads;
                const Layers layers(call, [](std::string_view) { return std::nullopt; });
                return make_settings(layers);
            },
            files, std::nullopt);
        source.emplace(LineReader(std::make_unique<SlowSource>(std::move(pieces))), std::move(commands), output,
                       RunSource::Wish{});
    }
    static Invocation parsed(std::vector<std::string> words) {
        words.insert(words.begin(), {"run", "-"});
        return *parse_command_line(words);
    }
    std::vector<Transfer> all() {
        std::vector<Transfer> items;
        while (std::optional<Transfer> item = source->next()) items.push_back(*std::move(item));
        return items;
    }
    void end(const Transfer& item) {
        Outcome outcome;
        outcome.error = item.refused;
        source->on_end(item, outcome);
    }

    Invocation invocation;
    PlainFiles files;
    CapturedOutput output;
    int loads = 0;
    std::optional<RunSource> source;
};

}  // namespace

TEST_SUITE("cmd/run_source") {
    TEST_CASE("words are those of a shell, comments and empty lines are passed over") {
        Script script({"# first\n\n  put 'a b' s3://box/k#1 # second\nput a\\ b \"s3://box/'q\"\r\ndelete s3://box/x"});
        const std::vector<Transfer> items = script.all();
        REQUIRE(items.size() == 3);
        CHECK(script.source->ended());
        CHECK(items[0].local.path == "a b");
        CHECK(items[0].target.key == "k#1");
        CHECK(items[0].group == 3);
        CHECK(items[1].target.key == "'q");
        CHECK(items[1].group == 4);
        CHECK(items[2].kind == engine::TransferKind::remove);
        CHECK(script.loads == 2);  // once for each command
        for (const Transfer& item : items) script.end(item);
        CHECK(script.output.data_lines == std::vector<std::string>{"ok 3 put 'a b' s3://box/k#1",
                                                                   "ok 4 put a\\ b \"s3://box/'q\"",
                                                                   "ok 5 delete s3://box/x"});
    }

    TEST_CASE("a byte order mark before the first line is no part of it") {
        Script script({"\xEF", "\xBB\xBFput 'a b' s3://box/k\r\n\xEF\xBB\xBFput 'a b' s3://box/l\n"});
        const std::vector<Transfer> items = script.all();
        REQUIRE(items.size() == 2);
        CHECK_FALSE(items[0].refused);
        CHECK(items[0].target.key == "k");
        CHECK(items[1].refused);  // elsewhere it is a mistake
    }

    TEST_CASE("what cannot stand there is an item that failed, and the rest goes on") {
        struct Row {
            std::string line;
            std::string_view says;
            std::string command;
            std::string shown;
        };
        for (const Row& row : {
                 Row{"dance s3://b/k", "unknown command 'dance'", "dance", "dance s3://b/k"},
                 Row{"run other", "run cannot stand in a run file", "run", "run other"},
                 Row{"ls s3://box", "list cannot stand in a run file", "list", "ls s3://box"},
                 Row{"cat s3://box/k", "cat cannot stand in a run file", "cat", "cat s3://box/k"},
                 Row{"pipe s3://box/k", "pipe cannot stand in a run file", "pipe", "pipe s3://box/k"},
                 Row{"put 'a", "a quote that is not closed", "put", "put 'a"},
                 Row{"'put a", "a quote that is not closed", "", "'put a"},
                 Row{"'dance x' y", "unknown command 'dance x'", "dance x", "'dance x' y"},
                 Row{"put a\\", "a backslash with nothing after it", "put", "put a\\"},
                 Row{"--help", "no command", "", "..."},
                 Row{"put --retries 3 a s3://box/k", "--retries is about the whole run; give it after run", "put",
                     "put --retries 3 a s3://box/k"},
                 Row{"put --endpoint-url http://x a s3://box/k", "--endpoint-url is about the whole run", "put",
                     "put --endpoint-url http://x a s3://box/k"},
                 Row{"rm --endpoint-url=http://me:secret@x s3://box/k", "--endpoint-url is about the whole run",
                     "delete", "rm --endpoint-url=[redacted] s3://box/k"},
                 Row{"rm --heder 'authorization: secret' s3://box/k", "unknown option --heder", "delete", "rm ..."},
                 Row{"put a", "operands are missing", "put", "put a"},
                 Row{"delete s3://box", "no key given", "delete", "delete s3://box"},
                 Row{std::string("put a\0b s3://box/k", 18), "NUL", "", ""},
             }) {
            CAPTURE(row.line);
            Script script({row.line + "\ndelete s3://box/x\n"});
            const std::vector<Transfer> items = script.all();
            REQUIRE(items.size() == 2);
            REQUIRE(items[0].refused);
            CHECK(items[0].refused->kind == ErrorKind::usage);
            CHECK(items[0].refused->message.find(row.says) != std::string::npos);
            CHECK(engine::item_name(items[0]) == "run line 1");
            script.end(items[0]);
            REQUIRE(script.output.data_lines.size() == 1);
            CHECK(script.output.data_lines[0] == "failed 1 " + row.shown);
            CHECK(items[0].command == row.command);
            CHECK(!items[1].refused);
        }
    }

    TEST_CASE("options of an item stand on its line, those of the run hold for each and are not shown") {
        Script script({"put --content-type text/csv a s3://box/1\nput a s3://box/2\n"},
                      {"--dry-run", "--header", "x-amz-request-payer: requester"});
        const std::vector<Transfer> items = script.all();
        REQUIRE(items.size() == 2);
        CHECK(items[0].properties.content_type == "text/csv");
        CHECK(items[1].properties.content_type != "text/csv");
        for (const Transfer& item : items) {
            CHECK(item.dry_run);
            CHECK(item.properties.extra.size() == 1);
            script.end(item);
        }
        CHECK(script.output.data_lines[0] == "ok 1 put --content-type text/csv a s3://box/1");
    }

    TEST_CASE("what could be a secret is not shown, and the rest of its line is quoted where a shell needs it") {
        Script script({
            "put --header 'X-My-Token: secret' 'a b' s3://box/1\n"
            "put --header=x-api-key:secret --metadata k=v a s3://box/2\n"
            "put --header 'x-amz-acl: private' a s3://box/it\\'s\n",
        });
        for (const Transfer& item : script.all()) script.end(item);
        CHECK(script.output.data_lines ==
              std::vector<std::string>{"ok 1 put --header 'X-My-Token: [redacted]' 'a b' s3://box/1",
                                       "ok 2 put '--header=x-api-key: [redacted]' --metadata k=v a s3://box/2",
                                       "ok 3 put --header 'x-amz-acl: private' a s3://box/it\\'s"});
    }

    TEST_CASE("a line has one result, when the last of its items has ended") {
        Script script({"delete s3://box/1 s3://box/2 s3://box/3\n"});
        std::vector<Transfer> items = script.all();
        REQUIRE(items.size() == 3);
        items[1].refused = Error{ErrorKind::access_denied, "denied"};
        script.end(items[2]);
        script.end(items[1]);
        CHECK(script.output.data_lines.empty());
        script.end(items[0]);
        CHECK(script.output.data_lines == std::vector<std::string>{"failed 1 delete s3://box/1 s3://box/2 s3://box/3"});
    }

    TEST_CASE("a line of which something failed is told once, as it was read, a refused one too") {
        Script script({"delete s3://box/good\nput 'a b' s3://box/k # c\nput --none x\n"});
        std::vector<std::string> failed;
        script.source->on_failed_line([&](std::string_view text) { failed.emplace_back(text); });
        for (Transfer& item : script.all()) {
            if (item.group == 2) item.refused = Error{ErrorKind::access_denied, "no"};
            script.end(item);
        }
        CHECK(failed == std::vector<std::string>{"put 'a b' s3://box/k # c", "put --none x"});
    }

    TEST_CASE("a writer that pauses does not hold up what is under way") {
        Script script({"delete s3://box/1\nde", "", "lete s3://box/2\n"});
        const std::optional<Transfer> first = script.source->next();
        REQUIRE(first);
        CHECK(!script.source->next());  // nothing yet, and something to do
        CHECK(!script.source->ended());
        script.end(*first);
        const std::optional<Transfer> second = script.source->next();
        REQUIRE(second);
        CHECK(second->target.key == "2");
        CHECK(!script.source->next());
        CHECK(script.source->ended());
    }

    TEST_CASE("a line without an end is refused, and what follows cannot be told from it") {
        Script script({std::string(limits::run_line_max_bytes * 2, 'x')});
        const std::vector<Transfer> items = script.all();
        REQUIRE(items.size() == 1);
        CHECK(items[0].refused->message.find("longer than") != std::string::npos);
        CHECK(script.source->ended());
    }
}

}  // namespace s3tug::cmd
