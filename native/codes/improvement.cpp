#include "improvement.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace puretree {
namespace {

constexpr std::size_t kPartTests[] = {8, 16, 32};
constexpr std::size_t kBudgets[] = {300, 3'000, 30'000};  // in ticks
constexpr std::size_t kRegrowTicks = 20'000;
constexpr std::size_t kFirstRegrowTests = 8;
constexpr double kBatchWork = 100'000;  // a batch has so many parts that it takes some tenths of a second
constexpr std::size_t kMinBatch = 8, kMaxBatch = 256;
constexpr double kDecay = 0.995;      // an average over about the last 200 parts of a move
constexpr double kFirstGain = 0.3;    // the expected gain of a part before the move is tried
constexpr double kFirstWorkPerTick = 2;  // the expected work
constexpr double kWorkPerPart = 10;  // to choose it
constexpr double kEntriesPerWork = 1000;  // of the codes that are copied
constexpr double kFirstRegrowWork = 30;  // for each test, before the move is tried
constexpr std::size_t kMaxRemembered = std::size_t{1} << 22;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
    return (a ^ (a >> 31)) * 0xbf58476d1ce4e5b9u;
}

}  // namespace

Improvement::Improvement(const Codes& codes, std::span<const std::int32_t> labels, std::size_t n_classes,
                         const CodeTree& tree, Depth max_depth, bool has_fixed_root, std::uint64_t seed)
    : tree_(codes, labels, n_classes, tree), n_classes_(n_classes), n_columns_(codes.n_columns), max_depth_(max_depth),
      has_fixed_root_(has_fixed_root), seed_(seed) {
    for (const std::size_t max_ticks : kBudgets) {
        for (const std::size_t max_tests : kPartTests) {
            moves_.push_back({Move::Kind::solve, max_tests, max_ticks});
            // The depth of a branch that is hung back on elsewhere is not known in advance.
            if (max_depth == kAnyDepth) moves_.push_back({Move::Kind::cut, max_tests, max_ticks});
        }
    }
    for (std::size_t max_tests = kFirstRegrowTests; max_tests / 2 < tree_.n_tests(); max_tests *= 2) {
        moves_.push_back({Move::Kind::regrow, max_tests, kRegrowTicks});
    }
    estimates_.resize(moves_.size());
    is_exhausted_.resize(moves_.size());
}

std::vector<Part> Improvement::next_batch(std::size_t max_parts) {
    for (;;) {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < moves_.size(); ++i) {
            if (is_exhausted_[i]) continue;
            if (!best || gain_per_work(i) > gain_per_work(*best)) best = i;
        }
        if (!best) return {};
        const Move& move = moves_[*best];
        const auto n_in_time = static_cast<std::size_t>(kBatchWork / work_per_part(*best));
        const std::size_t size = std::min(max_parts, std::clamp(n_in_time, kMinBatch, kMaxBatch));
        std::vector<Part> batch;
        chosen_.clear();
        above_chosen_.clear();
        for (const std::int32_t node : candidates(move)) {
            if (batch.size() == size) break;
            if (!is_free(node)) continue;
            if (auto part = make_part(node, *best)) {
                batch.push_back(std::move(*part));
                occupy(node);
            }
        }
        if (!batch.empty()) return batch;
        is_exhausted_[*best] = 1;
    }
}

double Improvement::work_per_part(std::size_t move) const {
    const Estimate& estimate = estimates_[move];
    if (estimate.n_parts > 0) return estimate.work / estimate.n_parts;
    const Move& how = moves_[move];
    if (how.kind == Move::Kind::regrow) return kFirstRegrowWork * static_cast<double>(how.max_tests);
    // In proportion to the move with the next smaller budget, if that has been tried.
    for (std::size_t i = move; i-- > 0;) {
        const bool is_alike = moves_[i].kind == how.kind && moves_[i].max_tests == how.max_tests;
        if (!is_alike || estimates_[i].n_parts == 0) continue;
        return work_per_part(i) * static_cast<double>(how.max_ticks) / static_cast<double>(moves_[i].max_ticks);
    }
    return kFirstWorkPerTick * static_cast<double>(how.max_ticks);
}

double Improvement::gain_per_work(std::size_t move) const {
    const Estimate& estimate = estimates_[move];
    // The expected gain counts as one part.
    return (kFirstGain + estimate.gain) / (1 + estimate.n_parts) / work_per_part(move);
}

