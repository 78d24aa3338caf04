// The two heuristics: their trees are pure for any problem and any time limit.
#include <numeric>

#include "../greedy.hpp"
#include "../iti.hpp"
#include "problem.hpp"

namespace puretree::fuzz {
namespace {

void grow(Bytes& bytes) {
    const Problem problem = draw_problem(bytes, 140, 140);
    std::size_t calls_left = bytes.flag() ? SIZE_MAX : bytes.below(20);
    const auto has_time = [&] { return calls_left > 0 && calls_left-- > 0; };
    expect_sound(grow_greedily(problem.rows(), problem.labels, static_cast<int>(problem.n_classes), has_time), problem);
}

void induce(Bytes& bytes) {
    const Problem problem = draw_problem(bytes, 130, 70);
    std::vector<std::int64_t> rows(problem.labels.size());
    std::iota(rows.begin(), rows.end(), 0);
    for (std::size_t n = bytes.flag() ? bytes.below(100) : 0; n > 0; --n) {
        rows.push_back(static_cast<std::int64_t>(bytes.below(problem.labels.size())));
    }
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[bytes.below(i)]);
    std::size_t calls_left = bytes.flag() ? SIZE_MAX : bytes.below(400);
    const auto has_time = [&] { return calls_left > 0 && calls_left-- > 0; };
    const bool is_unlimited = calls_left == SIZE_MAX;
    const auto tree =
        induce_incrementally(problem.rows(), problem.labels, static_cast<int>(problem.n_classes), rows, has_time);
    expect(tree || !is_unlimited, "without a time limit there is a tree");
    if (tree) expect_sound(*tree, problem);
}

const Target greedy("greedy", grow), iti("iti", induce);

}  // namespace
}  // namespace puretree::fuzz
