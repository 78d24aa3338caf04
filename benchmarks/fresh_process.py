"""Run a function in a new process, and measure the peak memory of that process and its descendants.

The process is spawned, not forked, so that it shares no memory with the benchmark. Its memory is sampled while the
function runs, as the sum of the resident memory of all its processes: pages that they share are counted more than once,
so the result is rather too high. A peak between two samples is found by the high-water mark that Linux keeps; the
process sends its own with every result.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any

import psutil

from puretree._support.resources import peak_resident_bytes

INTERVAL = 0.05  # seconds between samples
SPAWN = multiprocessing.get_context("spawn")


@dataclass(slots=True)
class Report:
    """What a process sent, its peak memory in bytes, and why it ended early; the reason is empty if it did not."""

    messages: list[Any] = field(default_factory=list)
    peak: int = 0
    reason: str = ""


def run(function: Callable[..., None], *arguments: Any, limit: float, memory: float) -> Report:
    """Run ``function(*arguments, send)`` in a new process until it returns.

    Parameters
    ----------
    function : callable
        Calls ``send`` with each result. The memory is measured until the first one.
    *arguments : object
    limit : float
        Seconds after which the process is killed.
    memory : float
        Bytes at which it is killed.
    """
    receiver, sender = SPAWN.Pipe(duplex=False)
    process = SPAWN.Process(target=_work, args=(function, arguments, sender))
    process.start()
    sender.close()
    report, end = Report(), monotonic() + limit
    try:
        while _receive(receiver, report):
            if not report.messages:
                report.peak = max(report.peak, _tree_bytes(process.pid), peak_resident_bytes(process.pid))
            if monotonic() > end or report.peak > memory:
                report.reason = "memory" if report.peak > memory else "killed"
                break
    finally:
        _kill_tree(process.pid)
        process.join()
        receiver.close()
    return report


def _receive(receiver: Connection, report: Report) -> bool:
    """Wait for a message for a short time; return False if there will be no more."""
    try:
        if receiver.poll(INTERVAL):
            message, peak = receiver.recv()
            if isinstance(message, Exception):
                report.reason = str(message)
                return False
            if not report.messages:
                report.peak = max(report.peak, peak)
            report.messages.append(message)
    except EOFError:
        return False
    return True


def _work(function: Callable[..., None], arguments: tuple[Any, ...], sender: Connection) -> None:
    def send(message: Any) -> None:
        sender.send((message, peak_resident_bytes()))  # a short process may end before it is sampled

    try:
        function(*arguments, send)
    except Exception as error:
        send(RuntimeError(f"{type(error).__name__}: {error}"))


def _tree_bytes(pid: int | None) -> int:
    return sum(_resident(process) for process in _processes(pid))


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def _processes(pid: int | None) -> list[psutil.Process]:
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        return []


def _kill_tree(pid: int | None) -> None:
    for process in _processes(pid):
        try:
            process.kill()
        except psutil.Error:
            continue
