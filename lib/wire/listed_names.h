#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Private to lib/wire: names in listings, which may or may not be percent-encoded.
namespace s3tug::wire {

/// One listed name as encoding-type=url writes it: %XX, and `+` for a blank (AWS; others write %20, and all write a
/// plus as %2B). False when it cannot be one, since it holds a byte that every encoder encodes or a lone `%`.
[[nodiscard]] bool decode_listed_name(std::string_view text, std::string& name);

/// Makes keys of the names of one kind (keys, common prefixes), in place. `declared` says whether the answer holds
/// <EncodingType>url. Stores that declare it do not always do it for every kind (Ceph and R2 of some versions, moto for
/// common prefixes of version 1), so the names themselves must bear it out: all of them can be decoded and begin with
/// the prefix that was asked for then; else they are taken as they stand. False when they do not begin with the prefix
/// either way, so the answer is not to this request.
[[nodiscard]] bool decode_listed_names(std::vector<std::string>& names, bool declared, std::string_view prefix);

}  // namespace s3tug::wire
