#include "lab/lab.h"

#include <fmt/format.h>

#include <stdexcept>

#include "lab/core.h"
#include "lab/server.h"

namespace s3tug::lab {

struct Lab::Impl {
    explicit Impl(LabConfig config) : core(std::move(config)), server(core) {}

    Core core;
    Server server;
};

namespace {
Bucket& bucket_of(Store& store, std::string_view name) {
    Bucket* bucket = store.find(std::string(name));
    if (bucket == nullptr) throw std::runtime_error(fmt::format("lab: no bucket {}", name));
    return *bucket;
}
}  // namespace

Lab::Lab(LabConfig config) : impl_(std::make_unique<Impl>(std::move(config))) {}
Lab::~Lab() = default;
Lab::Lab(Lab&&) noexcept = default;
Lab& Lab::operator=(Lab&&) noexcept = default;

uint16_t Lab::port() const { return impl_->server.port(); }

std::string Lab::endpoint() const {
    const LabConfig& config = impl_->core.config;
    return fmt::format("{}://{}:{}", config.tls_certificate.empty() ? "http" : "https",
                       config.ipv6 ? "[::1]" : "127.0.0.1", impl_->server.port());
}

void Lab::stop() {
    impl_->server.stop();
    impl_->core.late.clear();
}

void Lab::set_faults(std::string_view script) {
    impl_->core.forecast.replace(rules_of(script));
    impl_->core.forecast.restart(impl_->core.steady_now());
    impl_->server.settle();
}

void Lab::add_faults(std::string_view script) {
    impl_->core.forecast.add(rules_of(script));
    impl_->server.settle();
}

void Lab::clear_faults() {
    impl_->core.forecast.replace({});
    impl_->server.settle();
}

void Lab::reset() {
    impl_->core.reset();
    impl_->server.settle();
}

void Lab::flush_late() { impl_->core.late.flush(); }

std::vector<Seen> Lab::log() const { return impl_->core.journal.all(); }
std::map<std::string, uint64_t> Lab::counts() const { return impl_->core.journal.counts(); }
uint64_t Lab::connections() const { return impl_->core.connections; }
bool Lab::wait_idle(std::chrono::milliseconds patience) { return impl_->core.journal.wait_idle(patience); }

uint64_t Lab::count(std::string_view op) const {
    const auto counts = impl_->core.journal.counts();
    const auto found = counts.find(std::string(op));
    return found == counts.end() ? 0 : found->second;
}

void Lab::set_credentials(std::vector<Credential> credentials) { impl_->core.set_credentials(std::move(credentials)); }

void Lab::set_clock_offset(std::chrono::seconds offset) { impl_->core.set_clock_offset(offset); }
void Lab::drop_connections() { impl_->server.drop_connections(); }

void Lab::add_bucket(std::string_view name, bool versioned) {
    Core& core = impl_->core;
    const std::lock_guard lock(core.service.store.mutex);
    Bucket& bucket = core.service.store.buckets[std::string(name)];
    bucket.created_ms = core.now_ms();
    bucket.versioning = versioned ? Bucket::Versioning::enabled : Bucket::Versioning::never;
}

ObjectPtr Lab::put(std::string_view bucket, std::string_view key, std::string_view bytes, Fields headers) {
    Core& core = impl_->core;
    Object object;
    object.content = Content::of(bytes);
    object.etag = to_hex(digest(Algorithm::md5, bytes));
    object.modified_ms = core.now_ms();
    object.checksums = {{Algorithm::crc64nvme, to_base64(digest(Algorithm::crc64nvme, bytes))}};
    if (find_field(headers, "content-type") == nullptr) headers.push_back({"content-type", "binary/octet-stream"});
    object.headers = std::move(headers);
    Store& store = core.service.store;
    const std::lock_guard lock(store.mutex);
    return bucket_of(store, bucket).add(std::string(key), std::move(object), store.new_id());
}

ObjectPtr Lab::object(std::string_view bucket, std::string_view key) const {
    Store& store = impl_->core.service.store;
    const std::lock_guard lock(store.mutex);
    return bucket_of(store, bucket).current(std::string(key));
}

std::vector<ObjectPtr> Lab::versions(std::string_view bucket, std::string_view key) const {
    Store& store = impl_->core.service.store;
    const std::lock_guard lock(store.mutex);
    const Bucket& inside = bucket_of(store, bucket);
    const auto found = inside.keys.find(std::string(key));
    return found == inside.keys.end() ? std::vector<ObjectPtr>() : found->second;
}

std::vector<std::string> Lab::keys(std::string_view bucket) const {
    Store& store = impl_->core.service.store;
    const std::lock_guard lock(store.mutex);
    const Bucket& inside = bucket_of(store, bucket);
    std::vector<std::string> out;
    for (const auto& [key, versions] : inside.keys)
        if (inside.current(key)) out.push_back(key);
    return out;
}

std::map<std::string, Upload> Lab::uploads(std::string_view bucket) const {
    Store& store = impl_->core.service.store;
    const std::lock_guard lock(store.mutex);
    return bucket_of(store, bucket).uploads;
}

void Lab::remove(std::string_view bucket, std::string_view key) {
    Store& store = impl_->core.service.store;
    const std::lock_guard lock(store.mutex);
    bucket_of(store, bucket).keys.erase(std::string(key));
}

}  // namespace s3tug::lab
