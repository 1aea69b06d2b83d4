#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "proxy/proxy.h"

namespace {

void write_whole(const std::string& path, const std::string& text) {
    const std::string half = path + ".new";
    std::ofstream(half) << text;
    std::filesystem::rename(half, path);
}

/// Commands on stdin, one a line: `rules` (then rules, then an empty line), `cut`. Ends with stdin.
void obey(s3tug::proxy::Proxy& proxy) {
    for (std::string line; std::getline(std::cin, line);) {
        std::string answer = "ok";
        if (line == "cut") {
            proxy.cut_all();
        } else if (line == "rules") {
            std::string rules;
            while (std::getline(std::cin, line) && !line.empty()) rules += line + "\n";
            if (std::string wrong = proxy.set_rules(rules); !wrong.empty()) answer = "wrong: " + wrong;
        } else {
            answer = "wrong: commands are rules, cut";
        }
        std::cout << answer << std::endl;
    }
}

}  // namespace

int main(int count, char** arguments) {
    uint16_t port = 0, to = 0;
    uint64_t seed = 1;
    std::vector<std::string> rules;
    std::string port_file, log_file;
    CLI::App app("Carries TCP connections on the loopback, and breaks them as told; controlled by lines on stdin");
    app.add_option("--to", to, "Port of the server, on 127.0.0.1")->required();
    app.add_option("--port", port, "Port to listen on; 0 takes a free one");
    app.add_option("--port-file", port_file, "Write the port to this file, whole or not at all");
    app.add_option("--rule", rules, "One rule, such as '2-: reset down@64K'; may be repeated")->allow_extra_args(false);
    app.add_option("--seed", seed, "Seed of percentages and drawn offsets");
    app.add_option("--log", log_file, "Append one JSON line per connection");
    CLI11_PARSE(app, count, arguments);
    std::ofstream log;
    if (!log_file.empty()) log.open(log_file, std::ios::app);
    std::mutex log_mutex;
    const auto finished = [&](uint64_t number, const s3tug::proxy::Passed& passed) {
        const std::lock_guard lock(log_mutex);
        if (!log.is_open()) return;
        log << fmt::format("{{\"connection\":{},\"up\":{},\"down\":{},\"ended\":\"{}\"}}\n", number, passed.up,
                           passed.down, passed.ended)
            << std::flush;
    };
    try {
        s3tug::proxy::Proxy proxy(port, to, seed, finished);
        std::string text;
        for (const std::string& rule : rules) text += rule + "\n";
        if (const std::string wrong = proxy.set_rules(text); !wrong.empty()) {
            std::cerr << "s3tug-tcp-proxy: " << wrong << "\n";
            return 64;
        }
        if (!port_file.empty()) write_whole(port_file, std::to_string(proxy.port()) + "\n");
        std::cout << "listening on 127.0.0.1:" << proxy.port() << std::endl;
        obey(proxy);
    } catch (const std::exception& wrong) {
        std::cerr << "s3tug-tcp-proxy: " << wrong.what() << "\n";
        return 1;
    }
    return 0;
}
