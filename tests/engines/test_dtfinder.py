"""dtfinder: properties that the suite for all engines does not cover."""

from typing import Any

import pytest
from helpers.oracles.brute_force import minimum_inner_nodes
from helpers.random_problems import formula, noise, random_problem, rows_of

from puretree import InputError
from puretree._support.clock import Clock
from puretree.engines import solve
from puretree.engines.dtfinder import DtFinder
from puretree.engines.incumbent import Incumbent
from puretree.problem import Constraints


def test_the_default_is_the_encoding_of_the_paper() -> None:
    """Janota and Morgado propose paths, and split the search space into topologies."""
    assert (DtFinder().encoding, DtFinder().split_depth) == ("paths", 1)


@pytest.mark.parametrize(
    ("encoding", "split_depth", "n_problems"),
    [("paths", 0, 30), ("paths", 2, 20), ("paths", 3, 10), ("nodes", 0, 30), ("nodes", 2, 10)],
)
def test_optimum_does_not_depend_on_split_depth(encoding: Any, split_depth: int, n_problems: int) -> None:
    """For every split depth the size equals brute force, with a proof."""
    engine = DtFinder(encoding=encoding, split_depth=split_depth, isolated=False)
    for seed in range(n_problems):
        problem = random_problem(seed)
        outcome = solve(problem, engine)
        minimum = 2 * minimum_inner_nodes(rows_of(problem), problem.labels.tolist()) + 1
        assert (outcome.status, outcome.n_nodes, outcome.lower_bound) == ("optimal", minimum, minimum), seed


@pytest.mark.parametrize("encoding", ["paths", pytest.param("nodes", marks=pytest.mark.slow)])
def test_parallel_jobs_prove_the_same_size(encoding: Any) -> None:
    """With two jobs the same sizes are proved as with one."""
    assert solve(formula("mux6"), DtFinder(encoding=encoding, split_depth=1, n_jobs=2)).n_nodes == 15
    for seed in (1, 5):
        one, two = (
            solve(random_problem(seed), DtFinder(encoding=encoding, split_depth=1, n_jobs=n_jobs)) for n_jobs in (1, 2)
        )
        assert one.status == two.status == "optimal"
        assert one.n_nodes == two.n_nodes


@pytest.mark.parametrize("encoding", ["paths", "nodes"])
def test_sizes_increase_if_no_tree_is_known(encoding: Any) -> None:
    """Without an upper bound the sizes are tried upwards from the lower bound, with the same minimum."""
    incumbent = Incumbent(formula("mux6"), Constraints(), Clock())
    incumbent.raise_lower(3)
    assert DtFinder(encoding=encoding, isolated=False).search(incumbent) == "optimal"
    assert (incumbent.upper, incumbent.lower, incumbent.is_proved) == (15, 15, True)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_time_limit_is_enforced(n_jobs: int) -> None:
    """On a problem that is too hard, the best tree and valid bounds are returned in time."""
    outcome = solve(noise(150, 12), DtFinder(n_jobs=n_jobs), clock=Clock(1))
    assert outcome.status == "time_limit"
    assert outcome.seconds < 3
    assert outcome.lower_bound < outcome.upper_bound == outcome.n_nodes  # type: ignore[operator]


def test_unsupported_constraints_are_rejected() -> None:
    """Neither min_samples_leaf nor costs are supported."""
    for constraints in (Constraints(min_samples_leaf=2), Constraints(minimise="cost")):
        with pytest.raises(InputError, match="'dtfinder' does not support"):
            solve(formula("mux6"), DtFinder(), constraints=constraints)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoding": "leaves"}, "encoding='leaves' is unknown; use one of"),
        ({"split_depth": 5}, "split_depth=5 is not an integer from 0 to 4"),
        ({"split_depth": 1.5}, "split_depth=1.5"),
        ({"n_jobs": 0}, "n_jobs=0 is not a number of jobs"),
        ({"n_jobs": 2, "isolated": False}, "n_jobs=2 needs isolated=True"),
        ({"solver": "abacus"}, "no solver"),
    ],
)
def test_invalid_options_are_rejected(options: Any, message: str) -> None:
    """The error names the option and its valid values."""
    with pytest.raises(InputError, match=message):
        DtFinder(**options)


@pytest.mark.parametrize("encoding", ["paths", "nodes"])
def test_formulas_that_are_too_large_are_not_built(encoding: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory is estimated before the formula is built."""
    monkeypatch.setattr("puretree.engines.incumbent.MOST_BYTES", 1e4)
    outcome = solve(formula("mux6"), DtFinder(encoding=encoding))
    assert (outcome.status, outcome.lower_bound) == ("memory_limit", 3)
