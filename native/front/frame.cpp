#include "frame.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <utility>

#include "../transpose.hpp"
#include "count_words.hpp"

namespace puretree::front {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kOperationsOfBlock = 1500;  // to transpose 64 x 64 bits
constexpr std::size_t kMemberOfSweep = 48;         // words that are counted in the time of a member of a sweep
constexpr std::size_t kSweptSplits = 128;         // fewer splits of a chain are always counted by bits
constexpr std::size_t kMostCounted = 64;           // splits of a set with many of them whose pairs are counted

inline Cost popcount(Word word) { return static_cast<Cost>(std::popcount(word)); }

inline bool is_zero(const Cost* totals, std::size_t n) {
    return std::all_of(totals, totals + n, [](Cost total) { return total == 0; });
}

}  // namespace

Frame::Frame(const Problem& problem)
    : problem_(problem), stride_((problem.n_features() + kLanes - 1) / kLanes * kLanes), kinds_(problem.kinds()),
      slots_(std::bit_ceil(2 * problem.n_features() + 1)) {
    const std::size_t n_channels = problem.n_channels();
    side_totals_.resize(2 * n_channels);
    for (Part* part : {&set_, &side_}) {
        part->totals.resize(n_channels);
        part->yes_totals.resize(n_channels * stride_);
        part->yes_weights.resize(stride_);
    }
    counts_.resize(stride_);
    common_.resize(n_channels * stride_);
    sums_.resize(4 * stride_);
    for (auto* counts : {&n_members_, &n_low_, &n_yes_}) counts->resize(kinds_.size());
    for (auto& costs : one_test_) costs.resize(stride_);
    for (auto& costs : part_one_test_) costs.resize(stride_);
    for (auto& costs : least_one_test_) costs.resize(stride_);
    is_counted_.resize(stride_);
}

void Frame::open(SetView set, bool is_root, const Frame* parent) {
    features_.clear();
    if (parent) {
        for (const Split& split : parent->splits_) features_.push_back(split.feature);
        // The splits of a restricted root begin with those that it may test: chains are in two pieces.
        if (!problem_.options().root_features.empty()) std::ranges::sort(features_, {}, [&](auto feature) { return problem_.place(feature); });
    } else {
        features_ = problem_.chains().order;
    }
    copy_together(set);
    std::ranges::fill(set_.totals, 0);
    problem_.add_totals(set, set_.totals.data());
    set_.weight = problem_.weight(set);
    leaf_ = best_one_test_ = problem_.leaf_cost(set_.totals.data());
    splits_.clear();
    hashes_.clear();
    std::ranges::fill(slots_, 0);
    by_word_.resize(n_words_ * stride_);
    n_runs_ = 0;
    // Of features that split alike the first is kept: one that the root may test, if there is one.
    if (is_root && !problem_.options().root_features.empty()) {
        const auto other = std::ranges::stable_partition(features_, [&](auto feature) { return problem_.may_be_root(feature); });
        const std::vector<std::uint32_t> others(other.begin(), other.end());
        features_.erase(other.begin(), other.end());
        add_splits(features_, true);
        add_splits(others, false);
    } else {
        add_splits(features_, true);
    }
    const auto& chain_of = problem_.chains().chain_of;
    for (std::size_t s = splits_.size(), end = s; s-- > 0;) {
        splits_[s].chain_end = static_cast<std::uint32_t>(end);
        if (s && (chain_of[splits_[s].feature] != chain_of[splits_[s - 1].feature] || splits_[s].is_first != splits_[s - 1].is_first)) end = s;
    }
}

void Frame::add_splits(const std::vector<std::uint32_t>& features, bool is_first) {
    const auto& chain_of = problem_.chains().chain_of;
    for (std::size_t begin = 0, end = 0; begin < features.size(); begin = end) {
        const std::size_t first_split = splits_.size();
        while (end < features.size() && chain_of[features[end]] == chain_of[features[begin]]) ++end;
        if (problem_.sorted_chain(features[begin])) {
            add_sorted(std::span(features).subspan(begin, end - begin), is_first);
            continue;
        }
        for (std::size_t i = begin; i < end; ++i) {
            const Word* const column = by_feature_.data() + problem_.number(features[i]) * n_words_;
            for (std::size_t k = 0; k < kinds_.size(); ++k) {
                Cost n = 0;
                for (std::size_t w = kinds_[k].begin; w < kinds_[k].end; ++w) n += popcount(column[w]);
                n_yes_[k] = n;
            }
            add_split(features[i], column, is_first);
        }
        add_run(first_split, false);
    }
}

