#include "engine/part_plan.h"

#include <algorithm>

#include "base/text.h"

namespace s3tug::engine {

namespace {

constexpr uint64_t mib = 1ULL << 20;

// Of 10,000 parts. More parts of the first size, or slower growth, and 50 TB would not fit.
constexpr unsigned first_size_parts = 256;
constexpr unsigned doubling_parts = 64;

constexpr uint64_t divide_up(uint64_t a, uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

Status check_part_size(uint64_t wanted, const policy::StoreParts& store) {
    if (wanted >= store.part_min_bytes && wanted <= store.part_max_bytes) return {};
    return Error{ErrorKind::usage, "part size " + format_size(wanted) + ": parts have " +
                                       format_size(store.part_min_bytes) + " to " + format_size(store.part_max_bytes) +
                                       "; choose with --part-size"};
}

}  // namespace

uint64_t PartPlan::bytes(unsigned number) const {
    return number < parts ? part_bytes : size - (parts - 1) * part_bytes;
}

Result<PartPlan> plan_parts(uint64_t size, uint64_t wanted_part_bytes, const policy::StoreParts& store) {
    if (Status fine = check_part_size(wanted_part_bytes, store); !fine) return fine.error();
    const uint64_t least = divide_up(size, store.parts_max);
    if (least > store.part_max_bytes) {
        return Error{ErrorKind::unsupported, format_size(size) + " is too large for one object: this store takes " +
                                                 std::to_string(store.parts_max) + " parts of at most " +
                                                 format_size(store.part_max_bytes)};
    }
    const uint64_t grown = std::min(divide_up(least, mib) * mib, store.part_max_bytes);
    PartPlan plan{.size = size, .part_bytes = std::max(wanted_part_bytes, grown)};
    plan.parts = static_cast<unsigned>(std::max<uint64_t>(1, divide_up(size, plan.part_bytes)));
    return plan;
}

Result<StreamSchedule> StreamSchedule::make(uint64_t wanted_part_bytes, const policy::StoreParts& store) {
    if (Status fine = check_part_size(wanted_part_bytes, store); !fine) return fine.error();
    return StreamSchedule(wanted_part_bytes, store);
}

uint64_t StreamSchedule::part_bytes(unsigned number) const {
    if (number == 0 || number > store_.parts_max) return 0;
    const auto share = [this](unsigned of_10_000) {
        return std::max<unsigned>(1, static_cast<unsigned>(uint64_t{store_.parts_max} * of_10_000 / limits::parts_max));
    };
    const unsigned first = share(first_size_parts);
    if (store_.equal_sizes || number <= first) return first_bytes_;
    const unsigned doublings = 1 + (number - first - 1) / share(doubling_parts);
    uint64_t bytes = first_bytes_;
    for (unsigned i = 0; i < doublings && bytes < store_.part_max_bytes; ++i) bytes *= 2;
    return std::min(bytes, store_.part_max_bytes);
}

uint64_t StreamSchedule::capacity() const {
    uint64_t sum = 0;
    for (unsigned number = 1; number <= store_.parts_max; ++number) sum += part_bytes(number);
    return sum;
}

}  // namespace s3tug::engine
