"""What holds for every peer behind an engine, whichever it is."""

import time

from helpers.oracles.best_accuracy import fewest_errors
from helpers.random_problems import noise, random_problems, rows_of

from puretree import BinaryProblem
from puretree._support.clock import Clock
from puretree.engines.base import Engine, solve
from puretree.engines.programs.peers import PEERS

N_PROBLEMS = 100


def require_fewest_errors(name: str) -> None:
    """Ask the peer itself, in this process, for its best trees at depth 1, 2 and 3."""
    for problem in random_problems(N_PROBLEMS):
        rows, labels, weights = problem.examples.unpack(), problem.labels, problem.weights
        for depth in (1, 2, 3):
            answer = PEERS[name](rows, labels, weights, depth, 60.0)
            fewest = fewest_errors(rows_of(problem), labels.tolist(), depth, weights.tolist())
            assert (answer["errors"], answer["is_optimal"]) == (fewest, True)


def require_answer(engine: Engine, depth: int) -> None:
    """Ask the engine, which starts a child: the same errors, counted on the tree that came back."""
    labels = ["b", "a", "a", "c", "a", "a", "a"]
    rows = [[0, 0], [0, 1], [1, 0], [1, 1], [0, 1], [1, 0], [1, 0]]
    problem = BinaryProblem.from_rows(rows, labels)
    outcome = solve(problem, engine)
    fewest = fewest_errors(rows_of(problem), problem.labels.tolist(), depth, problem.weights.tolist())
    assert (outcome.n_errors, outcome.status, outcome.minimised) == (fewest, "optimal", "errors")
    assert outcome.tree is not None
    assert (outcome.tree.depth <= depth, outcome.lower_bound) == (True, fewest)


def require_limit(engine: Engine) -> None:
    """Ask far more than the time allows: an answer in time, and no proof."""
    problem = noise(1500, 150)
    start = time.monotonic()
    outcome = solve(problem, engine, clock=Clock(1.0))
    assert time.monotonic() - start < 3.5
    assert (outcome.status, outcome.tree is not None, outcome.lower_bound) == ("time_limit", True, 0)
