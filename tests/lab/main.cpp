#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "lab/lab.h"
#include "lab/script.h"
#include "lab/self_signed.h"

namespace {

using namespace s3tug::lab;

struct Options {
    LabConfig config;
    std::vector<std::string> faults;
    std::vector<std::string> fault_files;
    std::vector<std::string> quirks;
    std::vector<std::string> tls;
    std::string access_key = "labkey";
    std::string secret_key = "labsecret";
    std::string session_token;
    std::string port_file;
    std::string self_signed_folder;
    int64_t clock_offset = 0;
    bool no_auth = false;
    bool parent_exit = false;
};

void describe(CLI::App& app, Options& o) {
    app.add_option("--port", o.config.port, "Port to listen on; 0 takes a free one");
    app.add_flag("--ipv6", o.config.ipv6, "Listen on ::1 instead of 127.0.0.1");
    app.add_option("--port-file", o.port_file, "Write the port to this file, whole or not at all");
    app.add_option("--fault", o.faults, "One rule, such as 'PutObject 1-2: 503 SlowDown'; may be repeated")
        ->allow_extra_args(false);
    app.add_option("--faults", o.fault_files, "File with one rule a line")->allow_extra_args(false);
    app.add_option("--seed", o.config.seed, "Seed of the rules with a percentage");
    app.add_option("--bucket", o.config.buckets, "Make this bucket")->allow_extra_args(false);
    app.add_option("--versioned", o.config.versioned_buckets, "Make this bucket, with versions")
        ->allow_extra_args(false);
    app.add_option("--access-key", o.access_key, "Access key that is accepted");
    app.add_option("--secret-key", o.secret_key, "Its secret");
    app.add_option("--session-token", o.session_token, "Its session token");
    app.add_option("--region", o.config.region, "Region of the signatures");
    app.add_option("--domain", o.config.domains, "Domain of bucket.DOMAIN host names")->allow_extra_args(false);
    app.add_flag("--no-auth", o.no_auth, "Do not check signatures");
    app.add_option("--clock-offset", o.clock_offset, "Seconds by which the server's clock is ahead");
    app.add_option("--quirk", o.quirks, "How this store differs from the reference; `--quirk list` lists them")
        ->allow_extra_args(false);
    app.add_option("--log", o.config.log_file, "Append one JSON line per request");
    app.add_option("--tls", o.tls, "Serve HTTPS with this certificate and key (PEM)")->expected(2);
    app.add_option("--tls-self-signed", o.self_signed_folder, "Write cert.pem and key.pem there and serve HTTPS");
    app.add_flag("--parent-exit", o.parent_exit, "End when the parent process ends");
}

[[noreturn]] void refuse_usage(const std::string& why) {
    std::cerr << "s3tug-lab: " << why << "\n";
    std::exit(64);
}

std::string read_file(const std::string& name) {
    std::ifstream in(name, std::ios::binary);
    if (!in) refuse_usage("cannot read " + name);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

void complete(Options& o) {
    for (const std::string& name : o.quirks) {
        if (set_quirk(o.config.quirks, name)) continue;
        std::string known;
        for (const std::string_view quirk : quirk_names()) known += " " + std::string(quirk);
        refuse_usage("unknown quirk " + name + "; known:" + known);
    }
    for (const std::string& name : o.fault_files) o.config.faults += read_file(name) + "\n";
    for (const std::string& rule : o.faults) o.config.faults += rule + "\n";
    o.config.credentials = {{o.access_key, o.secret_key, o.session_token, std::nullopt}};
    o.config.check_signature = !o.no_auth;
    o.config.clock_offset = std::chrono::seconds(o.clock_offset);
    if (!o.self_signed_folder.empty()) {
        o.tls = {o.self_signed_folder + "/cert.pem", o.self_signed_folder + "/key.pem"};
        std::filesystem::create_directories(o.self_signed_folder);
        write_self_signed(o.tls[0], o.tls[1]);
    }
    if (o.tls.size() != 2) return;
    o.config.tls_certificate = o.tls[0];
    o.config.tls_key = o.tls[1];
}

void write_port(const std::string& name, uint16_t port) {
    const std::string temporary = name + ".new";
    std::ofstream out(temporary);
    out << port << "\n";
    out.close();
    if (!out || std::rename(temporary.c_str(), name.c_str()) != 0) throw std::runtime_error("cannot write " + name);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("An S3 server on the loopback that misbehaves on demand (tests/lab/README.md)");
    Options options;
    describe(app, options);
    CLI11_PARSE(app, argc, argv);
    complete(options);
    const pid_t parent = getppid();
    if (options.parent_exit) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) return 0;
    }
    sigset_t ends;
    sigemptyset(&ends);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&ends, signal);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);
    try {
        Lab lab(options.config);
        if (!options.port_file.empty()) write_port(options.port_file, lab.port());
        std::cout << "listening on " << lab.endpoint() << std::endl;
        int signal = 0;
        sigwait(&ends, &signal);
        lab.stop();
    } catch (const std::exception& error) {
        std::cerr << "s3tug-lab: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
