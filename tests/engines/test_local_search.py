"""Local search over trees: always pure, never better than the minimum, and the minimum from the hybrid that proves."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.oracles.brute_force import minimum_cost, minimum_inner_nodes
from helpers.random_problems import formula, noise, random_problem, rows_of, xor

from puretree import BinaryProblem, InfeasibleError, InputError
from puretree._support.clock import Clock
from puretree.engines import local_search, solve
from puretree.engines.local_search import Anytime
from puretree.maxsat import LocalSearch
from puretree.problem import Constraints

HYBRIDS = ("none", "c", "ck")


def quick(hybrid: Any = "none", **options: Any) -> Anytime:
    """Make an engine that gives up soon."""
    return Anytime(hybrid, isolated=False, **{"most_steps": 10_000, **options})


def truth(problem: BinaryProblem) -> int:
    """Return the size of a minimum tree, by brute force."""
    return 2 * minimum_inner_nodes(rows_of(problem), problem.labels.tolist()) + 1


@pytest.mark.parametrize(("hybrid", "least"), [("none", 50), ("c", 50), ("ck", 60)])
def test_small_trees_are_nearly_always_minimum(hybrid: str, least: int) -> None:
    """On 60 random problems every tree is pure, most are minimum, and what is said to be minimum is."""
    n_minimum = 0
    for seed in range(60):
        problem = random_problem(seed)
        outcome = solve(problem, quick(hybrid))
        n_minimum += outcome.n_nodes == truth(problem)
        assert outcome.n_nodes is not None
        assert outcome.lower_bound <= truth(problem) <= outcome.n_nodes
        assert outcome.status == "optimal" or (hybrid != "ck" and outcome.status == "unproved")
        assert outcome.status != "optimal" or outcome.n_nodes == truth(problem)
    assert n_minimum >= least


def test_the_walk_finds_better_trees_than_the_heuristics() -> None:
    """On mux6 the walk alone, from anywhere, comes from 35 nodes down to a tree of half of them."""
    outcome = solve(formula("mux6"), Anytime(), clock=Clock(20), on_progress=stop_at(19))
    assert outcome.upper_bound is not None
    assert outcome.upper_bound <= 19
    assert outcome.history[0].upper is None or outcome.history[0].upper > 30


def stop_at(n_nodes: int) -> Callable[[Any], None]:
    """Return a listener that presses Ctrl-C at a tree of so many nodes."""

    def hear(bounds: Any) -> None:
        if bounds.upper is not None and bounds.upper <= n_nodes:
            raise KeyboardInterrupt

    return hear


def test_the_hybrid_that_proves() -> None:
    """With the defaults it says 15 nodes for mux6, and proves it."""
    outcome = solve(formula("mux6"), Anytime("ck"))
    assert (outcome.status, outcome.n_nodes) == ("optimal", 15)


def test_the_same_seed_gives_the_same_tree() -> None:
    """The walk depends on the seed alone."""
    trees = [solve(formula("mux6"), quick("c", most_steps=50_000, seed=5)).tree for _ in range(2)]
    assert trees[0] == trees[1]


@pytest.mark.parametrize("hybrid", HYBRIDS)
def test_wishes_are_kept(hybrid: str) -> None:
    """With a depth and a root asked for the tree keeps to them; from the hybrid that proves it is the smallest."""
    n_infeasible = n_found = 0
    for seed in range(15):
        problem = random_problem(seed)
        rng = np.random.default_rng(seed)
        depth, root = int(rng.integers(1, 4)), rng.choice(problem.n_features, size=2).tolist()
        constraints = Constraints(max_depth=depth, root=root)
        ones = [1] * problem.n_features
        best = minimum_cost(rows_of(problem), problem.labels.tolist(), ones, max_depth=depth, root=root)
        if best == float("inf"):
            n_infeasible += 1
            if hybrid != "none":
                with pytest.raises(InfeasibleError):
                    solve(problem, quick(hybrid), constraints=constraints)
            continue
        outcome = solve(problem, quick(hybrid), constraints=constraints)
        if outcome.tree is None:
            assert hybrid == "none"
            continue
        n_found += 1
        assert constraints.allows(outcome.tree, problem)
        assert hybrid != "ck" or outcome.n_nodes == 2 * best + 1
    assert n_infeasible
    assert n_found > 5


@pytest.mark.parametrize("hybrid", ["c", "ck"])
def test_a_sat_solver_is_asked_first(hybrid: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The walk of the hybrids begins with a model that a SAT solver gave: the whole of the tree that is known."""
    begun: list[Any] = []
    improve = LocalSearch.improve

    def hear(self: LocalSearch, formula: Any, judge: Any, clock: Clock, **options: Any) -> Any:
        model = np.zeros(formula.n_vars + 1, dtype=np.bool_)
        model[[literal for literal in options["start"] if literal > 0]] = True
        begun.append((len(options["start"]) == formula.n_vars, formula.falsified_clause(model)))
        return improve(self, formula, judge, clock, **options)

    monkeypatch.setattr(LocalSearch, "improve", hear)
    solve(formula("mux6"), quick(hybrid, most_steps=10))
    assert begun == [(True, None)]


@pytest.mark.parametrize("minimise", ["nodes-then-cost", "cost"])
def test_costs_are_minimised(minimise: Any) -> None:
    """Trees with costs: never cheaper than brute force says, and as cheap from the hybrid that proves."""
    for seed in range(8):
        made = random_problem(seed)
        costs = np.random.default_rng(seed).integers(0, 6, made.n_features)
        rows, labels = rows_of(made), made.labels.tolist()
        problem = BinaryProblem.from_rows(rows, labels, costs=costs)
        proved = solve(problem, quick("ck"), constraints=Constraints(minimise=minimise))
        walked = solve(problem, quick("c"), constraints=Constraints(minimise=minimise))
        assert proved.cost is not None
        assert walked.cost is not None
        assert proved.status == "optimal"
        if minimise == "cost":
            assert proved.cost == minimum_cost(rows, labels, costs.tolist()) <= walked.cost


def test_leaves_of_many_rows_are_refused() -> None:
    """A wish that the formula does not tell is refused by name."""
    with pytest.raises(InputError, match="engine='local-search' cannot keep to min_samples_leaf=2"):
        solve(xor(), Anytime(), constraints=Constraints(min_samples_leaf=2))


@pytest.mark.parametrize("hybrid", HYBRIDS)
def test_the_limit_is_kept(hybrid: Any) -> None:
    """On a problem too large for all of them, the heuristics' tree or a better one is there on time."""
    clock = Clock(1)
    outcome = solve(noise(150, 20), Anytime(hybrid), clock=clock)
    assert outcome.status == "time_limit"
    assert outcome.tree is not None
    assert clock.seconds < 2


def test_too_large_formulas_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the memory for the formula the heuristics' tree is the answer."""
    monkeypatch.setattr(local_search, "MOST_BYTES", 1000)
    assert solve(formula("mux6"), quick()).status == "memory_limit"
    assert solve(formula("mux6"), quick("ck")).status == "optimal"


def test_what_is_promised() -> None:
    """Only the hybrid that proves promises the minimum."""
    assert [Anytime(hybrid).guarantees.is_minimum for hybrid in HYBRIDS] == [False, False, True]
    assert [Anytime(hybrid).name for hybrid in HYBRIDS] == ["local-search", "local-search-c", "local-search-ck"]


def test_wrong_options_are_refused() -> None:
    """The error names the option and the remedy."""
    with pytest.raises(InputError, match="hybrid='k' is not known; use one of 'none', 'c', 'ck'"):
        Anytime("k")  # type: ignore[arg-type]
