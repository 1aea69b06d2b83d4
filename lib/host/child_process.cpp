#include "host/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/bytes.h"
#include "base/text.h"
#include "host/system_clock.h"
#include "host/unique_fd.h"

namespace s3tug::host {

namespace {

constexpr Duration poll_slice = milliseconds(100);
constexpr Duration exit_pause_first = microseconds(200);
constexpr Duration exit_pause_max = milliseconds(10);

Error failed(std::string message) { return {ErrorKind::no_credentials, std::move(message)}; }

/// A child that is killed and reaped unless it was waited for.
class Child {
  public:
    explicit Child(pid_t pid) : pid_(pid) {}
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
    }

    /// The wait status once it has ended. Where SIGCHLD is ignored the kernel keeps none: 0.
    std::optional<int> ended() {
        int status = 0;
        const pid_t got = ::waitpid(pid_, &status, WNOHANG);
        if (got == 0 || (got < 0 && errno == EINTR)) return std::nullopt;
        pid_ = -1;
        return got < 0 ? 0 : status;
    }

  private:
    pid_t pid_;
};

class SpawnSettings {
  public:
    explicit SpawnSettings(int stdout_fd) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions_, stdout_fd, STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
        posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
#endif
        posix_spawnattr_init(&attributes_);
        sigset_t signals;
        sigemptyset(&signals);
        posix_spawnattr_setsigmask(&attributes_, &signals);
        sigaddset(&signals, SIGPIPE);
        posix_spawnattr_setsigdefault(&attributes_, &signals);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }

    [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
    [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

  private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> out;
    out.reserve(strings.size() + 1);
    for (std::string& s : strings) out.push_back(s.data());
    out.push_back(nullptr);
    return out;
}

/// What ends the waiting besides the child: the time, or the user.
class Patience {
  public:
    explicit Patience(const ChildLimits& limits)
        : limits_(limits), end_(Instant(saturating_add(clock_.now().time_since_epoch(), limits.timeout))) {}

    [[nodiscard]] std::optional<Error> over() {
        if (limits_.interrupted && limits_.interrupted()) return Error{ErrorKind::interrupted, "interrupted"};
        if (clock_.now() < end_) return std::nullopt;
        return failed(fmt::format("it did not end within {}", format_duration(limits_.timeout)));
    }
    [[nodiscard]] Duration slice() { return std::clamp(end_ - clock_.now(), Duration::zero(), poll_slice); }

  private:
    const ChildLimits& limits_;
    SystemClock clock_;
    Instant end_;
};

/// Reads to the end of the pipe. nullopt = done.
std::optional<Error> drain(int fd, std::size_t max_bytes, Patience& patience, std::string& out) {
    std::array<char, 4096> chunk{};
    for (;;) {
        if (auto over = patience.over()) return over;
        pollfd waiting{fd, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(to_ms(patience.slice())) + 1);
        if (ready < 0 && errno != EINTR) return failed(fmt::format("poll: {}", std::strerror(errno)));
        if (ready <= 0) continue;
        const ssize_t got = ::read(fd, chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failed(fmt::format("cannot read its output: {}", std::strerror(errno)));
        if (got == 0) return std::nullopt;
        out.append(chunk.data(), static_cast<std::size_t>(got));
        if (out.size() > max_bytes) return failed(fmt::format("it wrote more than {} bytes", max_bytes));
    }
}

}  // namespace

Result<std::string> run_for_output(const std::vector<std::string>& words, const Environment& environment,
                                   const ChildLimits& limits) {
    if (words.empty()) return failed("the command is empty");
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failed(fmt::format("pipe: {}", std::strerror(errno)));
    const UniqueFd read_end(ends[0]);
    UniqueFd write_end(ends[1]);

    std::vector<std::string> arguments = words;
    std::vector<std::string> variables = environment.entries();
    const SpawnSettings settings(write_end.get());
    pid_t pid = -1;
    const int error = ::posix_spawnp(&pid, words.front().c_str(), settings.actions(), settings.attributes(),
                                     pointers(arguments).data(), pointers(variables).data());
    if (error != 0) {
        return failed(fmt::format("cannot start {}: {}", printable(words.front()), std::strerror(error)));
    }
    Child child(pid);
    write_end.reset();

    Patience patience(limits);
    std::string output;
    if (auto trouble = drain(read_end.get(), limits.output_max_bytes, patience, output)) return *std::move(trouble);

    std::optional<int> status = child.ended();
    for (Duration pause = exit_pause_first; !status; pause = std::min(pause * 2, exit_pause_max)) {
        if (auto over = patience.over()) return *std::move(over);
        ::poll(nullptr, 0, static_cast<int>(to_ms(pause)) + 1);
        status = child.ended();
    }
    if (WIFSIGNALED(*status)) return failed(fmt::format("it was ended by signal {}", WTERMSIG(*status)));
    if (WEXITSTATUS(*status) != 0) return failed(fmt::format("it ended with status {}", WEXITSTATUS(*status)));
    return output;
}

}  // namespace s3tug::host
