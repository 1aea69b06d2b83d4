#include "cmd/settings.h"

#include <doctest/doctest.h>

#include <map>

#include "base/text.h"
#include "cmd/proxy.h"

namespace s3tug::cmd {

namespace {

using Words = std::vector<std::string>;
using Variables = std::map<std::string, std::string, std::less<>>;

/// One command with everything around it that can set an option.
struct World {
    Words args = {"put", "a", "s3://bucket/k"};
    Variables variables = {};
    std::string file = {};
    std::string profile = {};
    std::map<FlagId, std::string> aws_profile = {};

    [[nodiscard]] Result<Settings> settings() const {
        Result<Invocation> call = parse_command_line(args);
        REQUIRE_MESSAGE(call.ok(), call.error().message);
        Layers layers(*call, [this](std::string_view name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
        });
        Result<ConfigFile> config = ConfigFile::parse(file, "config.toml");
        REQUIRE_MESSAGE(config.ok(), config.error().message);
        layers.add_file(*std::move(config), profile);
        layers.add_aws_profile([this](FlagId id) -> std::optional<Found> {
            const auto found = aws_profile.find(id);
            if (found == aws_profile.end()) return std::nullopt;
            return Found{found->second, "profile default, config:3", ErrorKind::config};
        });
        return make_settings(layers);
    }

    [[nodiscard]] Settings good() const {
        Result<Settings> made = settings();
        REQUIRE_MESSAGE(made.ok(), made.error().message);
        return *std::move(made);
    }

