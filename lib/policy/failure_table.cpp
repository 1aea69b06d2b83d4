#include "policy/failure_table.h"

#include <algorithm>
#include <array>

#include "policy/failure_codes_access.h"
#include "policy/failure_codes_request.h"
#include "policy/failure_codes_server.h"
#include "policy/failure_codes_store.h"
#include "policy/failure_status.h"
#include "policy/failure_transport.h"

namespace s3tug::policy {

namespace {

constexpr auto by_name = [](const FailureRow& a, const FailureRow& b) { return a.name < b.name; };
constexpr auto by_number = [](const FailureRow& a, const FailureRow& b) { return a.number < b.number; };

template <class Rows, class Less>
consteval Rows sorted(Rows rows, Less less) {
    std::sort(rows.begin(), rows.end(), less);
    return rows;
}

/// Sorted, and no name or number twice.
template <class Less>
consteval bool strictly_rising(std::span<const FailureRow> rows, Less less) {
    return std::adjacent_find(rows.begin(), rows.end(),
                              [&](const FailureRow& a, const FailureRow& b) { return !less(a, b); }) == rows.end();
}

consteval bool consistent(std::span<const FailureRow> rows) {
    return std::all_of(rows.begin(), rows.end(), [](const FailureRow& r) {
        return (r.repair == Repair::none || r.retry == RetryRule::once_after_fix) && r.cls != FailureClass::none &&
               r.effect != Effect::applied && (!r.counts_for_breaker || r.retry != RetryRule::no);
    });
}

constexpr auto codes =
    sorted(table::join(table::server_codes, table::access_codes, table::store_codes, table::request_codes), by_name);
constexpr auto transports = sorted(table::transport_results, by_number);
constexpr auto plain_statuses = sorted(table::plain_statuses, by_number);
constexpr auto statuses = table::join(plain_statuses, table::unusual_answers);

static_assert(strictly_rising(codes, by_name));
static_assert(strictly_rising(transports, by_number));
static_assert(strictly_rising(plain_statuses, by_number));
static_assert(consistent(codes));
static_assert(consistent(transports));
static_assert(consistent(statuses));

const FailureRow* find_number(std::span<const FailureRow> rows, int number) {
    const auto at = std::lower_bound(rows.begin(), rows.end(), number,
                                     [](const FailureRow& r, int wanted) { return r.number < wanted; });
    return at != rows.end() && at->number == number ? &*at : nullptr;
}

/// Some answers put the status in front of the code: "503 SlowDown".
std::string_view without_status(std::string_view code) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    const bool prefixed = code.size() > 4 && std::all_of(code.begin(), code.begin() + 3, digit) && code[3] == ' ';
    return prefixed ? code.substr(4) : code;
}

}  // namespace

std::span<const FailureRow> code_rows() { return codes; }
std::span<const FailureRow> transport_rows() { return transports; }
std::span<const FailureRow> status_rows() { return statuses; }

const FailureRow* find_code(std::string_view code) {
    const std::string_view name = without_status(code);
    const auto at = std::lower_bound(codes.begin(), codes.end(), name,
                                     [](const FailureRow& r, std::string_view wanted) { return r.name < wanted; });
    return at != codes.end() && at->name == name ? &*at : nullptr;
}

const FailureRow* find_transport(int number) { return find_number(transports, number); }

const FailureRow& find_status(int status) {
    if (const FailureRow* row = find_number(plain_statuses, status)) return *row;
    if (status >= 400 && status < 500) return find_unusual(UnusualAnswer::other_4xx);
    if (status >= 500 && status < 600) return find_unusual(UnusualAnswer::other_5xx);
    return find_unusual(UnusualAnswer::not_from_s3);
}

const FailureRow& find_unusual(UnusualAnswer answer) {
    return table::unusual_answers[static_cast<std::size_t>(answer)];
}

}  // namespace s3tug::policy
