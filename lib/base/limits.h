#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

/// Every bound of the tool, S3's and ours, in one place. A loop, queue, wait or buffer without a name here is a defect.
namespace s3tug::limits {

// S3's own (AWS S3 User Guide, "Amazon S3 multipart upload limits", and API reference).
inline constexpr uint64_t put_object_max_bytes = 5ULL << 30;
inline constexpr std::size_t key_max_bytes = 1024;
inline constexpr std::size_t user_metadata_max_bytes = 2048;
inline constexpr unsigned parts_max = 10'000;
inline constexpr uint64_t part_min_bytes = 5ULL << 20;  ///< but for the last one
inline constexpr uint64_t part_max_bytes = 5ULL << 30;
inline constexpr uint64_t part_default_bytes = 16ULL << 20;  ///< also the largest body that goes as one request
inline constexpr uint64_t object_max_bytes = parts_max * part_max_bytes;  ///< 48.8 TiB
inline constexpr std::size_t delete_keys_max = 1000;                      ///< of one DeleteObjects
inline constexpr unsigned list_page_max = 1000;                           ///< entries of one page of any list
inline constexpr Duration presign_expires_min = seconds(1);
inline constexpr Duration presign_expires_max = hours(24 * 7);
inline constexpr std::size_t bucket_name_max = 255;  ///< stores other than AWS allow more than its 63

// Local names (Linux: NAME_MAX, and PATH_MAX without its NUL).
inline constexpr std::size_t file_name_max_bytes = 255;
inline constexpr std::size_t path_max_bytes = 4095;

// Filters.
inline constexpr std::size_t glob_max_bytes = 4096;
inline constexpr std::size_t filter_rules_max = 1000;

// Trees and lists of items.
inline constexpr std::size_t tree_depth_max = 256;                 ///< folders open at a time while a tree is walked
inline constexpr std::size_t list_line_max_bytes = 8U << 10;       ///< one name in --files-from
inline constexpr std::size_t delete_batch_key_bytes = 256U << 10;  ///< keys of one DeleteObjects, together

// Multipart uploads (design section 4).
inline constexpr uint64_t part_size_default = 16ULL << 20;
inline constexpr unsigned part_growth = 2;  ///< of the default, for objects of 128 MiB and more
inline constexpr uint64_t multipart_threshold_default = 16ULL << 20;
inline constexpr unsigned parts_in_flight = 16;               ///< of one item, at most
inline constexpr unsigned parts_in_flight_first = 4;          ///< more when that is faster
inline constexpr Duration near_answer = milliseconds(10);     ///< to a first request, connection included: a near store
inline constexpr uint64_t stream_memory_bytes = 32ULL << 20;  ///< parts of a stream in memory, the one being filled too
inline constexpr unsigned stream_spooled_parts = 2;           ///< parts of a stream on disk at a time
inline constexpr uint64_t turn_bytes = 64ULL << 20;           ///< read or hashed in one turn of the loop
inline constexpr Duration stream_wait_busy = milliseconds(2);  ///< for the producer, while the network has work too
inline constexpr Duration stream_wait_idle = milliseconds(100);
inline constexpr unsigned upload_aborts_max = 3;    ///< Abort, then ListParts, until the upload is gone
inline constexpr unsigned upload_restarts_max = 1;  ///< a new upload when the store lost the first
inline constexpr unsigned part_mends_max = 2;       ///< rounds of ListParts after InvalidPart
inline constexpr Duration upload_record_every = seconds(1);
inline constexpr Duration upload_touch_every = minutes(5);
inline constexpr unsigned upload_parts_per_record = 500;  ///< about 100 bytes each
inline constexpr unsigned upload_orphans_max = 10;        ///< looked at after a Create whose answer was lost

// What users type that becomes a header (S3 takes 8 KiB of request headers).
inline constexpr std::size_t option_header_max_bytes = 4U << 10;
inline constexpr std::size_t etag_max_bytes = 1024;

// Downloads in parts.
inline constexpr uint64_t download_part_bytes = 16U << 20;
inline constexpr uint64_t download_stream_part_bytes = 4U << 20;  ///< eight of them fit into stream_memory_bytes
inline constexpr unsigned download_parts_max = 4096;   ///< parts of larger objects grow; one record holds them all
inline constexpr unsigned download_partial_max = 256;  ///< unfinished parts that a record tells of
inline constexpr unsigned download_parts_per_request = 4;
inline constexpr unsigned download_restarts_max = 1;  ///< for an object that changes or arrives damaged
inline constexpr unsigned part_looks_in_flight = 16;  ///< HEADs for the sizes of parts, at most one for each part
inline constexpr unsigned uneven_parts_max = 1000;    ///< of an object: with more, their sizes are not asked for
inline constexpr Duration download_record_every = seconds(1);
inline constexpr uint64_t download_record_bytes = 64U << 20;  ///< or when so many have come, whichever is first

// Answers.
inline constexpr std::size_t error_body_max_bytes = 64U << 10;
inline constexpr std::size_t list_body_max_bytes = 8U << 20;  ///< 1000 keys of 1 KiB, each byte as `%XX`, and the rest
inline constexpr std::size_t xml_tags_max = 100'000;          ///< a page of 1000 entries has 30,000
inline constexpr std::size_t upload_id_max_bytes = 2048;
inline constexpr std::size_t list_token_max_bytes = 8U << 10;  ///< some stores make it of the key, encoded
inline constexpr std::size_t header_count_max = 200;
inline constexpr std::size_t header_bytes_max = 64U << 10;

// Connections.
inline constexpr unsigned connections_default = 64;

// Work under way (lib/engine/traffic.h). Requests in flight are the pace's; these bound memory and open files.
inline constexpr std::size_t items_begun_max = 256;    ///< most of them wait for a retry
inline constexpr std::size_t item_requests_max = 256;  ///< of one item, as many as --concurrency may be
inline constexpr Duration hedge_least = seconds(1);    ///< a request that ran shorter is never asked for twice
inline constexpr unsigned hedge_times = 2;             ///< the median of the others
inline constexpr std::size_t hedge_samples_min = 3;
inline constexpr std::size_t hedge_samples_max = 32;
inline constexpr std::size_t failures_paused = 4;        ///< attempts in a row before nothing new is begun
inline constexpr std::size_t failures_noted = 8;         ///< and before a store counts as failing
inline constexpr std::size_t requests_open_max = 1'024;  ///< of all items

// Waiting (design section 4, "Bounds on waiting").
inline constexpr Duration connect_timeout = seconds(10);
inline constexpr Duration answer_timeout = seconds(30);
inline constexpr Duration slow_answer_timeout = minutes(10);  ///< Complete and copy answer late
inline constexpr Duration stall_window = seconds(30);
inline constexpr uint64_t stall_bytes_per_second = 1024;
inline constexpr Duration watch_gap = seconds(5);                      ///< without a look: our own fault
inline constexpr Duration fifo_reader_pause = milliseconds(20);        ///< between two looks for a reader
inline constexpr Duration second_signal_patience = milliseconds(200);  ///< a second signal this soon is the first one
inline constexpr Duration poll_wait_max = minutes(1);  ///< one sleep in poll(2); a longer wait is several of them
inline constexpr Duration deadline_grace = seconds(2);
inline constexpr Duration deadline_max = hours(24 * 365);

// Retries (design section 3; facts/backoff.md).
inline constexpr unsigned retries_default = 6;
inline constexpr unsigned retries_max = 1000;
inline constexpr unsigned resolve_tries_max = 3;
inline constexpr unsigned repairs_per_request_max = 3;
inline constexpr unsigned verifications_max = 3;
inline constexpr Duration backoff_base = milliseconds(500);
inline constexpr Duration backoff_max_default = seconds(30);
inline constexpr unsigned eased_doublings = 2;        ///< of waits while the store serves a good part of a run
inline constexpr int64_t eased_base_divisor = 4;      ///< of the base then, for what is no throttle
inline constexpr int64_t eased_throttle_divisor = 2;  ///< and for a throttle
inline constexpr std::size_t eased_answers_min = 2;   ///< that tell whether it does
inline constexpr unsigned eased_served_one_in = 3;    ///< of the latest answers: then it does
inline constexpr int64_t eased_most_divisor = 8;      ///< of the base while most is served
inline constexpr std::size_t eased_most_answers_min = 8;
inline constexpr unsigned eased_most_failed_one_in = 4;                ///< of the latest answers, at most
inline constexpr Duration early_retry_look_every = milliseconds(500);  ///< by a retry that waits
inline constexpr Duration served_probe_waits = seconds(4);  ///< while others are served, waits from here on have probes
inline constexpr Duration served_probe_first = seconds(1);  ///< the first of them
inline constexpr Duration probe_every = seconds(2);         ///< of a run that fails as a whole: one request at a time
inline constexpr Duration hold_gap = seconds(1);            ///< between its retries then, at first
inline constexpr Duration hold_gap_max = seconds(4);
inline constexpr int64_t hold_gap_share = 5;       ///< of the time that it has been failing for
inline constexpr Duration hold_max = seconds(16);  ///< of one of them
inline constexpr Duration backoff_max = hours(1);
inline constexpr Duration retry_after_max = seconds(20);
inline constexpr Duration amz_retry_after_span = seconds(5);
inline constexpr Duration verify_pause_first = milliseconds(150);
inline constexpr Duration verify_pause_second = milliseconds(300);

// Retry budget (facts/backoff.md section 4).
inline constexpr int64_t budget_tokens = 100;
inline constexpr int64_t budget_cost_transient = 14;
inline constexpr int64_t budget_cost_throttle = 5;
inline constexpr Duration budget_look_every = milliseconds(250);  ///< by a retry that waits for tokens
inline constexpr Duration budget_look_every_max = seconds(1);     ///< and when its wait is long

// Circuit breaker (facts/breaker.md).
inline constexpr unsigned breaker_threshold = 5;
inline constexpr unsigned breaker_trials = 3;
inline constexpr Duration breaker_open_for = seconds(30);
inline constexpr Duration breaker_open_for_max = seconds(300);
inline constexpr Duration silent_wait_max = seconds(5);        ///< a longer wait for a breaker is told without -v
inline constexpr Duration breaker_reread = milliseconds(100);  ///< of a closed record, within one run
inline constexpr Duration breaker_failure_window = seconds(300);
inline constexpr Duration breaker_half_open_idle = seconds(300);
inline constexpr Duration breaker_lease = seconds(60);
inline constexpr Duration breaker_patience = minutes(5);
inline constexpr std::size_t breaker_keys_max = 1000;
// What a record may hold before it counts as absurd (facts/breaker.md, Corruption).
inline constexpr unsigned breaker_trials_max = 64;
inline constexpr unsigned breaker_count_max = 1'000'000;
inline constexpr Duration breaker_lease_max = hours(1);
inline constexpr std::size_t breaker_error_max_bytes = 128;
inline constexpr Duration instant_max = hours(24 * 365 * 100);  ///< either way; differences of two still fit

// Idempotency keys.
inline constexpr Duration idempotency_keep = seconds(3600);
inline constexpr std::size_t idempotency_key_max_bytes = 256;
inline constexpr std::size_t write_token_bytes = 32;  ///< hex digits of a write token
inline constexpr Duration idempotency_owner_unknown =
    minutes(15);                                                 ///< an owner that cannot be asked is believed so long
inline constexpr Duration idempotency_keep_max = hours(24 * 7);  ///< the state file drops what is older

// Credentials.
inline constexpr Duration credential_process_timeout = seconds(60);
inline constexpr Duration credential_refresh_early = minutes(5);  ///< before they expire
inline constexpr Duration credential_retry_pause = seconds(30);   ///< between two tries that bring nothing new

// Clock.
inline constexpr Duration skew_tolerated = minutes(4);       ///< below this a signature error is not the clock's fault
inline constexpr int64_t server_time_min_s = 1'136'073'600;  ///< 2006-01-01: S3's first year; Unix seconds
inline constexpr int64_t server_time_max_s = 4'102'444'800;  ///< 2100-01-01: later Dates are not believed

// Memory (lib/README.md, "Memory").
inline constexpr uint64_t memory_default = 64ULL << 20;  ///< of the whole process
inline constexpr uint64_t memory_fixed = 32ULL << 20;    ///< of it for all but the buffers of streams
inline constexpr uint64_t memory_least = 48ULL << 20;
inline constexpr std::size_t io_chunk_bytes = 256U << 10;
inline constexpr std::size_t io_chunk_least_bytes = 64U << 10;  ///< for each of very many connections
inline constexpr std::size_t io_all_bytes = 16U << 20;          ///< read and write buffers of all connections, each
inline constexpr std::size_t inline_body_bytes = 16U << 10;   ///< a body up to this goes out in one write with the head
inline constexpr std::size_t spool_memory_bytes = 16U << 20;  ///< a stream longer than this goes to a temporary file
inline constexpr uint64_t hash_step_bytes = 64U << 20;        ///< of a file, between two looks at signals and deadlines
inline constexpr std::size_t trace_text_max_bytes = 512;      ///< one field of one trace line
inline constexpr std::size_t run_line_max_bytes = 64U << 10;  ///< of a file of commands
inline constexpr std::size_t config_file_max_bytes = 1U << 20;
inline constexpr std::size_t credential_document_max_bytes = 64U << 10;

// Local files.
inline constexpr unsigned symlinks_max = 40;                 ///< as the kernel's own limit
inline constexpr unsigned part_names_max = 16;               ///< names tried for a part file
inline constexpr uint64_t sync_wait_from_bytes = 1U << 20;   ///< smaller new files need not wait (host/temp_target.h)
inline constexpr uint64_t reserve_min_bytes = 1U << 20;      ///< smaller files are not reserved before they are written
inline constexpr uint64_t room_ahead_min_bytes = 32U << 20;  ///< on tmpfs: smaller files are not worth a thread
inline constexpr uint64_t room_ahead_step_bytes = 32U << 10;  ///< taken at a time, on tmpfs

// What a user may set numbers to, where no bound above says it.
inline constexpr uint64_t concurrency_set_max = 256;
inline constexpr uint64_t budget_tokens_set_max = 1'000'000;
inline constexpr uint64_t breaker_threshold_set_max = 10'000;
inline constexpr uint64_t breaker_trials_set_max = 100;
inline constexpr uint64_t breaker_growth_percent_set_max = 1'000;

// Output of the command.
inline constexpr uint64_t trace_file_max_bytes = 64ULL << 20;  ///< of one run
inline constexpr Duration output_wait = seconds(10);           ///< for a reader that is slow, where we must not block
inline constexpr uint64_t failures_set_max = 1'000'000'000;    ///< largest --max-failures
inline constexpr Duration progress_draw_every = milliseconds(200);
inline constexpr Duration progress_log_every = seconds(10);
inline constexpr Duration rate_window = seconds(8);
inline constexpr std::size_t rate_samples_max = 64;
inline constexpr std::size_t warnings_kept_max = 1'000;  ///< different ones; more are shown each time

// State file (design section 5).
inline constexpr Duration state_lock_wait = milliseconds(200);
inline constexpr std::size_t state_value_max_bytes = 64U << 10;
inline constexpr std::size_t state_key_max_bytes = 8U << 10;
inline constexpr std::size_t state_rows_max = 100'000;        ///< of one table without a bound of its own
inline constexpr std::size_t state_idempotency_max = 10'000;  ///< rows; the oldest go
inline constexpr std::size_t state_facts_max = 1'000;         ///< rows of endpoint, bucket and run each
inline constexpr Duration state_breaker_idle = hours(24);     ///< a breaker untouched for so long is forgotten
inline constexpr unsigned state_prune_batch = 200;            ///< rows removed at once, beyond those a table is over
inline constexpr unsigned state_prune_every = 256;            ///< new rows of a process between two looks at the bounds
inline constexpr unsigned state_wal_pages = 64;               ///< then the log is folded into the file

static_assert(memory_default == memory_fixed + stream_memory_bytes);
static_assert(backoff_base <= backoff_max_default && backoff_max_default <= backoff_max);
static_assert(budget_cost_throttle <= budget_cost_transient && budget_cost_transient <= budget_tokens);
static_assert(breaker_open_for <= breaker_open_for_max);

}  // namespace s3tug::limits
