"""Test the least cost by size and the fewest tests by cost, by MaxSAT, against brute force."""

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.oracles.front import BruteForceFront
from helpers.random_problems import larger_cost_problem, random_cost_problem, rows_of

from puretree import InfeasibleError, InputError, SolverError
from puretree._support.clock import Clock
from puretree.encoding.slot_costs import CostEncoding
from puretree.engines import maxsat_front
from puretree.engines.maxsat_front import CostAnswer, fewest_tests, least_cost
from puretree.formula import Model
from puretree.maxsat import Answer, Backend, External, Linear, Rc2
from puretree.pareto import OpenFront
from puretree.problem import Constraints, CostProblem
from puretree.sat import LocalOracle

FAULTY_SOLVER = Path(__file__).parents[1] / "helpers" / "faulty_solver.py"
LOCAL = Linear(isolated=False)


def brute_force(problem: CostProblem, constraints: Constraints | None = None) -> BruteForceFront:
    """Return the front of a problem by exhaustive search."""
    constraints = constraints or Constraints()
    return BruteForceFront(
        rows_of(problem),
        problem.costs.tolist(),
        problem.n_rows.tolist(),
        max_depth=constraints.max_depth,
        min_samples_leaf=constraints.min_samples_leaf,
        root=None if constraints.root is None else list(constraints.root),
    )


def require_front(problem: CostProblem, constraints: Constraints, backend: str | Backend, most: int, name: Any) -> None:
    """Require the answers of brute force to both questions, for up to so many tests and for each of their costs."""
    front = brute_force(problem, constraints)
    least = [front.least_cost(k) for k in range(most + 1)]
    for k, cost in enumerate(least):
        answer = least_cost(problem, k, constraints=constraints, backend=backend)
        assert (answer.status, answer.cost, answer.lower_bound) == ("optimal", cost, cost), (name, k)
        require_tree(problem, answer)
        assert answer.n_tests is not None
        assert answer.n_tests <= k
    for cost in set(least):
        answer = fewest_tests(problem, cost, constraints=constraints, backend=backend)
        n_tests = least.index(cost)
        assert (answer.status, answer.n_tests, answer.lower_bound) == ("optimal", n_tests, n_tests), (name, cost)
        require_tree(problem, answer)
        assert answer.cost == cost


def require_tree(problem: CostProblem, answer: CostAnswer) -> None:
    """Require that the tree has the cost and size of the answer, and that every test splits its examples."""
    assert answer.tree is not None
    assert problem.cost(answer.tree) == answer.cost
    assert answer.tree.n_nodes // 2 == answer.n_tests
    leaves = np.flatnonzero(answer.tree.left < 0)
    assert set(problem.apply(answer.tree).tolist()) == set(leaves.tolist())


@pytest.mark.parametrize("part", range(2))
def test_both_questions_equal_brute_force(part: int) -> None:
    """On 40 random problems of 2 to 4 classes with weights and cost matrices, up to 4 tests."""
    for seed in range(part, 40, 2):
        require_front(random_cost_problem(seed), Constraints(), LOCAL, 4, seed)


@pytest.mark.parametrize(
    "constraints",
    [
        Constraints(max_depth=1),
        Constraints(max_depth=2),
        Constraints(min_samples_leaf=2),
        Constraints(min_samples_leaf=3, max_depth=3),
        Constraints(root=[1]),
        Constraints(root=[0, 2], max_depth=2, min_samples_leaf=2),
    ],
    ids=repr,
)
def test_constraints_equal_brute_force(constraints: Constraints) -> None:
    """Depth, root and rows in a leaf, alone and together, on random problems of at least three features."""
    for seed in range(15):
        problem = random_cost_problem(seed)
        if problem.n_features >= 3:
            require_front(problem, constraints, LOCAL, 3, seed)


@pytest.mark.parametrize("seed", [0, 1, 2, 5])
def test_larger_problems_equal_brute_force(seed: int) -> None:
    """On noisy problems of 40 to 80 rows, with the solver in its own process."""
    require_front(larger_cost_problem(seed), Constraints(), "linear", 2, seed)


def test_rc2_gives_the_same_answers() -> None:
    """Another MaxSAT solver, with a literal for each example instead of one for each example and leaf."""
    for seed in range(4):
        require_front(random_cost_problem(seed), Constraints(), "rc2", 2, seed)
    require_front(random_cost_problem(6), Constraints(min_samples_leaf=2, max_depth=2), "rc2", 2, 6)


