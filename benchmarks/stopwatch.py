"""The time of a piece of work in a process of its own, so that whatever happens to it happens to nothing else.

A solver may take all the memory, crash, or hear no clock: it is interrupted when its time is over, and killed soon
after. What is measured are the seconds of processor time of the work alone, its child processes included: on a machine
that is busy with other things they say more than the clock on the wall.
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

FAST = 0.1  # seconds; what takes less is repeated
N_REPEATS = 5
GRACE = 5.0  # seconds between the limit and the interrupt, and from there to the end
FORK = multiprocessing.get_context("fork")  # the problem is there already, and nothing need be pickled


@dataclass(frozen=True, slots=True)
class Result(Generic[T]):
    """What the work returned, its seconds, and why it returned nothing if it did not."""

    value: T | None
    seconds: float
    reason: str = ""


class Stopwatch:
    """Calls what it is given and adds up the processor time."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self, work: Callable[[], T], /) -> T:
        """Return what the work returns."""
        start = _processor_seconds()
        try:
            return work()
        finally:
            self.seconds += _processor_seconds() - start


def _processor_seconds() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def pin(core: int | None = None) -> int | None:
    """Keep this process and its children on one core, the last one unless said; None where that cannot be done."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0)) if core is None else core
    os.sched_setaffinity(0, {core})
    return core


def measure(work: Callable[[Stopwatch], T], limit: float, memory: float | None = None) -> Result[T]:
    """Run a piece of work in a child process; if it is fast, some times more there, for the median.

    The first time in a process pays for the pages that the process touches first, and that is not what is asked.

    Parameters
    ----------
    work : callable
        Gets a stopwatch, to call with what is to be timed.
    limit : float
        Seconds on the wall that the work promises to keep to.
    memory : float, optional
        The most bytes of address space; as many as it likes if not given.
    """
    receiver, sender = FORK.Pipe(duplex=False)
    child = FORK.Process(target=_work, args=(work, memory, sender))
    child.start()
    sender.close()
    try:
        if not receiver.poll(limit + GRACE) and child.pid is not None:
            os.kill(child.pid, signal.SIGINT)  # our own engines still tell what they have, and clean up
            if not receiver.poll(GRACE):
                return Result(None, limit, "killed")
        result: Result[T] = receiver.recv()
        return result
    except EOFError:
        return Result(None, limit, "crashed")
    finally:
        child.kill()
        child.join()
        receiver.close()


def _again(work: Callable[[Stopwatch], T]) -> float:
    stopwatch = Stopwatch()
    work(stopwatch)
    return stopwatch.seconds


def _work(work: Callable[[Stopwatch], T], memory: float | None, sender: Connection) -> None:
    if memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    stopwatch = Stopwatch()
    try:
        result = Result(work(stopwatch), stopwatch.seconds)
        if result.seconds < FAST:
            result = Result(result.value, median([result.seconds, *(_again(work) for _ in range(N_REPEATS - 1))]))
    except MemoryError:
        result = Result(None, stopwatch.seconds, "memory")
    except (Exception, KeyboardInterrupt) as error:
        result = Result(None, stopwatch.seconds, f"{type(error).__name__}: {error}")
    with suppress(BrokenPipeError):
        sender.send(result)
