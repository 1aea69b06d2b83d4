// Files of settings and credentials: config.toml, the AWS ini files, and what a credential_process writes.
#include "cmd/config_file.h"
#include "fuzz/fuzz.h"
#include "host/aws_config.h"
#include "host/credential_document.h"
#include "host/ini_file.h"
#include "host/iso_time.h"

namespace s3tug::fuzz {
namespace {

/// A word that the input may carry as a secret: wherever it stands, no error message may show it.
constexpr std::string_view secret = "CANARY";

void require_silent(const Error& error) {
    require(shows_safely(error.message), "errors can be shown", error.message);
    require(error.message.find(secret) == std::string::npos, "no error shows a secret", error.message);
}

void check_toml(std::string_view text) {
    const auto file = cmd::ConfigFile::parse(text, "config.toml");
    if (!file) {
        require(shows_safely(file.error().message), "errors can be shown", file.error().message);
        return;
    }
    if (const auto* entry = file->find("", cmd::FlagId::retries)) {
        require(entry->values.size() == 1 && entry->line > 0, "a setting has one value and a line");
        (void)file->origin(*entry);
    }
}

void check_ini(std::string_view text) {
    const auto file = host::parse_ini(text, "credentials");
    if (!file) {
        require_silent(file.error());
        return;
    }
    for (std::size_t i = 0; i < file->sections.size(); ++i) {
        const host::IniSection& section = file->sections[i];
        require(file->find(section.name) == &section, "each section stands once", section.name);
        for (const host::IniProperty& property : section.properties) {
            require(!property.name.empty() && section.find(property.name) == &property, "each name stands once",
                    property.name);
            require(property.line > 0, "each property has a line");
        }
    }
}

void check_document(std::string_view text) {
    const auto credentials = host::parse_credential_document(text, "credential_process");
    if (!credentials) {
        require_silent(credentials.error());
        return;
    }
    require(!credentials->access_key_id.empty() && !credentials->secret_access_key.empty(), "both keys are there");
    if (const auto good = host::check_keys(*credentials); !good) {
        require_silent(good.error());
    } else {
        require(shows_safely(credentials->access_key_id) && shows_safely(credentials->session_token),
                "keys that pass break no header");
    }
}

}  // namespace
}  // namespace s3tug::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace s3tug;
    const std::string_view text = fuzz::text_of(data, size);
    fuzz::check_toml(text);
    fuzz::check_ini(text);
    fuzz::check_document(text);
    (void)host::parse_iso_time(text);
    return 0;
}
