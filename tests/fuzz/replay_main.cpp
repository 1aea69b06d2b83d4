#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/fuzz.h"

/// Runs one target over files and folders of inputs, and over each input cut at some places: NAME_replay corpus/NAME
namespace {

unsigned replay(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const std::size_t step = text.size() / 64 + 1;
    unsigned runs = 0;
    for (std::size_t cut = 0; cut < text.size() + step; cut += step, ++runs) {
        // A copy of its own size, so that the sanitizers see a read beyond it.
        const std::string input(text.substr(0, cut));
        LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
    return runs + 1;
}

}  // namespace

int main(int count, char** arguments) {
    unsigned files = 0, runs = 0;
    for (int i = 1; i < count; ++i) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(arguments[i])) {
            if (!entry.is_regular_file()) continue;
            runs += replay(entry.path());
            ++files;
        }
    }
    std::printf("%u inputs, %u runs\n", files, runs);
    return files == 0 ? 1 : 0;
}
