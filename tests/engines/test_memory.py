"""The memory limit holds for the whole process, measured outside of the search."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

# The search allocates only a few megabytes per second, so the process first allocates an array, up to 20 or 24 MB below
# the limit. The limit applies to the process, so the search may only use the rest.
SETUP = """
import resource, sys
sys.path.insert(0, sys.argv[1])
memory_limit, room = float(sys.argv[2]), float(sys.argv[3])
import numpy as np
from helpers.random_problems import noise, parity
from puretree import Search, UnfinishedError
from puretree._support.clock import Clock
from puretree.engines import solve
from puretree.forest import grow_graph
from puretree._support.resources import resident_bytes
grow_graph(parity(2))  # loads all modules
ballast = np.ones(int(512e6 - room - resident_bytes()), dtype=np.uint8)
"""
# On Linux, the peak since the process started: getrusage also counts the peak of its parent before the fork.
PEAK = """
from pathlib import Path
status = Path("/proc/self/status")
peaks = [line.split()[1] for line in status.read_text().splitlines() if "VmHWM" in line] if status.exists() else []
print(int(peaks[0] if peaks else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * 1024 / 1e6)
"""
SEARCH = """
outcome = solve(noise(700, 20), Search(memory_limit), clock=Clock(12))
print(outcome.status, 3 < outcome.lower_bound < outcome.upper_bound == outcome.tree.n_nodes)
"""
FOREST = """
try:
    print(grow_graph(parity(10), memory_limit=memory_limit, clock=Clock(60)))
except UnfinishedError as error:
    print(error.outcome.status, error.outcome.n_nodes, "do not fit into memory" in str(error))
"""

LARGE = """
from puretree import BinaryProblem
X = np.arange(2**15)[:, None] >> np.arange(15) & 1
problem = BinaryProblem.from_rows(X, np.random.default_rng(0).integers(0, 2, len(X)))
before = resident_bytes()
outcome = solve(problem, Search(), clock=Clock(8))
print(outcome.status, outcome.n_nodes > 30_000)
print((resident_bytes() - before) / 1e6)
"""


def run_script(script: str, memory_limit: float, room: float) -> tuple[list[str], float]:
    """Run a script in a process with `room` bytes left of 512 MB; return its output and its peak memory in MB."""
    command = [sys.executable, "-c", SETUP + script + PEAK, str(Path(__file__).parents[1])]
    completed = subprocess.run(
        [*command, str(memory_limit), str(room)], capture_output=True, text=True, timeout=90, check=False
    )
    assert completed.returncode == 0, completed.stderr
    *output, peak = completed.stdout.split()
    return output, float(peak)


def test_search_stays_below_512_mb() -> None:
    """A search that needs more memory drops cached results, and its bounds are valid; unlimited it took 526 MB."""
    output, peak = run_script(SEARCH, 512e6, room=20e6)
    assert output == ["time_limit", "True"]
    assert 492 < peak < 512


def test_forest_stays_below_512_mb() -> None:
    """A forest that needs more is abandoned, with the minimum that was proved; without a limit it is completed."""
    output, peak = run_script(FOREST, 512e6, room=24e6)
    assert output == ["optimal", "2047", "True"]
    assert 488 < peak < 512
    _, peak_without = run_script(FOREST, 1e12, room=24e6)
    assert peak_without > 512


def test_large_trees_of_many_examples_need_little_memory() -> None:
    """Nodes list their examples, so each level holds them once; with a bit set per node it took 270 MB."""
    (status, is_large, taken), _ = run_script(LARGE, 1e12, room=200e6)
    assert (status, is_large) == ("time_limit", "True")
    assert float(taken) < 100
