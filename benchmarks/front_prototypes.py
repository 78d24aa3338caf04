"""The prototypes of the front: two C++ programs for two classes, which are compiled and run by the benchmark.

A prototype reads a table from a text file, and prints a line for every number of tests k = 0, 1, 2, …: the fewest
errors with at most k tests. Its processor time is read when a line arrives, so that the time to every k is known; it
includes reading the file, as the time of puretree includes reading its table.
"""

from __future__ import annotations

import re
import resource
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer

from front_tables import FrontTable
from stopwatch import GRACE

BITS, NUMERIC = "front_prototype.cpp", "front_prototype_numeric.cpp"
COMPILE = ("g++", "-O3", "-march=native", "-std=c++20")
LINE = re.compile(r"\s*k=(\d+) E=(\d+) ")
MOST_TESTS = {BITS: 40, NUMERIC: 24}  # for more, their arrays are too short


@dataclass(frozen=True, slots=True)
class PrototypeRun:
    """The fewest errors for k = 0, 1, …, and the processor seconds until each was known."""

    errors: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def most_tests(self) -> int:
        """The greatest k that was answered; -1 if there is none."""
        return len(self.errors) - 1

    @property
    def is_whole(self) -> bool:
        """Whether the last tree has no errors."""
        return bool(self.errors) and self.errors[-1] == 0


def compile_prototype(folder: Path, name: str, target: Path) -> Path:
    """Compile a prototype of a folder for this machine; return the program."""
    program = target / Path(name).stem
    subprocess.run([*COMPILE, str(folder / name), "-o", str(program)], check=True)
    return program


def run_prototype(
    program: Path, table: FrontTable, limit: float, *, most_tests: int | None = None, memory: float | None = None
) -> PrototypeRun:
    """Run a prototype on a table.

    Parameters
    ----------
    program : Path
        The compiled program.
    table : FrontTable
        Of two classes.
    limit : float
        Seconds.
    most_tests : int, optional
        The greatest k; by default, as many as the program can count.
    memory : float, optional
        Limit on the address space in bytes. A program that exceeds it ends; what it printed before counts.
    """
    if table.n_classes != 2:
        raise ValueError(f"the prototypes take two classes; {table.name} has {table.n_classes}")
    most = MOST_TESTS[f"{program.name}.cpp"] if most_tests is None else most_tests
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.txt"
        table.write(path)
        command = [str(program), str(path), str(limit), str(most)]
        return _read(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL), limit, memory)


def _read(process: subprocess.Popen[bytes], limit: float, memory: float | None) -> PrototypeRun:
    if memory is not None:
        resource.prlimit(process.pid, resource.RLIMIT_AS, (int(memory), int(memory)))
    clock = (
        ~process.pid << 3
    ) | 2  # Linux's number for the processor time of a process, which it keeps until the process is waited for
    errors, seconds = [], []
    killer = Timer(limit + GRACE, process.kill)  # it looks at its limit now and then only
    killer.start()
    assert process.stdout is not None
    try:
        for line in process.stdout:
            match = LINE.match(line.decode())
            if match is not None:
                assert int(match[1]) == len(errors)
                errors.append(int(match[2]))
                seconds.append(time.clock_gettime(clock))
    finally:
        killer.cancel()
        process.kill()
        process.wait()
        process.stdout.close()
    return PrototypeRun(tuple(errors), tuple(seconds))
