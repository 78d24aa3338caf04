"""The memory limit holds for the process and its solvers together, measured from outside."""

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
# Random tables whose formula soon needs more than 512 MB in a solver. Auto starts from a smaller tree, so its table is
# larger; and here the search gets a tenth of the time, so that a few seconds are left for MaxSAT.
TABLES = {"maxsat": (270, 41), "auto": (500, 55)}
PROGRAM = """
import sys
from puretree.engines import auto
auto.SEARCH_SHARE = 0.1
from puretree.cli import main
sys.exit(main())
"""


def write_table(path: Path, n_rows: int, n_features: int) -> Path:
    """Write a random table."""
    problem = noise(n_rows, n_features)
    rows = np.column_stack([rows_of(problem), problem.labels])
    header = ",".join([*(f"c{i}" for i in range(problem.n_features)), "y"])
    np.savetxt(path, rows, fmt="%d", delimiter=",", header=header, comments="")
    return path


def start(table: Path, name: str, *options: str) -> subprocess.Popen[bytes]:
    """Start a fit with a time limit of some seconds that prints to a file."""
    arguments = ["fit", str(table), "-t", "y", "--time-limit", "14", "--json", *options]
    with (table.parent / name).open("wb") as file:
        return subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments], stdout=file, stderr=subprocess.DEVNULL)


def bytes_now(process: int) -> int:
    """Return the memory of a process and its solvers, as soon as these run their own program."""
    solvers = [child for child in descendants(process) if has_own_program(child)]
    return resident_bytes(process) + sum(map(resident_bytes, solvers))


def peaks(*processes: subprocess.Popen[bytes]) -> list[int]:
    """Wait for processes to end, and return the peak memory of each with its solvers."""
    peak_bytes = [0] * len(processes)
    while any(process.poll() is None for process in processes):
        for index, process in enumerate(processes):
            peak_bytes[index] = max(peak_bytes[index], bytes_now(process.pid), peak_resident_bytes(process.pid))
        sleep(0.01)
    return peak_bytes


@pytest.mark.parametrize("engine", TABLES)
def test_512_mb(tmp_path: Path, engine: str) -> None:
    """A fit that exceeds 512 MB without a limit stays below it with one, and still returns a tree."""
    table = write_table(tmp_path / "noise.csv", *TABLES[engine])
    limited = start(table, "limited", "--engine", engine, "--memory-limit", "512MB")
    unlimited = start(table, "unlimited", "--engine", engine)
    peak, peak_without_limit = peaks(limited, unlimited)
    assert (limited.returncode, unlimited.returncode) == (10, 10)
    report = json.loads((tmp_path / "limited").read_text(encoding="utf-8"))
    assert report["lower_bound"] < report["n_nodes"]
    assert report["status"] == ("memory_limit" if engine == "maxsat" else "time_limit")
    assert peak < LIMIT < peak_without_limit


TABLE_PROGRAM = """
import sys
import numpy as np
from puretree import InputError, minimum_tree
from puretree._support.resources import peak_resident_bytes
rng = np.random.default_rng(0)
X, y = rng.random((10_000, int(sys.argv[1]))), rng.integers(0, 2, 10_000)
try:
    print(minimum_tree(X, y, engine=sys.argv[2], time_limit=8, memory_limit=1e9).status)
except InputError as error:
    print(error)
print(peak_resident_bytes())
"""


@pytest.mark.parametrize(("n_columns", "engine"), [(10, "mindt"), (20, "auto"), (20, "psk"), (40, "auto"), (40, "psk")])
def test_a_table_counts(n_columns: int, engine: str) -> None:
    """10,000 rows of numbers stay below 1 GB in all phases, or are rejected with the memory that they would take."""
    command = [sys.executable, "-W", "ignore", "-c", TABLE_PROGRAM, str(n_columns), engine]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    answer, peak = done.stdout.splitlines()
    if (n_columns, engine) == (40, "psk"):
        assert answer.startswith("399,960 features of 10,000 examples would take 1.0 GB; use engine='auto'")
    else:
        assert answer in ("time_limit", "memory_limit")
    assert int(peak) < 1e9
