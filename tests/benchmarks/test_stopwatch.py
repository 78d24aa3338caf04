"""One bad peer never ends a benchmark."""

import os
import time

import pytest
from stopwatch import Stopwatch, measure

# Test runners have threads; the children here start none and end at once.
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


def busy(seconds: float) -> float:
    """Keep the processor busy."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return seconds


def test_only_what_is_timed_counts() -> None:
    """Preparing and checking around the timed call cost nothing, sleeping neither."""

    def work(timed: Stopwatch) -> float:
        busy(0.3)
        time.sleep(0.3)
        return timed(lambda: busy(0.15))

    result = measure(work, limit=20)
    assert result.value == 0.15
    assert 0.1 < result.seconds < 0.3


def test_too_much_memory_is_told() -> None:
    """A run that asks for more memory than it may have ends as such."""
    result = measure(lambda timed: timed(lambda: len(bytearray(2**40))), limit=20, memory=2**36)
    assert (result.value, result.reason) == (None, "memory")


def test_a_crash_is_told() -> None:
    """A process that dies takes nothing with it."""
    assert measure(lambda timed: os._exit(1), limit=20).reason == "crashed"


def test_an_error_is_told() -> None:
    """An exception becomes the reason."""
    assert measure(lambda timed: int("x"), limit=20).reason.startswith("ValueError: ")


def test_overtime_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run beyond its limit is interrupted."""
    monkeypatch.setattr("stopwatch.GRACE", 0.5)
    result = measure(lambda timed: time.sleep(60), limit=0.1)
    assert result.reason.startswith("KeyboardInterrupt")


def test_what_hears_no_interrupt_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that does not hear the interrupt is killed."""
    import signal

    def deaf(timed: Stopwatch) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        time.sleep(60)

    monkeypatch.setattr("stopwatch.GRACE", 0.5)
    assert measure(deaf, limit=0.1).reason == "killed"