// Adds features of a sorted chain. From one to the next some atoms move to the low side: features that none moves at split
// the set alike, and are not looked at.
void Frame::add_sorted(std::span<const std::uint32_t> features, bool is_first) {
    const Problem::SortedChain& chain = *problem_.sorted_chain(features.front());
    const std::size_t n = features.size();
    // Bucket i has the atoms that move at feature i; the last one, those that stay.
    bucket_of_place_.resize(chain.end - chain.begin + 1);
    std::size_t bucket = 0;
    for (std::uint32_t place = chain.begin; place <= chain.end; ++place) {
        while (bucket < n && problem_.place(features[bucket]) < place) ++bucket;
        bucket_of_place_[place - chain.begin] = static_cast<std::uint32_t>(bucket);
    }
    bucket_of_atom_.resize(n_words_ * kWordBits);
    bucket_ends_.assign(n + 2, 0);
    for_each(set_.members, [&](std::size_t atom) {
        bucket_of_atom_[atom] = bucket_of_place_[chain.first_low[atoms_[atom]] - chain.begin];
        ++bucket_ends_[bucket_of_atom_[atom] + 1];
    });
    for (std::size_t i = 0; i <= n; ++i) bucket_ends_[i + 1] += bucket_ends_[i];
    sorted_atoms_.resize(bucket_ends_[n + 1]);
    for_each(set_.members, [&](std::size_t atom) { sorted_atoms_[bucket_ends_[bucket_of_atom_[atom]]++] = static_cast<std::uint32_t>(atom); });
    const std::size_t first_split = splits_.size();
    low_.assign(n_words_, 0);
    column_.resize(n_words_);
    n_low_.assign(kinds_.size(), 0);
    std::vector<std::uint32_t>& split_of_bucket = bucket_of_place_;  // the first one that has the bucket on its low side
    split_of_bucket.resize(std::max(split_of_bucket.size(), n + 1));
    std::size_t from = 0, n_done = 0;
    for (std::size_t i = 0; i < n && bucket_ends_[i] < sorted_atoms_.size(); ++i) {
        if (bucket_ends_[i] == from) continue;
        for (; from < bucket_ends_[i]; ++from) {
            const std::size_t atom = sorted_atoms_[from];
            insert(low_, atom);
            ++n_low_[kind_of_word_[atom / kWordBits]];
        }
        const bool is_yes = !problem_.chains().low_is_no[features[i]];
        for (std::size_t w = 0; w < n_words_; ++w) column_[w] = is_yes ? low_[w] : set_.members[w] ^ low_[w];
        for (std::size_t k = 0; k < kinds_.size(); ++k) n_yes_[k] = is_yes ? n_low_[k] : n_members_[k] - n_low_[k];
        const auto split = static_cast<std::uint32_t>(splits_.size());
        if (!add_split(features[i], column_.data(), is_first)) continue;
        for (; n_done <= i; ++n_done) split_of_bucket[n_done] = split;
    }
    const bool is_long = splits_.size() - first_split >= kSweptSplits;
    add_run(first_split, is_long);
    if (!is_long) return;
    for (; n_done <= n; ++n_done) split_of_bucket[n_done] = static_cast<std::uint32_t>(splits_.size());
    auto& first = runs_[n_runs_ - 1].first;
    first.resize(n_words_ * kWordBits);
    for_each(set_.members, [&](std::size_t atom) {
        first[atom] = split_of_bucket[bucket_of_atom_[atom]] - static_cast<std::uint32_t>(first_split);
    });
}

void Frame::add_run(std::size_t begin, bool is_sorted) {
    if (begin == splits_.size()) return;
    if (n_runs_ && !is_sorted && !runs_[n_runs_ - 1].is_sorted) {
        runs_[n_runs_ - 1].end = splits_.size();
        return;
    }
    if (runs_.size() == n_runs_) runs_.emplace_back();
    Run& run = runs_[n_runs_++];
    run.begin = begin, run.end = splits_.size(), run.is_sorted = is_sorted;
}

