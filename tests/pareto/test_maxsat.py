"""Test the least cost, the fewest tests and the least cost complexity by MaxSAT, against brute force."""

import sys
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.random_problems import brute_force, larger_cost_problem, random_cost_problem

from puretree import InputError, SolverError
from puretree._support.clock import Clock
from puretree.encoding.slot_costs import CostEncoding
from puretree.engines import MaxSat
from puretree.formula import Model
from puretree.maxsat import Answer, Backend, External, Linear, Rc2
from puretree.outcome import Status
from puretree.pareto import OpenFront, maxsat
from puretree.pareto.criteria import Criterion, Price
from puretree.pareto.maxsat import MaxSatFront
from puretree.problem import Constraints, CostProblem
from puretree.sat import LocalOracle
from puretree.tree import Tree

FAULTY_SOLVER = Path(__file__).parents[1] / "helpers" / "faulty_solver.py"
LOCAL = Linear(isolated=False)


@pytest.fixture(autouse=True)
def no_first_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out CART's trees, which are the best ones of most small problems."""
    monkeypatch.setattr(maxsat, "offer_cart", lambda *arguments: None)


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: the value of its best tree, and the bound of it."""

    search: MaxSatFront
    criterion: Criterion
    status: Status
    seconds: float

    @property
    def value(self) -> int | None:
        """The value of the best tree."""
        return self.criterion.best(self.search.curves)

    @property
    def tree(self) -> Tree | None:
        """The best tree."""
        curves = self.search.curves
        values = {self.criterion.value(int(curves.upper[k]), k): k for k in reversed(curves.points)}
        return None if self.value is None else curves.tree(values[self.value])

    @property
    def cost(self) -> int:
        """The cost of the best tree."""
        assert self.tree is not None
        return self.search.problem.cost(self.tree)


def ask(
    problem: CostProblem,
    criterion: Criterion,
    *,
    constraints: Constraints | None = None,
    backend: str | Backend = "linear",
    clock: Clock | None = None,
    **options: Any,
) -> Found:
    """Answer a question by MaxSAT."""
    start = time.monotonic()
    search = MaxSatFront(problem, constraints or Constraints(), MaxSat(backend, **options))
    status = search.run(lambda curves: criterion, clock or Clock())
    return Found(search, criterion, status, time.monotonic() - start)


def least_cost(problem: CostProblem, n_tests: int, *, constraints: Constraints | None = None, **options: Any) -> Found:
    """Return the least cost of a tree with at most so many tests."""
    limits = replace(constraints or Constraints(), max_nodes=2 * n_tests + 1)
    return ask(problem, Criterion.cost(), constraints=limits, **options)


def fewest_tests(problem: CostProblem, max_cost: int, **options: Any) -> Found:
    """Return the fewest tests of a tree that costs at most so much."""
    return ask(problem, Criterion.tests(max_cost), **options)


def require_front(problem: CostProblem, constraints: Constraints, backend: str | Backend, most: int, name: Any) -> None:
    """Require the answers of brute force to all questions, for up to so many tests and for each of their costs."""
    front = brute_force(problem, constraints)
    least = [front.least_cost(k) for k in range(most + 1)]
    for k, cost in enumerate(least):
        answer = least_cost(problem, k, constraints=constraints, backend=backend)
        assert (answer.status, answer.value, answer.search.curves.lower[-1]) == ("optimal", cost, cost), (name, k)
        require_tree(answer)
    for cost in set(least):
        answer = fewest_tests(problem, cost, constraints=constraints, backend=backend)
        n_tests = least.index(cost)
        assert (answer.status, answer.value) == ("optimal", n_tests), (name, cost)
        assert (answer.search.curves.lower[:n_tests] > cost).all()
        require_tree(answer)
    limits = replace(constraints, max_nodes=2 * most + 1)
    for price in (Fraction(1, 3), Fraction(7, 2)):
        criterion = Criterion.complexity(Price(price, 1.0), most + 1)
        answer = ask(problem, criterion, constraints=limits, backend=backend)
        value = min(criterion.value(cost, k) for k, cost in enumerate(least))
        assert (answer.status, answer.value) == ("optimal", value), (name, price)
        require_tree(answer)


def require_tree(answer: Found) -> None:
    """Require that the tree has the value of the answer, and that every test splits its examples."""
    tree, problem = answer.tree, answer.search.problem
    assert tree is not None
    assert answer.criterion.value(problem.cost(tree), tree.n_nodes // 2) == answer.value
    leaves = np.flatnonzero(tree.left < 0)
    assert set(problem.apply(tree).tolist()) == set(leaves.tolist())


@pytest.mark.parametrize("part", range(2))
def test_answers_equal_brute_force(part: int) -> None:
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
    assert (answer.value, answer.tree and answer.tree.to_nested()) == (8, 2)
    require_front(doubt, Constraints(), LOCAL, 3, "doubt")


def test_single_leaf_needs_no_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tests, one example, one class, or a cost that a leaf has: the answer is a leaf, and no formula is built."""
    monkeypatch.setattr(maxsat, "_Formula", None)
    xor = CostProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    single = CostProblem.from_rows([[0], [0]], [0, 1])
    pure = CostProblem.from_rows([[0], [1]], ["a", "a"])
    answers = [
        least_cost(xor, 0),
        ask(xor, Criterion.cost(), constraints=Constraints(max_nodes=2)),
        fewest_tests(xor, 2),
    ]
    answers += [least_cost(single, 5), least_cost(pure, 5), fewest_tests(pure, 0)]
    assert [(answer.status, answer.tree and answer.tree.n_nodes, answer.cost) for answer in answers] == [
        ("optimal", 1, cost) for cost in (2, 2, 2, 1, 0, 0)
    ]


