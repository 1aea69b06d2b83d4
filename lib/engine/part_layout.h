#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "wire/reply.h"

namespace s3tug::engine {

/// How the bytes of an object that was uploaded in parts were cut. GetObject does not tell it; the answer to a HEAD
/// with partNumber is about one part (AWS API reference, HeadObject: Content-Length and x-amz-mp-parts-count). Of the
/// first part a layout can be presumed, as most clients make all parts but the last of one size; it is known when all
/// parts were told and make up the object. 16 bytes for each of at most limits::parts_max parts. Pure.
class PartLayout {
  public:
    /// @param parts  from 1; one part is the whole object, which nobody has to tell
    PartLayout(uint64_t size, unsigned parts);

    /// Takes the answer about part `number`, from 1. False when it contradicts what is known of the object.
    [[nodiscard]] bool learn(unsigned number, const wire::HttpAnswer& head);

    /// Is the object made of parts like the first one, which was told, and a last one that is no larger?
    [[nodiscard]] bool looks_uniform() const;
    /// Has the store told all sizes, and do they make up the object?
    [[nodiscard]] bool known() const;

    [[nodiscard]] bool told(unsigned number) const { return told_[number - 1].has_value(); }  ///< from 1

    [[nodiscard]] unsigned parts() const { return static_cast<unsigned>(told_.size()); }
    [[nodiscard]] uint64_t size() const { return size_; }
    /// Of a part, from 0: as told, else as looks_uniform(), which must hold then, lets presume.
    [[nodiscard]] uint64_t bytes(std::size_t index) const;
    /// Has this part, from 0, which was told, the size that looks_uniform() lets presume?
    [[nodiscard]] bool as_presumed(std::size_t index) const { return told_[index] == presumed(index); }

  private:
    [[nodiscard]] uint64_t presumed(std::size_t index) const;

    uint64_t size_;
    std::vector<std::optional<uint64_t>> told_;
    bool counted_ = true;  ///< every answer told the number of parts
};

}  // namespace s3tug::engine
