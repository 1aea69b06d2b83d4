#include "host/room_ahead.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "host/unique_fd.h"

namespace s3tug::host {
namespace {

struct stat facts(const UniqueFd& fd) {
    struct stat found {};
    REQUIRE(::fstat(fd.get(), &found) == 0);
    return found;
}

TEST_SUITE("room ahead") {
    TEST_CASE("all pages of the file are taken and its size stays what it was") {
        const uint64_t size = (3U << 20U) + 5000;
        UniqueFd fd(::memfd_create("room", MFD_CLOEXEC));
        REQUIRE(fd.valid());
        RoomAhead ahead(fd.get(), size);
        ahead.wait();
        CHECK(static_cast<uint64_t>(facts(fd).st_blocks) * S_BLKSIZE >= size);
        CHECK(facts(fd).st_size == 0);
    }

    TEST_CASE("what cannot be taken is left to the writer") {
        UniqueFd fd(::open("/dev/null", O_RDWR | O_CLOEXEC));
        REQUIRE(fd.valid());
        RoomAhead refused(fd.get(), 1U << 20U);
        refused.wait();
        CHECK(facts(fd).st_blocks == 0);
    }

    TEST_CASE("an end in between is heard after one step") {
        const uint64_t size = 256U << 20U;
        UniqueFd fd(::memfd_create("room", MFD_CLOEXEC));
        REQUIRE(fd.valid());
        { const RoomAhead ahead(fd.get(), size); }
        CHECK(static_cast<uint64_t>(facts(fd).st_blocks) * S_BLKSIZE < size);
    }
}

}  // namespace
}  // namespace s3tug::host
