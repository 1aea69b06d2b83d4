#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "wire/request.h"
#include "wire/sigv4.h"

/// Requests as text, so that one comparison shows what is missing or too much.
namespace s3tug::wire::test {

/// All header lines as "name: value", sorted.
inline std::string lines_of(const Request& request) {
    std::vector<std::string> lines;
    for (const Header& line : request.headers) lines.push_back(line.name + ": " + line.value + "\n");
    std::ranges::sort(lines);
    std::string all;
    for (const std::string& line : lines) all += line;
    return all;
}

/// "POST bucket/key?query", the query as it is signed.
inline std::string head_of(const Request& request) {
    return std::string(to_string(request.method)) + " " + request.bucket + "/" + request.key + "?" +
           sigv4::canonical_query(request.query);
}

}  // namespace s3tug::wire::test
