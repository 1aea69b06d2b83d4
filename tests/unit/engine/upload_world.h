#pragma once

#include <doctest/doctest.h>

#include "support/big_world.h"

/// What tests of uploads that were left behind have in common.
namespace s3tug::sim {

/// An upload of 1050 bytes whose process died when some of its parts were there.
struct Begun : BigWorld {
    Begun() {
        config.multipart.parts_in_flight = 2;
        CHECK(!run_killed_at(12, put_of("/f", "k")));
        next_process();
        REQUIRE(store.uploads.open.size() == 1);
        network.seen.clear();
    }
    [[nodiscard]] std::string upload() const { return store.uploads.open.begin()->first; }
};

/// In good weather the next process comes to the end: the object is right, and nothing is left in store and records.
inline void check_next_run(BigWorld& world) {
    world.network.weather = nullptr;
    world.next_process();
    CHECK(world.run(put_of("/f", "k")).ok());
    CHECK(world.right());
    CHECK(world.store.uploads.open.empty());
    CHECK(world.rows() == 0);
}

}  // namespace s3tug::sim
