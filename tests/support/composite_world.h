#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "support/sim_world.h"

namespace s3tug::sim {

inline const std::string text = "012345678901234567890123456789";

/// An object of parts in a store that keeps only a checksum of their CRC32s (values: python's zlib).
struct Cut {
    std::vector<std::size_t> sizes;
    const char* value;
    const char* algorithm = "crc32";
};
inline const Cut uniform{{12, 12, 6}, "Qkw5Hg==-3"};
inline const Cut uneven{{5, 20, 5}, "L4oRpA==-3"};
inline const Cut deceptive{{12, 10, 8}, "tZC63A==-3"};  // the first one lets presume 12, 12 and 6
inline const Cut single{{30}, "rpm+sQ==-1"};

struct CompositeWorld : World {
    CompositeWorld(const Cut& cut, bool ranged) {
        config.download.part_bytes = 8;
        config.download.stream_part_bytes = 8;
        config.multipart.stream_memory = 16;
        config.download.parts_per_request = 1;
        config.download.threshold = ranged ? 16 : 100;
        SimObject& object = store.objects["b/k"];
        object.bytes = text;
        object.etag = "e-" + std::to_string(cut.sizes.size());
        object.parts = cut.sizes;
        object.composite.add(std::string("x-amz-checksum-") + cut.algorithm, cut.value);
        object.composite.add("x-amz-checksum-type", "COMPOSITE");
        files.files["/out"].bytes = "old";
    }
    [[nodiscard]] bool noted(const std::string& what) const {
        return std::any_of(observer.events.begin(), observer.events.end(),
                           [&](const port::TraceEvent& e) { return e.why.find(what) != std::string::npos; });
    }
    [[nodiscard]] bool clean() const {
        const bool kept = std::any_of(state.records.begin(), state.records.end(),
                                      [](const auto& r) { return r.first.first == port::Table::download; });
        return files.parts.empty() && !kept;
    }
};

inline bool asks_part(const SeenRequest& seen) { return seen.request.url.find("partNumber=") != std::string::npos; }

inline Fate headed(int status_code) {
    Fate out = fate(Fate::Kind::answer);
    out.answer.status = status_code;
    return out;
}

}  // namespace s3tug::sim
