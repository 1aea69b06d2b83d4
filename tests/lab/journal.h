#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "lab/bytes.h"

namespace s3tug::lab {

/// One request as the lab saw it.
struct Seen {
    uint64_t number = 0;      ///< from 1, over all connections
    uint64_t connection = 0;  ///< from 1
    uint64_t ordinal = 0;     ///< on that connection, from 1
    int64_t at_ms = 0;        ///< since start, by a steady clock
    std::string op;
    std::string method;
    std::string target;  ///< as on the wire
    std::string bucket;
    std::string key;
    Fields headers;              ///< without Authorization's signature and without security tokens
    uint64_t body_size = 0;      ///< as announced
    uint64_t body_received = 0;  ///< on the wire
    uint64_t body_sent = 0;      ///< of the answer, handed to the socket
    bool applied = false;        ///< the effect took place (a `late` one: once it has)
    int status = 0;              ///< 0: nothing was answered
    std::string code;            ///< of the error that was answered
    std::string request_id;
    std::string ending;  ///< "answered", or how the connection ended: "reset mid-body", "client left"
};

/// Every request seen, bounded: beyond `limit` the oldest are forgotten, the counts are not.
class Journal {
  public:
    static constexpr size_t limit = 100'000;

    /// @return its number, for `update`
    uint64_t begin(Seen seen);
    void update(uint64_t number, const std::function<void(Seen&)>& change);
    /// The request is over, whatever came of it.
    void end();

    [[nodiscard]] std::vector<Seen> all() const;
    [[nodiscard]] std::map<std::string, uint64_t> counts() const;
    void clear();
    /// Waits until no request is under way; false when the time is up.
    [[nodiscard]] bool wait_idle(std::chrono::milliseconds patience);

  private:
    mutable std::mutex mutex_;
    std::condition_variable idle_;
    std::deque<Seen> seen_;
    std::map<std::string, uint64_t> counts_;
    uint64_t next_ = 1;
    uint64_t under_way_ = 0;
};

/// One line of JSON.
[[nodiscard]] std::string to_json(const Seen& seen);

}  // namespace s3tug::lab
