// Random numbers that depend only on the seed (splitmix64: Steele, Lea and Flood, 2014); the distributions of the
// standard library differ between implementations.
#pragma once

#include <cstddef>
#include <cstdint>

namespace puretree {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    // A number below n, which must not be 0 and must fit into 32 bits. The bias of at most n / 2^32 is negligible.
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(((next() >> 32) * n) >> 32); }

    bool flip() { return next() >> 63; }

private:
    std::uint64_t state_;
};

}  // namespace puretree
