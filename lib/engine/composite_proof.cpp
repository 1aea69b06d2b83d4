#include "engine/composite_proof.h"

#include <algorithm>

namespace s3tug::engine {

std::optional<wire::StoredChecksum> composite_of(const wire::ObjectFacts& facts) {
    for (const wire::StoredChecksum& stored : facts.checksums) {  // the cheapest one first
        if (stored.scope == wire::ChecksumScope::composite && stored.parts > 0) return stored;
    }
    return std::nullopt;
}

std::optional<uint64_t> part_bytes_of(const wire::HttpAnswer& head, const std::string& etag, uint64_t size,
                                      unsigned parts) {
    const wire::ObjectFacts facts = wire::parse_object_facts(head);
    if (facts.etag != etag || parts == 0 || size == 0) return std::nullopt;
    if (head.headers.find("x-amz-mp-parts-count").value_or("") != std::to_string(parts)) return std::nullopt;
    // A store that does not know partNumber tells the size of the whole here.
    const std::optional<uint64_t> first = wire::parse_decimal(head.headers.find("content-length").value_or(""));
    if (!first || *first == 0 || *first > size) return std::nullopt;
    if ((size - 1) / *first + 1 != parts) return std::nullopt;
    return first;
}

CompositeProof::CompositeProof(ChecksumAlgorithm algorithm, uint64_t part_bytes)
    : part_bytes_(part_bytes), part_(algorithm), whole_(algorithm) {}

void CompositeProof::update(ByteSpan bytes) {
    while (!bytes.empty()) {
        const auto n = static_cast<std::size_t>(std::min<uint64_t>(part_bytes_ - filled_, bytes.size()));
        part_.update(bytes.first(n));
        filled_ += n;
        bytes = bytes.subspan(n);
        if (filled_ == part_bytes_) end_part();
    }
}

void CompositeProof::end_part() {
    if (const auto raw = from_base64(part_.finish().base64)) whole_.update(*raw);
    filled_ = 0;
    ++parts_;
}

wire::StoredChecksum CompositeProof::finish() {
    if (filled_ > 0) end_part();
    return {whole_.finish(), wire::ChecksumScope::composite, parts_};
}

}  // namespace s3tug::engine
