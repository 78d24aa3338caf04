"""Questions at once: the first good answer ends the others."""

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
from puretree._support.clock import Clock, TimeIsOver
from puretree.sat import IsolatedOracle, Oracle, first_found

TESTS = str(Path(__file__).parents[1])


def ask(n_holes: int, oracle: Oracle, clock: Clock | None = None) -> int | None:
    """Put pigeons into holes; with holes below 0 there is room for all."""
    clock = clock or Clock()
    oracle.add(pigeons(abs(n_holes))[n_holes < 0 :], clock)
    answer = oracle.solve([], clock)
    if answer is None:
        raise TimeIsOver
    return n_holes if answer else None


def solver_children() -> list[str]:
    """Return the solver processes of this one."""
    listed = subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "args="], capture_output=True, text=True)
    return [line for line in listed.stdout.splitlines() if "session.py" in line]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_first_good_answer_is_returned(n_jobs: int) -> None:
    """Questions are asked until one finds something; None if that is settled for all."""
    assert first_found([3, 4, -3, 5], ask, n_jobs=n_jobs) == -3
    assert first_found([3, 4, 5], ask, n_jobs=n_jobs) is None
    assert first_found(iter([]), ask, n_jobs=n_jobs) is None


def test_threads_are_used_whatever_a_caller_has_set_up() -> None:
    """Another backend of joblib for everything around it changes nothing."""
    with parallel_config(backend="loky", n_jobs=3):
        assert first_found([3, -3], ask, n_jobs=2) == -3


def test_questions_are_not_asked_for_nothing() -> None:
    """After the good answer no further question is even made."""

    def questions():  # type: ignore[no-untyped-def]
        yield -3
        pytest.fail("nobody wants to know")

    assert first_found(questions(), ask, isolated=False) == -3


def test_a_good_answer_ends_the_others() -> None:
    """A question that would take hours does not keep us waiting, and its solver is gone."""
    start = time.monotonic()
    assert first_found([13, 3, -4], ask, n_jobs=2) == -4
    assert time.monotonic() - start < 5
    assert not solver_children()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_open_question_is_no_no(n_jobs: int) -> None:
    """If the time is over for one, nothing is settled."""
    clock = Clock(1)
    with pytest.raises(TimeIsOver):
        first_found([3, 13, 4], lambda holes, oracle: ask(holes, oracle, clock), n_jobs=n_jobs)
    assert clock.seconds < 3
    assert not solver_children()


def test_a_failure_ends_all() -> None:
    """When a solver dies, the others are ended and the error is told."""

    def fail(n_holes: int, oracle: Oracle) -> int | None:
        if n_holes == 3:
            assert isinstance(oracle, IsolatedOracle)
            oracle._child.kill()
        return ask(n_holes, oracle)

    start = time.monotonic()
    with pytest.raises(SolverError, match="killed by signal 9"):
        first_found([13, 3], fail, n_jobs=2)
    assert time.monotonic() - start < 5
    assert not solver_children()


def test_a_question_is_interrupted_from_another_thread() -> None:
    """The answer is open, as that of all questions after it; a solver that is closed hears nothing of it."""
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
from sat.test_race import ask, solver_children
from puretree.sat import first_found
threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    first_found([13, 14, 15], ask, n_jobs=2)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - start < 4, not solver_children())
"""


def test_ctrl_c_ends_all() -> None:
    """Ctrl-C is heard at once, and no solver is left behind."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, TESTS], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["interrupted", "True", "True"], done.stderr
