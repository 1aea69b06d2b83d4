#pragma once

#include "policy/failure_rows.h"

/// HTTP statuses, for answers without a usable S3 error code: from a proxy or gateway, or to HEAD, which has no body.
/// And the answers whose status alone says too little (UnusualAnswer, in its order).
namespace s3tug::policy::table {

inline constexpr auto status_waits =
    rows({C::throttling, R::yes, E::not_applied, counts}, {
                                                              {"429", 429},
                                                              {"498", 498},  // Swift's rate limit
                                                              {"509", 509},
                                                          });
// A gateway may have forwarded the request before it answered.
inline constexpr auto status_503 = rows({C::throttling, R::yes, E::unknown, counts}, {{"503", 503}});

inline constexpr auto status_failed =
    rows({C::server, R::verify_first, E::unknown, counts},
         {
             {"500", 500}, {"502", 502}, {"520", 520},  // Cloudflare: the origin's answer made no sense
         });
inline constexpr auto status_origin_away =
    rows({C::server, R::yes, E::unknown, counts}, {
                                                      {"521", 521},  // Cloudflare: connection refused
                                                      {"523", 523},  // Cloudflare: unreachable
                                                      {"530", 530},
                                                  });
inline constexpr auto status_loop = rows({C::server, R::no, E::unknown, spared}, {{"508", 508}});

// The origin was too slow for the gateway and may still finish the work.
inline constexpr auto status_slow_origin = rows({C::timeout, R::verify_first, E::unknown, counts}, {
                                                                                                       {"504", 504},
                                                                                                       {"524", 524},
                                                                                                       {"598", 598},
                                                                                                   });
inline constexpr auto status_timeouts =
    rows({C::timeout, R::yes, E::unknown, counts}, {
                                                       {"408", 408},
                                                       {"522", 522},  // Cloudflare: no connection to the origin
                                                       {"599", 599},
                                                   });
inline constexpr auto status_tls_to_origin =
    rows({C::transient_network, R::yes, E::not_applied, counts}, {{"525", 525}});
inline constexpr auto status_try_other_connection =
    rows({C::transient_network, R::yes, E::not_applied, spared}, {
                                                                     {"421", 421},
                                                                     {"425", 425},
                                                                 });
// nginx: the client went away.
inline constexpr auto status_client_gone =
    rows({C::transient_network, R::verify_first, E::unknown, spared}, {{"499", 499}});

inline constexpr auto status_other_region =
    rows({C::redirect, R::once_after_fix, E::not_applied, spared, Repair::region}, {
                                                                                       {"301", 301},
                                                                                       {"302", 302},
                                                                                       {"307", 307},
                                                                                       {"308", 308},
                                                                                   });
inline constexpr auto status_elsewhere =
    rows({C::redirect, R::no, E::not_applied, spared}, {{"300", 300}, {"303", 303}});

// To HEAD: a wrong region or an expired token, without a word about which.
inline constexpr auto status_400 =
    rows({C::client_bug, R::once_after_fix, E::not_applied, spared, Repair::region}, {{"400", 400}});
// To HEAD: denied, or a missing key without ListBucket, or a wrong clock.
inline constexpr auto status_403 =
    rows({C::access, R::once_after_fix, E::not_applied, spared, Repair::clock_offset}, {{"403", 403}});
inline constexpr auto status_denied =
    rows({C::access, R::no, E::not_applied, spared}, {
                                                         {"401", 401},
                                                         {"407", 407},  // by the proxy
                                                         {"451", 451},
                                                         {"511", 511},  // captive portal
                                                         {"526", 526},  // Cloudflare does not trust the origin
                                                     });

inline constexpr auto status_missing =
    rows({C::not_found, R::no, E::not_applied, spared}, {{"404", 404}, {"410", 410}});
inline constexpr auto status_conflict = rows({C::conflict, R::verify_first, E::not_applied, spared}, {{"409", 409}});
inline constexpr auto status_locked = rows({C::conflict, R::no, E::not_applied, spared}, {{"423", 423}});
inline constexpr auto status_condition =
    rows({C::precondition, R::verify_first, E::not_applied, spared}, {{"412", 412}});
inline constexpr auto status_condition_final = rows({C::precondition, R::no, E::not_applied, spared}, {
                                                                                                          {"304", 304},
                                                                                                          {"428", 428},
                                                                                                      });
inline constexpr auto status_full = rows({C::quota, R::no, E::not_applied, spared}, {{"402", 402}, {"507", 507}});

inline constexpr auto status_not_offered =
    rows({C::unsupported, R::no, E::not_applied, spared}, {
                                                              {"405", 405},  // also: HEAD of a delete marker
                                                              {"426", 426},
                                                              {"501", 501},
                                                              {"505", 505},
                                                          });
inline constexpr auto status_no_expect =
    rows({C::unsupported, R::once_after_fix, E::not_applied, spared, Repair::drop_expect}, {{"417", 417}});

inline constexpr auto status_mistakes =
    rows({C::client_bug, R::no, E::not_applied, spared}, {
                                                             {"406", 406},
                                                             {"413", 413},  // mostly a proxy's limit of the body
                                                             {"414", 414},
                                                             {"415", 415},
                                                             {"422", 422},
                                                             {"431", 431},
                                                         });
inline constexpr auto status_411 = rows({C::client_bug, R::once_after_fix, E::not_applied, spared}, {{"411", 411}});
inline constexpr auto status_416 = rows({C::client_bug, R::verify_first, E::unknown, spared}, {{"416", 416}});
// Done, for DELETE; no answer at all to a request that wants a body.
inline constexpr auto status_204 = rows({C::unknown, R::no, E::not_applied, spared}, {{"204", 204}});

inline constexpr auto plain_statuses =
    join(status_waits, status_503, status_failed, status_origin_away, status_loop, status_slow_origin, status_timeouts,
         status_tls_to_origin, status_try_other_connection, status_client_gone, status_other_region, status_elsewhere,
         status_400, status_403, status_denied, status_missing, status_conflict, status_locked, status_condition,
         status_condition_final, status_full, status_not_offered, status_no_expect, status_mistakes, status_411,
         status_416, status_204);

inline constexpr std::array<FailureRow, 9> unusual_answers{
    row({C::transient_network, R::verify_first, E::unknown, counts}, {"100 and nothing more", 100}),
    row({C::server, R::verify_first, E::unknown, counts}, {"200 with an error document", 200}),
    row({C::server, R::verify_first, E::unknown, counts}, {"200 without its result", 200}),
    row({C::unknown, R::verify_first, E::unknown, spared}, {"200 with errors for some keys", 200}),
    row({C::unsupported, R::once_after_fix, E::not_applied, spared, Repair::restart}, {"200 to a range", 200}),
    row({C::integrity, R::once_after_fix, E::not_applied, spared, Repair::restart}, {"206 with another range", 206}),
    row({C::client_bug, R::no, E::not_applied, spared}, {"other 4xx", 0}),
    row({C::server, R::verify_first, E::unknown, counts}, {"other 5xx", 0}),
    row({C::unknown, R::verify_first, E::unknown, spared}, {"an answer that is not S3's", 0}),
};

}  // namespace s3tug::policy::table
