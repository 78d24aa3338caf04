"""Local search over trees: always pure, never below the minimum, and minimum with a hybrid."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.oracles.brute_force import minimum_cost, minimum_inner_nodes
from helpers.random_problems import formula, noise, random_problem, rows_of, xor

from puretree import BinaryProblem, InfeasibleError, InputError
from puretree._support.clock import Clock
from puretree.encoding import TreeEncoding
from puretree.engines import solve
from puretree.engines.local_search import Anytime
from puretree.formula import combine
from puretree.maxsat import LocalSearch
from puretree.problem import Constraints
from puretree.sat import LocalOracle

HYBRIDS = ("none", "c", "ck")


def make_quick(hybrid: Any = "none", **options: Any) -> Anytime:
    """Make an engine with few steps."""
    return Anytime(hybrid, isolated=False, **{"max_steps": 10_000, **options})


def minimum_size(problem: BinaryProblem) -> int:
    """Return the size of a minimum tree, by brute force."""
    return 2 * minimum_inner_nodes(rows_of(problem), problem.labels.tolist()) + 1


@pytest.mark.parametrize(("hybrid", "min_successes"), [("none", 50), ("c", 60), ("ck", 60)])
def test_trees_of_small_problems_are_mostly_minimum(hybrid: str, min_successes: int) -> None:
    """On 60 random problems every tree is pure, most are minimum, and claims of optimality are correct."""
    n_minimum = 0
    for seed in range(60):
        problem = random_problem(seed)
        outcome = solve(problem, make_quick(hybrid))
        n_minimum += outcome.n_nodes == minimum_size(problem)
        assert outcome.n_nodes is not None
        assert outcome.lower_bound <= minimum_size(problem) <= outcome.n_nodes
        assert outcome.status == "optimal" or (hybrid == "none" and outcome.status == "unproved")
        assert outcome.status != "optimal" or outcome.n_nodes == minimum_size(problem)
    assert n_minimum >= min_successes


def test_walk_improves_on_the_heuristics() -> None:
    """On mux6 the walk alone, from a random assignment, halves the heuristics' 35 nodes."""
    outcome = solve(formula("mux6"), Anytime(), clock=Clock(20), on_progress=stop_at(19))
    assert outcome.upper_bound is not None
    assert outcome.upper_bound <= 19
    assert outcome.history[0].upper is None or outcome.history[0].upper > 30


def stop_at(n_nodes: int) -> Callable[[Any], None]:
    """Return a callback that raises KeyboardInterrupt at a tree of at most `n_nodes` nodes."""

    def on_progress(bounds: Any) -> None:
        if bounds.upper is not None and bounds.upper <= n_nodes:
            raise KeyboardInterrupt

    return on_progress