def test_sums_of_large_costs_equal_brute_force(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the sums would be too large, one binary sum over all examples is used instead."""
    monkeypatch.setattr("puretree.formula.sums.totaliser.MAX_CLAUSES", 10)
    monkeypatch.setattr("puretree.formula.sums.generalised.MAX_CLAUSES", 10)
    for seed in range(12):
        require_front(random_cost_problem(seed), Constraints(), LOCAL, 3, seed)
        require_front(random_cost_problem(seed), Constraints(min_samples_leaf=2), LOCAL, 2, seed)


def test_class_that_is_no_examples_cheapest_one() -> None:
    """A class that no example has may be the cheapest of a leaf, as one that means "do not know" is."""
    doubt = CostProblem.from_rows(
        [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 2, 2], cost_matrix=[[0, 9, 4], [9, 0, 4], [9, 9, 0]]
    )
    answer = least_cost(doubt, 1)
    assert (answer.cost, answer.tree and answer.tree.to_nested()) == (8, 2)
    require_front(doubt, Constraints(), LOCAL, 3, "doubt")


def test_single_leaf_needs_no_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tests, one example, one class, or a cost that a leaf has: the answer is a leaf, and no formula is built."""
    monkeypatch.setattr(maxsat_front, "_Formula", None)
    xor = CostProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    single = CostProblem.from_rows([[0], [0]], [0, 1])
    pure = CostProblem.from_rows([[0], [1]], ["a", "a"])
    answers = [least_cost(xor, 0), least_cost(xor, 3, constraints=Constraints(max_nodes=2)), fewest_tests(xor, 2)]
    answers += [least_cost(single, 5), least_cost(pure, 5), fewest_tests(pure, 0)]
    assert [(answer.status, answer.n_tests, answer.cost) for answer in answers] == [
        ("optimal", 0, cost) for cost in (2, 2, 2, 1, 0, 0)
    ]


def test_costs_that_no_tree_has_are_infeasible() -> None:
    """Below the cost of contradictory rows at once, below that of the constraints by a proof."""
    contradictory = CostProblem.from_rows([[0], [0], [1]], [0, 1, 1])
    with pytest.raises(InfeasibleError, match="no tree of cost at most 0; allow a higher cost"):
        fewest_tests(contradictory, 0)
    xor = CostProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    for constraints in (Constraints(max_depth=1), Constraints(min_samples_leaf=2), Constraints(max_nodes=5)):
        with pytest.raises(InfeasibleError, match="that satisfies the constraints of cost at most 0"):
            fewest_tests(xor, 0, constraints=constraints)


def test_invalid_arguments_are_rejected() -> None:
    """The errors name the parameter."""
    xor = CostProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    with pytest.raises(InputError, match="max_tests=-1 is not an integer of at least 0"):
        least_cost(xor, -1)
    with pytest.raises(InputError, match=r"max_cost=0\.5 is not an integer"):
        fewest_tests(xor, 0.5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="backend='none' is unknown"):
        least_cost(xor, 1, backend="none")
    with pytest.raises(InputError, match="does not support minimise='cost'"):
        least_cost(xor, 1, constraints=Constraints(minimise="cost"))


@pytest.mark.parametrize("backend", [Linear(), "rc2"], ids=["linear", "rc2"])
def test_time_limit_returns_the_best_tree(backend: str | Backend) -> None:
    """Without time a leaf is returned; within a second a tree that need not be better. Nothing is proved."""
    rng = np.random.default_rng(0)
    problem = CostProblem.from_rows(rng.integers(0, 2, (300, 20)), rng.integers(0, 2, 300))
    for seconds in (0.0, 1.0):
        start = time.monotonic()
        answer = least_cost(problem, 8, backend=backend, clock=Clock(seconds))
        assert time.monotonic() - start < seconds + 3
        assert (answer.status, answer.lower_bound) == ("time_limit", problem.least_cost)
        require_tree(problem, answer)
    answer = fewest_tests(problem, problem.least_cost, backend=backend, clock=Clock(1.0))
    assert (answer.status, answer.tree, answer.cost, answer.n_tests) == ("time_limit", None, None, None)


def test_interrupt_returns_the_best_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C during the search keeps the best tree, and the clock is stopped."""

    class Interrupted(LocalOracle):
        n_calls = 0

        def solve(self, *arguments: Any, **options: Any) -> bool | None:
            self.n_calls += 1
            if self.n_calls == 2:
                raise KeyboardInterrupt
            return super().solve(*arguments, **options)

    monkeypatch.setattr(maxsat_front, "make_oracle", lambda *arguments, **options: Interrupted())
    problem, clock = larger_cost_problem(0), Clock()
    answer = least_cost(problem, 3, clock=clock)
    assert (answer.status, answer.n_tests is not None and answer.n_tests > 0) == ("interrupted", True)
    assert clock.is_over
    require_tree(problem, answer)


def test_formula_that_is_too_large_is_not_built() -> None:
    """The memory is estimated before the formula is built, and a leaf is returned."""
    rng = np.random.default_rng(0)
    problem = CostProblem.from_rows(rng.integers(0, 2, (2000, 40)), rng.integers(0, 2, 2000))
    answer = least_cost(problem, 30, memory_limit=1e6)
    assert (answer.status, answer.n_tests) == ("memory_limit", 0)


def lying_oracle(n_right: int) -> type[LocalOracle]:
    """Return an oracle whose first answers are right, and that then invents models: all variables are false."""

    class Lying(LocalOracle):
        n_calls = 0

        def solve(self, *arguments: Any, **options: Any) -> bool | None:
            self.n_calls += 1
            return super().solve(*arguments, **options) if self.n_calls <= n_right else True

        def model(self, n_vars: int) -> Model:
            return super().model(n_vars) if self.n_calls <= n_right else np.zeros(n_vars + 1, dtype=np.bool_)

    return Lying


@pytest.mark.parametrize("n_right", [0, 1])
def test_invented_models_are_errors(n_right: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that invents a model raises SolverError for both questions, whatever it answered before."""
    monkeypatch.setattr(maxsat_front, "make_oracle", lambda *arguments, **options: lying_oracle(n_right)())
    problem = larger_cost_problem(0)
    with pytest.raises(SolverError, match="invalid model"):
        least_cost(problem, 2)
    with pytest.raises(SolverError, match="invalid model"):
        fewest_tests(problem, brute_force(problem).least_cost(2))


def test_solver_that_ignores_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that drops its assumptions, or the clauses of some constraint, returns trees that violate the limits."""

    class Ignoring(LocalOracle):
        def solve(self, assumptions: Any, *arguments: Any, **options: Any) -> bool | None:
            return super().solve([], *arguments, **options)

    monkeypatch.setattr(maxsat_front, "make_oracle", lambda *arguments, **options: Ignoring())
    with pytest.raises(SolverError, match=r"invalid model: a better tree than \d+ was required"):
        least_cost(larger_cost_problem(0), 2)


@pytest.mark.parametrize(
    ("dropped", "constraints", "name"),
    [
        ("_satisfies_constraints", Constraints(max_depth=2), "depth"),
        ("_satisfies_constraints", Constraints(root=[4]), "root"),
        ("_require_rows", Constraints(min_samples_leaf=8), "number of rows in a leaf"),
    ],
)
def test_constraints_do_not_depend_on_the_formula(
    dropped: str, constraints: Constraints, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every constraint is checked on the tree itself: without its clauses, some tree is rejected."""

    def ask_several() -> None:
        for seed in range(8):
            least_cost(larger_cost_problem(seed), 3, constraints=constraints, backend=LOCAL)

    monkeypatch.setattr(CostEncoding, dropped, lambda *arguments: ())
    with pytest.raises(SolverError, match=f"invalid model: its tree violates the limit on the {name}"):
        ask_several()


def test_costs_do_not_depend_on_the_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the clauses that examples pay for their leaf, every tree seems free, and is rejected."""
    monkeypatch.setattr(CostEncoding, "_leaf_holds", lambda *arguments: ())
    problem = larger_cost_problem(0)
    with pytest.raises(SolverError, match=r"invalid model: a better tree than \d+ was required"):
        least_cost(problem, 2, backend=LOCAL)
    with pytest.raises(SolverError, match="invalid model: its tree violates the limit on the cost"):
        fewest_tests(problem, brute_force(problem).least_cost(2), backend=LOCAL)


def test_false_optimum_of_an_untrusted_program() -> None:
    """The linear search takes over from its tree and proves the true optimum of both questions."""
    program = External((sys.executable, str(FAULTY_SOLVER), "false-optimum"), name="faulty")
    problem = larger_cost_problem(2)
    cost = brute_force(problem).least_cost(2)
    assert least_cost(problem, 2, backend=program).cost == cost
    answer = fewest_tests(problem, cost, backend=program)
    assert (answer.status, answer.n_tests) == ("optimal", 2)


@pytest.mark.parametrize("fault", ["invalid-model", "false-unsatisfiable"])
def test_wrong_results_of_a_program_are_errors(fault: str) -> None:
    """A program whose model falsifies the formula, or that contradicts its own model."""
    program = External((sys.executable, str(FAULTY_SOLVER), fault), name="faulty")
    with pytest.raises(SolverError, match="faulty returned an invalid result"):
        least_cost(larger_cost_problem(2), 2, backend=program)


def test_false_optimum_of_a_trusted_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """An optimum that is not the cost of the best tree that the solver itself returned is an error."""

    def minimise(self: Rc2, formula: Any, *, clock: Clock, on_model: Any) -> Answer:
        oracle = LocalOracle()
        for block in formula.hard:
            oracle.add(block)
        assert oracle.solve([])
        model = oracle.model(formula.n_vars)
        oracle.close()
        on_model(model)
        return Answer("optimal", model, formula.cost(model) + 1)

    monkeypatch.setattr(Rc2, "minimise", minimise)
    problem = larger_cost_problem(0)
    with pytest.raises(SolverError, match="as the least number of tests, but a tree with"):
        fewest_tests(problem, brute_force(problem).least_cost(2) + 1, backend="rc2")


@pytest.mark.parametrize("seed", range(4))
def test_maxsat_agrees_with_the_search(seed: int) -> None:
    """On problems too large for brute force, both questions have the answers of the search for the front."""
    problem = larger_cost_problem(seed)
    search = OpenFront(problem, Constraints(max_nodes=7))
    assert search.solve(Clock()) == "optimal"
    least = search.curves.upper.tolist()
    for k, cost in enumerate(least):
        assert least_cost(problem, k, backend=LOCAL).cost == cost
        assert fewest_tests(problem, cost, backend=LOCAL).n_tests == least.index(cost)
