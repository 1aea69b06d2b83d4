#include "host/credential_chain.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/bytes.h"
#include "base/text.h"

namespace s3tug::host {

namespace {

bool same_keys(const wire::Credentials& a, const wire::Credentials& b) {
    return a.access_key_id == b.access_key_id && a.secret_access_key == b.secret_access_key &&
           a.session_token == b.session_token;
}

bool expired(const wire::Credentials& credentials, WallTime now) {
    return credentials.expires_at && *credentials.expires_at <= now;
}

bool expires_soon(const wire::Credentials& credentials, WallTime now) {
    return credentials.expires_at && *credentials.expires_at - limits::credential_refresh_early <= now;
}

/// A clock that was set back must not keep us from asking.
bool within_pause(const std::optional<WallTime>& last, WallTime now) {
    return last && now >= *last && now - *last < limits::credential_retry_pause;
}

/// A source that is set up and that we cannot use yet, in words; empty = none.
std::string unsupported_source(const Environment& environment, const AwsFiles& files, const std::string& profile) {
    for (const std::string_view variable : {"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
                                            "AWS_CONTAINER_CREDENTIALS_FULL_URI"}) {
        if (environment.get(variable)) return fmt::format("{} is set", variable);
    }
    for (const std::string_view property :
         {"sso_session", "sso_start_url", "web_identity_token_file", "credential_source", "login_session"}) {
        if (files.profile(profile).find(property) != nullptr) {
            return fmt::format("profile '{}' uses {}", printable(profile), property);
        }
    }
    return {};
}

}  // namespace

CredentialChain::CredentialChain(Environment environment, CredentialOptions options)
    : environment_(std::move(environment)),
      options_(std::move(options)),
      profile_(profile_in_use(environment_, options_.profile)) {
    if (options_.profile.empty()) providers_.push_back(environment_provider(environment_));
    providers_.push_back(profile_keys_provider(profile_));
    providers_.push_back(
        process_provider(profile_, environment_,
                         {options_.process_timeout, limits::credential_document_max_bytes, options_.interrupted}));
}

Result<std::optional<wire::Credentials>> CredentialChain::current(WallTime now) {
    if (!options_.sign) return std::optional<wire::Credentials>();
    const bool usable = held_ && !expired(*held_, now);
    if (usable && (!expires_soon(*held_, now) || within_pause(last_load_, now))) return held_;
    if (!usable && last_error_ && within_pause(last_load_, now)) return *last_error_;

    auto loaded = load(now);
    if (loaded.ok()) {
        held_ = std::move(loaded).value();
    } else if (!usable) {
        return std::move(loaded).error();
    }
    return held_;
}

Result<bool> CredentialChain::refresh(const wire::Credentials& refused, WallTime now) {
    if (!options_.sign) return false;
    if (held_ && !same_keys(*held_, refused)) return true;
    if (!within_pause(last_vain_refresh_, now)) {
        last_vain_refresh_ = now;
        if (auto loaded = load(now); loaded.ok()) {
            held_ = std::move(loaded).value();
            if (!same_keys(*held_, refused)) {
                last_vain_refresh_.reset();
                return true;
            }
        }
    }
    if (!last_error_) return false;
    Error error = Error(*last_error_).with_context("the credentials were refused, and there are no new ones");
    if (error.kind == ErrorKind::no_credentials) error.kind = ErrorKind::credentials_refused;
    return error;
}

Result<wire::Credentials> CredentialChain::load(WallTime now) {
    last_load_ = now;
    LazyAwsFiles files(environment_);
    const auto fail = [this](Error error) -> Result<wire::Credentials> {
        last_error_ = error;
        return error;
    };
    for (const auto& provider : providers_) {
        auto found = provider->load(files);
        if (!found.ok()) return fail(std::move(found).error());
        if (!*found) continue;
        wire::Credentials credentials = **std::move(found);
        if (expired(credentials, now)) {
            return fail(
                {ErrorKind::credentials_refused, fmt::format("the credentials from {} expired at {}; renew them",
                                                             credentials.source, format_utc(*credentials.expires_at))});
        }
        last_error_.reset();
        return credentials;
    }
    return fail(nothing_found(files));
}

Error CredentialChain::nothing_found(LazyAwsFiles& lazy) const {
    std::string message = "no credentials; looked for";
    for (const auto& provider : providers_) {
        message += fmt::format("{} {}", provider == providers_.front() ? "" : ",", provider->looked_at());
    }
    if (const auto files = lazy.get(); files.ok()) {
        message += fmt::format(" in {}", (*files)->looked_at());
        if (const std::string source = unsupported_source(environment_, **files, profile_); !source.empty()) {
            message += fmt::format(
                "; {}, which s3tug cannot use itself: let credential_process of another profile run "
                "`aws configure export-credentials --format process`",
                source);
            return {ErrorKind::no_credentials, std::move(message)};
        }
    }
    message += "; set them, name a profile with --profile, or use --no-sign-request for what is public";
    return {ErrorKind::no_credentials, std::move(message)};
}

}  // namespace s3tug::host
