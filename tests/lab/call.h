#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/auth.h"
#include "lab/faults.h"
#include "lab/http.h"
#include "lab/s3_error.h"
#include "lab/store.h"

namespace s3tug::lab {

/// Ways in which whole stores differ from the reference. Names are those of `--quirk`.
struct Quirks {
    bool ignore_if_none_match = false;
    bool ignore_if_match = false;
    bool etag_not_md5 = false;
    bool unquoted_etag = false;
    bool no_range = false;
    bool no_checksums = false;         ///< neither verified nor kept
    bool no_default_checksum = false;  ///< no CRC64NVME unless asked for
    bool refuse_checksums = false;     ///< 501 for checksum headers and trailers
    bool no_head = false;              ///< HEAD of objects is denied: write-only credentials
    bool no_list_parts = false;        ///< ListParts is denied
    bool empty_messages = false;       ///< <Message></Message>
    bool no_request_id = false;
    bool no_continue = false;         ///< never sends "100 Continue"
    bool keeps_short_bodies = false;  ///< a body that broke off is stored as far as it came
    bool complete_twice = false;      ///< a second Complete of an upload answers 200
    bool small_parts = false;         ///< no minimum part size
    bool anonymous = false;           ///< requests without a signature are let in
    std::optional<uint64_t> discard;  ///< bodies beyond so many bytes are not kept
};

/// Sets the quirk of that name (`discard=N` has a value). False: no such quirk.
[[nodiscard]] bool set_quirk(Quirks& quirks, std::string_view name);
[[nodiscard]] std::vector<std::string_view> quirk_names();

/// A body as it was received and verified.
struct Received {
    Content content;
    uint64_t bytes = 0;  ///< of the body on the wire
    std::string md5;     ///< raw
    Checksums checksums;
};

/// One S3 request, understood.
struct Call {
    Head head;
    Fields query;  ///< decoded
    std::string op;
    std::string bucket;
    std::string key;
    Identity who;
    Received body;
    Faults faults;
    int64_t now_ms = 0;  ///< the server's clock, skew included

    [[nodiscard]] const std::string* parameter(std::string_view name) const;
    [[nodiscard]] std::string parameter_or(std::string_view name, std::string_view otherwise) const;
    [[nodiscard]] uint64_t part_number() const;
};

/// Reads bucket, key and operation off the target and Host. Nothing is normalised; percent escapes are undone once.
/// An unknown combination has the operation "Unknown".
[[nodiscard]] Call understand(Head head, const std::vector<std::string>& domains);

/// What goes back, before faults are applied.
struct Answer {
    int status = 200;
    Fields headers;
    std::string text;  ///< the body, unless there is `content`
    Content content;
    std::optional<S3Error> error;
};

[[nodiscard]] Answer refuse(S3Error error);
[[nodiscard]] Answer refuse(std::string_view code);
[[nodiscard]] Answer xml_answer(std::string text);

/// The store behind the operations.
struct Service {
    Store store;
    Quirks quirks;
    std::string region;
    uint64_t min_part_size = uint64_t{5} << 20U;

    /// Carries the operation out.
    [[nodiscard]] Answer perform(const Call& call);
};

}  // namespace s3tug::lab
