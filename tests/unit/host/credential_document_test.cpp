#include "host/credential_document.h"

#include <doctest/doctest.h>

namespace s3tug::host {

TEST_SUITE("host/credential_document") {
    TEST_CASE("the document of a credential_process is read") {
        const auto full = parse_credential_document(
            R"({"Version": 1, "AccessKeyId": "AKIA1", "SecretAccessKey": "s/+=", "SessionToken": "t",
                "Expiration": "2026-11-29T21:01:30Z", "Other": [1]})",
            "here");
        REQUIRE(full.ok());
        CHECK(full->access_key_id == "AKIA1");
        CHECK(full->secret_access_key == "s/+=");
        CHECK(full->session_token == "t");
        CHECK(full->expires_at == wall_from_unix_seconds(1795986090));
        CHECK(full->source == "here");

        const auto least = parse_credential_document(
            R"({"Version":1,"AccessKeyId":"A","SecretAccessKey":"s","SessionToken":null,"Expiration":""})", "here");
        REQUIRE(least.ok());
        CHECK(least->session_token.empty());
        CHECK_FALSE(least->expires_at.has_value());
    }

    TEST_CASE("what is wrong with a document is said without its values") {
        struct Row {
            std::string_view json;
            std::string_view says;
        };
        for (const Row row :
             {Row{"", "JSON"}, Row{"canary", "JSON"}, Row{R"(["canary"])", "JSON"},
              Row{R"({"Version":1,"AccessKeyId":"canary")", "JSON"},
              Row{R"({"AccessKeyId":"canary","SecretAccessKey":"canary"})", "Version 1"},
              Row{R"({"Version":2,"AccessKeyId":"canary","SecretAccessKey":"canary"})", "Version 1"},
              Row{R"({"Version":"1","AccessKeyId":"canary","SecretAccessKey":"canary"})", "Version 1"},
              Row{R"({"Version":1,"SecretAccessKey":"canary"})", "AccessKeyId"},
              Row{R"({"Version":1,"AccessKeyId":"canary","SecretAccessKey":""})", "SecretAccessKey"},
              Row{R"({"Version":1,"AccessKeyId":["canary"],"SecretAccessKey":"canary"})", "AccessKeyId"},
              Row{R"({"Version":1,"AccessKeyId":"canary","SecretAccessKey":"canary","Expiration":"canary"})",
                  "Expiration"},
              Row{R"({"Version":1,"AccessKeyId":"canary","SecretAccessKey":"canary\n"})", "secret access key"},
              Row{R"({"Version":1,"AccessKeyId":"canary x","SecretAccessKey":"canary"})", "access key id"},
              Row{R"({"Version":1,"AccessKeyId":"canary","SecretAccessKey":"s","SessionToken":"canary\r\nX: y"})",
                  "session token"}}) {
            CAPTURE(row.json);
            const auto parsed = parse_credential_document(row.json, "here");
            REQUIRE_FALSE(parsed.ok());
            CHECK(parsed.error().kind == ErrorKind::no_credentials);
            CHECK(parsed.error().message.find(row.says) != std::string::npos);
            CHECK(parsed.error().message.find("canary") == std::string::npos);
        }
    }
}

}  // namespace s3tug::host
