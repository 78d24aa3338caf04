"""Large tables, whose features are not made at once: the same minima as for small ones, by every engine that can."""

import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from helpers.mixed_tables import mixed_table, ordinal_problems

from puretree import (
    ConflictWarning,
    InfeasibleError,
    PureTreeClassifier,
    minimum_tree,
    minimum_trees,
    prepare,
)
from puretree._support.clock import Clock
from puretree.bounds.upper import grow_code_tree
from puretree.engines import LocalImprovement, Search, first_trees, solve
from puretree.errors import FeaturesTooLargeError
from puretree.outcome import Outcome
from puretree.problem import Constraints, OrdinalProblem

pytestmark = pytest.mark.filterwarnings("ignore::puretree.errors.NoisyLabelsWarning")

N_TABLES = 60


def result(X: Any, y: Any, **options: Any) -> tuple[str, int | None, int] | str:
    """Return the status and the bounds, or why there is no tree."""
    try:
        outcome = minimum_tree(X, y, **{"on_conflict": "majority"} | options)
    except InfeasibleError as error:
        return str(error)
    assert outcome.tree is not None
    if "root" in options and outcome.n_nodes != 1:
        assert outcome.tree.predicate(int(outcome.tree.feature[0])).column.name == options["root"]
    tested = {outcome.tree.predicate(feature).column.name for feature in outcome.tree.features}
    assert not tested & set(options.get("forbidden", ()))
    return outcome.status, outcome.n_nodes, outcome.lower_bound


@pytest.mark.parametrize("engine", ["search", "auto"])
@pytest.mark.parametrize("part", range(4))
def test_minima_equal_those_of_explicit_problems(engine: str, part: int) -> None:
    """On 60 mixed tables the minimum is proved, and it is that of the explicit problem."""
    for seed in range(part, N_TABLES, 4):
        X, y = mixed_table(seed)
        expected = result(X, y, engine=engine)
        with ordinal_problems():
            assert result(X, y, engine=engine) == expected, seed
        assert expected[0] == "optimal"


def constraints_of(seed: int, columns: list[str]) -> dict[str, Any]:
    """Return random constraints, some of them infeasible."""
    rng = np.random.default_rng([seed, 5])
    options: dict[str, Any] = {}
    if seed % 2:
        options["max_depth"] = int(rng.integers(2, 7))
    if seed % 3 == 0:
        options["root"] = str(rng.choice(columns))
    if seed % 5 == 0:
        options["forbidden"] = [name for name in columns if name != options.get("root")][:1]
    if seed % 7 == 0:
        options["max_leaf_nodes"] = int(rng.integers(3, 12))
    if seed % 11 == 0:
        options["min_samples_leaf"] = 2
    options["on_conflict"] = ["majority", "drop"][seed % 2]
    return options


@pytest.mark.parametrize("engine", ["search", "auto"])
@pytest.mark.parametrize("part", range(4))
def test_constrained_minima_equal_those_of_explicit_problems(engine: str, part: int) -> None:
    """With max_depth, root, forbidden, max_leaf_nodes, min_samples_leaf and both rules for conflicts, too."""
    n_infeasible = 0
    for seed in range(part, 2 * N_TABLES, 4):
        X, y = mixed_table(seed)
        options = constraints_of(seed, list(X.columns))
        expected = result(X, y, engine=engine, **options)
        n_infeasible += isinstance(expected, str)
        with ordinal_problems():
            assert result(X, y, engine=engine, **options) == expected, (seed, options)
    assert n_infeasible < N_TABLES / 3


