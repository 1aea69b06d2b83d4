#include <doctest/doctest.h>

#include <string>

#include "base/limits.h"
#include "wire/answers.h"

namespace s3tug::wire {

namespace {

ParsedBody parse(std::string_view body, std::string_view content_type = "application/xml") {
    HttpAnswer answer;
    answer.status = 503;
    answer.headers.add("content-type", content_type);
    answer.body = std::string(body);
    return parse_body(answer);
}

const std::string aws_error =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<Error><Code>AuthorizationHeaderMalformed</Code><Message>The region &apos;us-east-1&apos; is wrong; expecting "
    "&lt;eu-west-1&gt;&#33;</Message><Region>eu-west-1</Region><Endpoint>b.s3.amazonaws.com</Endpoint>"
    "<ServerTime>2026-11-29T21:01:30Z</ServerTime><StringToSign>AWS4-HMAC-SHA256\n20261129T210130Z</StringToSign>"
    "<CanonicalRequest>PUT\n/b/k</CanonicalRequest><RequestId>4442587FB7D0A2F9</RequestId><HostId>x</HostId></Error>";

}  // namespace

TEST_SUITE("wire/error_body") {
    TEST_CASE("all fields of an error document are read and decoded") {
        const ParsedBody body = parse(aws_error);
        CHECK(body.kind == BodyKind::error_document);
        CHECK(body.root_element == "Error");
        CHECK(body.error.code == "AuthorizationHeaderMalformed");
        CHECK(body.error.message == "The region 'us-east-1' is wrong; expecting <eu-west-1>!");
        CHECK(body.error.region == "eu-west-1");
        CHECK(body.error.endpoint == "b.s3.amazonaws.com");
        CHECK(body.error.server_time == "2026-11-29T21:01:30Z");
        CHECK(body.error.string_to_sign == "AWS4-HMAC-SHA256\n20261129T210130Z");
        CHECK(body.error.canonical_request == "PUT\n/b/k");
        CHECK(body.error.request_id == "4442587FB7D0A2F9");
    }

    TEST_CASE("the code is found in every dialect") {
        for (const std::string_view text :
             {"<Error><Code>SlowDown</Code></Error>", "<Error><Code>SlowDown</Code><Message></Message></Error>",
              "<Error><Code>SlowDown</Code><Message/></Error>",
              "<Error xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Code>SlowDown</Code></Error>",
              "<s3:Error xmlns:s3=\"x\"><s3:Code>SlowDown</s3:Code></s3:Error>",
              "\n\n   <Error><Code>\n SlowDown \n</Code></Error>",
              "\xEF\xBB\xBF<?xml version='1.0'?><Error><Code>SlowDown</Code></Error>",
              "<!-- x --><Error><Code>SlowDown</Code></Error>", "<!DOCTYPE Error><Error><Code>SlowDown</Code></Error>",
              "<Error><Code><![CDATA[SlowDown]]></Code></Error>", "<Error><Code>Slow&#68;own</Code></Error>",
              "<ErrorResponse><Error><Type>Sender</Type><Code>SlowDown</Code></Error><RequestId>r</RequestId></"
              "ErrorResponse>",
              "<Response><Errors><Error><Code>SlowDown</Code></Error></Errors></Response>",
              "<Errors><Error><Code>SlowDown</Code></Error></Errors>",
              "<Error><Details><Code>Inner</Code></Details><Code>SlowDown</Code></Error>"}) {
            CAPTURE(text);
            const ParsedBody body = parse(text);
            CHECK(body.kind == BodyKind::error_document);
            CHECK(body.error.code == "SlowDown");
            CHECK(body.error.message.empty());
        }
        CHECK(parse("<ErrorResponse><Error><Code>x</Code></Error><RequestId>r</RequestId></ErrorResponse>")
                  .error.request_id == "r");
    }

    TEST_CASE("an error document is one even with another content type, and without a code") {
        CHECK(parse("<Error><Code>SlowDown</Code></Error>", "text/html").kind == BodyKind::error_document);
        const ParsedBody body = parse("<Error></Error>");
        CHECK(body.kind == BodyKind::error_document);
        CHECK(body.error.code.empty());
    }

    TEST_CASE("a document that no XML parser takes still gives its code") {
        for (const std::string& text :
             {std::string("<Error><Code>SlowDown</Code><Message>cut o"), std::string("<Error><Code>SlowDown</Code>"),
              std::string("<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><Message>a < b</Message></Error>"),
              std::string("<Error><Code>SlowDown</Code><Message><b>x</Message></Error>"),
              std::string("<Error><Code>SlowDown</Code><Message>\0\x01\x1b[2J</Message></Error>", 60),
              std::string("<Error><Code>SlowDown</Code><Message>\0</Message></Error", 54)}) {
            CAPTURE(text);
            const ParsedBody body = parse(text);
            CHECK(body.kind == BodyKind::error_document);
            CHECK(body.error.code == "SlowDown");
        }
    }

    TEST_CASE("control characters in a message do not hide the code") {
        const ParsedBody body =
            parse("<Error><Code>NoSuchKey</Code><Message>\x01\x02\x1b</Message><Key>\x0b</Key></Error>");
        CHECK(body.kind == BodyKind::error_document);
        CHECK(body.error.code == "NoSuchKey");
    }

    TEST_CASE("what is no error document is told apart") {
        struct Row {
            std::string_view text, content_type;
            BodyKind kind;
        };
        for (const Row& row :
             {Row{"", "application/xml", BodyKind::empty},
              Row{" \r\n\t ", "application/xml", BodyKind::empty},
              Row{"\xEF\xBB\xBF", "application/xml", BodyKind::empty},
              Row{"<CopyObjectResult><ETag>x</ETag></CopyObjectResult>", "application/xml", BodyKind::other_xml},
              Row{"<DeleteResult><Error><Key>k</Key><Code>AccessDenied</Code></Error></DeleteResult>",
                  "application/xml", BodyKind::other_xml},
              Row{"<html><h1>502 Bad Gateway</h1>", "", BodyKind::html},
              Row{"<!DOCTYPE HTML><p>x", "", BodyKind::html},
              Row{"<HTML>", "", BodyKind::html},
              Row{"<head></head>", "text/html; charset=utf-8", BodyKind::html},
              Row{"<h1>x", "text/html", BodyKind::html},
              Row{"<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x'><html xmlns='y'></html>", "", BodyKind::html},
              Row{"<CopyObjectResult><ETag>x</ETag>", "application/xml", BodyKind::truncated_xml},
              Row{"<CopyObj", "application/xml", BodyKind::truncated_xml},
              Row{"<", "application/xml", BodyKind::truncated_xml},
              Row{"<?xml version=\"1.0\"?>", "application/xml", BodyKind::truncated_xml},
              Row{"<Error><Code>Slow", "application/xml", BodyKind::truncated_xml},
              Row{"<Error><Code>Slow</Cod", "application/xml", BodyKind::truncated_xml},
              Row{"<a><b></a>", "application/xml", BodyKind::other},
              Row{"slow down", "text/plain", BodyKind::other},
              Row{"{\"code\":\"SlowDown\"}", "application/json", BodyKind::other},
              Row{"plain words of a proxy", "text/html", BodyKind::other}}) {
            CAPTURE(row.text);
            CHECK(parse(row.text, row.content_type).kind == row.kind);
        }
        CHECK(parse("<CopyObjectResult><ETag>x</ETag></CopyObjectResult>").root_element == "CopyObjectResult");
    }

    TEST_CASE("an object that went to its sink is not judged") {
        HttpAnswer answer;
        answer.body = "<Error><Code>SlowDown</Code></Error>";
        answer.body_to_sink = true;
        CHECK(parse_body(answer).kind == BodyKind::empty);
    }

    TEST_CASE("entities of a document's own are not expanded") {
        const ParsedBody body = parse(
            "<!DOCTYPE e [<!ENTITY a \"SlowDown\"><!ENTITY b \"&a;&a;\"><!ENTITY c SYSTEM \"file:///etc/passwd\">]>"
            "<Error><Code>&b;</Code><Message>&c;</Message></Error>");
        CHECK(body.error.code == "&b;");
        CHECK(body.error.message == "&c;");
    }

    TEST_CASE("a document deep or long up to the bound is read, what is beyond it is not") {
        std::string deep;
        while (deep.size() < limits::error_body_max_bytes) deep += "<a>";
        CHECK(parse(deep).kind == BodyKind::truncated_xml);

        const std::string filler(limits::error_body_max_bytes - 100, 'x');
        const ParsedBody longest = parse("<Error><Code>SlowDown</Code><Message>" + filler + "</Message></Error>");
        CHECK(longest.kind == BodyKind::error_document);
        CHECK(longest.error.message.size() == filler.size());

        const std::string too_long(limits::error_body_max_bytes * 2, 'x');
        const ParsedBody cut = parse("<Error><Code>SlowDown</Code><Message>" + too_long + "</Message></Error>");
        CHECK(cut.error.code == "SlowDown");
        CHECK(parse("<Error><Message>" + too_long + "</Message><Code>SlowDown</Code></Error>").kind ==
              BodyKind::truncated_xml);
        CHECK(parse(std::string(limits::error_body_max_bytes * 2, ' ')).kind == BodyKind::empty);
    }

    TEST_CASE("a result is one whatever its content type: Swift labels that of DeleteObjects text/html") {
        const ParsedBody result = parse("<?xml version='1.0'?>\n<DeleteResult xmlns='x'/>", "text/html; charset=UTF-8");
        CHECK(result.kind == BodyKind::other_xml);
        CHECK(result.root_element == "DeleteResult");
    }

    TEST_CASE("of a listing longer than any error document the two ends are looked at") {
        const std::string filler(limits::error_body_max_bytes * 3, 'x');
        const ParsedBody whole =
            parse("<?xml version='1.0'?>\n<s3:ListBucketResult>" + filler + "</s3:ListBucketResult>\n");
        CHECK(whole.kind == BodyKind::other_xml);
        CHECK(whole.root_element == "ListBucketResult");
        CHECK(parse("<ListBucketResult>" + filler).kind == BodyKind::truncated_xml);
        CHECK(parse("<ListBucketResult>" + filler + "</Contents>").kind == BodyKind::truncated_xml);
        CHECK(parse("<table>" + filler + "</table>").kind == BodyKind::truncated_xml);
        CHECK(parse(filler).kind == BodyKind::other);
        CHECK(parse("<html>" + filler + "</html>").kind == BodyKind::html);
    }

    TEST_CASE("a document cut at any byte never has another code than its own") {
        for (std::size_t cut = 0; cut < aws_error.size(); ++cut) {
            CAPTURE(cut);
            const ParsedBody body = parse(aws_error.substr(0, cut));
            CHECK((body.error.code.empty() || body.error.code == "AuthorizationHeaderMalformed"));
            CHECK((body.error.region.empty() || body.error.region == "eu-west-1"));
            CHECK((body.kind == BodyKind::error_document) == !body.error.code.empty());
        }
    }

    TEST_CASE("a document with any byte replaced is parsed to some kind") {
        for (std::size_t at = 0; at < aws_error.size(); ++at) {
            for (int byte = 0; byte < 256; byte += 5) {
                std::string text = aws_error;
                text[at] = static_cast<char>(byte);
                CHECK(parse(text).kind != BodyKind::empty);
            }
        }
    }

    TEST_CASE("the request id comes from the header, else from the document") {
        HttpAnswer answer;
        answer.body = aws_error;
        CHECK(request_id_of(answer, parse_body(answer)) == "4442587FB7D0A2F9");
        answer.headers.add("x-amz-request-id", " tx01 ");
        CHECK(request_id_of(answer, parse_body(answer)) == "tx01");
        CHECK(request_id_of({}, {}).empty());
    }
}

}  // namespace s3tug::wire