def test_costs_that_no_tree_has() -> None:
    """Below the cost of contradictory rows no formula is needed, below that of the constraints there is a proof."""
    contradictory = CostProblem.from_rows([[0], [0], [1]], [0, 1, 1])
    xor = CostProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    answers = [fewest_tests(contradictory, 0)]
    for constraints in (Constraints(max_depth=1), Constraints(min_samples_leaf=2), Constraints(max_nodes=5)):
        answers.append(fewest_tests(xor, 0, constraints=constraints))
    for answer in answers:
        assert (answer.status, answer.value, answer.tree) == ("optimal", None, None)
        assert (answer.search.curves.lower > 0).all()


def test_options_for_pure_trees_are_rejected() -> None:
    """The error names the option and those that apply; an unknown solver is an error, too."""
    xor = CostProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    with pytest.raises(InputError, match="lazy=True is an option for pure trees; with errors, engine='maxsat' has"):
        least_cost(xor, 1, lazy=True)
    with pytest.raises(InputError, match="backend='none' is unknown"):
        least_cost(xor, 1, backend="none")


@pytest.mark.parametrize("price", [Fraction(0.3), Fraction(1, 3), Fraction(0.123456789), Fraction(0)])
def test_weights_of_the_complexity_are_small(price: Fraction) -> None:
    """A price with many digits becomes a fraction of small numbers that orders all trees alike."""
    criterion = Criterion.complexity(Price(price, 1.0), 8)
    assert criterion.per_cost <= 1000
    for cost in range(10):
        for n_tests in range(8):
            exact = sorted(range(-7, 8), key=lambda k: (cost - price * k, k))
            assert exact == sorted(range(-7, 8), key=lambda k: (criterion.value(cost, -k), k))
            assert [criterion.value(cost, n_tests) > criterion.value(other, 0) for other in range(40)] == [
                cost + price * n_tests > other for other in range(40)
            ]


@pytest.mark.parametrize("backend", [Linear(), "rc2"], ids=["linear", "rc2"])
def test_time_limit_returns_the_best_tree(backend: str | Backend) -> None:
    """Without time a leaf is returned; within a second a tree that need not be better. Nothing is proved."""
    rng = np.random.default_rng(0)
    problem = CostProblem.from_rows(rng.integers(0, 2, (300, 20)), rng.integers(0, 2, 300))
    for seconds in (0.0, 1.0):
        answer = least_cost(problem, 8, backend=backend, clock=Clock(seconds))
        assert answer.seconds < seconds + 3
        assert (answer.status, answer.search.curves.lower[-1]) == ("time_limit", problem.least_cost)
        require_tree(answer)
    answer = fewest_tests(problem, problem.least_cost, backend=backend, clock=Clock(1.0))
    assert (answer.status, answer.tree, answer.value) == ("time_limit", None, None)


def test_interrupt_returns_the_best_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C during the search keeps the best tree, and the clock is stopped."""

    class Interrupted(LocalOracle):
        n_calls = 0

        def solve(self, *arguments: Any, **options: Any) -> bool | None:
            self.n_calls += 1
            if self.n_calls == 2:
                raise KeyboardInterrupt
            return super().solve(*arguments, **options)

    monkeypatch.setattr(maxsat, "make_oracle", lambda *arguments, **options: Interrupted())
    problem, clock = larger_cost_problem(0), Clock()
    answer = least_cost(problem, 3, clock=clock)
    assert answer.status == "interrupted"
    assert answer.search.curves.last > 0
    assert clock.is_over
    require_tree(answer)


def test_formula_that_is_too_large_is_not_built() -> None:
    """The memory is estimated before the formula is built, and a leaf is returned."""
    rng = np.random.default_rng(0)
    problem = CostProblem.from_rows(rng.integers(0, 2, (2000, 40)), rng.integers(0, 2, 2000))
    answer = least_cost(problem, 30, memory_limit=1e6)
    assert (answer.status, answer.search.curves.last) == ("memory_limit", 0)


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
    monkeypatch.setattr(maxsat, "make_oracle", lambda *arguments, **options: lying_oracle(n_right)())
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

    monkeypatch.setattr(maxsat, "make_oracle", lambda *arguments, **options: Ignoring())
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
    assert least_cost(problem, 2, backend=program).value == cost
    answer = fewest_tests(problem, cost, backend=program)
    assert (answer.status, answer.value) == ("optimal", 2)
    answer = fewest_tests(problem, cost, backend=program, takeover=False)
    assert answer.status == "unproved"


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
        assert least_cost(problem, k, backend=LOCAL).value == cost
        assert fewest_tests(problem, cost, backend=LOCAL).value == least.index(cost)
