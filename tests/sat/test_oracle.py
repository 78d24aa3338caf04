"""Test both kinds of oracle: correct results, time and memory limits, and failures of the child process."""

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
from puretree._support.clock import NO_LIMIT, Clock, TimeLimitReached
from puretree.formula import Block, as_block, clause
from puretree.sat import IsolatedOracle, LocalOracle, Oracle

TESTS = str(Path(__file__).parents[1])


@pytest.fixture(params=[LocalOracle, IsolatedOracle], ids=["local", "isolated"])
def start(request: pytest.FixtureRequest) -> Iterator[Callable[..., Oracle]]:
    """Return a function that starts oracles, which are closed after the test."""
    started: list[Oracle] = []

    def make(*arguments: str) -> Oracle:
        started.append(request.param(*arguments))
        return started[-1]

    yield make
    for oracle in started:
        oracle.close()


def pigeons(n_holes: int) -> Block:
    """Return the pigeonhole formula for one pigeon more than holes: unsatisfiable and hard to refute."""
    var = np.arange(1, (n_holes + 1) * n_holes + 1).reshape(n_holes + 1, n_holes)
    some_hole = var.tolist()
    one_pigeon = [
        [-int(var[a, hole]), -int(var[b, hole])]
        for a, b in combinations(range(n_holes + 1), 2)
        for hole in range(n_holes)
    ]
    return as_block([*some_hole, *one_pigeon])


clause_lists = st.lists(
    st.lists(st.integers(1, 5).flatmap(lambda var: st.sampled_from([var, -var])), min_size=1, max_size=3), max_size=12
)


@given(clause_lists, st.lists(st.integers(1, 5), max_size=3, unique=True))
def test_results_agree_with_brute_force(clauses: list[list[int]], assumptions: list[int]) -> None:
    """Satisfiability under assumptions agrees with brute force, and the returned model is a model."""
    oracle = LocalOracle()
    oracle.add(as_block(clauses))
    expected = set(models(5, [*clauses, *([literal] for literal in assumptions)]))
    assert oracle.solve(assumptions) == bool(expected)
    if expected:
        assert tuple(oracle.model(5)[1:].tolist()) in expected
    oracle.close()


@pytest.mark.parametrize("solver", ["cadical195", "cadical153", "glucose4", "minisat22", "maplechrono", "lingeling"])
def test_solvers_by_name(start: Callable[..., Oracle], solver: str) -> None:
    """Solvers with and without budgets and phases give the same results in incremental use."""
    oracle = start(solver)
    oracle.add(clause([1, 2], 3))
    oracle.set_phases([1, 2, 3])
    assert oracle.solve([-3]) is True
    assert oracle.model(5).tolist() == [False, True, True, False, False, False]
    assert oracle.solve([-3, -1]) is False
    oracle.add(as_block([[-1, -2], [4, -3, 5]]))
    assert oracle.solve([-3]) is False
    assert oracle.solve([-5, 3], NO_LIMIT) is True
    assert oracle.model(5)[[3, 4]].tolist() == [True, True]


def test_unknown_solver_is_an_error(start: Callable[..., Oracle]) -> None:
    """The error lists the available solvers."""
    with pytest.raises(InputError, match=r"no solver 'cadikal'; use one of .*cadical195"):
        start("cadikal")


@pytest.mark.parametrize("solver", ["cadical195", "glucose4", "lingeling"])
def test_time_limit_holds_for_every_solver(solver: str) -> None:
    """On an intractable formula the result is None within a second, even for a solver without budgets."""
    with IsolatedOracle(solver) as oracle:
        oracle.add(pigeons(13))
        start = time.monotonic()
        assert oracle.solve([], Clock(0.5)) is None
        assert time.monotonic() - start < 1.5
        assert oracle.solve([], Clock(0)) is None


def test_solver_with_budgets_survives_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that stops at its conflict budget can be used again."""
    monkeypatch.setattr("puretree.sat.isolated.GRACE", 20)  # the machine may be busy
    with IsolatedOracle() as oracle:
        oracle.add(pigeons(11))
        assert oracle.solve([], Clock(0.3)) is None
        oracle.add(clause(1))
        assert oracle.solve([-1]) is False


def test_adding_clauses_after_the_time_limit(start: Callable[..., Oracle]) -> None:
    """After the time limit, adding clauses raises TimeLimitReached."""
    with pytest.raises(TimeLimitReached):
        start().add(clause(1), Clock(0))


def test_time_limit_holds_while_sending_clauses() -> None:
    """A child that does not read its input does not block the parent beyond the time limit."""
    with IsolatedOracle() as oracle:
        os.kill(oracle._child.pid, signal.SIGSTOP)
        start = time.monotonic()
        with pytest.raises(TimeLimitReached):
            oracle.add(np.ones((5_000_000, 3), dtype=np.int32), Clock(0.3))
        assert time.monotonic() - start < 1.3


def test_killed_solver_is_an_error() -> None:
    """If the child is killed, the call raises SolverError, and the oracle can be closed."""
    oracle = IsolatedOracle()
    oracle.add(pigeons(12))
    threading.Timer(0.3, lambda: os.kill(oracle._child.pid, signal.SIGKILL)).start()
    with pytest.raises(SolverError, match="cadical195 was killed by signal 9"):
        oracle.solve([])
    oracle.close()


def test_error_message_of_the_child_is_reported() -> None:
    """The error includes the error message of the child process."""
    oracle = IsolatedOracle()
    oracle._send(b"A", np.array([1, 2, 3], dtype=np.int32), NO_LIMIT, width=0)
    with pytest.raises(SolverError, match=r"exited with code 1 \(ValueError"):
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


def test_keyboard_interrupt_stops_the_child() -> None:
    """Ctrl-C takes effect immediately, and no solver process is left."""
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


def test_child_exits_when_the_parent_is_killed() -> None:
    """The child notices that its parent is gone and exits."""
    done = subprocess.run([sys.executable, "-c", ORPHANED, TESTS], stdout=subprocess.PIPE, text=True, timeout=60)
    child = int(done.stdout)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and is_running(child):
        time.sleep(0.1)
    assert not is_running(child)


def is_running(pid: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_end_of_a_time_slice_keeps_the_solver(start: Callable[..., Oracle]) -> None:
    """When the time slice ends before the clock, the result is None, and the solver can be used again."""
    oracle = start()
    oracle.add(pigeons(11))
    assert oracle.solve([], Clock(60), Clock(0.2)) is None
    oracle.add(clause(1000))
    assert oracle.solve([-1000], Clock(60)) is False


@pytest.mark.skipif(sys.platform != "linux", reason="memory limits are enforced on Linux only")
def test_memory_limit_of_the_child() -> None:
    """A formula that exceeds the memory limit raises MemoryError; a smaller one is solved."""
    with IsolatedOracle(max_bytes=60_000_000) as oracle:
        oracle.add(np.array([[1, 2], [-1, -2]], dtype=np.int32))
        assert oracle.solve([1]) is True
        many = np.random.default_rng(0).integers(1, 100_000, (500_000, 3), dtype=np.int32)
        with pytest.raises(MemoryError, match="exceeded its memory limit"):
            _add_repeatedly(oracle, many)


def _add_repeatedly(oracle: Oracle, block: Block) -> None:
    for _ in range(20):
        oracle.add(block)
        oracle.solve([])
