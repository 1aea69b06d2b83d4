#include "lab/core.h"

#include <fmt/format.h>

#include <stdexcept>

#include "lab/digest.h"
#include "lab/script.h"

namespace s3tug::lab {

std::vector<Rule> rules_of(std::string_view script) {
    auto parsed = parse_script(script);
    if (const auto* error = std::get_if<ScriptError>(&parsed)) throw std::runtime_error(error->text());
    return std::move(std::get<std::vector<Rule>>(parsed));
}

Core::Core(LabConfig lab_config)
    : config(std::move(lab_config)), forecast(config.seed), clock_offset_(config.clock_offset.count()) {
    service.quirks = config.quirks;
    service.region = config.region;
    service.min_part_size = config.quirks.small_parts ? 0 : config.min_part_size;
    forecast.replace(rules_of(config.faults));
    for (const std::string& name : config.buckets) service.store.buckets[name].created_ms = now_ms();
    for (const std::string& name : config.versioned_buckets)
        service.store.buckets[name] = {Bucket::Versioning::enabled, now_ms(), {}, {}, {}};
    if (!config.log_file.empty()) log_ = std::fopen(config.log_file.c_str(), "ae");
    if (!config.log_file.empty() && log_ == nullptr) throw std::runtime_error("cannot write " + config.log_file);
}

Core::~Core() {
    if (log_ != nullptr) static_cast<void>(std::fclose(log_));
}

int64_t Core::now_ms() const {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<Milliseconds>(now).count() + clock_offset_ * 1000;
}

Milliseconds Core::steady_now() const {
    return std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - started);
}

std::string Core::new_request_id() {
    const std::string id = sha256_hex(fmt::format("request {}", next_request++)).substr(0, 16);
    std::string out;
    for (const char c : id) out += c >= 'a' ? static_cast<char>(c - 32) : c;
    return out;
}

void Core::set_credentials(std::vector<Credential> credentials) {
    const std::lock_guard lock(mutex_);
    config.credentials = std::move(credentials);
}

std::vector<Credential> Core::credentials() const {
    const std::lock_guard lock(mutex_);
    return config.credentials;
}

bool Core::is_expired(const Identity& who, bool expire_now) {
    const std::lock_guard lock(mutex_);
    std::pair<std::string, std::string> given(who.access_key, who.session_token);
    if (expire_now && !expired_ && !who.access_key.empty()) expired_ = given;
    return expired_ == given;
}

void Core::reset() {
    journal.clear();
    forecast.restart(steady_now());
    const std::lock_guard lock(mutex_);
    expired_.reset();
}

void Core::write_log(const Seen& seen) {
    const std::lock_guard lock(mutex_);
    if (log_ == nullptr) return;
    static_cast<void>(std::fputs((to_json(seen) + "\n").c_str(), log_));
    static_cast<void>(std::fflush(log_));
}

}  // namespace s3tug::lab
