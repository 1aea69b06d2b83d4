#include "policy/failure_table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "shared_folder.h"

namespace s3tug::policy {

namespace {

/// One line of errors.csv. A field in quotes may hold commas and doubled quotes, but no line break.
std::vector<std::string> split_csv(const std::string& line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
            fields.back() += line[++i];
        } else if (line[i] == '"') {
            quoted = !quoted;
        } else if (line[i] == ',' && !quoted) {
            fields.emplace_back();
        } else {
            fields.back() += line[i];
        }
    }
    return fields;
}

/// The facts' names of the answers whose status alone says too little.
const std::map<std::string, UnusualAnswer> unusual_names = {
    {"100 only (no final answer)", UnusualAnswer::only_interim},
    {"200 with <Error> body", UnusualAnswer::error_in_200},
    {"200 with empty or truncated XML body", UnusualAnswer::no_result_in_200},
    {"200 DeleteObjects with <Error> entries", UnusualAnswer::errors_for_keys},
    {"200 to a Range request", UnusualAnswer::range_ignored},
    {"206 with wrong Content-Range or ETag", UnusualAnswer::other_range},
    {"other 4xx", UnusualAnswer::other_4xx},
    {"other 5xx", UnusualAnswer::other_5xx},
    {"HTML or non-XML error body", UnusualAnswer::not_from_s3},
};

/// "CURLE_RECV_ERROR (56)" -> 56.
int number_in_brackets(const std::string& name) { return std::stoi(name.substr(name.find('(') + 1)); }

const FailureRow* our_row(const std::string& kind, const std::string& name) {
    if (kind == "curl") return find_transport(number_in_brackets(name));
    if (kind == "code") {
        const auto rows = code_rows();
        const auto at = std::find_if(rows.begin(), rows.end(), [&](const FailureRow& r) { return r.name == name; });
        return at == rows.end() ? nullptr : &*at;
    }
    if (const auto unusual = unusual_names.find(name); unusual != unusual_names.end()) {
        return &find_unusual(unusual->second);
    }
    return &find_status(std::stoi(name));
}

std::vector<FailureRow> all_rows() {
    std::vector<FailureRow> all;
    for (const auto rows : {code_rows(), transport_rows(), status_rows()}) {
        all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
}

/// Rows for results that we make ourselves; the facts know 60 of libcurl's.
bool is_ours(const FailureRow& row) { return row.number >= 1000; }

struct Spot {
    std::string_view name;
    int number;
    FailureClass cls;
    RetryRule retry;
    Effect effect;
    bool counts;
    Repair repair = Repair::none;
};

void check_spot(const FailureRow* row, const Spot& spot) {
    CAPTURE(spot.name);
    REQUIRE(row != nullptr);
    CHECK(row->name == spot.name);
    CHECK(row->number == spot.number);
    CHECK(to_string(row->cls) == to_string(spot.cls));
    CHECK(to_string(row->retry) == to_string(spot.retry));
    CHECK(to_string(row->effect) == to_string(spot.effect));
    CHECK(row->counts_for_breaker == spot.counts);
    CHECK(to_string(row->repair) == to_string(spot.repair));
}

using C = FailureClass;
using R = RetryRule;
using E = Effect;

}  // namespace

