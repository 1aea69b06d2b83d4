#pragma once

#include "policy/failure_rows.h"

/// S3 error codes about who asks, when, and where: permission, credentials, clock and region. None says that the host
/// is ill. Some are mended once by fresh keys, a corrected clock or another region; all others are final.
namespace s3tug::policy::table {

// A clock that is off by more than the store tolerates (AWS: 15 minutes).
inline constexpr auto clock_codes =
    rows({C::clock_skew, R::once_after_fix, E::not_applied, spared, Repair::clock_offset},
         {
             {"RequestTimeTooSkewed", 403},
             {"RequestInTheFuture", 403},
             {"RequestExpired", 400},
             {"AuthFailure", 401},  // the clock's fault only when the Dates differ (classify.cpp)
         });
// R2's name for a signature that got too old: a fresh one with the right time.
inline constexpr auto signature_expired =
    rows({C::expired_credentials, R::once_after_fix, E::not_applied, spared, Repair::clock_offset},
         {{"ExpiredRequest", 400}});
// The signature is wrong: the secret, or a clock so wrong that the day in the scope differs, or a proxy that rewrites.
inline constexpr auto signature_refused =
    rows({C::access, R::once_after_fix, E::not_applied, spared, Repair::clock_offset}, 403,
         {"SignatureDoesNotMatch", "InvalidSignatureException"});

// Temporary credentials whose time is over.
inline constexpr auto credentials_expired =
    rows({C::expired_credentials, R::once_after_fix, E::not_applied, spared, Repair::credentials},
         {
             {"ExpiredToken", 400},
             {"ExpiredTokenException", 400},
             {"InvalidSessionException", 400},  // directory buckets
             {"InvalidToken", 400},
             {"InvalidTokenId", 403},  // MinIO
             {"TokenRefreshRequired", 400},
         });
// An unknown key id: also the answer to a temporary key without its token, and Ceph's to an expired session.
inline constexpr auto key_refused =
    rows({C::access, R::once_after_fix, E::not_applied, spared, Repair::credentials}, 403,
         {"InvalidAccessKeyId", "InvalidClientTokenId", "UnrecognizedClientException"});

// Another region or host is meant. The name of the region is taken from the answer, never a host.
inline constexpr auto wrong_region =
    rows({C::redirect, R::once_after_fix, E::not_applied, spared, Repair::region},
         {
             {"AuthorizationHeaderMalformed", 400},  // final when it names no region: a broken scope
             {"IllegalLocationConstraintException", 400},
             {"IncorrectEndpoint", 400},
             {"InvalidRegion", 403},  // MinIO sends 400
             {"PermanentRedirect", 301},
             {"Redirect", 307},
             {"TemporaryRedirect", 307},  // a young bucket whose DNS is not settled
         });
inline constexpr auto redirected_for_good =
    rows({C::redirect, R::no, E::not_applied, spared}, {
                                                           {"EndpointNotFound", 400},
                                                           {"PermanentRedirectControlError", 301},
                                                           {"WebsiteRedirect", 301},
                                                       });

inline constexpr auto denied_403 = rows(
    {C::access, R::no, E::not_applied, spared}, 403,
    {
        "AccessDenied",  // also: a missing key without ListBucket, an expired presigned URL, a cap of the account (B2)
        "AccessDeniedException",
        "AccessForbidden",
        "ForbiddenException",
        "UnauthorizedAccessError",
        "InvalidSecurity",
        "InvalidAuthenticationCode",
        "MissingAuthenticationToken",
        "UnexpectedIPError",
        "PostPolicyInvalidKeyName",
        "LambdaPermissionError",
        // The account, not the object.
        "AccountNotActivated",
        "AccountProblem",
        "AllAccessDisabled",
        "InvalidPayer",
        "NotEntitled",
        "NotSignedUp",
        "UserProjectAccessDenied",
        "UserProjectAccountProblem",
        "UserSuspended",
        "AuthenticationLockout",  // after too many bad keys; each try makes it longer
        // Archived, held or locked: for hours or longer.
        "InvalidObjectState",
        "ObjectNotInActiveTierError",
        "ObjectLockedByBucketPolicy",
        "ObjectUnderActiveHold",
        "RetentionPolicyNotMet",
        "CrossLocationLoggingProhibited",
        "KMSAccessDeniedException",
    });
inline constexpr auto denied_401 = rows({C::access, R::no, E::not_applied, spared}, 401,
                                        {"AuthenticationRequired", "Unauthorized", "UnauthorizedAccess"});
// Refusals that come as a 400: keys of the encryption service, and codes of signatures and devices.
inline constexpr auto denied_400 = rows({C::access, R::no, E::not_applied, spared}, 400,
                                        {
                                            "InvalidSignature",
                                            "TokenCodeInvalidError",
                                            "DeviceNotActiveError",
                                            "NotDeviceOwnerError",
                                            "KMS.DisabledException",
                                            "KMS.InvalidKeyUsageException",
                                            "KMS.KMSInvalidStateException",
                                            "KMS.NotFoundException",
                                            "KMSKeyDisabledException",
                                            "KMSKeyNotFoundException",
                                            "InvalidCiphertext",
                                            "CloudKmsBadKey",
                                            "CloudKmsCannotChangeKeyName",
                                            "CloudKmsDecryptionKeyNotFound",
                                            "CloudKmsDisabledKey",
                                            "CloudKmsEncryptionKeyNotFound",
                                            "CloudKmsKeyLocationNotAllowed",
                                            "CustomerEncryptionKeyIsIncorrect",
                                            "ResourceIsEncryptedWithCustomerEncryptionKey",
                                        });

inline constexpr auto access_codes =
    join(clock_codes, signature_expired, signature_refused, credentials_expired, key_refused, wrong_region,
         redirected_for_good, denied_403, denied_401, denied_400);

}  // namespace s3tug::policy::table
