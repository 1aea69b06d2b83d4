#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "contract/files_contract.h"
#include "host/posix_files.h"
#include "host/system_clock.h"
#include "support/sim_world.h"
#include "support/temp_folder.h"

namespace s3tug::test {
namespace {

class RealFiles final : public FilesWorld {
  public:
    RealFiles() { std::signal(SIGPIPE, SIG_IGN); }
    port::Files& files() override { return files_; }
    std::string path(const std::string& name) override { return folder_.path(name); }
    void put(const std::string& name, const std::string& bytes) override {
        std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
        std::ofstream(path(name), std::ios::binary) << bytes;
    }
    std::optional<std::string> get(const std::string& name) override {
        std::ifstream in(path(name), std::ios::binary);
        if (!in) return std::nullopt;
        return std::string(std::istreambuf_iterator<char>(in), {});
    }
    /// The target has a descriptor of its own, so descriptor 1 is another file only while it is opened.
    Result<std::unique_ptr<port::TargetFile>> open_stdout() override {
        std::cout.flush();
        std::fflush(stdout);
        const int before = ::dup(STDOUT_FILENO);
        const int file = ::open(path("stdout").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        REQUIRE(before >= 0);
        REQUIRE(::dup2(file, STDOUT_FILENO) == STDOUT_FILENO);
        auto target = files_.open_stdout();
        ::dup2(before, STDOUT_FILENO);
        ::close(before);
        ::close(file);
        return target;
    }
    std::string stdout_bytes() override { return get("stdout").value_or(""); }

  private:
    TempFolder folder_;
    host::SystemClock clock_;
    std::atomic<int> signal_number_ = 0;
    host::PosixFiles files_{clock_, host::StopSignal{.number = &signal_number_, .wake_fd = -1}};
};

class SimulatedFiles final : public FilesWorld {
  public:
    port::Files& files() override { return files_; }
    std::string path(const std::string& name) override { return name.empty() ? "/d" : "/d/" + name; }
    void put(const std::string& name, const std::string& bytes) override {
        sim::SimFiles::File& file = files_.files[path(name)];
        file.bytes = bytes;
        ++file.version;
    }
    std::optional<std::string> get(const std::string& name) override {
        const auto found = files_.files.find(path(name));
        return found == files_.files.end() ? std::nullopt : std::optional(found->second.bytes);
    }
    Result<std::unique_ptr<port::TargetFile>> open_stdout() override { return files_.open_stdout(); }
    std::string stdout_bytes() override { return files_.stdout_bytes; }

  private:
    sim::SimFiles files_;
};

void run_contract(const FilesContract::Make& make) {
    SUBCASE("a source is read at any offset, and in order") { FilesContract(make).reads_at_offsets(); }
    SUBCASE("a source that changes shows it") { FilesContract(make).notices_change(); }
    SUBCASE("what is missing is named") { FilesContract(make).names_what_is_missing(); }
    SUBCASE("a target is replaced at once or not at all") { FilesContract(make).replaces_at_once_or_not_at_all(); }
    SUBCASE("a target can begin again") { FilesContract(make).truncates(); }
    SUBCASE("what is kept is there for a later run that asks for it") { FilesContract(make).keeps_for_a_later_run(); }
    SUBCASE("two that write the same target do not hurt each other") {
        FilesContract(make).two_at_once_do_not_hurt_each_other();
    }
    SUBCASE("a spool is written in order and read at any offset") { FilesContract(make).spools(); }
    SUBCASE("standard output goes only on") { FilesContract(make).standard_output_goes_only_on(); }
    SUBCASE("a folder gives its names") { FilesContract(make).lists_folders(); }
}

}  // namespace

TEST_SUITE("contract/files") {
    TEST_CASE("POSIX") {
        run_contract([] { return std::make_unique<RealFiles>(); });
    }
    TEST_CASE("simulated") {
        run_contract([] { return std::make_unique<SimulatedFiles>(); });
    }
}

}  // namespace s3tug::test
