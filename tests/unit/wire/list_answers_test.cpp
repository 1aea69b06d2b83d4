#include "wire/list_answers.h"

#include <doctest/doctest.h>

#include "base/limits.h"
#include "unit/wire/answer_of.h"

namespace s3tug::wire {

namespace {

using test::answer_of;

// An answer of Ceph RGW 16.2.15, shortened.
constexpr std::string_view rgw_page =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
    "<EncodingType>url</EncodingType><Name>b</Name><Prefix></Prefix><MaxKeys>3</MaxKeys><Delimiter>/</Delimiter>"
    "<IsTruncated>true</IsTruncated><CommonPrefixes><Prefix>p%2Bq/</Prefix></CommonPrefixes><Contents>"
    "<Key>a%20b</Key><LastModified>2026-11-29T21:54:15.256Z</LastModified>"
    "<ETag>&quot;5d41402abc4b2a76b9719d911017c592&quot;</ETag><Size>5</Size><StorageClass>STANDARD</StorageClass>"
    "<Type>Normal</Type></Contents><Contents><Key>100%2525</Key><Size>5497558138880</Size></Contents>"
    "<NextContinuationToken>100%25</NextContinuationToken><KeyCount>3</KeyCount></ListBucketResult>";

ListObjectsInput asked_for(std::string prefix = {}) {
    ListObjectsInput asked;
    asked.prefix = std::move(prefix);
    return asked;
}

std::string page(std::string_view content) {
    return "<ListBucketResult>" + std::string(content) + "</ListBucketResult>";
}

std::string contents(std::string_view key) { return "<Contents><Key>" + std::string(key) + "</Key></Contents>"; }

void check_refused(const Result<ListObjectsPage>& result, std::string_view words) {
    REQUIRE(!result.ok());
    CHECK(result.error().kind == ErrorKind::refused);
    CAPTURE(result.error().message);
    CHECK(result.error().message.find(words) != std::string::npos);
    CHECK(result.error().message.find('\n') == std::string::npos);
}

}  // namespace

TEST_SUITE("wire/list_answers: objects") {
    TEST_CASE("a page gives objects, common prefixes and where the next one begins") {
        const Result<ListObjectsPage> list = parse_list_objects_v2(answer_of(200, rgw_page), asked_for());
        REQUIRE(list.ok());
        REQUIRE(list->objects.size() == 2);
        CHECK(list->objects[0].key == "a b");
        CHECK(list->objects[0].size == 5);
        CHECK(list->objects[0].etag == "5d41402abc4b2a76b9719d911017c592");
        CHECK(list->objects[0].last_modified == wall_from_unix_seconds(1'795'989'255) + milliseconds(256));
        CHECK(list->objects[0].storage_class == "STANDARD");
        CHECK(list->objects[1].key == "100%25");
        CHECK(list->objects[1].size == 5'497'558'138'880);
        CHECK(list->objects[1].etag.empty());
        CHECK(!list->objects[1].last_modified);
        CHECK(list->common_prefixes == std::vector<std::string>{"p+q/"});
        // Tokens are never encoded.
        REQUIRE(list->next.has_value());
        CHECK(*list->next == ListPosition{.token = "100%25", .marker = {}});
    }

    TEST_CASE("an empty listing is one, also without its optional elements") {
        for (const std::string_view body :
             {"<ListBucketResult/>", "<s3:ListBucketResult xmlns:s3='x'></s3:ListBucketResult>",
              "<ListBucketResult><IsTruncated>false</IsTruncated><KeyCount>0</KeyCount></ListBucketResult>"}) {
            const Result<ListObjectsPage> list = parse_list_objects_v2(answer_of(200, body), asked_for("logs/"));
            REQUIRE(list.ok());
            CHECK(list->objects.empty());
            CHECK(!list->next);
        }
    }

    TEST_CASE("keys are kept to the byte where the store does not encode") {
        // RGW 16 and moto 5.2 without encoding-type, and what XML allows besides.
        struct Row {
            std::string_view text, key;
        };
        for (const Row& row :
             {Row{" ", " "}, Row{"\n", "\n"}, Row{" a ", " a "},
              Row{"&#x01;ctl",
                  "\x01"
                  "ctl"},
              Row{"\x01"
                  "ctl",
                  "\x01"
                  "ctl"},
              Row{"cr&#x0d;lf\n", "cr\rlf\n"}, Row{"cr\r\nlf", "cr\r\nlf"}, Row{"tab\tkey", "tab\tkey"},
              Row{"100%25", "100%25"}, Row{"a+b", "a+b"}, Row{"a<![CDATA[<&>]]>b", "a<&>b"},
              Row{"quo&quot;&apos;&lt;&amp;&gt;", "quo\"'<&>"}, Row{"uml\xC3\xA4ut", "uml\xC3\xA4ut"}}) {
            CAPTURE(row.text);
            const Result<ListObjectsPage> list =
                parse_list_objects_v2(answer_of(200, page(contents(row.text))), asked_for());
            REQUIRE(list.ok());
            REQUIRE(list->objects.size() == 1);
            CHECK(list->objects[0].key == row.key);
        }
    }

    TEST_CASE("keys and common prefixes are judged apart: moto encodes the one and not the other in version 1") {
        const Result<ListObjectsPage> list = parse_list_objects_v2(
            answer_of(200, page(contents("a%20b") +
                                "<CommonPrefixes><Prefix>e%/</Prefix></CommonPrefixes><CommonPrefixes><Prefix>p+q/"
                                "</Prefix></CommonPrefixes><EncodingType>url</EncodingType>")),
            asked_for());
        REQUIRE(list.ok());
        CHECK(list->objects[0].key == "a b");
        CHECK(list->common_prefixes == std::vector<std::string>{"e%/", "p+q/"});
    }

    TEST_CASE("keys outside of the prefix are refused, so that nothing is deleted that was not asked for") {
        const std::string body = page(contents("logs/1") + contents("other/2"));
        CHECK(parse_list_objects_v2(answer_of(200, body), asked_for()).ok());
        check_refused(parse_list_objects_v2(answer_of(200, body), asked_for("logs/")), "outside of the prefix 'logs/'");
        check_refused(
            parse_list_objects_v2(answer_of(200, page("<CommonPrefixes><Prefix>other/</Prefix></CommonPrefixes>")),
                                  asked_for("logs/")),
            "outside");
        check_refused(parse_list_objects_v2(answer_of(200, page(contents(""))), asked_for()), "without a key");
    }

    TEST_CASE("a page that is not the last must lead on, and not to where it came from") {
        const std::string cut = "<IsTruncated>true</IsTruncated>";
        check_refused(parse_list_objects_v2(answer_of(200, page(cut)), asked_for()), "where it goes on");
        const std::string same = cut + "<NextContinuationToken>t</NextContinuationToken>";
        CHECK(parse_list_objects_v2(answer_of(200, page(same)), asked_for()).ok());
        ListObjectsInput asked = asked_for();
        asked.position.token = "t";
        check_refused(parse_list_objects_v2(answer_of(200, page(same)), asked), "never end");
        const std::string long_token(limits::list_token_max_bytes + 1, 't');
        check_refused(parse_list_objects_v2(answer_of(200, page(cut + "<NextContinuationToken>" + long_token +
                                                                "</NextContinuationToken>")),
                                            asked_for()),
                      "too long");
    }

    TEST_CASE("a token is kept to the byte, and counts unless the store says that nothing was cut") {
        const Result<ListObjectsPage> blank = parse_list_objects_v2(
            answer_of(200, page("<IsTruncated>true</IsTruncated><NextContinuationToken> </NextContinuationToken>")),
            asked_for());
        REQUIRE(blank.ok());
        CHECK(blank->next->token == " ");
        const std::string token = "<NextContinuationToken>t</NextContinuationToken>";
        CHECK(parse_list_objects_v2(answer_of(200, page(token)), asked_for())->next.has_value());
        CHECK(!parse_list_objects_v2(answer_of(200, page(token + "<IsTruncated>false</IsTruncated>")), asked_for())
                   ->next.has_value());
    }

    TEST_CASE("a store that answers as version 1 is followed by its markers") {
        struct Row {
            std::string_view content, marker;
        };
        for (const Row& row : {
                 // RGW gives the marker raw, Swift encodes it, others leave it out without a delimiter.
                 Row{"<EncodingType>url</EncodingType><Contents><Key>100%2525</Key></Contents><NextMarker>100%25"
                     "</NextMarker>",
                     "100%25"},
                 Row{"<EncodingType>url</EncodingType><Contents><Key>100%2525</Key></Contents><NextMarker>100%2525"
                     "</NextMarker>",
                     "100%25"},
                 Row{"<Contents><Key>a</Key></Contents><Contents><Key>b</Key></Contents>", "b"},
                 Row{"<Contents><Key>a</Key></Contents><CommonPrefixes><Prefix>c/</Prefix></CommonPrefixes>", "c/"},
                 Row{"<Contents><Key>a</Key></Contents><NextMarker>opaque</NextMarker>", "opaque"},
             }) {
            CAPTURE(row.content);
            const std::string body = page("<IsTruncated>true</IsTruncated>" + std::string(row.content));
            const Result<ListObjectsPage> list = parse_list_objects_v2(answer_of(200, body), asked_for());
            REQUIRE(list.ok());
            REQUIRE(list->next.has_value());
            CHECK(*list->next == ListPosition{.token = {}, .marker = std::string(row.marker)});
            ListObjectsInput asked = asked_for();
            asked.position = *list->next;
            check_refused(parse_list_objects_v2(answer_of(200, body), asked), "never end");
        }
    }

    TEST_CASE("a listing that is cut, foreign or beyond its bounds is no listing") {
        struct Row {
            std::string body;
            std::string_view words;
        };
        std::string tags = "<ListBucketResult>";
        for (std::size_t i = 0; i < limits::xml_tags_max; ++i) tags += "<a/>";
        tags += "</ListBucketResult>";
        const std::string filler(limits::list_body_max_bytes, 'x');
        for (const Row& row : {Row{"", "an empty body"}, Row{"<ListBucketResult><Contents>", "cut off"},
                               Row{"<Error><Code>SlowDown</Code></Error>", "the error SlowDown"},
                               Row{"<ListAllMyBucketsResult/>", "<ListAllMyBucketsResult> without a listing"},
                               Row{tags, "in place of a result"}, Row{page(filler), "in place of a result"}}) {
            check_refused(parse_list_objects_v2(answer_of(200, row.body), asked_for()), row.words);
        }
        HttpAnswer truncated = answer_of(200, rgw_page);
        truncated.body_truncated = true;
        CHECK(!parse_list_objects_v2(truncated, asked_for()).ok());
    }

    TEST_CASE("1000 of the longest keys fit, encoded or not") {
        for (const std::string_view letter : {"%C3", "&quot;"}) {
            std::string key;
            for (std::size_t i = 0; i < limits::key_max_bytes; ++i) key += letter;
            std::string body = letter == "%C3" ? "<EncodingType>url</EncodingType>" : "";
            for (unsigned i = 0; i < limits::list_page_max; ++i) body += contents(key);
            const std::string whole = page(body);
            CHECK(whole.size() < limits::list_body_max_bytes);
            const Result<ListObjectsPage> list = parse_list_objects_v2(answer_of(200, whole), asked_for());
            REQUIRE(list.ok());
            CHECK(list->objects.size() == limits::list_page_max);
            CHECK(list->objects.back().key.size() == limits::key_max_bytes);
        }
    }

    TEST_CASE("a page cut at any byte is refused; with a damaged byte it is a page or an error") {
        test::for_each_damage(rgw_page, [](const std::string& body, bool cut) {
            const Result<ListObjectsPage> list = parse_list_objects_v2(answer_of(200, body), asked_for());
            if (cut) CHECK(!list.ok());
            if (!list) CHECK(list.error().message.find('\n') == std::string::npos);
        });
    }
}

TEST_SUITE("wire/list_answers: buckets") {
    TEST_CASE("buckets come with name and time, and the owner is passed over") {
        const Result<ListBucketsPage> page = parse_list_buckets(
            answer_of(200,
                      "<ListAllMyBucketsResult><Owner><ID>o</ID></Owner><Buckets><Bucket><Name>backups</Name>"
                      "<CreationDate>2026-11-29T21:01:30.000Z</CreationDate></Bucket><Bucket><Name>b2</Name></Bucket>"
                      "</Buckets></ListAllMyBucketsResult>"),
            {});
        REQUIRE(page.ok());
        REQUIRE(page->buckets.size() == 2);
        CHECK(page->buckets[0].name == "backups");
        CHECK(to_unix_seconds(*page->buckets[0].created) == 1'795'986'090);
        CHECK(page->buckets[1].name == "b2");
        CHECK(!page->buckets[1].created);
        CHECK(page->next.empty());
    }

    TEST_CASE("an account without buckets is one; anything else is no listing") {
        CHECK(parse_list_buckets(answer_of(200, "<ListAllMyBucketsResult/>"), {})->buckets.empty());
        for (const std::string_view body :
             {"", "<ListBucketResult/>", "<ListAllMyBucketsResult><Buckets>",
              "<ListAllMyBucketsResult><Buckets><Bucket/></Buckets></ListAllMyBucketsResult>",
              "<ListAllMyBucketsResult><ContinuationToken>t</ContinuationToken></ListAllMyBucketsResult>"}) {
            CAPTURE(body);
            const Result<ListBucketsPage> page = parse_list_buckets(answer_of(200, body), {.token = "t", .extra = {}});
            REQUIRE(!page.ok());
            CHECK(page.error().kind == ErrorKind::refused);
        }
    }
}

TEST_SUITE("wire/list_answers: parts and uploads") {
    TEST_CASE("parts come with number, size, ETag and checksums, and the upload's kind of checksum") {
        const HttpAnswer answer = answer_of(
            200,
            "<ListPartsResult><PartNumberMarker>0</PartNumberMarker><NextPartNumberMarker>10</NextPartNumberMarker>"
            "<IsTruncated>true</IsTruncated><ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm>"
            "<ChecksumType>FULL_OBJECT</ChecksumType><Part><PartNumber>1</PartNumber>"
            "<ETag>&quot;b8fc857a25e7958868c2f003d5e0952d&quot;</ETag><Size>5242880</Size>"
            "<ChecksumCRC64NVME>pRf+emrnL+A=</ChecksumCRC64NVME></Part>"
            "<Part><PartNumber>10</PartNumber><ETag>\"\"</ETag><Size>0</Size></Part></ListPartsResult>");
        const Result<ListPartsPage> list = parse_list_parts(answer, {});
        REQUIRE(list.ok());
        REQUIRE(list->parts.size() == 2);
        CHECK(list->parts[0].number == 1);
        CHECK(list->parts[0].etag == "b8fc857a25e7958868c2f003d5e0952d");
        CHECK(list->parts[0].size == 5'242'880);
        REQUIRE(list->parts[0].checksums.size() == 1);
        CHECK(list->parts[0].checksums[0].value == Checksum{ChecksumAlgorithm::crc64nvme, "pRf+emrnL+A="});
        // Swift 2.30 forgets the ETag of a copied part.
        CHECK(list->parts[1].number == 10);
        CHECK(list->parts[1].etag.empty());
        CHECK(list->next == 10U);
        CHECK(list->checksum == ChecksumAlgorithm::crc64nvme);
        CHECK(list->scope == ChecksumScope::full_object);
    }

    TEST_CASE("an upload without parts, and moto's spelling of the result") {
        const Result<ListPartsPage> list = parse_list_parts(
            answer_of(200, "<ListPartsResponse><IsTruncated>false</IsTruncated></ListPartsResponse>"), {});
        REQUIRE(list.ok());
        CHECK(list->parts.empty());
        CHECK(!list->next);
        CHECK(!list->checksum);
    }

    TEST_CASE("parts that cannot be right are refused") {
        const auto part = [](std::string_view number, std::string_view size) {
            return "<Part><PartNumber>" + std::string(number) + "</PartNumber><Size>" + std::string(size) +
                   "</Size></Part>";
        };
        ListPartsInput asked;
        asked.after = 5;
        struct Row {
            std::string content;
            bool fine;
        };
        for (const Row& row :
             {Row{part("6", "1") + part("10000", "1"), true}, Row{part("5", "1"), false},
              Row{part("7", "1") + part("7", "1"), false}, Row{part("8", "1") + part("7", "1"), false},
              Row{part("10001", "1"), false}, Row{part("0", "1"), false}, Row{part("-6", "1"), false},
              Row{part("", "1"), false}, Row{part("6", ""), false}, Row{part("6", "-1"), false},
              Row{part("6", "99999999999999999999"), false}, Row{"<IsTruncated>true</IsTruncated>", false},
              Row{"<IsTruncated>true</IsTruncated><NextPartNumberMarker>5</NextPartNumberMarker>", false},
              Row{"<IsTruncated>true</IsTruncated>" + part("6", "1"), true}}) {
            CAPTURE(row.content);
            const HttpAnswer answer = answer_of(200, "<ListPartsResult>" + row.content + "</ListPartsResult>");
            CHECK(parse_list_parts(answer, asked).ok() == row.fine);
        }
        CHECK(!parse_list_parts(answer_of(200, "<ListBucketResult/>"), {}).ok());
    }

    TEST_CASE("uploads come with key, id, time and initiator; other prefixes are left out") {
        // RGW 16 without encoding-type; the second upload is one that moto would list in spite of the prefix.
        const HttpAnswer answer = answer_of(
            200,
            "<ListMultipartUploadsResult><Prefix>m</Prefix><NextKeyMarker>m+p u</NextKeyMarker>"
            "<NextUploadIdMarker>2~ar</NextUploadIdMarker><IsTruncated>false</IsTruncated><Upload><Key>m+p u</Key>"
            "<UploadId>2~ar</UploadId><Initiator><ID>test</ID></Initiator>"
            "<Initiated>2026-11-29T21:54:15.343Z</Initiated></Upload>"
            "<Upload><Key>other</Key><UploadId>2~as</UploadId></Upload></ListMultipartUploadsResult>");
        ListMultipartUploadsInput asked;
        asked.prefix = "m";
        const Result<ListMultipartUploadsPage> list = parse_list_multipart_uploads(answer, asked);
        REQUIRE(list.ok());
        REQUIRE(list->uploads.size() == 1);
        CHECK(list->uploads[0].key == "m+p u");
        CHECK(list->uploads[0].upload_id == "2~ar");
        CHECK(list->uploads[0].initiated == wall_from_unix_seconds(1'795'989'255) + milliseconds(343));
        CHECK(list->uploads[0].initiator == "test");
        CHECK(list->last);
    }

    TEST_CASE("names of uploads are decoded when the store says that it encodes them") {
        const HttpAnswer answer =
            answer_of(200,
                      "<ListMultipartUploadsResult><EncodingType>url</EncodingType><NextKeyMarker>m%2Bp%20u"
                      "</NextKeyMarker><NextUploadIdMarker>i</NextUploadIdMarker><IsTruncated>true</IsTruncated>"
                      "<Upload><Key>m%2Bp%20u</Key><UploadId>i</UploadId></Upload></ListMultipartUploadsResult>");
        const Result<ListMultipartUploadsPage> list = parse_list_multipart_uploads(answer, {});
        REQUIRE(list.ok());
        CHECK(list->uploads[0].key == "m+p u");
        CHECK(!list->last);
        CHECK(list->next_key_marker == "m+p u");
        CHECK(list->next_upload_id_marker == "i");
    }

    TEST_CASE("a page of uploads that is not the last leads on, by its last upload where the markers are empty") {
        // Swift 2.30.
        const std::string swift =
            "<ListMultipartUploadsResult><NextKeyMarker></NextKeyMarker><NextUploadIdMarker></NextUploadIdMarker>"
            "<IsTruncated>true</IsTruncated><Upload><Key>k</Key><UploadId>i</UploadId></Upload>"
            "</ListMultipartUploadsResult>";
        const Result<ListMultipartUploadsPage> list = parse_list_multipart_uploads(answer_of(200, swift), {});
        REQUIRE(list.ok());
        CHECK(!list->last);
        CHECK(list->next_key_marker == "k");
        CHECK(list->next_upload_id_marker == "i");

        ListMultipartUploadsInput asked;
        asked.key_marker = "k";
        asked.upload_id_marker = "i";
        CHECK(!parse_list_multipart_uploads(answer_of(200, swift), asked).ok());
        CHECK(!parse_list_multipart_uploads(answer_of(200,
                                                      "<ListMultipartUploadsResult><IsTruncated>true</IsTruncated>"
                                                      "</ListMultipartUploadsResult>"),
                                            {})
                   .ok());
        for (const std::string_view upload :
             {"<Upload><Key>k</Key></Upload>", "<Upload><UploadId>i</UploadId></Upload>"}) {
            CHECK(!parse_list_multipart_uploads(answer_of(200, "<ListMultipartUploadsResult>" + std::string(upload) +
                                                                   "</ListMultipartUploadsResult>"),
                                                {})
                       .ok());
        }
    }
}

}  // namespace s3tug::wire
