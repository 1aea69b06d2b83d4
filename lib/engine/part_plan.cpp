#include "engine/part_plan.h"

#include <algorithm>

#include "base/text.h"
#include "policy/store_parts.h"

namespace s3tug::engine {
namespace {

constexpr uint64_t grain = 1ULL << 20;        // grown part sizes are whole MiB, which people can read
constexpr unsigned doublings_of_stream = 40;  // one for each fortieth of the parts

uint64_t divide_up(uint64_t a, uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace

unsigned PartPlan::count() const {
    return static_cast<unsigned>(std::max<uint64_t>(1, divide_up(object_size, part_size)));
}

uint64_t PartPlan::size(unsigned number) const {
    const uint64_t begin = offset(number);
    return begin < object_size ? std::min(part_size, object_size - begin) : 0;
}

MultipartConfig for_store(MultipartConfig config, std::string_view endpoint_host) {
    config.parts_max = std::min(config.parts_max, policy::store_parts(endpoint_host).parts_max);
    return config;
}

Result<PartPlan> plan_parts(uint64_t object_size, const MultipartConfig& config) {
    uint64_t part = config.part_size;
    const uint64_t grown = part * config.part_growth;
    if (object_size / limits::parts_in_flight_first >= grown) part = grown;
    if (divide_up(object_size, part) > config.parts_max) {
        part = divide_up(object_size, config.parts_max);
        if (part > grain) part = divide_up(part, grain) * grain;
    }
    if (part > limits::part_max_bytes) {
        return Error{ErrorKind::unsupported, format_size(object_size) + " do not fit into " +
                                                 std::to_string(config.parts_max) + " parts of at most " +
                                                 format_size(limits::part_max_bytes) + "; nothing was sent"};
    }
    return PartPlan{object_size, part};
}

uint64_t stream_part_size(unsigned number, const MultipartConfig& config) {
    const unsigned step = std::max(1U, config.parts_max / doublings_of_stream);
    uint64_t size = config.part_size;
    for (unsigned n = step; n < number && size < limits::part_max_bytes; n += step) size *= 2;
    return std::min(size, limits::part_max_bytes);
}

}  // namespace s3tug::engine
