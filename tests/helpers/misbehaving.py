"""An experiment whose cells do what cells should not: crash, hang, eat the memory, print, leave children behind."""

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from puretree.bench.cell import Cell, Row, Tell, Values
from puretree.errors import InputError

MODULE = "helpers.misbehaving"


@dataclass(frozen=True)
class Misbehaving:
    """Cells by what they do."""

    deeds: tuple[str, ...]
    seconds: float = 20.0
    memory: float | None = None
    folder: str | None = None
    name: str = MODULE

    @property
    def n_cells(self) -> int:
        """As many as there are deeds."""
        return len(self.deeds)

    def cells(self, done: Mapping[str, Row]) -> list[Cell]:
        """Return a cell for each."""
        return [
            Cell(MODULE, {"number": i, "deed": deed}, self.seconds, self.memory, {"folder": self.folder})
            for i, deed in enumerate(self.deeds)
        ]


def measure(cell: Cell, tell: Tell) -> Values:
    """Do what the cell says."""
    deed, *arguments = str(cell.key["deed"]).split()
    tell({"begun": deed})
    if cell.context.get("folder"):
        (Path(cell.context["folder"]) / f"{cell.key['number']}-{os.getpid()}").write_text("begun")
    if deed == "need":
        return {"answer": cell.context["answer"]}
    return globals()[f"do_{deed}"](*arguments) or {}


def runner() -> int:
    """Return the process that runs the program that measures this cell."""
    return int(Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1])


def do_work(seconds: str = "0") -> Values:
    """Take some time, and tell who ran this."""
    time.sleep(float(seconds))
    return {"pid": os.getpid(), "answer": 42, "runner": runner()}


def do_crash() -> None:
    """Read where nothing is."""
    print("about to fall", file=sys.stderr, flush=True)
    ctypes.string_at(0)


def do_exit() -> None:
    """End without a word."""
    os._exit(3)


def do_hang() -> None:
    """Hear no request to stop."""
    while True:
        with suppress(KeyboardInterrupt):
            time.sleep(60)


def do_stop_late() -> Values:
    """Stop when asked, and keep what there is."""
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        return {"kept": True}
    raise AssertionError


def do_eat(megabytes: str) -> None:
    """Take memory, and keep it."""
    eaten = [bytearray(2**20) for _ in range(int(megabytes))]
    time.sleep(20)
    del eaten


def do_touch(megabytes: str) -> Values:
    """Take memory for a moment."""
    return {"bytes": len(bytearray(os.urandom(1024) * 1024 * int(megabytes)))}


def do_out_of_memory() -> None:
    """Have no memory left."""
    raise MemoryError


def do_refuse() -> None:
    """Refuse an input."""
    raise InputError("column 'a' is no column")


def do_raise() -> None:
    """Have a bug."""
    raise ZeroDivisionError("one by none")


def do_print() -> Values:
    """Print, and let a child print."""
    print("this is not a row")
    subprocess.run(["echo", "nor is this"], check=True)
    return {"answer": 1}


def do_not_json() -> Values:
    """Return what cannot be written down."""
    return {"answer": object()}


def do_leave_child() -> None:
    """Die and leave a child behind."""
    child = subprocess.Popen(["sleep", "300"], start_new_session=True)
    print(child.pid, flush=True)
    os.kill(os.getpid(), 9)


def do_kill_runner() -> None:
    """Take down the process that runs the cells."""
    os.kill(runner(), 9)
    time.sleep(5)