    [[nodiscard]] Error refusal() const {
        const Result<Settings> made = settings();
        REQUIRE_FALSE(made.ok());
        return made.error();
    }
};

Words put_with(Words options) {
    Words args = {"put", "a", "s3://bucket/k"};
    args.insert(args.end(), options.begin(), options.end());
    return args;
}

/// Options that have no blanks in them.
Words put_typed(std::string_view options) {
    Words words;
    while (!options.empty()) {
        const std::size_t end = options.find(' ');
        words.emplace_back(options.substr(0, end));
        options = end == std::string_view::npos ? std::string_view() : options.substr(end + 1);
    }
    return put_with(std::move(words));
}

}  // namespace

TEST_SUITE("cmd/settings") {
    TEST_CASE("each layer beats all below it") {
        World world;
        CHECK(world.good().engine.endpoint.region == "us-east-1");
        world.aws_profile[FlagId::region] = "aws-profile";
        CHECK(world.good().engine.endpoint.region == "aws-profile");
        world.file = "region = \"file-default\"\n[profile.backup]\nregion = \"file-profile\"\n";
        CHECK(world.good().engine.endpoint.region == "file-default");
        world.profile = "backup";
        CHECK(world.good().engine.endpoint.region == "file-profile");
        world.variables["AWS_DEFAULT_REGION"] = "aws-default-env";
        CHECK(world.good().engine.endpoint.region == "aws-default-env");
        world.variables["AWS_REGION"] = "aws-env";
        CHECK(world.good().engine.endpoint.region == "aws-env");
        world.variables["S3TUG_REGION"] = "own-env";
        CHECK(world.good().engine.endpoint.region == "own-env");
        world.args = put_with({"--region", "typed"});
        CHECK(world.good().engine.endpoint.region == "typed");
    }

    TEST_CASE("an empty variable counts as not set") {
        World world;
        world.variables = {{"S3TUG_REGION", ""}, {"AWS_REGION", "aws-env"}};
        CHECK(world.good().engine.endpoint.region == "aws-env");
    }

    TEST_CASE("every built-in value of the table is what happens without it") {
        const Settings plain = World{}.good();
        for (const Flag& f : flags()) {
            if (f.standard.empty() || f.use != Use::setting || f.standard.starts_with('$')) continue;
            CAPTURE(f.name);
            World world;
            world.variables[environment_name(f)] = std::string(f.standard);
            if (f.commands == set_of(CommandId::get)) world.args = {"get", "s3://bucket/k", "a"};
            const Settings set = world.good();
            CHECK(set.engine.endpoint.region == plain.engine.endpoint.region);
            CHECK(set.engine.endpoint.addressing == plain.engine.endpoint.addressing);
            CHECK(set.engine.timeouts.connect == plain.engine.timeouts.connect);
            CHECK(set.engine.timeouts.answer == plain.engine.timeouts.answer);
            CHECK(set.engine.timeouts.slow_answer == plain.engine.timeouts.slow_answer);
            CHECK(set.engine.timeouts.stall_window == plain.engine.timeouts.stall_window);
            CHECK(set.engine.pace.concurrency_max == plain.engine.pace.concurrency_max);
            CHECK(set.engine.multipart.part_size == plain.engine.multipart.part_size);
            CHECK(set.engine.multipart.threshold == plain.engine.multipart.threshold);
            CHECK(set.engine.multipart.parts_max == plain.engine.multipart.parts_max);
            CHECK(set.engine.retry.retries == plain.engine.retry.retries);
            CHECK(set.engine.retry.backoff.kind == plain.engine.retry.backoff.kind);
            CHECK(set.engine.retry.backoff.eases);
            CHECK(set.engine.retry.backoff.base == plain.engine.retry.backoff.base);
            CHECK(set.engine.retry.backoff.max == plain.engine.retry.backoff.max);
            CHECK(set.engine.budget.capacity == plain.engine.budget.capacity);
            CHECK(set.engine.breaker_mode == plain.engine.breaker_mode);
            CHECK(set.engine.breaker_per_bucket == plain.engine.breaker_per_bucket);
            CHECK(set.engine.breaker_patience == plain.engine.breaker_patience);
            CHECK(set.engine.breaker.threshold == plain.engine.breaker.threshold);
            CHECK(set.engine.breaker.failure_window == plain.engine.breaker.failure_window);
            CHECK(set.engine.breaker.open_for == plain.engine.breaker.open_for);
            CHECK(set.engine.breaker.open_for_max == plain.engine.breaker.open_for_max);
            CHECK(set.engine.breaker.growth_percent == plain.engine.breaker.growth_percent);
            CHECK(set.engine.breaker.trials == plain.engine.breaker.trials);
            CHECK(set.engine.breaker.half_open_idle == plain.engine.breaker.half_open_idle);
            CHECK(set.engine.write_token == plain.engine.write_token);
            CHECK(set.item.checksum == plain.item.checksum);
            CHECK(set.item.source_changed == plain.item.source_changed);
            CHECK(set.item.idempotency_keep == plain.item.idempotency_keep);
        }
    }

    TEST_CASE("AWS variables mean what AWS means by them") {
        World world;
        world.variables = {{"AWS_MAX_ATTEMPTS", "4"},
                           {"AWS_ENDPOINT_URL", "http://all.example:9000"},
                           {"AWS_CA_BUNDLE", "/ca.pem"},
                           {"AWS_REQUEST_CHECKSUM_CALCULATION", "WHEN_REQUIRED"}};
        Settings set = world.good();
        CHECK(set.engine.retry.retries == 3);
        CHECK(set.engine.endpoint.host == "all.example");
        CHECK(set.engine.endpoint.port == 9000);
        CHECK_FALSE(set.engine.endpoint.tls);
        CHECK(set.connection.ca_file == "/ca.pem");
        CHECK_FALSE(set.item.checksum.has_value());

        world.variables["AWS_ENDPOINT_URL_S3"] = "https://s3.example";
        CHECK(world.good().engine.endpoint.host == "s3.example");
        world.variables["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "true";
        CHECK(world.good().engine.endpoint.host == "s3.us-east-1.amazonaws.com");

        world.args = {"get", "s3://bucket/k", "a"};
        CHECK(world.good().item.checksum == ChecksumAlgorithm::crc64nvme);
        world.variables["AWS_RESPONSE_CHECKSUM_VALIDATION"] = "when_required";
        CHECK_FALSE(world.good().item.checksum.has_value());
    }

    TEST_CASE("typed options reach the engine") {
        World world;
        world.args = put_typed(
            "--endpoint-url http://localhost:9000 --addressing virtual --deadline 2m --retries 0 --backoff full-jitter "
            "--backoff-base 100ms --backoff-max 1s --retry-budget 50 --breaker wait --breaker-scope bucket "
            "--breaker-patience 1h --breaker-threshold 2 --breaker-trials 1 --breaker-growth 200 --breaker-open 10m "
            "--concurrency 3 --answer-timeout 15m --stall-timeout 5s --connect-timeout 500ms --write-token off "
            "--spool-dir /spool -6 --limit-rate 1MiB --part-size 64MiB --multipart-threshold 100MiB --max-parts 1000 "
            "--no-resume --memory 256MiB");
        const Settings set = world.good();
        CHECK(set.engine.endpoint.addressing == wire::Addressing::virtual_host);
        CHECK(set.engine.deadline == Duration(minutes(2)));
        CHECK(set.engine.retry.retries == 0);
        CHECK(set.engine.retry.backoff.kind == policy::BackoffKind::full_jitter);
        CHECK_FALSE(set.engine.retry.backoff.eases);
        CHECK(set.engine.retry.backoff.base == milliseconds(100));
        CHECK(set.engine.retry.backoff.max == seconds(1));
        CHECK(set.engine.budget.capacity == 50);
        CHECK(set.engine.breaker_mode == engine::BreakerMode::wait);
        CHECK(set.engine.breaker_per_bucket);
        CHECK(set.engine.breaker_patience == hours(1));
        CHECK(set.engine.breaker.threshold == 2);
        CHECK(set.engine.breaker.trials == 1);
        CHECK(set.engine.breaker.growth_percent == 200);
        CHECK(set.engine.breaker.open_for == minutes(10));
        CHECK(set.engine.breaker.open_for_max == minutes(10));
        CHECK(set.engine.multipart.stream_memory == 224ULL << 20);
        CHECK(set.engine.pace.concurrency_max == 3);
        CHECK(set.engine.pace.concurrency_start == 3);
        CHECK(set.engine.pace.pinned);
        CHECK(set.engine.timeouts.answer == minutes(15));
        CHECK(set.engine.timeouts.slow_answer == minutes(15));
        CHECK(set.engine.timeouts.stall_window == seconds(5));
        CHECK(set.engine.timeouts.connect == milliseconds(500));
        CHECK(set.engine.write_token == engine::TokenMode::off);
        CHECK(set.engine.spool_folder == "/spool");
        CHECK(set.engine.multipart.part_size == 64ULL << 20);
        CHECK(set.engine.multipart.threshold == 100ULL << 20);
        CHECK(set.engine.multipart.parts_max == 1000);
        CHECK_FALSE(set.engine.multipart.resume);
        CHECK(set.connection.ip == IpChoice::v6);
        CHECK(set.connection.limit_rate == 1048576);
    }

    TEST_CASE("typed options reach each item") {
        World world;
        world.args = put_with({"--content-type",
                               "text/csv",
                               "--storage-class",
                               "COLD",
                               "--metadata",
                               "Job=nightly",
                               "--header",
                               "x-amz-request-payer: requester",
                               "--no-overwrite",
                               "--expect-size",
                               "1KiB",
                               "--expect-sha256",
                               "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855",
                               "--checksum",
                               "sha256",
                               "--source-changed",
                               "warn",
                               "--idempotency-key",
                               "k1",
                               "--idempotency-keep",
                               "24h",
                               "--unsigned-payload"});
        const engine::Transfer item = world.good().item;
        CHECK(item.properties.content_type == "text/csv");
        CHECK(item.properties.storage_class == "COLD");
        REQUIRE(item.properties.metadata.size() == 1);
        CHECK(item.properties.metadata[0] == wire::Header{"job", "nightly"});
        REQUIRE(item.properties.extra.size() == 1);
        CHECK(item.conditions.if_none_match_any);
        CHECK(item.expect_size == 1024);
        CHECK(item.expect_sha256 == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        CHECK(item.checksum == ChecksumAlgorithm::sha256);
        CHECK(item.checksum_by_user);
        CHECK(item.source_changed == engine::SourceChanged::warn);
        CHECK(item.idempotency_key == "k1");
        CHECK(item.idempotency_keep == hours(24));
        CHECK(item.unsigned_payload);
    }

    TEST_CASE("a copy replaces the metadata only when some is given") {
        World world;
        world.args = {"copy", "s3://bucket/a", "s3://bucket/b", "--storage-class", "COLD"};
        CHECK_FALSE(world.good().item.replace_metadata);
        world.args.insert(world.args.end(), {"--cache-control", "no-store"});
        CHECK(world.good().item.replace_metadata);
    }

    TEST_CASE("what to do this time is taken from the command line only") {
        World world;
        world.variables = {{"S3TUG_DRY_RUN", "1"}, {"S3TUG_IDEMPOTENCY_KEY", "k"}, {"S3TUG_NO_OVERWRITE", "1"}};
        const Settings set = world.good();
        CHECK_FALSE(set.item.dry_run);
        CHECK(set.item.idempotency_key.empty());
        CHECK_FALSE(set.item.conditions.any());
    }

    TEST_CASE("switches in variables take the usual words") {
        World world;
        for (const std::string word : {"1", "true", "YES", "on"}) {
            world.variables["S3TUG_JSON"] = word;
            CHECK(world.good().output.json);
        }
        for (const std::string word : {"0", "false", "No", "off"}) {
            world.variables["S3TUG_JSON"] = word;
            CHECK_FALSE(world.good().output.json);
        }
    }

    TEST_CASE("several headers in one variable stand on lines of their own") {
        World world;
        world.variables["S3TUG_HEADER"] = "x-amz-request-payer: requester\nx-amz-expected-bucket-owner: 1";
        CHECK(world.good().item.properties.extra.size() == 2);
        world.file = "header = [\"x-amz-tagging: a=b\"]";
        CHECK(world.good().item.properties.extra.size() == 2);
        world.variables.clear();
        CHECK(world.good().item.properties.extra.size() == 1);
    }

    TEST_CASE("a mistake is refused by place: 64 for what was typed, 78 for variables and files") {
        struct Row {
            Words options;
            Variables variables;
            std::string file;
            ErrorKind kind;
            std::string_view says;
        };
        const auto usage = ErrorKind::usage;
        const auto config = ErrorKind::config;
        for (const Row& row : {
                 Row{{"--retries", "x"}, {}, "", usage, "--retries: 'x' is not a whole number from 0 to 1000"},
                 Row{{"--retries", "1001"}, {}, "", usage, "from 0 to 1000"},
                 Row{{"--retries", "-1"}, {}, "", usage, "from 0 to 1000"},
                 Row{{}, {{"S3TUG_RETRIES", "x"}}, "", config, "S3TUG_RETRIES: 'x' is not a whole number"},
                 Row{{}, {{"AWS_MAX_ATTEMPTS", "0"}}, "", config, "AWS_MAX_ATTEMPTS: '(attempts) 0'"},
                 Row{{}, {}, "retries = 1001", config, "config.toml:1: retries: '1001' is not a whole number"},
                 Row{{}, {}, "backoff = \"full\"", config, "config.toml:1: backoff: 'full' is not one of"},
                 Row{{"--backoff", "full-jiter"}, {}, "", usage, "did you mean full-jitter?"},
                 Row{{"--deadline", "0"}, {}, "", usage, "--deadline: '0' is not a time above 0"},
                 Row{{"--deadline", "soon"}, {}, "", usage, "--deadline: duration 'soon' is not a number"},
                 Row{{"--deadline", "9000h"}, {}, "", usage, "up to"},
                 Row{{"--deadline", "366d"}, {}, "", usage, "up to"},
                 Row{{"--limit-rate", "0"}, {}, "", usage, "--limit-rate: '0' is less than 1"},
                 Row{{"--limit-rate", "5 apples"}, {}, "", usage, "has an unknown unit"},
                 Row{{"--concurrency", "0"}, {}, "", usage, "from 1 to 256"},
                 Row{{"--memory", "47MiB"}, {}, "", usage, "--memory: '47MiB' is less than"},
                 Row{{"--backoff-base", "10s", "--backoff-max", "1s"}, {}, "", usage, "--backoff-max: "},
                 Row{{"-4", "-6"}, {}, "", usage, "contradict"},
                 Row{{"--region", "x y"}, {}, "", usage, "--region: 'x y' is not a region"},
                 Row{{"--endpoint-url", "ftp://x"}, {}, "", usage, "--endpoint-url: "},
                 Row{{}, {{"AWS_ENDPOINT_URL", "x"}}, "", config, "AWS_ENDPOINT_URL: "},
                 Row{{"--resolve", "host:80"}, {}, "", usage, "'host:80' is not HOST:PORT:ADDRESS"},
                 Row{{"--resolve", "host:0:1.2.3.4"}, {}, "", usage, "is not HOST:PORT:ADDRESS"},
                 Row{{"--expect-sha256", "abc"}, {}, "", usage, "is not 64 hex digits"},
                 Row{{"--if-match", ""}, {}, "", usage, "is not an ETag"},
                 Row{{"--if-match", "a\nb"}, {}, "", usage, "is not an ETag"},
                 Row{{"--if-match", "abc", "--no-overwrite"}, {}, "", usage, "contradicts --no-overwrite"},
                 Row{{"--idempotency-key", ""}, {}, "", usage, "a key is missing"},
                 Row{{"--idempotency-key", std::string(257, 'k')}, {}, "", usage, "longer than 256 bytes"},
                 Row{{"--idempotency-key", "k", "--no-state"}, {}, "", usage, "needs the state file"},
                 Row{{"--state-file", "x", "--no-state"}, {}, "", usage, "contradicts --no-state"},
                 Row{{"--state-file", ""}, {}, "", usage, "a file name is missing"},
                 Row{{"--metadata", "novalue"}, {}, "", usage, "novalue"},
                 Row{{"--metadata", "a=1", "--metadata", "A=2"}, {}, "", usage, "given twice"},
                 Row{{"--header", "host: x"}, {}, "", usage, "--header: "},
                 Row{{"--content-type", "a\nb"}, {}, "", usage, "line break"},
                 Row{{}, {{"S3TUG_JSON", "maybe"}}, "", config, "S3TUG_JSON: 'maybe' is neither true nor false"},
             }) {
            CAPTURE(row.says);
            const Error error =
                World{.args = put_with(row.options), .variables = row.variables, .file = row.file}.refusal();
            CAPTURE(error.message);
            CHECK(error.kind == row.kind);
            CHECK(error.message.find(row.says) != std::string::npos);
            CHECK(error.message.find('\n') == std::string::npos);
        }
    }

    TEST_CASE("a setting that does not apply to the command is not read") {
        World world;
        world.args = {"delete", "s3://bucket/k"};
        world.variables = {{"S3TUG_LIMIT_RATE", "nonsense"}, {"S3TUG_CHECKSUM", "nonsense"}};
        CHECK(world.good().connection.limit_rate == 0);
        world.args = {"state", "show"};
        world.variables = {{"AWS_ENDPOINT_URL", "nonsense"}, {"S3TUG_RETRIES", "x"}};
        CHECK(world.settings().ok());
    }

    TEST_CASE("a profile that was meant for us is known as such") {
        World world;
        CHECK(world.good().profile == "default");
        world.variables["AWS_PROFILE"] = "work";
        CHECK(world.good().profile == "work");
        CHECK_FALSE(world.good().profile_explicit);
        world.variables["S3TUG_PROFILE"] = "own";
        CHECK(world.good().profile == "own");
        CHECK(world.good().profile_explicit);
        world.args = put_with({"--profile", "typed"});
        CHECK(world.good().profile == "typed");
        CHECK(world.good().profile_explicit);
    }

    TEST_CASE("streams spool to the folder asked for, else to TMPDIR, else to /tmp") {
        World world;
        CHECK(world.good().engine.spool_folder == "/tmp");
        world.variables["TMPDIR"] = "/var/tmp";
        CHECK(world.good().engine.spool_folder == "/var/tmp");
        world.args = put_with({"--spool-dir", "/spool"});
        CHECK(world.good().engine.spool_folder == "/spool");
    }

    TEST_CASE("the breaker knows the proxy that the environment names") {
        World world;
        world.args = put_with({"--endpoint-url", "https://s3.example.com"});
        world.variables = {{"https_proxy", "http://p:3128"}, {"HTTP_PROXY", "http://cgi"}};
        CHECK(world.good().engine.proxy == "http://p:3128");
        CHECK_FALSE(world.good().connection.proxy.has_value());
        world.variables["no_proxy"] = "localhost, .example.com";
        CHECK(world.good().engine.proxy.empty());
        world.args = put_with({"--endpoint-url", "http://s3.example.org"});
        CHECK(world.good().engine.proxy.empty());
        world.variables["ALL_PROXY"] = "socks5h://s:1080";
        CHECK(world.good().engine.proxy == "socks5h://s:1080");
        world.args = put_typed("--endpoint-url http://s3.example.org --proxy=");
        CHECK(world.good().engine.proxy.empty());
        CHECK(world.good().connection.proxy == "");
    }

    TEST_CASE("a proxy that curl could not use is refused, without its password") {
        for (const char* good : {"", "p", "p:3128", "http://p:3128", "HTTPS://p/", "socks5h://user:pa@ss@p:1080",
                                 "[::1]:3128", "[fe80::1%25]", "http://user@10.0.0.1:1"}) {
            CAPTURE(good);
            CHECK(check_proxy(good).ok());
        }
        for (const char* bad : {"ftp://p", "http://", "p:port", "p:0", "p:70000", "http://a b", "p:3128/path", "::1",
                                "[::1", "http://user:secret@", "http://user:secret@p:x"}) {
            CAPTURE(bad);
            const Status status = check_proxy(bad);
            REQUIRE_FALSE(status.ok());
            CHECK(status.error().message.find("secret") == std::string::npos);
        }
        World world;
        world.args = put_with({"--proxy", "ftp://p"});
        CHECK(world.settings().error().kind == ErrorKind::usage);
        world.args = put_with({});
        world.variables = {{"S3TUG_PROXY", "p:port"}};
        CHECK(world.settings().error().kind == ErrorKind::config);
    }

    TEST_CASE("variables of options that are for the command line only are told, where they would mean something") {
        World world;
        world.variables = {{"S3TUG_DRY_RUN", "1"},
                           {"S3TUG_RAW", "1"},
                           {"S3TUG_RETRIES", "1"},
                           {"S3TUG_HELP", "1"},
                           {"S3TUG_IF_MATCH", ""}};
        CHECK(world.good().warnings ==
              std::vector<std::string>{
                  "S3TUG_DRY_RUN is set and ignored: this option is taken from the command line only"});
    }

    TEST_CASE("no_proxy matches names and what is below them, not names that only end alike") {
        CHECK(in_no_proxy("a.example.com", "example.com"));
        CHECK(in_no_proxy("example.com", ".example.com"));
        CHECK(in_no_proxy("127.0.0.1", "localhost,127.0.0.1"));
        CHECK(in_no_proxy("anything", "*"));
        CHECK_FALSE(in_no_proxy("badexample.com", "example.com"));
        CHECK_FALSE(in_no_proxy("example.com", ""));
        CHECK_FALSE(in_no_proxy("example.com", ",, ,"));
    }
}

}  // namespace s3tug::cmd
