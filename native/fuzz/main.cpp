// A driver for compilers without a fuzzer: `fuzz_kernels SECONDS SEED` runs random inputs until the time limit,
// `fuzz_kernels FILE...` runs files. A failing input is saved to a file to reproduce the failure; the first byte
// selects the kernel, so the number of kernels must not change in between.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" void __sanitizer_set_death_callback(void (*callback)());
extern "C" const char* __asan_default_options() { return "handle_abort=1:detect_stack_use_after_return=1"; }
extern "C" const char* __ubsan_default_options() { return "print_stacktrace=1"; }

namespace {

using Input = std::vector<std::uint8_t>;
using Clock = std::chrono::steady_clock;
constexpr const char* kFailingInput = "broken-input.bin";
constexpr double kMaxSeconds = 20;  // for one input; more is considered a hang

Input current;
std::string current_name;

void save_input() {
    std::ofstream(kFailingInput, std::ios::binary).write(reinterpret_cast<const char*>(current.data()),
                                                 static_cast<std::streamsize>(current.size()));
    std::fprintf(stderr, "%s failed; saved as %s, run 'fuzz_kernels %s' to reproduce\n", current_name.c_str(),
                 kFailingInput, kFailingInput);
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void run_input(Input input, std::string name) {
    current = std::move(input);
    current_name = std::move(name);
    const auto start = Clock::now();
    LLVMFuzzerTestOneInput(current.data(), current.size());
    puretree::fuzz::expect(seconds_since(start) < kMaxSeconds, "an input takes at most 20 s");
}

int run_files(int n_files, char** files) {
    for (int i = 0; i < n_files; ++i) {
        std::ifstream file(files[i], std::ios::binary);
        if (!file) return std::fprintf(stderr, "cannot open %s\n", files[i]), 2;
        run_input(Input(std::istreambuf_iterator<char>(file), {}), files[i]);
    }
    std::printf("%d files passed\n", n_files);
    return 0;
}

// The target with the least time in relation to its weight.
std::size_t next_target(const std::vector<double>& spent) {
    const auto& targets = puretree::fuzz::Target::all();
    std::size_t next = 0;
    for (std::size_t i = 1; i < targets.size(); ++i) {
        if (spent[i] / targets[i]->weight < spent[next] / targets[next]->weight) next = i;
    }
    return next;
}

int run_random(double seconds, std::uint64_t seed) {
    const auto& targets = puretree::fuzz::Target::all();
    std::vector<std::size_t> n_runs(targets.size());
    std::vector<double> spent(targets.size());
    const auto start = Clock::now();
    while (seconds_since(start) < seconds) {
        // The inputs of a kernel depend on the seed alone: a faster machine runs more of the same ones.
        const std::size_t kernel = next_target(spent);
        std::mt19937_64 random(seed * 1'000'003 + n_runs[kernel]);
        Input input(1 + random() % 200);
        for (auto& byte : input) byte = static_cast<std::uint8_t>(random());
        input[0] = static_cast<std::uint8_t>(kernel);
        const auto before = Clock::now();
        run_input(std::move(input), std::string("an input of ") + targets[kernel]->name);
        ++n_runs[kernel];
        spent[kernel] += seconds_since(before);
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
        std::printf("%-16s %8zu inputs %7.1f s\n", targets[i]->name, n_runs[i], spent[i]);
    }
    return 0;
}

}  // namespace

int main(int n_arguments, char** arguments) {
    __sanitizer_set_death_callback(save_input);
    char* end = nullptr;
    const double seconds = n_arguments > 1 ? std::strtod(arguments[1], &end) : 0;
    if (n_arguments < 2) return std::fprintf(stderr, "usage: fuzz_kernels SECONDS [SEED] | FILE...\n"), 2;
    if (*end != '\0') return run_files(n_arguments - 1, arguments + 1);
    return run_random(seconds, n_arguments > 2 ? std::strtoull(arguments[2], nullptr, 10) : 0);
}
