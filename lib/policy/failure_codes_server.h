#pragma once

#include "policy/failure_rows.h"

/// S3 error codes with which a store says: not now. Throttling, trouble of its own, requests that it waited for in vain
/// and connections that broke. Nearly all are worth another try, and count for the breaker when the tries are used up.
namespace s3tug::policy::table {

// Turned away at the door, before any work: sending again cannot apply anything twice.
inline constexpr auto throttled =
    rows({C::throttling, R::yes, E::not_applied, counts},
         {
             {"SlowDown", 503},  // Swift can be set to send it as 429
             {"503 SlowDown", 503},
             {"SlowDownException", 503},
             {"SlowDownRead", 503},  // MinIO: in truth a lost read quorum
             {"ServerBusy", 503},
             {"Busy", 503},
             {"TooManyRequests", 429},           // R2: one write per second and key
             {"RequestRateLimitExceeded", 403},  // Wasabi: the status alone would read as "denied"
             {"ErrTooManyRequest", 503},
             {"ErrRequestBytesExceed", 503},
             {"BandwidthLimitExceeded", 509},
             // Names that all AWS services share; S3 clones and gateways use them too, mostly with a 400.
             {"EC2ThrottledException", 503},
             {"LimitExceededException", 400},
             {"PriorRequestNotComplete", 400},
             {"ProvisionedThroughputExceededException", 400},
             {"RequestLimitExceeded", 503},
             {"RequestThrottled", 403},
             {"RequestThrottledException", 400},
             {"ThrottledException", 400},
             {"Throttling", 400},
             {"ThrottlingException", 400},
             {"TooManyRequestsException", 400},
             {"TransactionInProgressException", 400},
         });

// Treated as throttles, but sent as well when work had begun: a gateway's 503 after forwarding, a lost write quorum.
inline constexpr auto throttled_maybe_applied =
    rows({C::throttling, R::yes, E::unknown, counts}, 503, {"ServiceUnavailable", "SlowDownWrite"});

// The store failed midway and does not know itself whether the change was made. Also met inside a 200.
inline constexpr auto server_failed = rows({C::server, R::verify_first, E::unknown, counts},
                                           {
                                               {"InternalError", 500},
                                               {"InternalErrors", 200},  // plural in answers to asynchronous calls
                                               {"InternalFailure", 500},
                                               {"InternalServerError", 500},
                                               {"ServiceFailure", 500},  // IAM
                                               {"UnknownError", 500},    // Ceph: an error without a mapping
                                           });

// Starting up, or a backend is away: waiting helps. One of them comes as a 400.
inline constexpr auto server_down =
    rows({C::server, R::yes, E::unknown, counts}, {
                                                      {"Unavailable", 503},
                                                      {"XMinioAdminConfigNoQuorum", 503},
                                                      {"XMinioAdminReplicationRemoteConnectionError", 503},
                                                      {"XMinioBackendDown", 400},
                                                      {"XMinioBucketMetadataNotInitialized", 503},
                                                      {"XMinioIAMNotInitialized", 503},
                                                      {"XMinioServerNotInitialized", 503},
                                                      {"XMinioSiteReplicationBackendIssue", 503},
                                                      {"XMinioSiteReplicationBucketConfigError", 503},
                                                      {"XMinioSiteReplicationBucketMetaError", 503},
                                                      {"XMinioSiteReplicationIAMError", 503},
                                                      {"XMinioSiteReplicationServiceAccountError", 503},
                                                  });

// Set up wrongly on the server's side, or services behind it that we do not call: waiting does not help.
inline constexpr auto server_misconfigured =
    rows({C::server, R::no, E::unknown, spared}, {
                                                     {"InternalServerErrorException", 500},  // S3 Tables
                                                     {"LambdaInvalidResponse", 400},
                                                     {"LambdaInvocationFailed", 400},
                                                     {"LambdaResponseNotReceived", 500},
                                                     {"ZonegroupDefaultPlacementMisconfiguration", 400},
                                                 });

// The store waited for bytes of ours that did not come, so it has stored nothing. 400, 408 and 503 are all met.
inline constexpr auto body_timeout = rows({C::timeout, R::yes, E::not_applied, counts}, {{"RequestTimeout", 400}});
inline constexpr auto answer_timeout_code =
    rows({C::timeout, R::yes, E::unknown, counts}, {{"RequestTimeoutException", 408}});

// The store saw our connection go. That says nothing against the store.
inline constexpr auto connection_lost =
    rows({C::transient_network, R::verify_first, E::unknown, spared}, {
                                                                          {"ClientDisconnect", 400},
                                                                          {"ClientDisconnected", 499},
                                                                          {"ConnectionClosed", 410},
                                                                          {"ConnectionClosedByRequester", 400},
                                                                          {"ResponseInterrupted", 400},
                                                                      });
// A name that clients in between give to a transport failure of their own.
inline constexpr auto gateway_request_failed =
    rows({C::transient_network, R::verify_first, E::unknown, counts}, {{"RequestError", 0}});
// A short body was refused. If the source is as it was, the connection lost the rest: send it again.
inline constexpr auto body_cut =
    rows({C::transient_network, R::once_after_fix, E::not_applied, spared, Repair::reread_source},
         {{"IncompleteBody", 400}});

inline constexpr auto server_codes =
    join(throttled, throttled_maybe_applied, server_failed, server_down, server_misconfigured, body_timeout,
         answer_timeout_code, connection_lost, gateway_request_failed, body_cut);

}  // namespace s3tug::policy::table
