#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include "fuzz/fuzz.h"
#include "fuzz/mutants.h"

/// Runs one target over all inputs of the folders named, each whole and cut at some places; then, for as long as asked
/// for, over what becomes of them by small changes:   fuzz_NAME [--seconds N [--seed N | --commit TEXT]] corpus/NAME
namespace {

void run(const std::string& text) {
    // A copy of its own size, so that the sanitizers see a read beyond it.
    const std::vector<uint8_t> input(text.begin(), text.end());
    LLVMFuzzerTestOneInput(input.data(), input.size());
}

unsigned replay(const std::string& text) {
    const std::size_t step = text.size() / 64 + 1;
    unsigned runs = 0;
    for (std::size_t cut = 0; cut < text.size() + step; cut += step, ++runs) run(text.substr(0, cut));
    return runs;
}

std::vector<std::string> read_all(const std::vector<std::string>& folders) {
    std::vector<std::string> names, texts;
    for (const std::string& folder : folders) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
            if (entry.is_regular_file()) names.push_back(entry.path());
        }
    }
    std::sort(names.begin(), names.end());  // one seed, one run
    for (const std::string& name : names) {
        std::ifstream in(name, std::ios::binary);
        texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return texts;
}

/// In a child, since whatever breaks ends it; how far it came is in memory that both have.
int mutate(const std::vector<std::string>& corpus, uint64_t seed, std::chrono::seconds time) {
    void* const shared =
        mmap(nullptr, sizeof(std::atomic<uint64_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 1;
    auto* const present = new (shared) std::atomic<uint64_t>(0);
    const s3tug::fuzz::Mutants mutants(corpus, seed);
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
        alarm(static_cast<unsigned>(time.count()) + 30);  // an input that takes for ever
        const auto end = std::chrono::steady_clock::now() + time;
        for (; std::chrono::steady_clock::now() < end; ++*present) run(mutants.nth(*present));
        _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child) return 1;
    const auto number = static_cast<unsigned long long>(present->load());
    if (status == 0) {
        std::printf("%llu changed inputs\n", number);
        return 0;
    }
    const std::string name = "fuzz-broken-" + std::to_string(seed) + "-" + std::to_string(number);
    std::ofstream(name, std::ios::binary) << mutants.nth(number);
    std::printf("changed input %llu breaks it; it is in %s\n", number, name.c_str());
    return 1;
}

}  // namespace

int main(int count, char** arguments) {
    uint64_t seed = 1, seconds = 0;
    std::vector<std::string> folders;
    for (int i = 1; i < count; ++i) {
        const std::string_view name = arguments[i];
        if (!name.starts_with("--") || i + 1 == count) {
            folders.emplace_back(name);
            continue;
        }
        const std::string_view value = arguments[++i];
        uint64_t& number = name == "--seconds" ? seconds : seed;
        if (name == "--commit")
            seed = s3tug::fuzz::seed_of(value);
        else if (std::from_chars(value.data(), value.data() + value.size(), number).ec != std::errc())
            return 1;
    }
    const std::vector<std::string> corpus = read_all(folders);
    unsigned runs = 0;
    for (const std::string& text : corpus) runs += replay(text);
    std::printf("%zu inputs, %u runs\n", corpus.size(), runs);
    if (corpus.empty()) return 1;
    if (seconds == 0) return 0;
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    return mutate(corpus, seed, std::chrono::seconds(seconds));
}
