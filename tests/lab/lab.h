#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/auth.h"
#include "lab/call.h"
#include "lab/journal.h"
#include "lab/store.h"

namespace s3tug::lab {

struct LabConfig {
    uint16_t port = 0;  ///< 0: any free one
    bool ipv6 = false;  ///< bind ::1 instead of 127.0.0.1; never anything else
    std::vector<Credential> credentials = {{"labkey", "labsecret", "", std::nullopt}};
    std::string region = "us-east-1";
    bool check_signature = true;
    std::vector<std::string> buckets;
    std::vector<std::string> versioned_buckets;
    std::string faults;                    ///< a fault script, see README.md
    uint64_t seed = 1;                     ///< of the P% rules
    std::chrono::seconds clock_offset{0};  ///< of the server's clock against ours
    Quirks quirks;
    std::vector<std::string> domains = {"localhost"};  ///< for virtual-host style: bucket.DOMAIN
    uint64_t min_part_size = uint64_t{5} << 20U;
    std::chrono::milliseconds idle_limit{60'000};   ///< for a silent connection
    std::chrono::milliseconds hang_limit{300'000};  ///< for `hang`
    size_t max_connections = 512;
    std::string tls_certificate;  ///< PEM files; empty: plain HTTP
    std::string tls_key;
    std::string log_file;  ///< one JSON line per finished request
};

/// An S3 server on the loopback that misbehaves on demand: fault scripts say when and how. Runs on its own threads from
/// construction to `stop`; all members may be called from any thread.
class Lab {
  public:
    /// Throws std::runtime_error when it cannot listen or the fault script is wrong.
    explicit Lab(LabConfig config = {});
    ~Lab();
    Lab(Lab&&) noexcept;
    Lab& operator=(Lab&&) noexcept;

    [[nodiscard]] uint16_t port() const;
    /// "http://127.0.0.1:PORT", or https.
    [[nodiscard]] std::string endpoint() const;
    void stop();

    // Weather. Scripts that are wrong throw std::runtime_error and change nothing.
    void set_faults(std::string_view script);
    void add_faults(std::string_view script);
    void clear_faults();
    /// The log, counts and rule counters begin again, windows too; objects stay.
    void reset();
    /// Effects that wait for their `late` time take place before this returns.
    void flush_late();

    // What was seen.
    [[nodiscard]] std::vector<Seen> log() const;
    [[nodiscard]] uint64_t count(std::string_view op) const;
    [[nodiscard]] std::map<std::string, uint64_t> counts() const;
    [[nodiscard]] uint64_t connections() const;
    /// Waits until no request is under way; false when the time is up.
    [[nodiscard]] bool wait_idle(std::chrono::milliseconds patience = std::chrono::seconds(10));

    // What is stored.
    void add_bucket(std::string_view name, bool versioned = false);
    /// @param headers  kept with it, e.g. {"x-amz-meta-a", "1"}
    ObjectPtr put(std::string_view bucket, std::string_view key, std::string_view bytes, Fields headers = {});
    /// The current version; null when there is none or it is a delete marker.
    [[nodiscard]] ObjectPtr object(std::string_view bucket, std::string_view key) const;
    /// Oldest first, delete markers included.
    [[nodiscard]] std::vector<ObjectPtr> versions(std::string_view bucket, std::string_view key) const;
    [[nodiscard]] std::vector<std::string> keys(std::string_view bucket) const;
    /// Unfinished multipart uploads: upload id -> upload.
    [[nodiscard]] std::map<std::string, Upload> uploads(std::string_view bucket) const;
    void remove(std::string_view bucket, std::string_view key);

    // The server itself.
    void set_credentials(std::vector<Credential> credentials);
    void set_clock_offset(std::chrono::seconds offset);
    /// Closes idle and busy connections with RST, as a restart of the server does.
    void drop_connections();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace s3tug::lab
