// A set of small numbers with insertion, removal and access by index in constant time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace puretree {

class IndexedSet {
public:
    void reset(std::size_t n_numbers) {
        members_.clear();
        indices_.assign(n_numbers, kAbsent);
    }
    std::size_t size() const { return members_.size(); }
    bool empty() const { return members_.empty(); }
    std::uint32_t operator[](std::size_t index) const { return members_[index]; }
    bool contains(std::uint32_t number) const { return indices_[number] != kAbsent; }

    void insert(std::uint32_t number) {
        if (contains(number)) return;
        indices_[number] = static_cast<std::uint32_t>(members_.size());
        members_.push_back(number);
    }
    void erase(std::uint32_t number) {
        if (!contains(number)) return;
        const std::uint32_t last = members_.back();
        members_[indices_[number]] = last;
        indices_[last] = indices_[number];
        members_.pop_back();
        indices_[number] = kAbsent;
    }

    auto begin() const { return members_.begin(); }
    auto end() const { return members_.end(); }

private:
    static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
    std::vector<std::uint32_t> members_;
    std::vector<std::uint32_t> indices_;
};

}  // namespace puretree
