#pragma once

#include "policy/failure_rows.h"
#include "wire/reply.h"

/// Results of the transport: libcurl's (their numbers and names) and, from 1000 on, our own timers and stops. What the
/// connection can prove beyond the number (nothing sent, body incomplete) is added by classify.cpp.
namespace s3tug::policy::table {

// The connection did not come about, so nothing was sent.
inline constexpr auto not_connected = rows({C::transient_network, R::yes, E::not_applied, counts},
                                           {
                                               {"CURLE_COULDNT_RESOLVE_PROXY", 5},
                                               {"CURLE_COULDNT_RESOLVE_HOST", 6},  // or a typo: tried 3 times (decide)
                                               {"CURLE_COULDNT_CONNECT", 7},
                                               {"CURLE_SSL_CONNECT_ERROR", 35},  // every time on a plain-HTTP port
                                               {"CURLE_QUIC_CONNECT_ERROR", 96},
                                               {"CURLE_PROXY", 97},
                                           });

// The connection broke with the request under way.
inline constexpr auto broken_off =
    rows({C::transient_network, R::verify_first, E::unknown, counts},
         {
             {"CURLE_HTTP2", 16},
             {"CURLE_GOT_NOTHING", 52},
             {"CURLE_SEND_ERROR", 55},  // an early answer may be the reason: it is read first (classify.cpp)
             {"CURLE_RECV_ERROR", 56},
             {"CURLE_HTTP2_STREAM", 92},
             {"CURLE_HTTP3", 95},
             {"second_send_stopped", static_cast<int>(wire::TransportCode::second_send_stopped)},
         });
// Reads go on where they stopped; a write whose answer was cut is looked at first (classify.cpp).
inline constexpr auto answer_cut =
    rows({C::transient_network, R::yes, E::unknown, counts}, {{"CURLE_PARTIAL_FILE", 18}});
inline constexpr auto shutdown_failed =
    rows({C::transient_network, R::verify_first, E::unknown, spared}, {{"CURLE_SSL_SHUTDOWN_FAILED", 80}});

inline constexpr auto timed_out = rows({C::timeout, R::verify_first, E::unknown, counts},
                                       {
                                           {"CURLE_OPERATION_TIMEDOUT", 28},
                                           {"answer_timeout", static_cast<int>(wire::TransportCode::answer_timeout)},
                                           {"stalled", static_cast<int>(wire::TransportCode::stalled)},
                                       });
inline constexpr auto connect_timed_out =
    rows({C::timeout, R::yes, E::not_applied, counts},
         {{"connect_timeout", static_cast<int>(wire::TransportCode::connect_timeout)}});

inline constexpr auto not_http = rows({C::server, R::verify_first, E::unknown, counts},
                                      {
                                          {"CURLE_WEIRD_SERVER_REPLY", 8},  // plain HTTP on a TLS port, a broken proxy
                                      });

// A certificate, not the weather: trying again shows the same certificate.
inline constexpr auto not_trusted = rows({C::tls_trust, R::no, E::not_applied, spared},
                                         {
                                             {"CURLE_SSL_ENGINE_NOTFOUND", 53},
                                             {"CURLE_SSL_ENGINE_SETFAILED", 54},
                                             {"CURLE_SSL_CERTPROBLEM", 58},  // our own client certificate
                                             {"CURLE_SSL_CIPHER", 59},
                                             {"CURLE_PEER_FAILED_VERIFICATION", 60},
                                             {"CURLE_SSL_ENGINE_INITFAILED", 66},
                                             {"CURLE_SSL_CACERT_BADFILE", 77},
                                             {"CURLE_SSL_CRL_BADFILE", 82},
                                             {"CURLE_SSL_ISSUER_ERROR", 83},
                                             {"CURLE_SSL_PINNEDPUBKEYNOTMATCH", 90},
                                             {"CURLE_SSL_INVALIDCERTSTATUS", 91},
                                             {"CURLE_SSL_CLIENTCERT", 98},
                                         });

// This machine, before anything was sent.
inline constexpr auto local_before =
    rows({C::local_io, R::no, E::not_applied, spared}, {
                                                           {"CURLE_FAILED_INIT", 2},
                                                           {"CURLE_OUT_OF_MEMORY", 27},
                                                           {"CURLE_INTERFACE_FAILED", 45},
                                                       });
// This machine, with the request under way: the disk, the source, a signal. Never held against the store.
inline constexpr auto local_underway =
    rows({C::local_io, R::no, E::unknown, spared}, {
                                                       {"CURLE_WRITE_ERROR", 23},
                                                       {"CURLE_READ_ERROR", 26},
                                                       {"CURLE_ABORTED_BY_CALLBACK", 42},
                                                       {"CURLE_UNRECOVERABLE_POLL", 99},
                                                       {"cancelled", static_cast<int>(wire::TransportCode::cancelled)},
                                                       {"deadline", static_cast<int>(wire::TransportCode::deadline)},
                                                   });
inline constexpr auto rewind_failed =
    rows({C::local_io, R::once_after_fix, E::unknown, spared, Repair::reread_source}, {{"CURLE_SEND_FAIL_REWIND", 65}});

// Downloads that have to begin again from the first byte.
inline constexpr auto range_refused =
    rows({C::unsupported, R::once_after_fix, E::unknown, spared, Repair::restart}, {{"CURLE_RANGE_ERROR", 33}});
inline constexpr auto resume_refused =
    rows({C::client_bug, R::once_after_fix, E::unknown, spared, Repair::restart}, {{"CURLE_BAD_DOWNLOAD_RESUME", 36}});
inline constexpr auto content_encoding_broken =
    rows({C::integrity, R::once_after_fix, E::unknown, spared, Repair::restart}, {{"CURLE_BAD_CONTENT_ENCODING", 61}});

inline constexpr auto upload_failed =
    rows({C::unknown, R::verify_first, E::unknown, spared}, {{"CURLE_UPLOAD_FAILED", 25}});

// Results that only our own misuse of libcurl gives.
inline constexpr auto misuse_before =
    rows({C::client_bug, R::no, E::not_applied, spared}, {
                                                             {"CURLE_UNSUPPORTED_PROTOCOL", 1},
                                                             {"CURLE_URL_MALFORMAT", 3},
                                                             {"CURLE_BAD_FUNCTION_ARGUMENT", 43},
                                                             {"CURLE_SETOPT_OPTION_SYNTAX", 49},
                                                             {"CURLE_NO_CONNECTION_AVAILABLE", 89},
                                                             {"CURLE_RECURSIVE_API_CALL", 93},
                                                         });
inline constexpr auto misuse_underway = rows({C::client_bug, R::no, E::unknown, spared},
                                             {
                                                 {"CURLE_HTTP_RETURNED_ERROR", 22},  // FAILONERROR must stay off
                                                 {"CURLE_FILESIZE_EXCEEDED", 63},
                                                 {"CURLE_AGAIN", 81},
                                                 {"CURLE_TOO_LARGE", 100},  // a header over libcurl's limit
                                             });
inline constexpr auto not_built_in =
    rows({C::unsupported, R::no, E::not_applied, spared}, {
                                                              {"CURLE_NOT_BUILT_IN", 4},
                                                              {"CURLE_UNKNOWN_OPTION", 48},
                                                              {"CURLE_USE_SSL_FAILED", 64},
                                                          });

inline constexpr auto login_refused =
    rows({C::access, R::no, E::unknown, spared}, {
                                                     {"CURLE_REMOTE_ACCESS_DENIED", 9},
                                                     {"CURLE_LOGIN_DENIED", 67},  // of the proxy
                                                     {"CURLE_AUTH_ERROR", 94},
                                                 });
inline constexpr auto ech_required = rows({C::access, R::no, E::not_applied, spared}, {{"CURLE_ECH_REQUIRED", 101}});
inline constexpr auto too_many_redirects =
    rows({C::redirect, R::no, E::unknown, spared}, {{"CURLE_TOO_MANY_REDIRECTS", 47}});
inline constexpr auto remote_full = rows({C::quota, R::no, E::unknown, spared}, {{"CURLE_REMOTE_DISK_FULL", 70}});
inline constexpr auto remote_missing =
    rows({C::not_found, R::no, E::unknown, spared}, {{"CURLE_REMOTE_FILE_NOT_FOUND", 78}});

inline constexpr auto transport_results =
    join(not_connected, broken_off, answer_cut, shutdown_failed, timed_out, connect_timed_out, not_http, not_trusted,
         local_before, local_underway, rewind_failed, range_refused, resume_refused, content_encoding_broken,
         upload_failed, misuse_before, misuse_underway, not_built_in, login_refused, ech_required, too_many_redirects,
         remote_full, remote_missing);

}  // namespace s3tug::policy::table
