#include "host/entropy.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/rng.h"

namespace s3tug::host {

uint64_t random_seed() {
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == static_cast<ssize_t>(sizeof seed)) return seed;
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    Rng mixed(static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec));
    return mixed.next() ^ (static_cast<uint64_t>(getpid()) << 32);
}

}  // namespace s3tug::host
