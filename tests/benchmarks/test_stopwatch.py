"""A failing peer never stops a benchmark."""

import os
import time

import pytest
from stopwatch import Stopwatch, measure

# Test runners have threads; the child processes here start none and exit soon.
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


def busy(seconds: float) -> float:
    """Keep the processor busy."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return seconds


def test_only_the_timed_call_counts() -> None:
    """Work outside the timed call is not measured, and neither is sleeping."""

    def work(timed: Stopwatch) -> float:
        busy(0.3)
        time.sleep(0.3)
        return timed(lambda: busy(0.15))

    result = measure(work, limit=20)
    assert result.value == 0.15
    assert 0.1 < result.seconds < 0.3


def test_exceeding_the_memory_limit_is_reported() -> None:
    """A run that exceeds its memory limit has the reason "memory"."""
    result = measure(lambda timed: timed(lambda: len(bytearray(2**40))), limit=20, memory=2**36)
    assert (result.value, result.reason) == (None, "memory")


def test_a_crash_is_reported() -> None:
    """A process that dies has the reason "crashed"."""
    assert measure(lambda timed: os._exit(1), limit=20).reason == "crashed"


def test_an_exception_is_reported() -> None:
    """The exception is the reason."""
    assert measure(lambda timed: int("x"), limit=20).reason.startswith("ValueError: ")


def test_a_run_beyond_its_time_limit_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run beyond its time limit gets SIGINT."""
    monkeypatch.setattr("stopwatch.GRACE", 0.5)
    result = measure(lambda timed: time.sleep(60), limit=0.1)
    assert result.reason.startswith("KeyboardInterrupt")


def test_a_run_that_ignores_the_interrupt_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that ignores SIGINT is killed."""
    import signal

    def ignore_interrupt(timed: Stopwatch) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        time.sleep(60)

    monkeypatch.setattr("stopwatch.GRACE", 0.5)
    assert measure(ignore_interrupt, limit=0.1).reason == "killed"
