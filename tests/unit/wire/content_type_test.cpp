#include "wire/content_type.h"

#include <doctest/doctest.h>

#include <string>

namespace s3tug::wire {

TEST_SUITE("wire/content_type") {
    TEST_CASE("the last extension decides, in any case") {
        struct Row {
            std::string_view name, type;
        };
        for (const Row row :
             {Row{"a.txt", "text/plain"}, Row{"A.TXT", "text/plain"}, Row{"dir.txt/a.png", "image/png"},
              Row{"/x/y/index.html", "text/html"}, Row{"a.b.json", "application/json"},
              Row{"app.js", "text/javascript"}, Row{"m.mjs", "text/javascript"}, Row{"m.wasm", "application/wasm"},
              Row{"x.7z", "application/x-7z-compressed"}, Row{"x.zst", "application/zstd"},
              Row{"x.webmanifest", "application/manifest+json"}, Row{"p.parquet", "application/vnd.apache.parquet"},
              Row{"p.yml", "application/yaml"}, Row{"p.pdf", "application/pdf"}, Row{"f.woff2", "font/woff2"},
              Row{"i.svg", "image/svg+xml"}, Row{"i.jpeg", "image/jpeg"}}) {
            CAPTURE(row.name);
            CHECK(content_type_of(row.name) == row.type);
        }
    }

    TEST_CASE("compressed files are named by what their bytes are, so that nobody unpacks them on the way") {
        for (const std::string_view name : {"a.gz", "a.tar.gz", "a.tgz", "a.txt.gz"}) {
            CAPTURE(name);
            CHECK(content_type_of(name) == "application/gzip");
        }
        CHECK(content_type_of("a.tar.xz") == "application/x-xz");
        CHECK(content_type_of("a.tar") == "application/x-tar");
    }

    TEST_CASE("names without a known extension get S3's default") {
        for (const std::string_view name : {"", ".", "..", "a", "a.", ".txt", "dir/.html", "dir.html/", "Makefile",
                                            "a.unknown", "a.txt ", "a.txt\n", "a.webmanifestx", "-"}) {
            CAPTURE(name);
            CHECK(content_type_of(name) == "binary/octet-stream");
        }
        CHECK(content_type_of("a." + std::string(100000, 'x')) == "binary/octet-stream");
    }
}

}  // namespace s3tug::wire
