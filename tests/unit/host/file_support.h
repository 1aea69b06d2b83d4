#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "host/posix_files.h"
#include "host/unique_fd.h"
#include "port/clock.h"
#include "support/temp_folder.h"

namespace s3tug::host {

/// Stands still, so that a bound that is not in the future is reached without waiting.
class StillClock final : public port::Clock {
  public:
    Instant now() override { return at; }
    WallTime wall() override { return WallTime(hours(400'000)); }
    Instant at = Instant(hours(1));
};

/// A folder and the file port in it.
struct FilesInFolder {
    test::TempFolder folder;
    StillClock clock;
    std::atomic<int> signal_number = 0;
    PosixFiles files{clock, StopSignal{.number = &signal_number, .wake_fd = -1}};

    FilesInFolder() { std::signal(SIGPIPE, SIG_IGN); }

    [[nodiscard]] std::vector<std::string> names(const std::string& below = {}) const {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path(below))) {
            found.push_back(entry.path().filename().string());
        }
        std::ranges::sort(found);
        return found;
    }
};

inline std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline mode_t mode_of(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

inline std::string next(port::SourceFile& source, std::size_t most = 100'000) {
    std::string text(most, '\0');
    auto got = source.read_next(std::as_writable_bytes(std::span(text)), std::nullopt);
    if (!got.ok()) return "error: " + got.error().message;
    text.resize(*got);
    return text;
}

/// Puts another descriptor in the place of 0 or 1 for a while.
class Standing {
  public:
    Standing(int fd, int replacement) : fd_(fd), saved_(::fcntl(fd, F_DUPFD_CLOEXEC, 10)) {
        if (replacement < 0) {
            ::close(fd);
        } else {
            ::dup2(replacement, fd);
        }
    }
    ~Standing() {
        ::dup2(saved_, fd_);
        ::close(saved_);
    }
    Standing(const Standing&) = delete;
    Standing& operator=(const Standing&) = delete;

  private:
    int fd_;
    int saved_;
};

struct Pipe {
    UniqueFd reader;
    UniqueFd writer;
    Pipe() {
        int fds[2] = {-1, -1};
        if (::pipe2(fds, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
        reader.reset(fds[0]);
        writer.reset(fds[1]);
    }
    void put(std::string_view text) const {
        REQUIRE(::write(writer.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    [[nodiscard]] std::string take(std::size_t most = 1 << 20) const {
        std::string text(most, '\0');
        const ssize_t n = ::read(reader.get(), text.data(), text.size());
        text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
        return text;
    }
};

}  // namespace s3tug::host