def test_conflicts_are_warned_about() -> None:
    """The default rule for contradictory rows warns, and finds the same tree."""
    X, y = [[1.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "a"]
    with ordinal_problems(), pytest.warns(ConflictWarning):
        outcome = minimum_tree(X, y)
    assert (outcome.status, outcome.n_nodes) == ("optimal", 5)


@pytest.mark.parametrize("minimise", ["nodes-then-cost", "cost"])
def test_costs_are_minimised(minimise: Any) -> None:
    """A table with costs is always explicit; without costs, the cost of a large table is its number of tests."""
    for seed in range(10):
        X, y = mixed_table(seed)
        costs = {str(name): i for i, name in enumerate(X.columns)}
        for options in ({"feature_costs": costs}, {}):
            expected = minimum_tree(X, y, on_conflict="majority", minimise=minimise, **options)
            with ordinal_problems():
                outcome = minimum_tree(X, y, on_conflict="majority", minimise=minimise, **options)
            assert (outcome.status, outcome.n_nodes, outcome.cost) == ("optimal", expected.n_nodes, expected.cost)


@pytest.mark.parametrize("seed", range(12))
def test_all_minimum_trees_are_found(seed: int) -> None:
    """The forest of a large table has as many trees as that of the explicit problem, in the features of the table."""
    X, y = mixed_table(seed, 14)
    expected = minimum_trees(X, y, on_conflict="majority")
    with ordinal_problems():
        forest = minimum_trees(X, y, on_conflict="majority")
    assert forest.n_nodes == expected.n_nodes
    assert forest.count == expected.count


@pytest.mark.parametrize("seed", range(4))
def test_classifier(seed: int) -> None:
    """The classifier fits large tables: as small a tree, from as many trees, without errors."""
    X, y = mixed_table(seed, 14)
    expected = PureTreeClassifier(on_conflict="drop", random_state=0).fit(X, y)
    with ordinal_problems():
        model = PureTreeClassifier(on_conflict="drop", random_state=0).fit(X, y)
    assert model.tree_.n_nodes == expected.tree_.n_nodes
    assert model.n_optimal_trees_ == expected.n_optimal_trees_
    assert model.score(X, y) == expected.score(X, y)


@pytest.mark.parametrize("engine", ["maxsat", "mindt", "psk", "local-improvement(max_steps=100)", "infer-depth"])
def test_other_engines_make_the_features(engine: str) -> None:
    """Engines that need the matrix of features get it, if it fits into memory."""
    X, y = mixed_table(8, 12)
    expected = result(X, y, engine=engine)
    with ordinal_problems():
        assert result(X, y, engine=engine) == expected


@pytest.mark.parametrize("engine", ["maxsat", "mindt", "psk", "search"])
def test_features_beyond_the_memory_limit(engine: str) -> None:
    """Engines that need the matrix say what to do if it does not fit; for the search, this is so with leaves of 2."""
    rng = np.random.default_rng(0)
    X, y = rng.random((20_000, 10)), rng.integers(0, 2, 20_000)
    min_samples_leaf = 2 if engine == "search" else 1
    with pytest.raises(FeaturesTooLargeError, match="max_cuts"):
        minimum_tree(X, y, engine=engine, memory_limit=4e8, time_limit=20, min_samples_leaf=min_samples_leaf)


def outcome_of_first_stage(problem: OrdinalProblem, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    """Run the search without any local improvement."""
    with monkeypatch.context() as patches:
        patches.setattr("puretree.engines.local_improvement.OpenImprovement.run", lambda *arguments: "unproved")
        return solve(problem, Search(), clock=Clock(3))


def test_the_first_tree_is_the_best_of_the_heuristics(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search starts from the best of our greedy trees and six trees of scikit-learn, all of them pure."""
    X, y = mixed_table(2, 400, 3)
    with ordinal_problems():
        problem = prepare(X, y, on_conflict="majority").problem
    assert isinstance(problem, OrdinalProblem)
    trees = list(first_trees.first_trees(problem, Clock()))
    assert [name for name, _ in trees] == ["greedy"] * 2 + ["scikit-learn"] * 6
    assert all(problem.is_pure(tree) for _, tree in trees)
    outcome = outcome_of_first_stage(problem, monkeypatch)
    assert outcome.n_nodes <= min(tree.n_nodes for _, tree in trees)  # type: ignore[operator]
    improved = solve(problem, LocalImprovement(max_steps=1))
    assert improved.n_nodes <= min(tree.n_nodes for _, tree in trees)  # type: ignore[operator]


@pytest.mark.parametrize("seed", range(10))
def test_first_trees_satisfy_the_constraints(seed: int) -> None:
    """Trees that are too deep, or have another root, are not offered."""
    X, y = mixed_table(seed, 100)
    with ordinal_problems():
        prepared = prepare(X, y, on_conflict="majority", root="grade")
    problem = prepared.problem
    grown = grow_code_tree(problem.codes, problem.labels, len(problem.classes), 10.0)
    assert grown is not None
    constraints = Constraints(max_depth=problem.tree_of_codes(grown).depth + 2, root=prepared.roots)
    outcome = solve(problem, LocalImprovement(max_steps=30), constraints=constraints)
    assert outcome.tree is None or constraints.allows(outcome.tree, problem)


def test_first_trees_with_rare_levels() -> None:
    """Levels beyond those that scikit-learn gets make its trees impure; these are not offered."""
    rng = np.random.default_rng(0)
    X = [[f"town {level}", number] for level, number in zip(rng.permutation(200), rng.random(200), strict=True)]
    with ordinal_problems():
        problem = prepare(X, rng.integers(0, 2, 200)).problem
    outcome = solve(problem, LocalImprovement(max_steps=10))
    assert outcome.tree is not None
    assert problem.is_pure(outcome.tree)


PEAK_OF_A_LARGE_TABLE = """
import sys, warnings
import numpy as np
from puretree import minimum_tree
from puretree._support.resources import peak_resident_bytes
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X, y = rng.random((40_000, 12)), rng.integers(0, 2, 40_000)  # 480,000 thresholds: 2.4 GB of bits
before = peak_resident_bytes()
outcome = minimum_tree(X, y, engine=sys.argv[1], time_limit=8)
print(outcome.status, outcome.n_nodes, (peak_resident_bytes() - before) / 1e6)
"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["auto", "search", "local-improvement", "local-improvement(n_jobs=2)"])
def test_nothing_of_size_rows_times_thresholds_is_made(engine: str) -> None:
    """The memory for a table with 2.4 GB of bits is a fraction of that, and the time limit holds."""
    start = time.monotonic()
    command = [sys.executable, "-c", PEAK_OF_A_LARGE_TABLE, engine]
    completed = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    status, n_nodes, megabytes = completed.stdout.split()
    assert time.monotonic() - start < 20
    assert status == "time_limit"
    assert int(n_nodes) < 40_000
    assert float(megabytes) < 600


@pytest.mark.parametrize("step", ["read_table", "make_binarizer", "Codes.of_table", "OrdinalProblem"])
def test_preparing_a_table_can_be_interrupted(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C before there is a problem ends the call at once: there is no tree yet."""

    def interrupt(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"puretree.problem.prepared.{step}", interrupt)
    X, y = mixed_table(0)
    with ordinal_problems(), pytest.raises(KeyboardInterrupt):
        minimum_tree(X, y, on_conflict="majority")
