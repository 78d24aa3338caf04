// A driver for compilers without one of their own: `fuzz_kernels SECONDS SEED` tries inputs made from the seed until the
// time is over, `fuzz_kernels FILE...` tries files. The input at which something broke is left in a file, to be tried
// again: the first byte chooses the kernel, so the number of kernels must be the same then.
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
constexpr const char* kLeft = "broken-input.bin";
constexpr double kMostSeconds = 20;  // for one input: more is a hang

Input current;
std::string current_name;

void leave_input() {
    std::ofstream(kLeft, std::ios::binary).write(reinterpret_cast<const char*>(current.data()),
                                                 static_cast<std::streamsize>(current.size()));
    std::fprintf(stderr, "it broke at %s, left in %s: 'fuzz_kernels %s' tries it again\n", current_name.c_str(), kLeft, kLeft);
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void try_input(Input input, std::string name) {
    current = std::move(input);
    current_name = std::move(name);
    const auto start = Clock::now();
    LLVMFuzzerTestOneInput(current.data(), current.size());
    puretree::fuzz::expect(seconds_since(start) < kMostSeconds, "an input takes no longer than 20 s");
}

int try_files(int n_files, char** files) {
    for (int i = 0; i < n_files; ++i) {
        std::ifstream file(files[i], std::ios::binary);
        if (!file) return std::fprintf(stderr, "there is no file %s\n", files[i]), 2;
        try_input(Input(std::istreambuf_iterator<char>(file), {}), files[i]);
    }
    std::printf("%d files, nothing broke\n", n_files);
    return 0;
}

// Whoever is furthest behind its share of the time comes next.
std::size_t choose(const std::vector<double>& spent) {
    const auto& targets = puretree::fuzz::Target::all();
    std::size_t chosen = 0;
    for (std::size_t i = 1; i < targets.size(); ++i) {
        if (spent[i] / targets[i]->share < spent[chosen] / targets[chosen]->share) chosen = i;
    }
    return chosen;
}

int try_random(double seconds, std::uint64_t seed) {
    const auto& targets = puretree::fuzz::Target::all();
    std::vector<std::size_t> n_runs(targets.size());
    std::vector<double> spent(targets.size());
    const auto start = Clock::now();
    while (seconds_since(start) < seconds) {
        // A kernel's inputs depend on nothing but the seed: a faster machine tries more of the same ones.
        const std::size_t kernel = choose(spent);
        std::mt19937_64 random(seed * 1'000'003 + n_runs[kernel]);
        Input input(1 + random() % 200);
        for (auto& byte : input) byte = static_cast<std::uint8_t>(random());
        input[0] = static_cast<std::uint8_t>(kernel);
        const auto before = Clock::now();
        try_input(std::move(input), std::string("an input of ") + targets[kernel]->name);
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
    __sanitizer_set_death_callback(leave_input);
    char* end = nullptr;
    const double seconds = n_arguments > 1 ? std::strtod(arguments[1], &end) : 0;
    if (n_arguments < 2) return std::fprintf(stderr, "usage: fuzz_kernels SECONDS [SEED] | FILE...\n"), 2;
    if (*end != '\0') return try_files(n_arguments - 1, arguments + 1);
    return try_random(seconds, n_arguments > 2 ? std::strtoull(arguments[2], nullptr, 10) : 0);
}