// Adds a feature with a column and the numbers `n_yes_` of atoms on its yes side, if it splits the set, and no earlier one
// splits it alike; returns whether it was added.
bool Frame::add_split(std::uint32_t feature, const Word* column, bool is_first) {
    const std::size_t n = problem_.n_channels(), s = splits_.size();
    Cost* const no = side_totals_.data();
    Cost* const yes = no + n;
    std::fill_n(yes, n, 0);
    Cost yes_weight = 0;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
        for (std::size_t c = 0; c < n; ++c) yes[c] += n_yes_[k] * kinds_[k].cost[c];
        yes_weight += n_yes_[k] * kinds_[k].weight;
    }
    for (std::size_t c = 0; c < n; ++c) no[c] = set_.totals[c] - yes[c];
    if (is_zero(yes, n) || is_zero(no, n)) return false;
    const Cost no_leaf = problem_.leaf_cost(no), yes_leaf = problem_.leaf_cost(yes);
    if (no_leaf >= kNoTree || yes_leaf >= kNoTree) return false;
    const bool is_nested = s && problem_.chains().chain_of[feature] == problem_.chains().chain_of[splits_[s - 1].feature];
    if (is_nested ? has_sides_of_last(feature, yes, no) : is_repeated(column)) return false;
    if (is_first && no_leaf + yes_leaf < best_one_test_) {
        best_one_test_ = no_leaf + yes_leaf;
        one_test_feature_ = feature;
    }
    for (std::size_t w = 0; w < n_words_; ++w) by_word_[w * stride_ + s] = column[w];
    for (std::size_t c = 0; c < n; ++c) set_.yes_totals[c * stride_ + s] = yes[c];
    set_.yes_weights[s] = yes_weight;
    one_test_[0][s] = no_leaf;
    one_test_[1][s] = yes_leaf;
    is_counted_[s] = false;
    hashes_.resize(s + 1);  // of nested splits none is looked up
    splits_.push_back({feature, {no_leaf, yes_leaf}, {set_.weight - yes_weight, yes_weight}, is_first, 0,
                       static_cast<std::uint8_t>(problem_.chains().low_is_no[feature] ? 0 : 1)});
    return true;
}

// Copies the columns of the set's atoms, without the other atoms if that saves time.
void Frame::copy_together(SetView set) {
    n_words_ = 0;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
        const Kind& kind = problem_.kinds()[k];
        kinds_[k].begin = n_words_;
        n_members_[k] = static_cast<Cost>(count(set.subspan(kind.begin, kind.end - kind.begin)));
        n_words_ += words_for(static_cast<std::size_t>(n_members_[k]));
        kinds_[k].end = n_words_;
    }
    // Operations: of the transposition, and of the words that are not counted, alone and in pairs.
    const std::size_t n_row_words = problem_.n_numbered_words();
    const std::size_t n_blocks = n_words_ * n_row_words;
    const std::size_t n_splits = features_.size();
    const std::size_t n_saved = (problem_.n_words() - n_words_) * n_splits * (std::min(n_splits, kMostCounted) + 8);
    const bool is_copy = kOperationsOfBlock * n_blocks <= n_saved;
    if (!is_copy) {
        n_words_ = problem_.n_words();
        for (std::size_t k = 0; k < kinds_.size(); ++k) {
            kinds_[k].begin = problem_.kinds()[k].begin;
            kinds_[k].end = problem_.kinds()[k].end;
        }
    }
    by_feature_.resize(problem_.n_numbered() * n_words_);
    kind_of_word_.resize(n_words_);
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
        std::fill(kind_of_word_.begin() + kinds_[k].begin, kind_of_word_.begin() + kinds_[k].end, static_cast<std::uint32_t>(k));
    }
    if (problem_.has_sorted_chains()) atoms_.resize(n_words_ * kWordBits);
    if (!is_copy) {
        set_.members.assign(set.begin(), set.end());
        std::iota(atoms_.begin(), atoms_.end(), std::uint32_t{0});
        for (const std::uint32_t feature : features_) {
            if (problem_.sorted_chain(feature)) continue;
            const Word* column = problem_.column(feature).data();
            Word* row = by_feature_.data() + problem_.number(feature) * n_words_;
            for (std::size_t w = 0; w < n_words_; ++w) row[w] = column[w] & set[w];
        }
        return;
    }
    rows_.resize(n_words_ * kWordBits * n_row_words);
    set_.members.assign(n_words_, 0);
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
        const Kind& kind = problem_.kinds()[k];
        std::size_t n = 0;
        Word* to = rows_.data() + kinds_[k].begin * kWordBits * n_row_words;
        for_each(set.subspan(kind.begin, kind.end - kind.begin), [&](std::size_t member) {
            const std::size_t atom = kind.begin * kWordBits + member;
            const Word* from = problem_.numbered_row(atom).data();
            for (std::size_t w = 0; w < n_row_words; ++w) *to++ = from[w];
            if (!atoms_.empty()) atoms_[kinds_[k].begin * kWordBits + n] = static_cast<std::uint32_t>(atom);
            ++n;
        });
        std::fill(to, rows_.data() + kinds_[k].end * kWordBits * n_row_words, 0);
        for (std::size_t w = kinds_[k].begin; w < kinds_[k].end; ++w) {
            set_.members[w] = n >= kWordBits ? ~Word{0} : tail_mask(n);
            n -= std::min(n, kWordBits);
        }
    }
    if (n_blocks == 0) return;
    transpose({rows_.data(), n_words_ * kWordBits, problem_.n_numbered()},
              {by_feature_.data(), problem_.n_numbered(), n_words_ * kWordBits});
}

