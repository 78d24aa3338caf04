"""pydl8.5 and pystreed as engines: as few errors as brute force, within the time limit, with their answers checked."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.oracles.best_accuracy import fewest_errors
from helpers.random_problems import noise, random_problems, rows_of, xor

from puretree import BinaryProblem
from puretree._support.clock import Clock
from puretree.engines import peers, problem_program
from puretree.engines.base import Engine, solve
from puretree.engines.peers import Dl85, Streed
from puretree.engines.programs.peers import PEERS
from puretree.errors import InputError, SolverError
from puretree.problem import Constraints

N_PROBLEMS = 100
ENGINES: dict[str, Callable[..., Engine]] = {"dl85": Dl85, "streed": Streed}
MODULES = {"dl85": "dl85Optimizer", "streed": "pystreed"}
PACKAGES = {"dl85": r"pydl8\.5", "streed": "pystreed"}

each_peer = pytest.mark.parametrize("name", ENGINES)


@each_peer
def test_errors_equal_brute_force(name: str) -> None:
    """On random problems with weights, the peer's best trees at depth 1, 2 and 3 have the fewest possible errors."""
    pytest.importorskip(MODULES[name])
    for problem in random_problems(N_PROBLEMS):
        rows, labels, weights = problem.examples.unpack(), problem.labels, problem.weights
        for depth in (1, 2, 3):
            answer = PEERS[name](rows, labels, weights, depth, 60.0)  # in this process
            fewest = fewest_errors(rows_of(problem), labels.tolist(), depth, weights.tolist())
            assert (answer["errors"], answer["is_optimal"]) == (fewest, True)


@each_peer
@pytest.mark.parametrize("depth", [1, 2])
def test_engine_returns_the_tree_of_the_peer(name: str, depth: int) -> None:
    """The tree respects the depth, its errors are counted again, and the peer's claim of optimality is repeated."""
    pytest.importorskip(MODULES[name])
    labels = ["b", "a", "a", "c", "a", "a", "a"]
    rows = [[0, 0], [0, 1], [1, 0], [1, 1], [0, 1], [1, 0], [1, 0]]
    problem = BinaryProblem.from_rows(rows, labels)
    outcome = solve(problem, ENGINES[name](depth))
    fewest = fewest_errors(rows_of(problem), problem.labels.tolist(), depth, problem.weights.tolist())
    assert (outcome.n_errors, outcome.status, outcome.minimised) == (fewest, "optimal", "errors")
    assert outcome.tree is not None
    assert (outcome.tree.depth <= depth, outcome.lower_bound) == (True, fewest)


@each_peer
def test_time_limit_is_enforced(name: str) -> None:
    """On a problem too large for the time limit, there is a tree in time, and no proof."""
    pytest.importorskip(MODULES[name])
    problem = noise(1500, 150)
    start = time.monotonic()
    outcome = solve(problem, ENGINES[name](6), clock=Clock(1.0))
    assert time.monotonic() - start < 3.5
    assert (outcome.status, outcome.tree is not None, outcome.lower_bound) == ("time_limit", True, 0)


@each_peer
def test_only_max_depth_is_supported(name: str) -> None:
    """The smaller of the constraint and the option applies; other constraints are rejected."""
    pytest.importorskip(MODULES[name])
    outcome = solve(xor(), ENGINES[name](2), constraints=Constraints(max_depth=1))
    assert (outcome.n_errors, outcome.status) == (2, "optimal")
    with pytest.raises(InputError, match=f"engine='{name}' does not support max_leaf_nodes=2"):
        solve(xor(), ENGINES[name](), constraints=Constraints(max_nodes=3))


@each_peer
def test_missing_package_is_reported_at_search(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine can be created and listed without its package; only `solve` needs it."""
    monkeypatch.setitem(sys.modules, MODULES[name], None)
    with pytest.raises(InputError, match=rf'{PACKAGES[name]} is not installed; use: pip install "puretree\[peers\]"'):
        solve(xor(), ENGINES[name]())


@each_peer
@pytest.mark.parametrize("depth", [0, -1, 2.0, True, None])
def test_invalid_depth_is_rejected(name: str, depth: object) -> None:
    """The error names the option and its value."""
    with pytest.raises(InputError, match=f"depth={depth!r} is not an integer of at least 1"):
        ENGINES[name](depth)


def test_depth_beyond_the_limit_of_pystreed_is_rejected() -> None:
    """The error names the limit."""
    with pytest.raises(InputError, match="depth=21 is not an integer of at least 1 and at most 20"):
        Streed(21)


# Answers and failures, with a script in place of the program that calls the peers

ANSWER = 'print(\'{"tree": [0, 1, [1, 1, 0]], "errors": 1, "is_optimal": false}\')'


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Replace the program that calls the peers with a script, which the test writes."""
    path = tmp_path / "peers.py"
    monkeypatch.setattr(problem_program, "PROGRAM", path)
    monkeypatch.setattr(peers, "find_spec", lambda name: object())
    return path


def test_tree_without_a_claim_is_not_proved(script: Path) -> None:
    """A tree that the peer does not call optimal is returned without a proof."""
    script.write_text(f"import sys; sys.stdin.buffer.readline(); {ANSWER}", encoding="utf-8")
    outcome = solve(xor(), Dl85())
    assert outcome.tree is not None
    assert (outcome.tree.to_nested(), outcome.n_errors) == ((0, 1, (1, 1, 0)), 1)
    assert (outcome.status, outcome.lower_bound) == ("time_limit", 0)


def test_wrong_error_count_is_rejected(script: Path) -> None:
    """A peer that reports a wrong number of errors fails, and the previous tree is kept."""
    script.write_text(ANSWER.replace('"errors": 1', '"errors": 0'), encoding="utf-8")
    with pytest.raises(SolverError, match=r"pydl8\.5 reports 0 errors, but its tree misclassifies 1 row") as caught:
        solve(xor(), Dl85())
    assert caught.value.outcome.n_errors == 2


def test_crash_is_reported_with_exit_code_and_last_line(script: Path) -> None:
    """The error contains the exit code and the last line on stderr."""
    script.write_text("import sys; sys.exit('no such thing')", encoding="utf-8")
    with pytest.raises(SolverError, match=r"dl85 failed with exit code 1: no such thing"):
        solve(xor(), Dl85())


def test_out_of_memory_is_a_memory_limit(script: Path) -> None:
    """The errors of C++ and of Python for lack of memory are both recognised."""
    for error in ("std::bad_alloc", "MemoryError"):
        script.write_text(f"import sys; sys.exit('{error}')", encoding="utf-8")
        assert solve(xor(), Dl85()).status == "memory_limit"


def test_peer_that_ignores_the_time_limit_is_stopped(script: Path) -> None:
    """About a second after the limit the majority class is returned."""
    script.write_text("import time; time.sleep(60)", encoding="utf-8")
    start = time.monotonic()
    outcome = solve(xor(), Dl85(), clock=Clock(0.2))
    assert time.monotonic() - start < 3
    assert (outcome.status, outcome.n_nodes) == ("time_limit", 1)
