"""Ever more useless nodes: what the suite for all engines does not ask."""

import numpy as np
import pytest
from oracles.brute_force import minimum_cost, minimum_inner_nodes
from random_problems import formula, noise, random_problem, rows_of

from puretree import InfeasibleError, InputError
from puretree.clock import Clock
from puretree.engines import solve
from puretree.engines.bessiere import Bessiere
from puretree.outcome import Bounds
from puretree.record import Record
from puretree.steering import Steering

ENGINE = Bessiere(isolated=False)


def test_the_optimum_is_that_of_brute_force() -> None:
    """On 120 random problems of 2, 3 and 4 classes the size is the true minimum, and said to be proved."""
    for seed in range(120):
        problem = random_problem(seed)
        outcome = solve(problem, ENGINE)
        truth = 2 * minimum_inner_nodes(rows_of(problem), problem.labels.tolist()) + 1
        assert (outcome.status, outcome.n_nodes, outcome.lower_bound) == ("optimal", truth, truth), seed


def test_wishes_are_kept() -> None:
    """With a depth, a root and a number of nodes asked for, the tree is the smallest that keeps to them, if any."""
    n_infeasible = 0
    for seed in range(100):
        problem = random_problem(seed)
        rng = np.random.default_rng(seed)
        depth, root = int(rng.integers(1, 5)), rng.choice(problem.n_features, size=2).tolist()
        most = int(rng.integers(5, 20))
        steering = Steering(max_depth=depth, root=root, max_nodes=most)
        ones = [1] * problem.n_features
        best = 2 * minimum_cost(rows_of(problem), problem.labels.tolist(), ones, max_depth=depth, root=root) + 1
        if best > most:
            n_infeasible += 1
            with pytest.raises(InfeasibleError):
                solve(problem, ENGINE, steering=steering)
        else:
            outcome = solve(problem, ENGINE, steering=steering)
            assert (outcome.status, outcome.n_nodes) == ("optimal", best), seed
    assert 20 < n_infeasible < 80


def test_mux6_takes_fifteen_nodes() -> None:
    """With the defaults, solver in a process of its own, and bounds that only improve."""
    heard: list[Bounds] = []
    outcome = solve(formula("mux6"), Bessiere(), on_progress=heard.append)
    assert (outcome.status, outcome.n_nodes) == ("optimal", 15)
    assert [bounds.lower for bounds in heard] == sorted(bounds.lower for bounds in heard)


def test_more_slots_where_the_first_guess_is_too_small() -> None:
    """Where no tree is known, slots are added until there is one: mux6 with its last bit at the root takes 27 nodes."""
    record = Record(formula("mux6"), Steering(root=[5]), Clock())
    record.raise_lower(3)
    assert ENGINE.search(record) == "optimal"
    assert (record.upper, record.lower, record.is_proved) == (27, 27, True)
    assert record.history[1].lower == 17  # what the first guess was good for


def test_the_time_limit_holds() -> None:
    """On a problem that is too hard, the best tree and honest bounds come in time."""
    outcome = solve(noise(150, 12), Bessiere(), clock=Clock(1))
    assert outcome.status == "time_limit"
    assert outcome.seconds < 3
    assert outcome.lower_bound < outcome.upper_bound == outcome.n_nodes  # type: ignore[operator]


def test_what_it_cannot_keep_is_refused() -> None:
    """The size of leaves and costs are for other engines; a solver must exist."""
    for steering in (Steering(min_leaf=2), Steering(minimise="cost")):
        with pytest.raises(InputError, match="'bessiere' cannot keep to"):
            solve(formula("mux6"), ENGINE, steering=steering)
    with pytest.raises(InputError, match="no solver"):
        Bessiere(solver="abacus")


def test_a_formula_that_is_too_large_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimate comes first."""
    monkeypatch.setattr("puretree.engines.bessiere.MOST_BYTES", 1e4)
    outcome = solve(formula("mux6"), ENGINE)
    assert (outcome.status, outcome.lower_bound) == ("memory_limit", 3)
