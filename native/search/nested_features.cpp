#include "nested_features.hpp"

#include <algorithm>
#include <deque>

namespace puretree {
namespace {

constexpr std::size_t kMaxChains = 64;  // compared with a feature, the latest ones: thresholds of a column are adjacent

struct Link {
    std::uint32_t feature;
    bool low_is_no;
};

class Nesting {
public:
    explicit Nesting(const Examples& examples) : examples_(examples) {}

    // Adds a feature at an end of the chain if it fits there.
    bool join(std::deque<Link>& chain, std::uint32_t feature) const {
        for (const bool low_is_no : {false, true}) {
            const Link link{feature, low_is_no};
            if (is_below(chain.back(), link)) {
                chain.push_back(link);
            } else if (is_below(link, chain.front())) {
                chain.push_front(link);
            } else {
                continue;
            }
            return true;
        }
        return false;
    }

private:
    Word low_side(const Link& link, std::size_t w) const {
        const Word yes = examples_.column(link.feature)[w];
        return link.low_is_no ? examples_.full_set()[w] & ~yes : yes;
    }

    bool is_below(const Link& low, const Link& high) const {
        for (std::size_t w = 0; w < examples_.n_words(); ++w) {
            if (low_side(low, w) & ~low_side(high, w)) return false;
        }
        return true;
    }

    const Examples& examples_;
};

}  // namespace

NestedFeatures find_chains(const Examples& examples) {
    const Nesting nesting(examples);
    std::vector<std::deque<Link>> chains;
    for (std::uint32_t feature = 0; feature < examples.n_features(); ++feature) {
        bool has_joined = false;
        for (std::size_t back = 1; back <= std::min(chains.size(), kMaxChains) && !has_joined; ++back) {
            has_joined = nesting.join(chains[chains.size() - back], feature);
        }
        if (!has_joined) chains.push_back({{feature, false}});
    }
    NestedFeatures nested = without_chains(examples.n_features());
    nested.order.clear();
    for (std::size_t chain = 0; chain < chains.size(); ++chain) {
        for (const Link& link : chains[chain]) {
            nested.order.push_back(link.feature);
            nested.chain_of[link.feature] = static_cast<std::uint32_t>(chain);
            nested.low_is_no[link.feature] = link.low_is_no;
        }
    }
    return nested;
}

NestedFeatures without_chains(std::size_t n_features) {
    NestedFeatures nested{{}, {}, std::vector<std::uint8_t>(n_features)};
    for (std::uint32_t feature = 0; feature < n_features; ++feature) {
        nested.order.push_back(feature);
        nested.chain_of.push_back(feature);
    }
    return nested;
}

}  // namespace puretree
