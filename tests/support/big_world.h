#pragma once

#include <string>

#include "support/sim_world.h"

namespace s3tug::sim {

inline constexpr std::size_t part_bytes = 100;

[[nodiscard]] inline std::string text_of(std::size_t size) {
    std::string bytes(size, '\0');
    uint32_t x = 12345;
    for (char& c : bytes) {
        x = x * 1664525 + 1013904223;
        c = static_cast<char>(x >> 24);
    }
    return bytes;
}

/// A world with one file for a multipart upload, cut into parts of 100 bytes.
struct BigWorld : World {
    explicit BigWorld(std::size_t size = 1050) {
        config.multipart.part_size = part_bytes;
        config.multipart.threshold = part_bytes;
        config.multipart.stream_memory = 2 * part_bytes;
        files.files["/f"].bytes = text_of(size);
    }
    [[nodiscard]] std::string stored() const {
        const auto found = store.objects.find("b/k");
        return found == store.objects.end() ? "(absent)" : found->second.bytes;
    }
    [[nodiscard]] bool right() const { return stored() == files.files.at("/f").bytes; }
    [[nodiscard]] std::size_t rows() {
        return state.list(port::Table::upload).size() + state.list(port::Table::upload_part).size();
    }
    void next_process() {
        processes.dead.push_back(processes.me.pid);
        ++processes.me.pid;
    }
};

}  // namespace s3tug::sim
