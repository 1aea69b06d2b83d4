#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "host/heap.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define S3TUG_OTHER_HEAP
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define S3TUG_OTHER_HEAP
#endif

#if !defined(S3TUG_OTHER_HEAP) && __GLIBC_PREREQ(2, 33)
#include <malloc.h>

namespace s3tug::host {

TEST_SUITE("host/heap") {
    TEST_CASE("every part of a stream has pages of its own, also after one was freed") {
        constexpr std::size_t part = 16U << 20;
        keep_heap_small();
        for (int n = 0; n < 3; ++n) {
            const std::size_t before = mallinfo2().hblkhd;
            const std::vector<std::byte> bytes(part);
            CHECK(mallinfo2().hblkhd - before >= part);
        }
    }
}

}  // namespace s3tug::host
#endif
