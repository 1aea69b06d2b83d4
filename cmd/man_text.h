#pragma once

#include <array>
#include <string_view>

/// Prose of the manual page that is not in a table. Paragraphs are plain text; man_page.cpp sets them.
namespace s3tug::cmd::man_text {

inline constexpr auto description = std::to_array<std::string_view>({
    "s3tug moves files to, from and between buckets of S3 and of stores that speak its protocol. It is made for what "
    "happens when things go wrong: each failure is classified, retried or not, paced, verified and accounted for, and "
    "what was learned outlives the process in a state file that all runs of the user share.",
    "Exit status 0 means that every byte is there and was checked, as far as the store has something to check it "
    "against: "
    "-v tells where it has not. A command that was killed "
    "or failed can be run "
    "again: "
    "the repeat finishes the job without doing it twice. Standard output carries data only; messages go to standard "
    "error; success is silent. No wait is without a bound.",
});

inline constexpr auto trouble = std::to_array<std::string_view>({
    "A failure that can pass is tried again after a wait that grows: min(base*2^n, max) plus a random time up to base. "
    "A "
    "wait that the store asks for is honoured up to 20 s. Failures that a retry cannot mend end at once.",
    "A run that has something else to go by uses it, unless an algorithm, a base or a longest wait was set. While most "
    "of "
    "its requests are served, waits are short, and one of 4 s and more is broken by probes after 1, 3, 7 s and so on. "
    "When "
    "nothing is served any more, nothing new is begun and one request at a time finds out whether the store is back: "
    "each "
    "second at first, and less often the longer it lasts, down to one in 4 s. A probe is no retry: neither the count "
    "nor "
    "the budget of retries pays for it.",
    "What can be mended is mended and sent again, free of the count of retries: a wrong local clock, a wrong region, "
    "expired credentials, a checksum that the store does not know, a connection that was dead.",
    "When an answer is lost the outcome is unknown. s3tug then looks before it repeats: a random write token in the "
    "object's metadata proves that it was this very write that succeeded. What nothing can prove ends with status 75.",
    "After 5 items in a row that failed for good the circuit breaker of that store opens for 30 s: commands that start "
    "then end at once with status 69 and send nothing. After that 3 trials decide. All processes of the user share it.",
});

inline constexpr auto trees = std::to_array<std::string_view>({
    "--recursive takes folders and prefixes with all that is below them. What is in the folder goes to the target, not "
    "the folder itself, and the target is a folder whether it ends in / or not. s3://b/log means the key log and all "
    "keys below log/; all keys that begin with log are s3://b/log*. In an address * stands for any characters, / too, "
    "and ? for one; they need quotes in most shells, and with --raw they stand for themselves. A name below a pattern "
    "begins after the last / before its first wildcard.",
    "A prefix or pattern for which there is no object ends with status 66; an empty folder, and one of which --exclude "
    "leaves nothing, is a success. delete -r of a whole bucket is refused; s3://b/* says it. A tree is not copied into "
    "itself. A listing that fails is an item that failed, with the status of its cause: nothing that was not listed is "
    "touched.",
    "What cannot be transferred counts as failed and the rest goes on: files and folders that cannot be read, pipes, "
    "sockets and devices, links that lead nowhere or in a circle, names that are not UTF-8, folders more than 256 "
    "deep; "
    "and on the way down keys that no file can have (with an empty, . or .. segment), keys of which one is a folder "
    "for "
    "the other, and what would be written through a link out of the target folder. Keys that end in / and are empty "
    "are "
    "markers of folders: get leaves them out, and folders without files are not made; copy and delete take them. put "
    "leaves out the files of "
    "downloads that are not finished, .NAME.s3tug-part, and get refuses keys that would become such files.",
    "Deletes of trees, patterns and lists go by the thousand, each key with a result of its own. Names in --files-from "
    "are taken as they are listed; a name with a newline in it needs --from0. --failed-to writes what failed as "
    "--files-from takes it; for a listing that failed, "
    "whose names nobody knows, it writes s3://BUCKET alone, and a line that was refused as it was: both are refused "
    "again by a run that reads the list.",
});

inline constexpr auto configuration = std::to_array<std::string_view>({
    "Settings are taken from, in this order: the command line; S3TUG_ variables; AWS variables; the profile's section "
    "of config.toml; the top of config.toml; the profile in the AWS config file; what is built in.",
    "Options that say what to do this time, such as --dry-run or --if-match, are taken from the command line only: a "
    "forgotten export must not change what a command does.",
    "config.toml has the settings by the names of their options. An unknown name or a wrong type is refused with its "
    "line.",
});

inline constexpr std::string_view config_example =
    "retries = 10\n"
    "connect-timeout = \"3s\"\n"
    "header = [\"x-amz-request-payer: requester\"]\n"
    "\n"
    "[profile.backup]\n"
    "endpoint-url = \"https://s3.example.com\"\n"
    "region = \"eu-central-1\"\n"
    "breaker = \"wait\"\n";

inline constexpr auto credentials = std::to_array<std::string_view>({
    "Keys are never given on the command line, where other users can see them. With --profile: that profile of the AWS "
    "files. Else AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; else the profile of AWS_PROFILE, or "
    "default. A profile gives keys or a credential_process. Keys that expire are read again.",
});

struct Term {
    std::string_view name;
    std::string_view text;
};

inline constexpr auto other_variables = std::to_array<Term>({
    {"AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN", "Credentials."},
    {"AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE", "The AWS files, when they are not in ~/.aws."},
    {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true: no endpoint from AWS variables or files."},
    {"https_proxy, http_proxy, all_proxy, no_proxy", "Proxy, as in curl(1), unless --proxy is given."},
    {"XDG_CONFIG_HOME, XDG_STATE_HOME, HOME", "Where config.toml and the state file are."},
    {"TMPDIR", "Where long streams are spooled, unless --spool-dir is given."},
});

inline constexpr auto files = std::to_array<Term>({
    {"$XDG_CONFIG_HOME/s3tug/config.toml, else ~/.config/s3tug/config.toml", "Settings."},
    {"$XDG_STATE_HOME/s3tug/state.db, else ~/.local/state/s3tug/state.db, else /var/tmp/s3tug-UID/state.db",
     "Circuit breakers, idempotency keys and what was learned about stores. Losing it costs work, never correctness; "
     "s3tug state shows and resets it."},
    {"~/.aws/config, ~/.aws/credentials", "Profiles of the AWS tools."},
});

inline constexpr auto json = std::to_array<std::string_view>({
    "With --json standard output has one object on each line. What is not known is null; bytes that are not UTF-8 "
    "stand "
    "there as U+FFFD. Fields may be added. The line of an item that was put, got, copied, moved or deleted, or "
    "that failed, has:",
});

inline constexpr auto json_fields = std::to_array<Term>({
    {"op",
     "The command: put, pipe, get, copy, move, delete, stat, list or abort upload. Of a line of run that was refused, "
     "the command that it names, known or not; null when it names none."},
    {"line", "Of run only: the number of the line that the item comes from."},
    {"source, target", "As they are typed: a path, - or an s3:// address."},
    {"size, etag, version_id, checksum", "Of the object; checksum as ALGORITHM:BASE64."},
    {"attempts, elapsed_ms",
     "Requests that were sent for it, looks included; all keys of one DeleteObjects have the same."},
    {"cached", "true: the kept result of an idempotency key, nothing was sent."},
    {"skipped, dry_run",
     "true, and there only then: something stood there (--no-clobber); it was only said (--dry-run)."},
    {"error", "null, or kind, message, exit_code, and of the store's answer status, code and request_id."},
});

inline constexpr auto json_after = std::to_array<std::string_view>({
    "The last line of a command that may have several items, and of every list, has the field summary: done, failed, "
    "skipped (of those done), not_begun (null when nobody knows), bytes, requests (of HTTP, listings and retries "
    "included), retries, elapsed_ms, exit_code, and first_error: null, or item, kind and message. A list counts the "
    "addresses that were given.",
    "list has lines with type: bucket with bucket and created; prefix with bucket and key; object with bucket, key, "
    "size, "
    "last_modified, etag and storage_class. A key that is not UTF-8 has key_encoded too, which is percent-encoded. The "
    "last line has the type sum: objects and bytes that were listed, and summary.",
    "run has a line for each of its lines too: op run, line, command (as it was given, without secrets), ok, items, "
    "failed and exit_code. stat has op, target, size, last_modified, etag, version_id, content_type, storage_class, "
    "encryption, cache_control, content_encoding, content_disposition, checksums, write_token, metadata and error. "
    "uploads list has bucket, key, upload_id, initiated, listed (the store has it), known (the state file has it), and "
    "of what is known source, sent, size and at_work (a process).",
});

inline constexpr auto traces = std::to_array<std::string_view>({
    "-v shows one line on standard error for each retry, repair, verification, change of the breaker, give-up and end "
    "of an item; -vv each attempt and the settings in force too; -vvv requests with their headers too. A line is",
});
inline constexpr std::string_view trace_example =
    "2026-11-30T00:53:20.123Z put s3://box/k PutObject try 2/7 503 SlowDown\n"
    "class=throttling effect=not_applied request=4F2A peer=192.0.2.7:443\n"
    "conn=reused 12ms -> retry in 1.43s (500ms*2^1 + U(0,500ms); budget 91;\n"
    "breaker closed)\n";
inline constexpr auto traces_after = std::to_array<std::string_view>({
    "on one line: when, which item, which request, the number of the try, what was answered, its class, what it did to "
    "the store, where, how long it took, what is done next and why. Secrets are never shown.",
    "--trace FILE appends every event to FILE (- is standard error) as one JSON object per line, headers included, up "
    "to 64 MiB for each "
    "run. "
    "Fields that an event does not have are left out:",
});

inline constexpr auto trace_fields = std::to_array<Term>({
    {"time", "UTC, with milliseconds."},
    {"since_ms", "Since the start of the run."},
    {"kind", "attempt, retry, repair, verify, breaker, give_up, pace, warning, headers, note, item_done."},
    {"item", "put s3://BUCKET/KEY"},
    {"op", "The S3 operation: PutObject."},
    {"try, tries", "Number of this try, and how many there may be."},
    {"status, code", "HTTP status; error code of S3, or of the transport. For a breaker its key."},
    {"class, effect", "Class of the failure; not_applied, applied or unknown."},
    {"request_id", "As the store named the request."},
    {"peer, reused", "Address and port; whether the connection had been used before."},
    {"elapsed_ms, bytes_sent, bytes_received", "Of the attempt; bytes of bodies."},
    {"next, wait_ms, why", "What is done next, after which wait, and the reason."},
    {"budget, breaker", "Tokens left for retries; state of the breaker."},
    {"direction, line, headers", "request or answer; its first line; lines NAME: VALUE, secrets redacted."},
});

}  // namespace s3tug::cmd::man_text
