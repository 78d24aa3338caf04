// One input: its first byte says which kernel, the others are what the kernel gets. The name is what libFuzzer, AFL++ and
// other drivers look for.
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
