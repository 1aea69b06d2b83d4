#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/transfer.h"
#include "sim/world/store.h"

namespace s3tug::simworld {

struct Tree;

/// One thing that somebody wants done, by as many runs as it takes.
struct Command {
    std::size_t number = 0;
    Tree* tree = nullptr;  ///< that it is one of
    engine::Transfer transfer;
    bool large = false;       ///< goes in parts, as far as the engine is concerned
    std::string name;         ///< of the target or source object, "b/k"
    std::string source_name;  ///< of a copy
    std::string local;        ///< path
    std::string stream;       ///< what comes on stdin
    BlobPtr version;          ///< with a version id that is read: what it is; null: none there, or a marker
    bool blocked = false;     ///< its path leads out of the folder that was named, or nowhere
    Duration first_start{};
    bool source_changed = false;
    bool nothing_sent = false;     ///< by its last run: something stood there, or the key's result was kept
    std::vector<BlobPtr> written;  ///< by its requests
    bool keyed = false;            ///< under an idempotency key
    bool done = false;
    unsigned runs = 0;
    std::string last;                      ///< how its last run ended
    bool others_wrote = false;             ///< another client wrote to its object or source in between
    std::vector<Instant> others_wrote_at;  ///< to its object
    bool stray_effect = false;             ///< a duplicate, late or damaged request of it has landed

    [[nodiscard]] bool reads_version() const {
        return !transfer.version_id.empty() && transfer.kind != engine::TransferKind::remove;
    }

    bool damaged_stands = false;  ///< its last effect was not what it sent

    /// Effects of one claim to be done once: of all runs under one key, or of one run without.
    struct Landed {
        uint64_t request = 0;
        int64_t pid = 0;
        Instant at{};
    };
    std::vector<Landed> landed;
};

/// What is known of a request, for as long as the world stands.
struct Sent {
    int64_t pid = 0;
    Command* command = nullptr;
    wire::Op op{};
    Fault fault = Fault::none;
    Instant submitted{};
    Instant ended = Instant::max();  ///< for the client
};

}  // namespace s3tug::simworld
