"""Test races: the first result interrupts the other subproblems."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from joblib import parallel_config
from sat.test_oracle import pigeons

from puretree import SolverError
from puretree._support.clock import Clock, TimeLimitReached
from puretree.sat import IsolatedOracle, Oracle, first_result

TESTS = str(Path(__file__).parents[1])


def solve(n_holes: int, oracle: Oracle, clock: Clock | None = None) -> int | None:
    """Solve a pigeonhole formula; a negative number of holes makes it satisfiable."""
    clock = clock or Clock()
    oracle.add(pigeons(abs(n_holes))[n_holes < 0 :], clock)
    answer = oracle.solve([], clock)
    if answer is None:
        raise TimeLimitReached
    return n_holes if answer else None


def solver_processes() -> list[str]:
    """Return the solver processes that are children of this process."""
    processes = subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "args="], capture_output=True, text=True)
    return [line for line in processes.stdout.splitlines() if "session.py" in line]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_first_result_is_returned(n_jobs: int) -> None:
    """The first result is returned; None if all subproblems are proved to have none."""
    assert first_result([3, 4, -3, 5], solve, n_jobs=n_jobs) == -3
    assert first_result([3, 4, 5], solve, n_jobs=n_jobs) is None
    assert first_result(iter([]), solve, n_jobs=n_jobs) is None


def test_joblib_backend_of_the_caller_is_ignored() -> None:
    """Threads are used even if the caller has configured another joblib backend."""
    with parallel_config(backend="loky", n_jobs=3):
        assert first_result([3, -3], solve, n_jobs=2) == -3


def test_no_subproblem_is_generated_after_the_result() -> None:
    """After a result, the iterable of subproblems is not advanced."""

    def subproblems():  # type: ignore[no-untyped-def]
        yield -3
        pytest.fail("a subproblem was generated after the result")

    assert first_result(subproblems(), solve, isolated=False) == -3


def test_result_stops_the_other_solvers() -> None:
    """A result interrupts an intractable subproblem, and its solver process is gone."""
    start = time.monotonic()
    assert first_result([13, 3, -4], solve, n_jobs=2) == -4
    assert time.monotonic() - start < 5
    assert not solver_processes()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_undecided_subproblem_raises_time_is_over(n_jobs: int) -> None:
    """If a subproblem reaches the time limit and none has a result, TimeLimitReached is raised."""
    clock = Clock(1)
    with pytest.raises(TimeLimitReached):
        first_result([3, 13, 4], lambda holes, oracle: solve(holes, oracle, clock), n_jobs=n_jobs)
    assert clock.seconds < 3
    assert not solver_processes()


def test_failure_stops_all_solvers() -> None:
    """When a solver process dies, the others are stopped and the error is raised."""

    def fail(n_holes: int, oracle: Oracle) -> int | None:
        if n_holes == 3:
            assert isinstance(oracle, IsolatedOracle)
            oracle._child.kill()
        return solve(n_holes, oracle)

    start = time.monotonic()
    with pytest.raises(SolverError, match="killed by signal 9"):
        first_result([13, 3], fail, n_jobs=2)
    assert time.monotonic() - start < 5
    assert not solver_processes()


def test_oracle_is_interrupted_from_another_thread() -> None:
    """The interrupted call and all later ones return None; interrupting a closed oracle does nothing."""
    oracle = IsolatedOracle()
    oracle.add(pigeons(13))
    threading.Timer(0.3, oracle.interrupt).start()
    start = time.monotonic()
    assert oracle.solve([]) is None
    assert time.monotonic() - start < 3
    assert oracle.solve([]) is None
    oracle.close()
    oracle.interrupt()


INTERRUPTED = """
import os, signal, sys, threading, time
sys.path.insert(0, sys.argv[1])
from sat.test_race import solve, solver_processes
from puretree.sat import first_result
threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    first_result([13, 14, 15], solve, n_jobs=2)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - start < 4, not solver_processes())
"""


def test_keyboard_interrupt_stops_all_solvers() -> None:
    """Ctrl-C takes effect immediately, and no solver process is left."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, TESTS], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["interrupted", "True", "True"], done.stderr
