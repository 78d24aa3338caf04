"""Measure the processor time of a function in a process of its own.

A solver may exhaust the memory, crash, or ignore its time limit without affecting the benchmark: it is interrupted
after the time limit, and killed soon after. The measured time is the processor time of the function and its child
processes, which is more reliable than wall time on a busy machine.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from statistics import median
from typing import Generic, TypeVar

T = TypeVar("T")

FAST = 0.1  # seconds; faster functions are repeated
N_REPEATS = 5
GRACE = 5.0  # seconds from the time limit to SIGINT, and from SIGINT to SIGKILL
FORK = multiprocessing.get_context("fork")  # the child shares the problem, so nothing is pickled


@dataclass(frozen=True, slots=True)
class Measurement(Generic[T]):
    """The return value of a function, None if it failed; its seconds; and the reason for a failure."""

    value: T | None
    seconds: float
    reason: str = ""


class Stopwatch:
    """Calls functions and adds up their processor time."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self, function: Callable[[], T], /) -> T:
        """Return the result of the function."""
        start = _processor_seconds()
        try:
            return function()
        finally:
            self.seconds += _processor_seconds() - start


def _processor_seconds() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def pin(core: int | None = None) -> int | None:
    """Restrict this process and its children to one core, by default the last; return None if unsupported."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0)) if core is None else core
    os.sched_setaffinity(0, {core})
    return core


def measure(work: Callable[[Stopwatch], T], limit: float, memory: float | None = None) -> Measurement[T]:
    """Run a function in a child process; if it is fast, repeat it there and return the median time.

    The first call in a process includes page faults, which are not part of the measurement.

    Parameters
    ----------
    work : callable
        Gets a stopwatch, which it calls with the function to time.
    limit : float
        Wall time in seconds within which the function is expected to return.
    memory : float, optional
        Limit on the address space in bytes; unlimited by default.
    """
    receiver, sender = FORK.Pipe(duplex=False)
    child = FORK.Process(target=_work, args=(work, memory, sender))
    child.start()
    sender.close()
    try:
        if not receiver.poll(limit + GRACE) and child.pid is not None:
            os.kill(child.pid, signal.SIGINT)  # puretree's engines then return their incumbent and clean up
            if not receiver.poll(GRACE):
                return Measurement(None, limit, "killed")
        measurement: Measurement[T] = receiver.recv()
        return measurement
    except EOFError:
        return Measurement(None, limit, "crashed")
    finally:
        child.kill()
        child.join()
        receiver.close()


def _time_once(work: Callable[[Stopwatch], T]) -> float:
    stopwatch = Stopwatch()
    work(stopwatch)
    return stopwatch.seconds


def _work(work: Callable[[Stopwatch], T], memory: float | None, sender: Connection) -> None:
    if memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    stopwatch = Stopwatch()
    try:
        result = Measurement(work(stopwatch), stopwatch.seconds)
        if result.seconds < FAST:
            repeats = [_time_once(work) for _ in range(N_REPEATS - 1)]
            result = Measurement(result.value, median([result.seconds, *repeats]))
    except MemoryError:
        result = Measurement(None, stopwatch.seconds, "memory")
    except (Exception, KeyboardInterrupt) as error:
        result = Measurement(None, stopwatch.seconds, f"{type(error).__name__}: {error}")
    with suppress(BrokenPipeError):
        sender.send(result)
