#pragma once

namespace s3tug::host {

/// Parts of streams get pages of their own and give them back when they go. Left to itself the C library takes them
/// from the heap once the first has been freed, where a small block in a hole makes the next part grow the process by
/// 16 MiB (64.8 MiB seen instead of 50). Call once, before any other thread is started. Does nothing without glibc.
void keep_heap_small();

}  // namespace s3tug::host
