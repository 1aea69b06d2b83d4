#include "engine/proof.h"

#include <algorithm>

namespace s3tug::engine {

Proof proof_of(const wire::ObjectFacts& facts) {
    for (const ChecksumAlgorithm preferred :
         {ChecksumAlgorithm::crc64nvme, ChecksumAlgorithm::crc32c, ChecksumAlgorithm::crc32, ChecksumAlgorithm::sha256,
          ChecksumAlgorithm::sha1}) {
        const auto found = std::find_if(facts.checksums.begin(), facts.checksums.end(), [&](const auto& stored) {
            return stored.scope == wire::ChecksumScope::full_object && stored.value.algorithm == preferred;
        });
        if (found != facts.checksums.end()) return {found->value, {}};
    }
    Proof proof{std::nullopt, wire::etag_as_md5(facts).value_or("")};
    if (!proof.md5.empty()) return proof;
    for (const wire::StoredChecksum& stored : facts.checksums) {  // the cheapest one first
        if (stored.scope != wire::ChecksumScope::composite || stored.parts == 0) continue;
        proof.composite = stored;
        break;
    }
    return proof;
}

}  // namespace s3tug::engine
