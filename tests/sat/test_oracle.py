"""Both kinds of oracle: the same answers, and limits that hold."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from helpers.oracles.maxsat import models
from hypothesis import given
from hypothesis import strategies as st

from puretree import InputError, SolverError
from puretree._support.clock import NO_LIMIT, Clock, TimeIsOver
from puretree.formula import Block, as_block, clause
from puretree.sat import IsolatedOracle, LocalOracle, Oracle

TESTS = str(Path(__file__).parents[1])


@pytest.fixture(params=[LocalOracle, IsolatedOracle], ids=["local", "isolated"])
def start(request: pytest.FixtureRequest) -> Iterator[Callable[..., Oracle]]:
    """Give a way to start oracles that are ended after the test."""
    started: list[Oracle] = []

    def make(*arguments: str) -> Oracle:
        started.append(request.param(*arguments))
        return started[-1]

    yield make
    for oracle in started:
        oracle.close()


def pigeons(n_holes: int) -> Block:
    """Return clauses that put one pigeon more than there are holes into them, one each: hard to refute."""
    var = np.arange(1, (n_holes + 1) * n_holes + 1).reshape(n_holes + 1, n_holes)
    somewhere = var.tolist()
    alone = [
        [-int(var[a, hole]), -int(var[b, hole])]
        for a, b in combinations(range(n_holes + 1), 2)
        for hole in range(n_holes)
    ]
    return as_block([*somewhere, *alone])


clause_lists = st.lists(
    st.lists(st.integers(1, 5).flatmap(lambda var: st.sampled_from([var, -var])), min_size=1, max_size=3), max_size=12
)


@given(clause_lists, st.lists(st.integers(1, 5), max_size=3, unique=True))
def test_answers_are_true(clauses: list[list[int]], assumed: list[int]) -> None:
    """Satisfiable or not, under assumptions, as trying everything says; and the model is one."""
    oracle = LocalOracle()
    oracle.add(as_block(clauses))
    expected = set(models(5, [*clauses, *([literal] for literal in assumed)]))
    assert oracle.solve(assumed) == bool(expected)
    if expected:
        assert tuple(oracle.model(5)[1:].tolist()) in expected
    oracle.close()


@pytest.mark.parametrize("solver", ["cadical195", "cadical153", "glucose4", "minisat22", "maplechrono", "lingeling"])
def test_solvers_by_name(start: Callable[..., Oracle], solver: str) -> None:
    """Solvers with and without budgets and phases give the same answers, asked again and again."""
    oracle = start(solver)
    oracle.add(clause([1, 2], 3))
    oracle.suggest([1, 2, 3])
    assert oracle.solve([-3]) is True
    assert oracle.model(5).tolist() == [False, True, True, False, False, False]
    assert oracle.solve([-3, -1]) is False
    oracle.add(as_block([[-1, -2], [4, -3, 5]]))
    assert oracle.solve([-3]) is False
    assert oracle.solve([-5, 3], NO_LIMIT) is True
    assert oracle.model(5)[[3, 4]].tolist() == [True, True]


def test_an_unknown_solver_is_named(start: Callable[..., Oracle]) -> None:
    """The error lists what there is."""
    with pytest.raises(InputError, match=r"no solver 'cadikal'; use one of .*cadical195"):
        start("cadikal")


@pytest.mark.parametrize("solver", ["cadical195", "glucose4", "lingeling"])
def test_the_time_limit_holds_whatever_the_solver_does(solver: str) -> None:
    """A formula that takes for ever: the answer is "unknown" within a second, even from a solver without budgets."""
    with IsolatedOracle(solver) as oracle:
        oracle.add(pigeons(13))
        start = time.monotonic()
        assert oracle.solve([], Clock(0.5)) is None
        assert time.monotonic() - start < 1.5
        assert oracle.solve([], Clock(0)) is None


def test_a_polite_solver_lives_on_after_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that keeps to its budget stops by itself and can be asked again."""
    monkeypatch.setattr("puretree.sat.isolated.GRACE", 20)  # however busy the machine is
    with IsolatedOracle() as oracle:
        oracle.add(pigeons(11))
        assert oracle.solve([], Clock(0.3)) is None
        oracle.add(clause(1))
        assert oracle.solve([-1]) is False


