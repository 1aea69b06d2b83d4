#include "host/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace s3tug::host {

void reserve_standard_streams() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        // O_PATH: occupies the number and can be neither read nor written. open() takes the lowest free number, which
        // is this one, since the lower ones are occupied by now.
        if (fcntl(fd, F_GETFL) == -1) static_cast<void>(::open("/", O_PATH | O_CLOEXEC));
    }
}

bool is_open(int fd) {
    const int flags = fcntl(fd, F_GETFL);
    return flags != -1 && (flags & O_PATH) == 0;
}

}  // namespace s3tug::host