@pytest.mark.parametrize("hybrid", ["c", "ck"])
def test_hybrids_prove_the_minimum(hybrid: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With default options, except for a walk that stagnates sooner, they prove 15 nodes for mux6."""
    monkeypatch.setattr("puretree.maxsat.local_search.C_SECONDS", 0.2)
    outcome = solve(formula("mux6"), Anytime(hybrid))
    assert (outcome.status, outcome.n_nodes) == ("optimal", 15)


@pytest.mark.parametrize("hybrid", ["c", "ck"])
def test_improvements_are_attributed_to_the_walk_and_to_the_linear_search(hybrid: Any) -> None:
    """Trees and bounds are credited to the stage that found them; without steps, all to the linear search."""
    problem = random_problem(63)
    sources = {
        max_steps: [bounds.by for bounds in solve(problem, make_quick(hybrid, max_steps=max_steps)).history]
        for max_steps in (0, 10_000)
    }
    assert sources[0] == ["trivial bound", "greedy", "linear", "linear"]
    assert sources[10_000] == ["trivial bound", "greedy", "local-search", "linear"]


def test_linear_search_of_c_stays_near_the_best_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Phases are set to the first and each better tree, except those of the soft literals, set to the smallest tree."""
    phases: list[set[int]] = []
    set_phases = LocalOracle.set_phases

    def record(oracle: LocalOracle, literals: Any, clock: Clock) -> None:
        phases.append(set({abs(literal): literal for literal in literals}.values()))
        set_phases(oracle, literals, clock)

    monkeypatch.setattr(LocalOracle, "set_phases", record)
    problem = formula("mux6")
    outcome = solve(problem, make_quick("c", max_steps=0))
    sizes = sorted({bounds.upper for bounds in outcome.history if bounds.by == "linear"}, reverse=True)
    start = next(bounds.upper for bounds in reversed(outcome.history) if bounds.by != "linear")
    encoding = TreeEncoding(problem, start, lower=outcome.history[0].lower, constraints=Constraints())
    targets = {literal for soft in combine(encoding.objectives) for literal in soft.literals}
    assert len(phases) == 1 + len(sizes)
    assert all(targets <= literals for literals in phases)
    assert outcome.tree is not None
    assert {literal for literal in encoding.literals(outcome.tree) if -literal not in targets} <= phases[-1]


def test_same_seed_gives_the_same_tree() -> None:
    """The walk is determined by the seed."""
    trees = [solve(formula("mux6"), make_quick("c", max_steps=50_000, seed=5)).tree for _ in range(2)]
    assert trees[0] == trees[1]


@pytest.mark.parametrize("hybrid", HYBRIDS)
def test_constraints_are_satisfied(hybrid: str) -> None:
    """The tree satisfies max_depth and root; with a hybrid it is the smallest such tree."""
    n_infeasible = n_trees = 0
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
                    solve(problem, make_quick(hybrid), constraints=constraints)
            continue
        outcome = solve(problem, make_quick(hybrid), constraints=constraints)
        if outcome.tree is None:
            assert hybrid == "none"
            continue
        n_trees += 1
        assert constraints.allows(outcome.tree, problem)
        assert hybrid == "none" or outcome.n_nodes == 2 * best + 1
    assert n_infeasible
    assert n_trees > 5


@pytest.mark.parametrize("hybrid", ["c", "ck"])
def test_hybrids_start_from_a_model_of_a_sat_solver(hybrid: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The walk of the hybrids starts from a complete model of the known tree, computed by a SAT solver."""
    starts: list[Any] = []
    improve = LocalSearch.improve

    def record_start(self: LocalSearch, formula: Any, judge: Any, clock: Clock, **options: Any) -> Any:
        model = np.zeros(formula.n_vars + 1, dtype=np.bool_)
        model[[literal for literal in options["start"] if literal > 0]] = True
        starts.append((len(options["start"]) == formula.n_vars, formula.falsified_clause(model)))
        return improve(self, formula, judge, clock, **options)

    monkeypatch.setattr(LocalSearch, "improve", record_start)
    solve(formula("mux6"), make_quick(hybrid, max_steps=10))
    assert starts == [(True, None)]


@pytest.mark.parametrize("minimise", ["nodes-then-cost", "cost"])
def test_costs_are_minimised(minimise: Any) -> None:
    """No tree is cheaper than the brute-force minimum, and the hybrids reach it."""
    for seed in range(8):
        without_costs = random_problem(seed)
        costs = np.random.default_rng(seed).integers(0, 6, without_costs.n_features)
        rows, labels = rows_of(without_costs), without_costs.labels.tolist()
        problem = BinaryProblem.from_rows(rows, labels, costs=costs)
        walked, *proved = (
            solve(problem, make_quick(hybrid), constraints=Constraints(minimise=minimise)) for hybrid in HYBRIDS
        )
        assert [outcome.status for outcome in proved] == ["optimal", "optimal"]
        assert walked.cost is not None
        if minimise == "cost":
            best = minimum_cost(rows, labels, costs.tolist())
            assert [outcome.cost for outcome in proved] == [best, best]
            assert best <= walked.cost
        else:
            assert proved[0].cost == proved[1].cost
            assert {outcome.n_nodes for outcome in proved} == {minimum_size(problem)}


def test_min_samples_leaf_is_rejected() -> None:
    """A constraint that the formula does not express is rejected by name."""
    with pytest.raises(InputError, match="engine='local-search' does not support min_samples_leaf=2"):
        solve(xor(), Anytime(), constraints=Constraints(min_samples_leaf=2))


@pytest.mark.parametrize("hybrid", HYBRIDS)
def test_time_limit_is_enforced(hybrid: Any) -> None:
    """On a problem too large for all hybrids, the heuristics' tree or a better one is returned in time."""
    clock = Clock(1)
    outcome = solve(noise(150, 20), Anytime(hybrid), clock=clock)
    assert outcome.status == "time_limit"
    assert outcome.tree is not None
    assert clock.seconds < 2


def test_formulas_that_are_too_large_are_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the formula does not fit into memory, the walk is skipped and the heuristics' tree is returned."""
    monkeypatch.setattr("puretree.engines.incumbent.MOST_BYTES", 1000)
    assert solve(formula("mux6"), make_quick()).status == "memory_limit"
    assert solve(formula("mux6"), make_quick("ck")).status == "optimal"


def test_guarantees_and_names() -> None:
    """Only the hybrids guarantee the minimum."""
    assert [Anytime(hybrid).guarantees.is_minimum for hybrid in HYBRIDS] == [False, True, True]
    assert [Anytime(hybrid).name for hybrid in HYBRIDS] == ["local-search", "local-search-c", "local-search-ck"]


def test_invalid_options_are_rejected() -> None:
    """The error names the option and its valid values."""
    with pytest.raises(InputError, match="hybrid='k' is unknown; use one of 'none', 'c', 'ck'"):
        Anytime("k")  # type: ignore[arg-type]
