#include "host/heap.h"

#include <cstdlib>

#include "base/limits.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace s3tug::host {

void keep_heap_small() {
#if defined(__GLIBC__)
    // Above the ranges of a download to a stream: they are many, of one size, and come again at once.
    mallopt(M_MMAP_THRESHOLD, static_cast<int>(limits::download_stream_part_bytes + limits::io_chunk_bytes));
#endif
}

}  // namespace s3tug::host
