"""Whoever is measured answers the same question: the size of a minimum pure tree, proved."""

import pytest
from contenders import Answer, Question, contender
from helpers.oracles.brute_force import minimum_inner_nodes
from helpers.random_problems import random_problems, rows_of
from stopwatch import Stopwatch


@pytest.mark.parametrize("name", ["maxsat", "pystreed"])
def test_contenders_agree_with_brute_force(name: str) -> None:
    """Each contender proves the size that brute force finds, whether it knows it beforehand or not."""
    if name == "pystreed":
        pytest.importorskip("pystreed")
    ask = contender(name)
    for problem in random_problems(6 if name == "maxsat" else 60):
        n_inner = minimum_inner_nodes(rows_of(problem), problem.labels.tolist())
        for known in (None, n_inner):
            answer = ask(Question(problem, 60.0, known), Stopwatch())
            assert (answer.proved, answer.upper) == (True, n_inner)


def test_without_time_nothing_is_proved() -> None:
    """An answer at the limit has bounds and no proof."""
    problem = next(iter(random_problems(1)))
    answer = contender("maxsat")(Question(problem, 0.0), Stopwatch())
    assert isinstance(answer, Answer)
    assert not answer.proved
