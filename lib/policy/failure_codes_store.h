#pragma once

#include "policy/failure_rows.h"

/// S3 error codes about what stands in the store: things that are missing, in the way, changed, damaged, full or not
/// offered. The host works; most are final. Those with verify_first may be the echo of an earlier attempt of ours.
namespace s3tug::policy::table {

inline constexpr auto missing = rows({C::not_found, R::no, E::not_applied, spared}, 404,
                                     {
                                         "NoSuchKey",
                                         "NoSuchVersion",
                                         "NoSuchBucket",
                                         "Not Found",  // Ceph: a code with a blank
                                         "NoSuchResource",
                                         "NoSuchConfiguration",
                                         "NoSuchEntity",
                                         "NoSuchUser",
                                         "NoSuchSubUser",
                                         // Settings of a bucket or object that were never made.
                                         "NoSuchAnnotation",
                                         "NoSuchBucketLifecycle",
                                         "NoSuchBucketPolicy",
                                         "NoSuchCORSConfiguration",
                                         "NoSuchLifecycleConfiguration",
                                         "NoSuchObjectLegalHold",
                                         "NoSuchObjectLockConfiguration",  // MinIO sends 400
                                         "NoSuchTagSet",
                                         "NoSuchWebsiteConfiguration",
                                         "NoTransformationDefined",
                                         "ObjectLockConfigurationNotFoundError",
                                         "OwnershipControlsNotFoundError",
                                         "ReplicationConfigurationNotFoundError",
                                         "TransitionStorageClassNotFoundError",
                                         "RemoteDestinationNotFoundError",
                                         // Neighbours of S3.
                                         "AccessGrantsInstanceNotExistsError",
                                         "LambdaARNNotFound",
                                         "LambdaNotFound",
                                         "NoSuchAccessPoint",
                                         "NoSuchAsyncRequest",
                                         "NoSuchMultiRegionAccessPoint",
                                         "NoSuchOutpost",
                                         "XMinioAdminNoSuchAccessKey",
                                         "XMinioAdminNoSuchGroup",
                                         "XMinioAdminNoSuchJob",
                                         "XMinioAdminNoSuchPolicy",
                                         "XMinioAdminNoSuchQuotaConfiguration",
                                         "XMinioAdminNoSuchUser",
                                         "XMinioAdminRebalanceNotStarted",
                                         "XMinioAdminRemoteTargetNotFoundError",
                                         "XMinioPolicyNotAttached",
                                     });
inline constexpr auto missing_other_status =
    rows({C::not_found, R::no, E::not_applied, spared},
         {
             {"ServerSideEncryptionConfigurationNotFoundError", 400}, {"XMinioInvalidIAMCredentials", 403},  // or 404
         });
// Most stores forget an upload id once Complete has worked, so this may be the echo of our own success.
inline constexpr auto upload_gone =
    rows({C::not_found, R::verify_first, E::not_applied, spared}, 404, {"NoSuchUpload"});

// Our own lost success makes the repeat of a conditional write fail: look for the write token before believing it.
inline constexpr auto condition_failed =
    rows({C::precondition, R::verify_first, E::not_applied, spared}, {{"PreconditionFailed", 412}});
inline constexpr auto condition_final = rows({C::precondition, R::no, E::not_applied, spared},
                                             {
                                                 {"InvalidWriteOffset", 400},  // appends
                                                 {"NotModified", 304},         // success for a conditional download
                                                 {"ObjectNotAppendable", 409},
                                                 {"PositionNotEqualToLength", 409},
                                             });

// A race that somebody, perhaps we, won: not the same as a condition that failed.
inline constexpr auto raced =
    rows({C::conflict, R::verify_first, E::not_applied, spared}, 409, {"ConditionalRequestConflict"});
// For our own bucket too on Ceph, Storj, IBM (first), GCS (second) and R2 (third): HeadBucket tells.
inline constexpr auto bucket_name_taken = rows({C::conflict, R::verify_first, E::not_applied, spared}, 409,
                                               {"BucketAlreadyExists", "BucketNameUnavailable", "BucketConflict"});
// Another change of the same bucket is under way: it ends.
inline constexpr auto busy_changing = rows({C::conflict, R::yes, E::not_applied, spared}, 409, {"OperationAborted"});
inline constexpr auto in_the_way = rows({C::conflict, R::no, E::not_applied, spared}, 409,
                                        {
                                            "BucketAlreadyOwnedByYou",  // for CreateBucket as good as success
                                            "BucketNotEmpty",
                                            "BucketNameNotAvailable",
                                            "ExistingObjectIsDirectory",
                                            "ExistingObjectIsFile",  // SeaweedFS: file and folder of one name
                                            "RestoreAlreadyInProgress",
                                            "InvalidBucketState",
                                            "ClientTokenConflict",
                                            "ConflictException",
                                            "DeleteConflict",
                                            "EmailExists",
                                            "EntityAlreadyExists",
                                            "KeyExists",
                                            "UserAlreadyExists",
                                            "AccessGrantAlreadyExists",
                                            "AccessGrantsInstanceAlreadyExists",
                                            "AccessPointAlreadyOwnedByYou",
                                            "InvalidOutpostState",
                                            "KMS.DefaultKeyAlreadyConfiguredException",
                                            "XMinioAdminRebalanceAlreadyStarted",
                                            "XMinioPolicyAlreadyAttached",
                                        });
inline constexpr auto in_the_way_other_status =
    rows({C::conflict, R::no, E::not_applied, spared}, {
                                                           {"AccessGrantsInstanceNotEmptyError", 400},
                                                           {"BucketHasAccessPointsAttached", 400},
                                                           {"IdempotencyParameterMismatch", 400},
                                                           {"Locked", 423},
                                                           {"MultiRegionAccessPointAlreadyOwnedByYou", 200},
                                                           {"MultiRegionAccessPointModifiedByAnotherRequest", 200},
                                                           {"ObjectAlreadyInActiveTierError", 403},
                                                       });

// The bytes that arrived are not those that were announced: read the source again; unchanged = damaged underway.
inline constexpr auto damaged_underway =
    rows({C::integrity, R::once_after_fix, E::not_applied, spared, Repair::reread_source}, 400,
         {"BadDigest", "CrcMismatch", "XAmzContentChecksumMismatch", "XAmzContentSHA256Mismatch"});
inline constexpr auto part_differs =
    rows({C::integrity, R::once_after_fix, E::not_applied, spared, Repair::list_parts}, 400, {"InvalidPart"});
inline constexpr auto damaged_in_store = rows({C::integrity, R::no, E::not_applied, spared},
                                              {
                                                  {"BrokenMPU", 409},  // Swift: segments of the object are gone
                                                  {"DataUnrecoverable", 0},
                                                  {"XMinioObjectTampered", 206},  // an error with a 2xx
                                              });

inline constexpr auto full =
    rows({C::quota, R::no, E::not_applied, spared}, {
                                                        {"AnnotationLimitExceeded", 400},
                                                        {"InsufficientCapacity", 507},
                                                        {"InsufficientQuota", 403},
                                                        {"LimitExceeded", 400},
                                                        {"MaxVersionsExceeded", 400},
                                                        {"QuotaExceeded", 403},
                                                        {"TooManyAccessPoints", 400},
                                                        {"TooManyBuckets", 400},
                                                        {"TooManyMultiRegionAccessPoints", 400},
                                                        {"TooManyMultiRegionAccessPointregionsError", 400},
                                                        {"TooManyTags", 400},
                                                        {"XMinioAdminBucketQuotaExceeded", 400},
                                                        {"XMinioStorageFull", 507},
                                                    });

// Only what we added by ourselves may be left out, never what the user asked for: a condition, encryption, a lock.
inline constexpr auto feature_missing =
    rows({C::unsupported, R::once_after_fix, E::not_applied, spared, Repair::checksum_style}, 501, {"NotImplemented"});
inline constexpr auto not_offered = rows({C::unsupported, R::no, E::not_applied, spared},
                                         {
                                             {"AccessControlListNotSupported", 400},
                                             {"InvalidBucketAclWithObjectOwnership", 400},
                                             {"MethodNotAllowed", 405},  // also: reading a delete marker
                                             {"UnsupportedArgument", 400},
                                             {"UnsupportedSignature", 400},  // wants SigV2
                                             {"XMinioLDAPNotEnabled", 501},
                                         });

inline constexpr auto store_codes =
    join(missing, missing_other_status, upload_gone, condition_failed, condition_final, raced, bucket_name_taken,
         busy_changing, in_the_way, in_the_way_other_status, damaged_underway, part_differs, damaged_in_store, full,
         feature_missing, not_offered);

}  // namespace s3tug::policy::table
