#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "wire/headers.h"

/// What a user types that ends in request headers. All errors are of kind `usage`, name the input (of a
/// --header only the name, its value may be a secret), the reason and the cure. What passes here can be sent and signed
/// as it is.
namespace s3tug::wire {

/// `K=V` of --metadata. The name is an HTTP token, without the prefix x-amz-meta-, and comes out in lower case as
/// stores keep it; `s3tug-write` is ours. The value is printable ASCII without blanks at its ends (other text does not
/// survive every store: facts/sigv4.md, Headers); it may be empty.
[[nodiscard]] Result<Header> parse_metadata(std::string_view text);

/// All --metadata of a command together: no name twice, and at most limits::user_metadata_max_bytes of names and
/// values, of which `token_bytes` are already taken by the write token (0 = none is sent).
[[nodiscard]] Status check_metadata(std::span<const Header> metadata, std::size_t token_bytes);

/// `N: V` of --header. Line breaks, NUL and other control characters are refused, and so are headers that belong to
/// the connection, to the signature or to an option of ours.
[[nodiscard]] Result<Header> parse_extra_header(std::string_view text);

/// The value of an option that becomes a header as it stands (--content-type, --cache-control, ...): not empty,
/// printable ASCII, at most limits::option_header_max_bytes. `option` is for the message.
[[nodiscard]] Status check_header_value(std::string_view option, std::string_view value);

/// Some headers of an object speak of the object (its type, its access list, its lock) and go with the request that
/// creates it; others speak of the request and go with each one: the customer's key of SSE-C, the requester's payment,
/// the expected owner, and whatever a gateway of the user's own asks for. UploadPart, Complete, Abort and lists get
/// only those: AWS refuses `x-amz-server-side-encryption` and its like there.
[[nodiscard]] bool goes_with_every_request(std::string_view lower_name);

}  // namespace s3tug::wire
