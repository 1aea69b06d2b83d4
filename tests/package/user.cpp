// Links the whole library: libcurl and SQLite come with it.
#include <cstdio>

#include "host/curl_transport.h"
#include "host/system_clock.h"

int main() {
    using namespace s3tug;
    host::SystemClock clock;
    const auto transport = host::CurlTransport::create({}, clock);
    std::puts(transport ? "right" : transport.error().message.c_str());
    return transport ? 0 : 1;
}