def test_clauses_that_come_after_the_time(start: Callable[..., Oracle]) -> None:
    """When the clock is over, telling more is refused."""
    with pytest.raises(TimeIsOver):
        start().add(clause(1), Clock(0))


def test_a_formula_that_is_told_too_slowly() -> None:
    """A child that takes nothing any more does not hold up the parent beyond the limit."""
    with IsolatedOracle() as oracle:
        os.kill(oracle._child.pid, signal.SIGSTOP)
        start = time.monotonic()
        with pytest.raises(TimeIsOver):
            oracle.add(np.ones((5_000_000, 3), dtype=np.int32), Clock(0.3))
        assert time.monotonic() - start < 1.3


def test_a_killed_solver_is_an_error_that_says_so() -> None:
    """The child dies: a clear error, no hang, and the oracle can be closed."""
    oracle = IsolatedOracle()
    oracle.add(pigeons(12))
    threading.Timer(0.3, lambda: os.kill(oracle._child.pid, signal.SIGKILL)).start()
    with pytest.raises(SolverError, match="cadical195 was killed by signal 9"):
        oracle.solve([])
    oracle.close()


def test_a_solver_that_fails_says_why() -> None:
    """What the child complains about reaches the message."""
    oracle = IsolatedOracle()
    oracle._send(b"A", np.array([1, 2, 3], dtype=np.int32), NO_LIMIT, width=0)
    with pytest.raises(SolverError, match=r"stopped with code 1 \(ValueError"):
        oracle.solve([])


INTERRUPTED = """
import os, signal, sys, threading, time
sys.path.insert(0, sys.argv[1])
from sat.test_oracle import pigeons
from puretree.sat import IsolatedOracle
oracle = IsolatedOracle()
oracle.add(pigeons(13))
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    oracle.solve([])
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - start < 1.5, oracle._child.poll() is not None)
"""


def test_ctrl_c_ends_the_child() -> None:
    """Ctrl-C is heard at once, and no solver is left behind."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, TESTS], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["interrupted", "True", "True"], done.stderr


ORPHANED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from sat.test_oracle import pigeons
from puretree._support.clock import Clock
from puretree.sat import IsolatedOracle
oracle = IsolatedOracle()
oracle.add(pigeons(13))
print(oracle._child.pid, flush=True)
oracle.solve([], Clock(0.3))
oracle._send(b"S", __import__("numpy").array([], dtype="int32"), Clock(1000))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_parent_leaves_no_solver_behind() -> None:
    """The child notices that nobody is waiting any more."""
    done = subprocess.run([sys.executable, "-c", ORPHANED, TESTS], stdout=subprocess.PIPE, text=True, timeout=60)
    child = int(done.stdout)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and is_running(child):
        time.sleep(0.1)
    assert not is_running(child)


def is_running(pid: int) -> bool:
    """Whether a process does anything: a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_turn_ends_a_question_but_not_the_solver(start: Callable[..., Oracle]) -> None:
    """When a turn is over before the clock, the answer is open, and the next question is answered."""
    oracle = start()
    oracle.add(pigeons(11))
    assert oracle.solve([], Clock(60), Clock(0.2)) is None
    oracle.add(clause(1000))
    assert oracle.solve([-1000], Clock(60)) is False


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to its memory")
def test_a_child_is_held_to_its_memory() -> None:
    """Clauses that need more than it may take end it, and that is told as what it is; fewer are answered."""
    with IsolatedOracle(most_bytes=60_000_000) as oracle:
        oracle.add(np.array([[1, 2], [-1, -2]], dtype=np.int32))
        assert oracle.solve([1]) is True
        many = np.random.default_rng(0).integers(1, 100_000, (500_000, 3), dtype=np.int32)
        with pytest.raises(MemoryError, match="needs more memory than it may take"):
            _add_often(oracle, many)


def _add_often(oracle: Oracle, block: Block) -> None:
    for _ in range(20):
        oracle.add(block)
        oracle.solve([])