TEST_SUITE("policy/failure_table") {
    TEST_CASE("every row of the facts has its row here, with the same class, retry rule, effect, breaker and status") {
        const auto folder = test::shared_folder("facts");
        std::ifstream csv;
        if (folder) csv.open(*folder / "errors.csv");
        if (!csv.is_open()) {
            MESSAGE("skipped: no facts/errors.csv below S3TUG_SHARED or ../shared");
            return;
        }
        std::string line;
        std::getline(csv, line);
        REQUIRE(split_csv(line).at(6) == "counts_for_breaker");
        std::set<const FailureRow*> seen;
        while (std::getline(csv, line)) {
            const std::vector<std::string> f = split_csv(line);
            REQUIRE(f.size() == 10);
            CAPTURE(f[1]);
            const FailureRow* row = our_row(f[0], f[1]);
            REQUIRE(row != nullptr);
            CHECK(seen.insert(row).second);
            CHECK(to_string(row->cls) == f[3]);
            CHECK(to_string(row->retry) == f[4]);
            CHECK(to_string(row->effect) == f[5]);
            CHECK(row->counts_for_breaker == (f[6] == "yes"));
            if (f[0] != "curl") CHECK(row->number == (f[2].empty() ? 0 : std::stoi(f[2])));
            if (f[0] == "curl") CHECK(f[1].starts_with(row->name));
        }
        CHECK(seen.size() == 636);
    }

    TEST_CASE("the table is complete: rows per kind and per class as the facts count them") {
        CHECK(code_rows().size() == 510);
        CHECK(std::count_if(transport_rows().begin(), transport_rows().end(), is_ours) == 6);
        CHECK(transport_rows().size() == 60 + 6);
        CHECK(status_rows().size() == 66);

        std::map<FailureClass, int> counts;
        for (const FailureRow& row : all_rows()) counts[row.cls] += is_ours(row) ? 0 : 1;
        const std::map<FailureClass, int> expected = {
            {C::client_bug, 288}, {C::access, 65},      {C::not_found, 46}, {C::conflict, 35},
            {C::server, 34},      {C::throttling, 29},  {C::redirect, 17},  {C::transient_network, 26},
            {C::quota, 16},       {C::unsupported, 17}, {C::tls_trust, 12}, {C::integrity, 10},
            {C::timeout, 9},      {C::precondition, 8}, {C::local_io, 8},   {C::expired_credentials, 7},
            {C::unknown, 5},      {C::clock_skew, 4},
        };
        CHECK(counts == expected);
    }

    TEST_CASE("rows per retry rule, effect and breaker as the facts count them") {
        std::map<RetryRule, int> retry;
        std::map<Effect, int> effect;
        int counting = 0;
        for (const FailureRow& row : all_rows()) {
            if (is_ours(row)) continue;
            ++retry[row.retry];
            ++effect[row.effect];
            counting += row.counts_for_breaker ? 1 : 0;
        }
        CHECK(retry ==
              std::map<RetryRule, int>{{R::no, 486}, {R::yes, 60}, {R::once_after_fix, 45}, {R::verify_first, 45}});
        CHECK(effect == std::map<Effect, int>{{E::not_applied, 552}, {E::unknown, 84}});
        CHECK(counting == 82);
    }

    TEST_CASE("S3 codes, one or more of each behaviour") {
        for (const Spot& spot : {
                 Spot{"SlowDown", 503, C::throttling, R::yes, E::not_applied, true},
                 Spot{"RequestRateLimitExceeded", 403, C::throttling, R::yes, E::not_applied, true},
                 Spot{"TooManyRequests", 429, C::throttling, R::yes, E::not_applied, true},
                 Spot{"ThrottlingException", 400, C::throttling, R::yes, E::not_applied, true},
                 Spot{"BandwidthLimitExceeded", 509, C::throttling, R::yes, E::not_applied, true},
                 Spot{"ServiceUnavailable", 503, C::throttling, R::yes, E::unknown, true},
                 Spot{"SlowDownWrite", 503, C::throttling, R::yes, E::unknown, true},
                 Spot{"RequestTimeout", 400, C::timeout, R::yes, E::not_applied, true},
                 Spot{"RequestTimeoutException", 408, C::timeout, R::yes, E::unknown, true},
                 Spot{"InternalError", 500, C::server, R::verify_first, E::unknown, true},
                 Spot{"XMinioBackendDown", 400, C::server, R::yes, E::unknown, true},
                 Spot{"InternalServerErrorException", 500, C::server, R::no, E::unknown, false},
                 Spot{"IncompleteBody", 400, C::transient_network, R::once_after_fix, E::not_applied, false,
                      Repair::reread_source},
                 Spot{"ClientDisconnected", 499, C::transient_network, R::verify_first, E::unknown, false},
                 Spot{"RequestError", 0, C::transient_network, R::verify_first, E::unknown, true},
                 Spot{"RequestTimeTooSkewed", 403, C::clock_skew, R::once_after_fix, E::not_applied, false,
                      Repair::clock_offset},
                 Spot{"SignatureDoesNotMatch", 403, C::access, R::once_after_fix, E::not_applied, false,
                      Repair::clock_offset},
                 Spot{"ExpiredToken", 400, C::expired_credentials, R::once_after_fix, E::not_applied, false,
                      Repair::credentials},
                 Spot{"InvalidAccessKeyId", 403, C::access, R::once_after_fix, E::not_applied, false,
                      Repair::credentials},
                 Spot{"AccessDenied", 403, C::access, R::no, E::not_applied, false},
                 Spot{"AuthenticationLockout", 403, C::access, R::no, E::not_applied, false},
                 Spot{"PermanentRedirect", 301, C::redirect, R::once_after_fix, E::not_applied, false, Repair::region},
                 Spot{"AuthorizationHeaderMalformed", 400, C::redirect, R::once_after_fix, E::not_applied, false,
                      Repair::region},
                 Spot{"EndpointNotFound", 400, C::redirect, R::no, E::not_applied, false},
                 Spot{"NoSuchKey", 404, C::not_found, R::no, E::not_applied, false},
                 Spot{"Not Found", 404, C::not_found, R::no, E::not_applied, false},
                 Spot{"NoSuchUpload", 404, C::not_found, R::verify_first, E::not_applied, false},
                 Spot{"PreconditionFailed", 412, C::precondition, R::verify_first, E::not_applied, false},
                 Spot{"NotModified", 304, C::precondition, R::no, E::not_applied, false},
                 Spot{"ConditionalRequestConflict", 409, C::conflict, R::verify_first, E::not_applied, false},
                 Spot{"OperationAborted", 409, C::conflict, R::yes, E::not_applied, false},
                 Spot{"BucketNotEmpty", 409, C::conflict, R::no, E::not_applied, false},
                 Spot{"BadDigest", 400, C::integrity, R::once_after_fix, E::not_applied, false, Repair::reread_source},
                 Spot{"InvalidPart", 400, C::integrity, R::once_after_fix, E::not_applied, false, Repair::list_parts},
                 Spot{"XMinioObjectTampered", 206, C::integrity, R::no, E::not_applied, false},
                 Spot{"QuotaExceeded", 403, C::quota, R::no, E::not_applied, false},
                 Spot{"NotImplemented", 501, C::unsupported, R::once_after_fix, E::not_applied, false,
                      Repair::checksum_style},
                 Spot{"UnsupportedSignature", 400, C::unsupported, R::no, E::not_applied, false},
                 Spot{"InvalidArgument", 400, C::client_bug, R::no, E::not_applied, false},
                 Spot{"InvalidPartNumber", 416, C::client_bug, R::no, E::not_applied, false},
                 Spot{"InvalidRange", 416, C::client_bug, R::verify_first, E::unknown, false},
                 Spot{"MissingContentLength", 411, C::client_bug, R::once_after_fix, E::not_applied, false},
                 Spot{"ResumeIncomplete", 308, C::unknown, R::no, E::not_applied, false},
             }) {
            check_spot(find_code(spot.name), spot);
        }
    }

    TEST_CASE("transport results, libcurl's and our own") {
        for (const Spot& spot : {
                 Spot{"CURLE_COULDNT_RESOLVE_HOST", 6, C::transient_network, R::yes, E::not_applied, true},
                 Spot{"CURLE_COULDNT_CONNECT", 7, C::transient_network, R::yes, E::not_applied, true},
                 Spot{"CURLE_PARTIAL_FILE", 18, C::transient_network, R::yes, E::unknown, true},
                 Spot{"CURLE_WRITE_ERROR", 23, C::local_io, R::no, E::unknown, false},
                 Spot{"CURLE_OPERATION_TIMEDOUT", 28, C::timeout, R::verify_first, E::unknown, true},
                 Spot{"CURLE_RANGE_ERROR", 33, C::unsupported, R::once_after_fix, E::unknown, false, Repair::restart},
                 Spot{"CURLE_ABORTED_BY_CALLBACK", 42, C::local_io, R::no, E::unknown, false},
                 Spot{"CURLE_GOT_NOTHING", 52, C::transient_network, R::verify_first, E::unknown, true},
                 Spot{"CURLE_RECV_ERROR", 56, C::transient_network, R::verify_first, E::unknown, true},
                 Spot{"CURLE_PEER_FAILED_VERIFICATION", 60, C::tls_trust, R::no, E::not_applied, false},
                 Spot{"CURLE_SEND_FAIL_REWIND", 65, C::local_io, R::once_after_fix, E::unknown, false,
                      Repair::reread_source},
                 Spot{"CURLE_ECH_REQUIRED", 101, C::access, R::no, E::not_applied, false},
                 Spot{"connect_timeout", 1001, C::timeout, R::yes, E::not_applied, true},
                 Spot{"answer_timeout", 1002, C::timeout, R::verify_first, E::unknown, true},
                 Spot{"stalled", 1003, C::timeout, R::verify_first, E::unknown, true},
                 Spot{"cancelled", 1004, C::local_io, R::no, E::unknown, false},
                 Spot{"deadline", 1005, C::local_io, R::no, E::unknown, false},
                 Spot{"second_send_stopped", 1006, C::transient_network, R::verify_first, E::unknown, true},
             }) {
            check_spot(find_transport(spot.number), spot);
        }
        for (const int number : {0, 10, 102, 999, 1000, 1007, -1}) CHECK(find_transport(number) == nullptr);
    }

    TEST_CASE("statuses, known and unknown") {
        for (const Spot& spot : {
                 Spot{"301", 301, C::redirect, R::once_after_fix, E::not_applied, false, Repair::region},
                 Spot{"400", 400, C::client_bug, R::once_after_fix, E::not_applied, false, Repair::region},
                 Spot{"403", 403, C::access, R::once_after_fix, E::not_applied, false, Repair::clock_offset},
                 Spot{"404", 404, C::not_found, R::no, E::not_applied, false},
                 Spot{"408", 408, C::timeout, R::yes, E::unknown, true},
                 Spot{"409", 409, C::conflict, R::verify_first, E::not_applied, false},
                 Spot{"412", 412, C::precondition, R::verify_first, E::not_applied, false},
                 Spot{"417", 417, C::unsupported, R::once_after_fix, E::not_applied, false, Repair::drop_expect},
                 Spot{"421", 421, C::transient_network, R::yes, E::not_applied, false},
                 Spot{"429", 429, C::throttling, R::yes, E::not_applied, true},
                 Spot{"500", 500, C::server, R::verify_first, E::unknown, true},
                 Spot{"501", 501, C::unsupported, R::no, E::not_applied, false},
                 Spot{"503", 503, C::throttling, R::yes, E::unknown, true},
                 Spot{"504", 504, C::timeout, R::verify_first, E::unknown, true},
                 Spot{"599", 599, C::timeout, R::yes, E::unknown, true},
             }) {
            check_spot(&find_status(spot.number), spot);
        }
        for (const int status : {418, 430, 497}) CHECK(&find_status(status) == &find_unusual(UnusualAnswer::other_4xx));
        for (const int status : {506, 527, 597}) CHECK(&find_status(status) == &find_unusual(UnusualAnswer::other_5xx));
        for (const int status : {0, -1, 100, 200, 206, 305, 600, 999}) {
            CHECK(&find_status(status) == &find_unusual(UnusualAnswer::not_from_s3));
        }
    }

    TEST_CASE("a code is found with the status in front, and only as it is spelt") {
        REQUIRE(find_code("503 SlowDown") != nullptr);
        CHECK(find_code("503 SlowDown")->name == "SlowDown");
        CHECK(find_code("400 ExpiredToken")->name == "ExpiredToken");
        for (const std::string_view code :
             {"", "slowdown", "SlowDown ", "50 SlowDown", "503SlowDown", "503 ", "Zzz", "A"}) {
            CHECK(find_code(code) == nullptr);
        }
        for (const FailureRow& row : code_rows()) {
            if (row.name != "503 SlowDown") CHECK(find_code(row.name) == &row);
        }
    }

}  // TEST_SUITE

}  // namespace s3tug::policy
