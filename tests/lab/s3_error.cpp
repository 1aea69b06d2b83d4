#include "lab/s3_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace s3tug::lab {

namespace {

struct Known {
    std::string_view code;
    int status;
    std::string_view message;
};

constexpr std::array known_errors = {
    Known{"AccessDenied", 403, "Access Denied"},
    Known{"AuthorizationHeaderMalformed", 400, "The authorization header that you provided is not valid."},
    Known{"AuthorizationQueryParametersError", 400, "The query parameters of the signature are not valid."},
    Known{"BadDigest", 400, "The checksum you specified did not match what we received."},
    Known{"BucketAlreadyOwnedByYou", 409, "The bucket you tried to create already exists, and you own it."},
    Known{"BucketNotEmpty", 409, "The bucket you tried to delete is not empty."},
    Known{"ConditionalRequestConflict", 409, "A conflicting operation occurred during the conditional request."},
    Known{"EntityTooLarge", 400, "Your proposed upload exceeds the maximum allowed object size."},
    Known{"EntityTooSmall", 400, "A part other than the last is smaller than the minimum part size."},
    Known{"ExpiredToken", 400, "The provided token has expired."},
    Known{"IncompleteBody", 400, "The body is shorter than Content-Length says."},
    Known{"InternalError", 500, "We encountered an internal error. Please try again."},
    Known{"InvalidAccessKeyId", 403, "The AWS access key ID you provided does not exist in our records."},
    Known{"InvalidArgument", 400, "Invalid argument."},
    Known{"InvalidBucketName", 400, "The specified bucket is not valid."},
    Known{"InvalidDigest", 400, "The Content-MD5 or checksum value that you specified is not valid."},
    Known{"InvalidPart", 400, "One or more of the specified parts could not be found, or their ETags differ."},
    Known{"InvalidPartOrder", 400, "The list of parts was not in ascending order."},
    Known{"InvalidRange", 416, "The requested range is not satisfiable."},
    Known{"InvalidRequest", 400, "Invalid request."},
    Known{"InvalidToken", 400, "The provided token is malformed or otherwise not valid."},
    Known{"InvalidURI", 400, "The specified URI couldn't be parsed."},
    Known{"KeyTooLongError", 400, "Your key is too long."},
    Known{"MalformedXML", 400, "The XML that you provided was not well formed or did not fit our schema."},
    Known{"MethodNotAllowed", 405, "The specified method is not allowed against this resource."},
    Known{"MissingContentLength", 411, "You must provide the Content-Length HTTP header."},
    Known{"NoSuchBucket", 404, "The specified bucket does not exist."},
    Known{"NoSuchKey", 404, "The specified key does not exist."},
    Known{"NoSuchUpload", 404, "The specified multipart upload does not exist."},
    Known{"NoSuchVersion", 404, "The version ID specified in the request does not match an existing version."},
    Known{"NotImplemented", 501,
          "A header or parameter that you provided implies functionality that is not implemented."},
    Known{"OperationAborted", 409, "A conflicting conditional operation is in progress against this resource."},
    Known{"PermanentRedirect", 301, "The bucket must be addressed using the specified endpoint."},
    Known{"PreconditionFailed", 412, "At least one of the preconditions that you specified did not hold."},
    Known{"RequestTimeTooSkewed", 403, "The difference between the request time and the server's time is too large."},
    Known{"RequestTimeout", 400, "Your socket connection to the server was not read from or written to in time."},
    Known{"ServiceUnavailable", 503, "Service is unable to handle the request."},
    Known{"SignatureDoesNotMatch", 403, "The signature we calculated does not match the one you provided."},
    Known{"SlowDown", 503, "Please reduce your request rate."},
    Known{"TemporaryRedirect", 307, "Please re-send this request to the specified temporary endpoint."},
    Known{"TooManyRequests", 429, "Please reduce your request rate."},
    Known{"XAmzContentSHA256Mismatch", 400, "The provided x-amz-content-sha256 does not match what was computed."},
};

const Known* find_known(std::string_view code) {
    const auto* found = std::ranges::find(known_errors, code, &Known::code);
    return found == known_errors.end() ? nullptr : found;
}

}  // namespace

S3Error s3_error(std::string_view code) { return s3_error(code, usual_message(code)); }

S3Error s3_error(std::string_view code, std::string_view message) {
    const Known* known = find_known(code);
    return {known != nullptr ? known->status : 400, std::string(code), std::string(message), {}, {}};
}

std::string_view usual_message(std::string_view code) {
    const Known* known = find_known(code);
    return known != nullptr ? known->message : "The lab was told to answer this.";
}

std::string_view usual_code(int status) {
    switch (status) {
        case 403: return "AccessDenied";
        case 404: return "NoSuchKey";
        case 500: return "InternalError";
        case 503: return "ServiceUnavailable";
        case 409: return "OperationAborted";
        default: break;
    }
    const auto* found = std::ranges::find(known_errors, status, &Known::status);
    return found == known_errors.end() ? "InternalError" : found->code;
}

std::string error_document(const S3Error& error, std::string_view resource, std::string_view request_id) {
    std::string more;
    for (const Field& element : error.elements)
        more += fmt::format("<{0}>{1}</{0}>", element.name, xml_escape(element.value));
    return fmt::format(
        "<?xml version=\"1.0\" "
        "encoding=\"UTF-8\"?>\n<Error><Code>{}</Code><Message>{}</Message>{}<Resource>{}</Resource>"
        "<RequestId>{}</RequestId><HostId>s3tug-lab</HostId></Error>",
        xml_escape(error.code), xml_escape(error.message), more, xml_escape(resource), request_id);
}

}  // namespace s3tug::lab
