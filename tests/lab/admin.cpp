#include <fmt/format.h>

#include <stdexcept>

#include "lab/core.h"

namespace s3tug::lab {

namespace {

Answer text_answer(std::string text, int status = 200) {
    Answer answer;
    answer.status = status;
    answer.text = std::move(text);
    return answer;
}

std::string log_lines(const Core& core) {
    std::string out;
    for (const Seen& seen : core.journal.all()) out += to_json(seen) + "\n";
    return out;
}

std::string count_lines(const Core& core) {
    std::string out;
    for (const auto& [op, count] : core.journal.counts()) out += fmt::format("{} {}\n", op, count);
    return out;
}

/// One JSON line per version of each key, oldest first.
std::string object_lines(Core& core) {
    const std::lock_guard lock(core.service.store.mutex);
    std::string out;
    for (const auto& [name, bucket] : core.service.store.buckets)
        for (const auto& [key, versions] : bucket.keys)
            for (const ObjectPtr& object : versions)
                out += fmt::format(
                    R"({{"bucket":{},"key":{},"version_id":{},"delete_marker":{},"size":{},"etag":{},"modified":{}}})"
                    "\n",
                    json_quote(name), json_quote(key), json_quote(object->version_id), object->delete_marker,
                    object->content.size(), json_quote(object->etag), json_quote(iso_date(object->modified_ms)));
    return out;
}

void change_faults(Core& core, const std::string& script, bool replace) {
    std::vector<Rule> rules = rules_of(script);
    if (!replace) return core.forecast.add(std::move(rules));
    core.forecast.replace(std::move(rules));
    core.forecast.restart(core.steady_now());
}

Answer change(Core& core, std::string_view path, const std::string& body) {
    if (path == "/_lab/faults" || path == "/_lab/faults/add") {
        change_faults(core, body, path == "/_lab/faults");
    } else if (path == "/_lab/reset") {
        core.reset();
    } else if (path == "/_lab/flush-late") {
        core.late.flush();
    } else if (path == "/_lab/idle") {
        if (!core.journal.wait_idle(std::chrono::seconds(30))) return text_answer("requests are under way\n", 503);
    } else {
        return text_answer("POST takes /_lab/faults, /_lab/faults/add, /_lab/reset, /_lab/flush-late, /_lab/idle\n",
                           404);
    }
    return text_answer("ok\n");
}

}  // namespace

Answer administer(Core& core, const Head& head, const std::string& body) {
    const std::string_view path = head.target;
    try {
        if (head.method == "POST") return change(core, path, body);
    } catch (const std::runtime_error& error) { return text_answer(fmt::format("{}\n", error.what()), 400); }
    if (path == "/_lab/log") return text_answer(log_lines(core));
    if (path == "/_lab/counts") return text_answer(count_lines(core));
    if (path == "/_lab/faults") return text_answer(core.forecast.describe());
    if (path == "/_lab/objects") return text_answer(object_lines(core));
    return text_answer("GET takes /_lab/log, /_lab/counts, /_lab/faults, /_lab/objects\n", 404);
}

}  // namespace s3tug::lab
