"""All contenders solve the same problem: they prove the size of a minimum pure tree."""

import pytest
from contenders import SolverResult, Task, contender
from helpers.oracles.brute_force import minimum_inner_nodes
from helpers.random_problems import random_problems, rows_of
from stopwatch import Stopwatch


@pytest.mark.parametrize("name", ["maxsat", "pystreed"])
def test_contenders_agree_with_brute_force(name: str) -> None:
    """Each contender proves the size that brute force finds, with or without a known upper bound."""
    if name == "pystreed":
        pytest.importorskip("pystreed")
    solve = contender(name)
    for problem in random_problems(6 if name == "maxsat" else 60):
        n_inner = minimum_inner_nodes(rows_of(problem), problem.labels.tolist())
        for known_upper in (None, n_inner):
            result = solve(Task(problem, 60.0, known_upper), Stopwatch())
            assert (result.proved, result.upper) == (True, n_inner)


def test_at_the_time_limit_nothing_is_proved() -> None:
    """A result at the time limit has bounds and no proof."""
    problem = next(iter(random_problems(1)))
    result = contender("maxsat")(Task(problem, 0.0), Stopwatch())
    assert isinstance(result, SolverResult)
    assert not result.proved