// Whether the last split, of the same chain, has the same sides: one contains the other, so their totals tell.
bool Frame::has_sides_of_last(std::uint32_t feature, const Cost* yes, const Cost* no) const {
    const auto& low_is_no = problem_.chains().low_is_no;
    const std::size_t n = problem_.n_channels(), last = splits_.size() - 1;
    bool is_same = true, is_opposite = true;
    for (std::size_t c = 0; c < n; ++c) {
        const Cost of_last = set_.yes_totals[c * stride_ + last];
        is_same &= of_last == yes[c];
        is_opposite &= of_last == no[c];
    }
    return low_is_no[splits_[last].feature] == low_is_no[feature] ? is_same : is_opposite;
}

// Whether an earlier split has the same sides. If not, the column is remembered: the next split must be made of it.
bool Frame::is_repeated(const Word* column) {
    // Of a column and its complement, the one without the first atom stands for both.
    const std::size_t first = first_member(set_.members);
    const bool is_flipped = contains({column, n_words_}, first);
    std::uint64_t hash = 0;
    for (std::size_t w = 0; w < n_words_; ++w) {
        hash = (hash ^ (is_flipped ? set_.members[w] & ~column[w] : column[w])) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    for (; slots_[slot]; slot = (slot + 1) & mask) {
        const std::size_t split = slots_[slot] - 1;
        if (hashes_[split] != hash) continue;
        const bool is_opposite = is_flipped != static_cast<bool>((by_word_[first / kWordBits * stride_ + split] >> (first % kWordBits)) & 1);
        std::size_t w = 0;
        while (w < n_words_ && by_word_[w * stride_ + split] == (is_opposite ? set_.members[w] & ~column[w] : column[w])) ++w;
        if (w == n_words_) return true;
    }
    slots_[slot] = static_cast<std::uint32_t>(splits_.size() + 1);
    hashes_.resize(splits_.size() + 1);
    hashes_.back() = hash;
    return false;
}

void Frame::count_pairs(const std::vector<std::uint32_t>& splits) {
    best_[0] = &one_test_[0];
    best_[1] = &one_test_[1];
    const bool counts_all = 2 * splits.size() > splits_.size();  // then each pair serves both of its splits
    const auto count_pairs_of = [&](std::size_t split, std::size_t begin) {
        intersect(set_.members, split);
        count_common(members_, begin, common_, nullptr);
    };
    if (counts_all) {
        for (std::size_t split = 0; split < splits_.size(); ++split) {
            count_pairs_of(split, split + 1);
            combine<true>(set_, split, split + 1);
            is_counted_[split] = true;
        }
        return;
    }
    for (const std::uint32_t split : splits) {
        count_pairs_of(split, 0);
        combine<false>(set_, split, 0);
        is_counted_[split] = true;
    }
}

bool Frame::has_long_chains() const {
    std::size_t n_chains = 0;
    for (std::size_t s = 0; s < splits_.size(); s = splits_[s].chain_end) ++n_chains;
    return splits_.size() > 3 * n_chains;
}

void Frame::collect_chains(Ranges& ranges) const {
    ranges.clear();
    for (std::size_t s = 0; s < splits_.size(); s = splits_[s].chain_end) ranges.push_back({s, splits_[s].chain_end});
    const auto least_leaves = [&](const std::pair<std::size_t, std::size_t>& range) {
        Cost least = kNoTree;
        for (std::size_t s = range.first; s < range.second; ++s) least = std::min(least, splits_[s].leaf[0] + splits_[s].leaf[1]);
        return least;
    };
    std::ranges::stable_sort(ranges, std::greater<>{}, least_leaves);
}

Frame::TwoTests Frame::two_tests(Cost cutoff) { return two_tests(set_, cutoff); }

Frame::TwoTests Frame::two_tests(std::size_t split, int side, Cost cutoff) {
    intersect(set_.members, split);
    side_.members.assign(members_.begin(), members_.end());
    if (side == 0) {
        for (std::size_t w = 0; w < n_words_; ++w) side_.members[w] ^= set_.members[w];
    }
    for (std::size_t c = 0; c < side_.totals.size(); ++c) {
        const Cost yes = set_.yes_totals[c * stride_ + split];
        side_.totals[c] = side ? yes : set_.totals[c] - yes;
    }
    side_.weight = splits_[split].weight[side];
    count_common(side_.members, 0, side_.yes_totals, &side_.yes_weights);
    return two_tests(side_, cutoff);
}

// Tries the splits that two tests below the cutoff may begin with.
Frame::TwoTests Frame::two_tests(const Part& part, Cost cutoff) {
    const std::size_t n = splits_.size(), n_channels = part.totals.size();
    best_[0] = &part_one_test_[0];
    best_[1] = &part_one_test_[1];
    Cost* const no_leaf = part_one_test_[0].data();
    Cost* const yes_leaf = part_one_test_[1].data();
    TwoTests best{problem_.leaf_cost(part.totals.data()), 0, 0, 0, 0};
    Cost* const no = side_totals_.data();
    Cost* const yes = no + n_channels;
    for (std::size_t s = 0; s < n; ++s) {
        for (std::size_t c = 0; c < n_channels; ++c) {
            yes[c] = part.yes_totals[c * stride_ + s];
            no[c] = part.totals[c] - yes[c];
        }
        no_leaf[s] = problem_.leaf_cost(no);
        yes_leaf[s] = problem_.leaf_cost(yes);
        if (is_zero(yes, n_channels) || is_zero(no, n_channels)) no_leaf[s] = yes_leaf[s] = kNoTree;
        if (no_leaf[s] + yes_leaf[s] < best.one) {
            best.one = no_leaf[s] + yes_leaf[s];
            best.one_feature = splits_[s].feature;
        }
    }
    best.lower = best.upper = best.one;
    best.feature = best.one_feature;
    // A tree of one side is a tree of the part, and costs at most the weight of the other side more.
    Cost* const least[2] = {least_one_test_[0].data(), least_one_test_[1].data()};
    for (std::size_t s = 0; s < n; ++s) {
        least[0][s] = std::max(Cost{0}, best.one - part.yes_weights[s]);
        least[1][s] = std::max(Cost{0}, best.one - (part.weight - part.yes_weights[s]));
    }
    const auto bound = [&](std::size_t s) {
        return std::min(no_leaf[s] + least[1][s], least[0][s] + yes_leaf[s]);
    };
    for (std::size_t begin = 0; begin < n; begin = splits_[begin].chain_end) ranges_.push_back({begin, splits_[begin].chain_end});
    const auto is_near = [&](std::size_t s) {
        const Cost of_split = bound(s);
        if (of_split < std::min(cutoff, best.upper)) return true;
        best.lower = std::min(best.lower, of_split);
        return false;
    };
    const bool is_monotone = problem_.is_monotone();
    const auto weight = [&](std::size_t split, int side) {
        return side ? part.yes_weights[split] : part.weight - part.yes_weights[split];
    };
    visit_ranges(ranges_, is_near, [&](std::size_t s, std::size_t begin, std::size_t end) {
        const Cost as_no_leaf = no_leaf[s], as_yes_leaf = yes_leaf[s];
        intersect(part.members, s);
        count_common(members_, 0, common_, nullptr);
        combine<false>(part, s, 0);
        least[0][s] = std::exchange(no_leaf[s], as_no_leaf);
        least[1][s] = std::exchange(yes_leaf[s], as_yes_leaf);
        const Cost cost = bound(s);
        if (cost < best.upper) best.upper = cost, best.feature = splits_[s].feature;
        for (std::size_t other = begin; other < end; ++other) {
            const Nesting at = nesting(s, splits_[s].low, other, splits_[other].low);
            Cost& grown = least[at.other_grown][other];
            Cost& shrunk = least[at.other_shrunk][other];
            if (is_monotone) grown = std::max(grown, least[at.grown][s]);
            shrunk = std::max(shrunk, least[at.shrunk][s] - (weight(s, at.shrunk) - weight(other, at.other_shrunk)));
        }
        return true;
    });
    best.lower = std::min(best.lower, best.upper);
    return best;
}

// The members of a part on the yes side of a split.
void Frame::intersect(const std::vector<Word>& members, std::size_t split) {
    members_.resize(n_words_);
    for (std::size_t w = 0; w < n_words_; ++w) members_[w] = members[w] & by_word_[w * stride_ + split];
}

// Computes the totals of members on the yes side of each of the splits from `begin` on, and, if asked for, their weights.
void Frame::count_common(const std::vector<Word>& members, std::size_t begin, std::vector<Cost>& all_totals,
                         std::vector<Cost>* weights) {
    const std::size_t n = splits_.size(), n_channels = problem_.n_channels();
    for (std::size_t c = 0; c < n_channels; ++c) std::fill_n(all_totals.data() + c * stride_ + begin, n - begin, 0);
    if (weights) std::fill_n(weights->data() + begin, n - begin, 0);
    const Cost* const counts = counts_.data();
    for (const Kind& kind : kinds_) {
        if (kind.begin == kind.end) continue;
        std::size_t n_members = 0;
        for (std::size_t w = kind.begin; w < kind.end && problem_.has_sorted_chains(); ++w) n_members += static_cast<std::size_t>(popcount(members[w]));
        for (std::size_t r = 0; r < n_runs_; ++r) {
            const Run& run = runs_[r];
            const std::size_t first = std::max(begin, run.begin);
            if (first >= run.end) continue;
            if (run.is_sorted && kMemberOfSweep * n_members < (run.end - first) * (kind.end - kind.begin)) {
                count_by_sweep(kind, members, n_members, run);
            } else {
                count_words({by_word_.data(), stride_}, members.data(), kind.begin, kind.end, first, run.end, counts_.data());
            }
        }
        const auto add = [&](Cost* sums, Cost cost) {
            if (cost == 0) return;
            for (std::size_t j = begin; j < n; ++j) sums[j] += cost * counts[j];
        };
        for (std::size_t c = 0; c < n_channels; ++c) add(all_totals.data() + c * stride_, kind.cost[c]);
        if (weights) add(weights->data(), kind.weight);
    }
}

// Counts the members of a kind on the yes side of the splits of a chain: a member is on the low side from one of them on.
void Frame::count_by_sweep(const Kind& kind, const std::vector<Word>& members, std::size_t n_members, const Run& run) {
    sweep_counts_.assign(run.end - run.begin + 1, 0);
    for (std::size_t w = kind.begin; w < kind.end; ++w) {
        const std::uint32_t* const first = run.first.data() + w * kWordBits;
        for (Word rest = members[w]; rest; rest &= rest - 1) ++sweep_counts_[first[std::countr_zero(rest)]];
    }
    Cost n_low = 0;
    for (std::size_t s = run.begin; s < run.end; ++s) {
        n_low += sweep_counts_[s - run.begin];
        counts_[s] = splits_[s].low ? n_low : static_cast<Cost>(n_members) - n_low;
    }
}

// Improves the trees with one test of the sides of a split by those that test one of the splits from `begin` on, and, if
// `is_symmetric`, the other way round.
template <bool is_symmetric>
void Frame::combine(const Part& part, std::size_t split, std::size_t begin) {
    if (problem_.n_classes() == 2 && !problem_.counts_rows()) {
        combine_two_classes<is_symmetric>(part, split, begin);
        return;
    }
    const std::size_t n = splits_.size();
    Cost* const yes_yes = sums_.data();
    Cost* const yes_no = yes_yes + stride_;
    Cost* const no_yes = yes_no + stride_;
    Cost* const no_no = no_yes + stride_;
    for (std::size_t c = 0; c < problem_.n_classes(); ++c) {
        const Cost* const other = part.yes_totals.data() + c * stride_;
        const Cost* const common = common_.data() + c * stride_;
        const Cost own = other[split], rest = part.totals[c] - own;
        if (c == 0) {
            std::fill_n(yes_yes, 4 * stride_, kNoTree);
        }
        for (std::size_t j = begin; j < n; ++j) {
            yes_yes[j] = std::min(yes_yes[j], common[j]);
            yes_no[j] = std::min(yes_no[j], own - common[j]);
            no_yes[j] = std::min(no_yes[j], other[j] - common[j]);
            no_no[j] = std::min(no_no[j], rest - other[j] + common[j]);
        }
    }
    if (problem_.counts_rows()) {
        const std::size_t c = problem_.n_classes();
        const Cost* const other = part.yes_totals.data() + c * stride_;
        const Cost* const common = common_.data() + c * stride_;
        const Cost own = other[split], rest = part.totals[c] - own, least = problem_.min_rows();
        for (std::size_t j = begin; j < n; ++j) {
            if (common[j] < least) yes_yes[j] = kNoTree;
            if (own - common[j] < least) yes_no[j] = kNoTree;
            if (other[j] - common[j] < least) no_yes[j] = kNoTree;
            if (rest - other[j] + common[j] < least) no_no[j] = kNoTree;
        }
    }
    Cost* const other_yes = best_[1]->data();
    Cost* const other_no = best_[0]->data();
    Cost yes = other_yes[split], no = other_no[split];
    for (std::size_t j = begin; j < n; ++j) {
        yes = std::min(yes, yes_yes[j] + yes_no[j]);
        no = std::min(no, no_yes[j] + no_no[j]);
        if constexpr (is_symmetric) {
            other_yes[j] = std::min(other_yes[j], yes_yes[j] + no_yes[j]);
            other_no[j] = std::min(other_no[j], yes_no[j] + no_no[j]);
        }
    }
    other_yes[split] = yes;
    other_no[split] = no;
}

// The same for two classes, in one pass.
template <bool is_symmetric>
void Frame::combine_two_classes(const Part& part, std::size_t split, std::size_t begin) {
    const std::size_t n = splits_.size();
    const Cost* __restrict other_0 = part.yes_totals.data();
    const Cost* __restrict other_1 = part.yes_totals.data() + stride_;
    const Cost* __restrict common_0 = common_.data();
    const Cost* __restrict common_1 = common_.data() + stride_;
    Cost* __restrict other_yes = best_[1]->data();
    Cost* __restrict other_no = best_[0]->data();
    const Cost own_0 = other_0[split], own_1 = other_1[split];
    const Cost rest_0 = part.totals[0] - own_0, rest_1 = part.totals[1] - own_1;
    Cost yes = other_yes[split], no = other_no[split];
    for (std::size_t j = begin; j < n; ++j) {
        const Cost both_0 = common_0[j], both_1 = common_1[j];
        const Cost only_0 = other_0[j] - both_0, only_1 = other_1[j] - both_1;
        const Cost yes_yes = std::min(both_0, both_1), yes_no = std::min(own_0 - both_0, own_1 - both_1);
        const Cost no_yes = std::min(only_0, only_1), no_no = std::min(rest_0 - only_0, rest_1 - only_1);
        yes = std::min(yes, yes_yes + yes_no);
        no = std::min(no, no_yes + no_no);
        if constexpr (is_symmetric) {
            other_yes[j] = std::min(other_yes[j], yes_yes + no_yes);
            other_no[j] = std::min(other_no[j], yes_no + no_no);
        }
    }
    other_yes[split] = yes;
    other_no[split] = no;
}

}  // namespace puretree::front
