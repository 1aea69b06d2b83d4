#include "host/memory_state_store.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace s3tug::host {

std::optional<std::string> MemoryStateStore::read(port::Table table, std::string_view key) {
    const Rows& rows = tables_[index_of(table)];
    const auto found = rows.find(key);
    if (found == rows.end()) return std::nullopt;
    return found->second.value;
}

bool MemoryStateStore::update(port::Table table, std::string_view key, const Step& step) {
    Rows& rows = tables_[index_of(table)];
    const auto found = rows.find(key);
    const std::optional<std::string> present = found == rows.end() ? std::nullopt : std::optional(found->second.value);
    std::optional<std::string> next = step(present);
    if (!next || next == present) return true;
    if (next->empty()) {
        if (present) rows.erase(found);
        return true;
    }
    if (present) {
        found->second = {*std::move(next), clock_.wall()};
        return true;
    }
    const auto added = rows.emplace(key, Row{*std::move(next), clock_.wall()}).first;
    prune(rows, table_bounds(table), added);
    return true;
}

void MemoryStateStore::prune(Rows& rows, const TableBounds& bounds, Rows::const_iterator keep) {
    const WallTime now = clock_.wall();
    if (bounds.keep > Duration::zero()) {
        std::erase_if(rows, [&](const auto& entry) { return now - entry.second.updated > bounds.keep; });
    }
    while (rows.size() > bounds.rows_max) {
        // Rows from the future go first, then the oldest; the one just written stays.
        const auto rank = [&](const Rows::value_type& entry) {
            return std::tuple(entry.first == keep->first, entry.second.updated <= now, entry.second.updated);
        };
        rows.erase(std::min_element(rows.begin(), rows.end(),
                                    [&](const auto& a, const auto& b) { return rank(a) < rank(b); }));
    }
}

std::vector<port::StateEntry> MemoryStateStore::list(port::Table table) {
    std::vector<port::StateEntry> entries;
    for (const auto& [key, row] : tables_[index_of(table)]) entries.push_back({key, row.value, row.updated});
    return entries;
}

bool MemoryStateStore::erase_all(port::Table table) {
    tables_[index_of(table)].clear();
    return true;
}

Status MemoryStateStore::healthy() {
    return Error{ErrorKind::state_file, "state is kept in memory only and ends with this process"};
}

}  // namespace s3tug::host
