"""The limit of memory holds for the whole process, measured from outside of the search."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

# The search takes a few megabytes a second, so the process is made to hold data of its own, up to 20 or 30 MB below the
# limit: the limit is one for the process, and what is left of it is all that the search may take.
FULL = """
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
grow_graph(parity(2))  # so that everything is loaded
own = np.ones(int(512e6 - room - resident_bytes()), dtype=np.uint8)
"""
# Where Linux tells it, the peak since the process became this one: getrusage counts that of the parent before it, too.
PEAK = """
from pathlib import Path
status = Path("/proc/self/status")
told = [line.split()[1] for line in status.read_text().splitlines() if "VmHWM" in line] if status.exists() else []
print(int(told[0] if told else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * 1024 / 1e6)
"""
SEARCH = """
outcome = solve(noise(700, 20), Search(memory_limit), clock=Clock(12))
print(outcome.status, 3 < outcome.lower_bound < outcome.upper_bound == outcome.tree.n_nodes)
"""
FOREST = """
try:
    print(grow_graph(parity(10), memory_limit=memory_limit, clock=Clock(60)))
except UnfinishedError as error:
    print(error.outcome.status, error.outcome.n_nodes, "too many for the memory" in str(error))
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


def in_a_process(script: str, memory_limit: float, room: float) -> tuple[list[str], float]:
    """Run a script in a process that has so many bytes left of 512 MB; return what it says and its peak in MB."""
    command = [sys.executable, "-c", FULL + script + PEAK, str(Path(__file__).parents[1])]
    done = subprocess.run(
        [*command, str(memory_limit), str(room)], capture_output=True, text=True, timeout=90, check=False
    )
    assert done.returncode == 0, done.stderr
    *said, peak = done.stdout.split()
    return said, float(peak)


def test_the_search_keeps_to_512_mb() -> None:
    """A search that wants more forgets instead, and its bounds are honest; without the limit it came to 526 MB."""
    said, peak = in_a_process(SEARCH, 512e6, room=20e6)
    assert said == ["time_limit", "True"]
    assert 492 < peak < 512


def test_a_forest_keeps_to_512_mb() -> None:
    """A forest that wants more is given up, with the minimum that was proved; without the limit it is found."""
    said, peak = in_a_process(FOREST, 512e6, room=30e6)
    assert said == ["optimal", "2047", "True"]
    assert 482 < peak < 512
    _, peak_without = in_a_process(FOREST, 1e12, room=30e6)
    assert peak_without > 512


def test_large_trees_of_many_examples_take_little() -> None:
    """Its parts list their examples, which are once on each level; by a set of bits for each node it took 270 MB."""
    (status, is_large, taken), _ = in_a_process(LARGE, 1e12, room=300e6)
    assert (status, is_large) == ("time_limit", "True")
    assert float(taken) < 100
