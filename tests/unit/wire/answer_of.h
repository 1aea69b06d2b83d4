#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "wire/reply.h"

namespace s3tug::wire::test {

inline HttpAnswer answer_of(int status, std::string_view body,
                            std::initializer_list<std::pair<std::string_view, std::string_view>> headers = {}) {
    HttpAnswer answer;
    answer.status = status;
    answer.body = body;
    for (const auto& [name, value] : headers) answer.headers.add(name, value);
    return answer;
}

inline constexpr std::string_view xml_head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";

/// Calls `check` with the body cut at each byte and with each byte replaced by some awkward ones.
template <class Check>
void for_each_damage(std::string_view body, Check check) {
    for (std::size_t cut = 0; cut < body.size(); ++cut) check(std::string(body.substr(0, cut)), true);
    for (std::size_t at = 0; at < body.size(); ++at) {
        for (const int byte : {0, 1, 10, 34, 38, 47, 57, 60, 62, 127, 128, 255}) {
            std::string damaged(body);
            damaged[at] = static_cast<char>(byte);
            check(damaged, false);
        }
    }
}

}  // namespace s3tug::wire::test
