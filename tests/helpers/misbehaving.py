"""An experiment whose cells misbehave: they crash, hang, exhaust the memory, print, or leave processes running."""

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from puretree.bench.cell import Cell, OnProgress, Row, Values
from puretree.errors import InputError

MODULE = "helpers.misbehaving"


@dataclass(frozen=True)
class Misbehaving:
    """An experiment with one cell for each action."""

    actions: tuple[str, ...]
    seconds: float = 20.0
    memory: float | None = None
    folder: str | None = None
    name: str = MODULE

    @property
    def n_cells(self) -> int:
        """One for each action."""
        return len(self.actions)

    def cells(self, done: Mapping[str, Row]) -> list[Cell]:
        """Return a cell for each action."""
        return [
            Cell(MODULE, {"number": i, "action": action}, self.seconds, self.memory, {"folder": self.folder})
            for i, action in enumerate(self.actions)
        ]


def measure(cell: Cell, on_progress: OnProgress) -> Values:
    """Perform the action of a cell, after creating a file named by its number and process id in the folder."""
    action, *arguments = str(cell.key["action"]).split()
    on_progress({"started": action})
    if cell.context.get("folder"):
        (Path(cell.context["folder"]) / f"{cell.key['number']}-{os.getpid()}").write_text("started")
    if action == "need":
        return {"answer": cell.context["answer"]}
    return globals()[f"do_{action}"](*arguments) or {}


def runner_pid() -> int:
    """Return the process id of the runner: the parent of the cell server, which is the parent of this process."""
    return int(Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1])


def do_work(seconds: str = "0") -> Values:
    """Sleep, and return the process ids of the cell and its runner."""
    time.sleep(float(seconds))
    return {"pid": os.getpid(), "answer": 42, "runner": runner_pid()}


def do_crash() -> None:
    """Cause a segmentation fault."""
    print("about to crash", file=sys.stderr, flush=True)
    ctypes.string_at(0)


def do_exit() -> None:
    """Exit without a result."""
    os._exit(3)


def do_hang() -> None:
    """Ignore SIGINT."""
    while True:
        with suppress(KeyboardInterrupt):
            time.sleep(60)


def do_stop_late() -> Values:
    """Return a partial result on SIGINT."""
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        return {"partial": True}
    raise AssertionError


def do_allocate(megabytes: str) -> None:
    """Allocate memory and keep it."""
    blocks = [bytearray(2**20) for _ in range(int(megabytes))]
    time.sleep(20)
    del blocks


def do_touch(megabytes: str) -> Values:
    """Allocate memory and release it at once."""
    return {"bytes": len(bytearray(os.urandom(1024) * 1024 * int(megabytes)))}


def do_out_of_memory() -> None:
    """Raise MemoryError."""
    raise MemoryError


def do_reject() -> None:
    """Raise an error of puretree."""
    raise InputError("column 'a' does not exist")


def do_raise() -> None:
    """Raise an unexpected exception."""
    raise ZeroDivisionError("division by zero")


def do_print() -> Values:
    """Print, also from a child process."""
    print("this is not a row")
    subprocess.run(["echo", "neither is this"], check=True)
    return {"answer": 1}


def do_not_json() -> Values:
    """Return a value that JSON cannot represent."""
    return {"answer": object()}


def do_leave_child() -> None:
    """Die and leave a child process running."""
    child = subprocess.Popen(["sleep", "300"], start_new_session=True)
    print(child.pid, flush=True)
    os.kill(os.getpid(), 9)


def do_kill_runner() -> None:
    """Kill the runner."""
    os.kill(runner_pid(), 9)
    time.sleep(5)
