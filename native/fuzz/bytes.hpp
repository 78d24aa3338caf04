// Draws random decisions from the bytes of a fuzzer's input. After the last byte, pseudo-random numbers seeded by the
// bytes continue, so a short input gives a complete problem, and a change of one byte a similar one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace puretree::fuzz {

class Bytes {
public:
    explicit Bytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    std::uint8_t byte() {
        if (at_ == bytes_.size()) return static_cast<std::uint8_t>(next() >> 56);
        state_ = (state_ ^ bytes_[at_]) * 0x100000001b3;
        return bytes_[at_++];
    }

    std::uint64_t word() {
        std::uint64_t word = 0;
        for (int i = 0; i < 8; ++i) word = word << 8 | byte();
        return word;
    }

    // A number below `end`, which is at least 1.
    std::size_t below(std::size_t end) { return end <= 256 ? byte() % end : word() % end; }

    // From `least` to `most`.
    std::int64_t between(std::int64_t least, std::int64_t most) {
        return least + static_cast<std::int64_t>(below(static_cast<std::size_t>(most - least) + 1));
    }

    bool flag() { return byte() & 1; }
    bool one_in(std::size_t n) { return below(n) == 0; }

    // A size in a range, often one at the border of a 64-bit word.
    std::size_t size(std::size_t least, std::size_t most) {
        constexpr std::size_t kBorders[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 129};
        const std::size_t border = kBorders[below(std::size(kBorders))];
        if (flag() && least <= border && border <= most) return border;
        return least + below(most - least + 1);
    }

    std::span<const std::uint8_t> rest() {
        const auto remaining = bytes_.subspan(at_);
        at_ = bytes_.size();
        return remaining;
    }

private:
    std::uint64_t next() {  // splitmix64
        std::uint64_t x = state_ += 0x9e3779b97f4a7c15;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        return x ^ (x >> 31);
    }

    std::span<const std::uint8_t> bytes_;
    std::size_t at_ = 0;
    std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace puretree::fuzz
