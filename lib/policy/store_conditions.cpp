#include <array>

#include "policy/idempotency.h"
#include "policy/store_host.h"

namespace s3tug::policy {

namespace {

struct Store {
    std::string_view host_end;
    Honours put_if_none_match, put_if_match, complete_if_none_match, copy_destination, copy_source, delete_if_match;
};

constexpr Honours yes = Honours::yes;
constexpr Honours ignored = Honours::no;
constexpr Honours refused = Honours::refuses;
constexpr Honours unknown = Honours::unknown;

// facts/idempotency.md section 5. Only stores that a host name tells; MinIO, Ceph, Garage and the like stand under any
// name. `ignored` was measured: the store answers 200 and overwrites.
// clang-format off
constexpr std::array stores{
//    host name ends with      put: none-match    match   complete   copy: to     from    delete: match
Store{"amazonaws.com",             yes,      yes,      yes,      yes,      yes,      yes},
Store{"amazonaws.com.cn",          yes,      yes,      yes,      yes,      yes,      yes},
Store{"amazonaws.eu",              yes,      yes,      yes,      yes,      yes,      yes},
// R2 takes conditions on a copy's destination only under header names of its own.
Store{"r2.cloudflarestorage.com",  yes,      yes,      yes,      ignored,  yes,      unknown},
Store{"your-objectstorage.com",    yes,      unknown,  ignored,  ignored,  yes,      unknown},
Store{"digitaloceanspaces.com",    yes,      unknown,  ignored,  ignored,  ignored,  unknown},
Store{"backblazeb2.com",           refused,  refused,  refused,  refused,  yes,      unknown},
Store{"wasabisys.com",             ignored,  unknown,  ignored,  ignored,  ignored,  unknown},
// As addressed with SigV4. A multipart ETag as the source's pin is refused with 400, which is loud enough for `yes`.
Store{"storage.googleapis.com",    ignored,  ignored,  ignored,  ignored,  yes,      ignored},
Store{"storjshare.io",             yes,      yes,      yes,      unknown,  unknown,  unknown},
Store{"cwobject.com",              yes,      yes,      yes,      yes,      unknown,  unknown},
Store{"cwlota.com",                yes,      yes,      yes,      yes,      unknown,  unknown},
// OCI accepts a stale ETag.
Store{"oraclecloud.com",           yes,      ignored,  unknown,  unknown,  unknown,  unknown},
Store{"oci.customer-oci.com",      yes,      ignored,  unknown,  unknown,  unknown,  unknown},
};
// clang-format on

Honours use_of(const Store& store, ConditionUse use) {
    switch (use) {
        case ConditionUse::put_if_none_match: return store.put_if_none_match;
        case ConditionUse::put_if_match: return store.put_if_match;
        case ConditionUse::complete_if_none_match: return store.complete_if_none_match;
        case ConditionUse::copy_destination: return store.copy_destination;
        case ConditionUse::copy_source: return store.copy_source;
        case ConditionUse::delete_if_match: break;
    }
    return store.delete_if_match;
}

}  // namespace

Honours store_honours(std::string_view endpoint_host, ConditionUse use) {
    const std::string host = plain_host(endpoint_host);
    for (const Store& store : stores) {
        if (is_host_below(host, store.host_end)) return use_of(store, use);
    }
    return unknown;
}

}  // namespace s3tug::policy
