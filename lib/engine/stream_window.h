#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "engine/buffer_budget.h"
#include "port/files.h"

namespace s3tug::engine {

/// Before a stream: takes bytes by offset, within a window before the byte that it wants next: what comes early is held
/// until its turn. Bytes of the part at the front are held only between hold() and release().
///
/// A part must be admitted before its first byte is written. One that begins where the stream stands always is; others
/// as long as the run's budget has room for all of their bytes. What was admitted is given back as it passes.
class StreamWindow {
  public:
    /// @param stream, budget  outlive it
    /// @param until   bound on waiting for the reader
    /// @param passes  told of the bytes that leave, in order
    StreamWindow(port::TargetFile& stream, BufferBudget& budget, std::optional<Instant> until,
                 std::function<void(ByteSpan)> passes);
    ~StreamWindow();
    StreamWindow(const StreamWindow&) = delete;
    StreamWindow& operator=(const StreamWindow&) = delete;

    /// Asked again for the same part, it is the same part.
    [[nodiscard]] bool admit(uint64_t first, uint64_t bytes);
    [[nodiscard]] uint64_t passed() const { return passed_; }  ///< bytes that have left, for good
    /// Before the first byte came: none leaves until release().
    void hold() { holding_ = true; }
    [[nodiscard]] bool holding() const { return holding_; }
    [[nodiscard]] Status release();

    [[nodiscard]] Status write_at(uint64_t offset, ByteSpan bytes);

  private:
    struct Part {
        uint64_t bytes = 0;
        std::vector<std::byte> held;  ///< from its first byte on
    };
    [[nodiscard]] Status pass(ByteSpan bytes);
    [[nodiscard]] Status pass_held();
    void forget_passed();

    port::TargetFile& stream_;
    BufferBudget& budget_;
    std::optional<Instant> until_;
    std::function<void(ByteSpan)> passes_;
    std::map<uint64_t, Part> parts_;  ///< admitted, by first byte
    uint64_t passed_ = 0;
    bool holding_ = false;
};

}  // namespace s3tug::engine
