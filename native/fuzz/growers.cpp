// The two heuristics: pure trees whatever the problem, and however early the time is over.
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
    std::vector<std::int64_t> order(problem.labels.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[bytes.below(i)]);
    std::size_t calls_left = bytes.flag() ? SIZE_MAX : bytes.below(400);
    const auto may_go_on = [&] { return calls_left > 0 && calls_left-- > 0; };
    const bool has_all_time = calls_left == SIZE_MAX;
    const auto tree =
        induce_incrementally(problem.rows(), problem.labels, static_cast<int>(problem.n_classes), order, may_go_on);
    expect(tree || !has_all_time, "with time there is a tree");
    if (tree) expect_sound(*tree, problem);
}

const Target greedy("greedy", grow), iti("iti", induce);

}  // namespace
}  // namespace puretree::fuzz
