// Runs one input: the first byte selects the kernel, the others are its input. The function has the name that
// libFuzzer, AFL++ and other drivers call.
#include <cstddef>
#include <cstdint>

#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace puretree::fuzz;
    if (size == 0) return 0;
    const auto& targets = Target::all();
    Bytes bytes({data + 1, size - 1});
    targets[data[0] % targets.size()]->run(bytes);
    return 0;
}
