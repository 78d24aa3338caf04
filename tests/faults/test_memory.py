"""A limit of memory holds for the process and the solvers that it starts, measured from outside."""

import json
import subprocess
import sys
from pathlib import Path
from time import sleep

import numpy as np
import pytest
from helpers.random_problems import noise, rows_of

from puretree._support.processes import descendants, has_own_program
from puretree._support.resources import peak_resident_bytes, resident_bytes

pytestmark = pytest.mark.slow

LIMIT = 512e6
# Tables of noise whose formula soon is more than 512 MB for a solver. Auto has a smaller tree to begin with, so its one
# is larger; and the search gets a tenth of the time here, so that a few seconds are enough for MaxSAT.
TABLES = {"maxsat": (270, 41), "auto": (500, 55)}
PROGRAM = """
import sys
from puretree.engines import auto
auto.SEARCH_SHARE = 0.1
from puretree.cli import main
sys.exit(main())
"""


def write_table(path: Path, n_rows: int, n_features: int) -> Path:
    """Write a table of noise."""
    problem = noise(n_rows, n_features)
    rows = np.column_stack([rows_of(problem), problem.labels])
    header = ",".join([*(f"c{i}" for i in range(problem.n_features)), "y"])
    np.savetxt(path, rows, fmt="%d", delimiter=",", header=header, comments="")
    return path


def start(table: Path, name: str, *options: str) -> subprocess.Popen[bytes]:
    """Start a fit of some seconds that prints to a file."""
    arguments = ["fit", str(table), "-t", "y", "--time-limit", "14", "--json", *options]
    with (table.parent / name).open("wb") as file:
        return subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments], stdout=file, stderr=subprocess.DEVNULL)


def bytes_now(process: int) -> int:
    """Return what a process takes with what it started, as soon as that runs its own program."""
    solvers = [each for each in descendants(process) if has_own_program(each)]
    return resident_bytes(process) + sum(map(resident_bytes, solvers))


def peaks(*processes: subprocess.Popen[bytes]) -> list[int]:
    """Watch processes until they end, and return the most that each took with its solvers at one time."""
    most = [0] * len(processes)
    while any(process.poll() is None for process in processes):
        for place, process in enumerate(processes):
            most[place] = max(most[place], bytes_now(process.pid), peak_resident_bytes(process.pid))
        sleep(0.01)
    return most


@pytest.mark.parametrize("engine", TABLES)
def test_512_mb(tmp_path: Path, engine: str) -> None:
    """A fit that takes more without a limit stays below it with one, and hands back a tree all the same."""
    table = write_table(tmp_path / "noise.csv", *TABLES[engine])
    limited = start(table, "limited", "--engine", engine, "--memory-limit", "512MB")
    unlimited = start(table, "unlimited", "--engine", engine)
    most, most_without = peaks(limited, unlimited)
    assert (limited.returncode, unlimited.returncode) == (10, 10)
    told = json.loads((tmp_path / "limited").read_text(encoding="utf-8"))
    assert told["lower_bound"] < told["n_nodes"]
    assert told["status"] == ("memory_limit" if engine == "maxsat" else "time_limit")
    assert most < LIMIT < most_without