// The nodes whose subtree suits a move, in the order in which they are tried.
std::vector<std::int32_t> Improvement::candidates(const Move& move) const {
    std::vector<std::pair<std::uint64_t, std::int32_t>> ranked;
    for (std::size_t i = 0; i < tree_.n_slots(); ++i) {
        if (!tree_.is_node(i) || (has_fixed_root_ && i == tree_.root())) continue;
        const RowTree::Node& node = tree_.node(i);
        if (node.n_tests < 2) continue;
        std::uint64_t rank = 0;
        if (move.kind == Move::Kind::cut) {
            if (node.n_tests <= move.max_tests) continue;
            rank = node.n_tests;  // few rows first
        } else if (move.kind == Move::Kind::solve) {
            if (node.n_tests > move.max_tests) continue;
            rank = std::numeric_limits<std::uint32_t>::max() - node.n_tests;  // the largest first
        } else {
            if (node.n_tests > move.max_tests || node.n_tests <= move.max_tests / 2) continue;
            rank = static_cast<std::uint64_t>(n_attempts(node.hash)) << 32 | (mix(node.hash, seed_) >> 32);
        }
        ranked.emplace_back(rank, static_cast<std::int32_t>(i));
    }
    std::ranges::sort(ranked);
    std::vector<std::int32_t> nodes;
    for (const auto& [rank, node] : ranked) nodes.push_back(node);
    return nodes;
}

std::optional<Part> Improvement::make_part(std::int32_t node, std::size_t move) const {
    const RowTree::Node& top = tree_.node(static_cast<std::size_t>(node));
    const Move& how = moves_[move];
    Part part{node, {}, move, top.hash, 0, top.n_tests, kAnyDepth};
    if (max_depth_ != kAnyDepth) {  // the tree may be deeper than the limit
        part.max_depth = static_cast<Depth>(max_depth_ - std::min<std::uint32_t>(top.depth, max_depth_));
    }
    if (how.kind == Move::Kind::cut) {
        part.branches = tree_.branches_below(static_cast<std::size_t>(node), how.max_tests);
        for (const std::int32_t branch : part.branches) {
            const RowTree::Node& at = tree_.node(static_cast<std::size_t>(branch));
            part.key = mix(part.key, at.hash);
            part.cutoff -= at.n_tests;
        }
        if (part.cutoff < 2) return std::nullopt;
    } else if (lies_in_minimum(node)) {
        return std::nullopt;
    }
    if (how.kind == Move::Kind::regrow) {
        part.seed = mix(mix(part.key, n_attempts(part.key)), seed_);
        return part;
    }
    const auto tried = tried_.find(part.key);
    return tried != tried_.end() && tried->second >= how.max_ticks ? std::nullopt : std::optional(part);
}

bool Improvement::lies_in_minimum(std::int32_t node) const {
    for (; node >= 0; node = tree_.node(static_cast<std::size_t>(node)).parent) {
        if (minimum_sets_.contains(tree_.node(static_cast<std::size_t>(node)).hash)) return true;
    }
    return false;
}

bool Improvement::is_free(std::int32_t node) const {
    if (above_chosen_.contains(node)) return false;
    for (; node >= 0; node = tree_.node(static_cast<std::size_t>(node)).parent) {
        if (chosen_.contains(node)) return false;
    }
    return true;
}

void Improvement::occupy(std::int32_t node) {
    chosen_.insert(node);
    for (; node >= 0; node = tree_.node(static_cast<std::size_t>(node)).parent) above_chosen_.insert(node);
}

std::size_t Improvement::n_attempts(std::uint64_t key) const {
    const auto found = attempts_.find(key);
    return found == attempts_.end() ? 0 : found->second;
}

std::size_t Improvement::apply(const Part& part, const PartResult& result) {
    const std::size_t before = n_tests();
    const Move& how = moves_[part.move];
    const RowTree::Node top = tree_.node(static_cast<std::size_t>(part.node));
    if (result.tree && part.max_depth != kAnyDepth && result.tree->depth() > part.max_depth) {
        throw std::invalid_argument("the tree of a part is too deep");
    }
    if (result.tree) tree_.replace(static_cast<std::size_t>(part.node), part.branches, *result.tree);
    const std::size_t gain = before - n_tests();
    Estimate& estimate = estimates_[part.move];
    const double entries = static_cast<double>((top.end - top.begin) * n_columns_);
    estimate.gain = kDecay * estimate.gain + static_cast<double>(gain);
    estimate.n_parts = kDecay * estimate.n_parts + 1;
    estimate.work = kDecay * estimate.work + kWorkPerPart + entries / kEntriesPerWork + result.work;
    if (tried_.size() + attempts_.size() > kMaxRemembered) {
        tried_.clear();
        attempts_.clear();
    }
    if (result.is_minimum && part.branches.empty() && part.max_depth == kAnyDepth) minimum_sets_.insert(top.hash);
    if (gain > 0) {
        std::ranges::fill(is_exhausted_, std::uint8_t{0});
    } else if (how.kind == Move::Kind::regrow) {
        ++attempts_[part.key];
    } else {
        const std::size_t spent = result.is_minimum ? std::numeric_limits<std::size_t>::max() : how.max_ticks;
        tried_[part.key] = std::max(tried_[part.key], spent);
    }
    return gain;
}

}  // namespace puretree
