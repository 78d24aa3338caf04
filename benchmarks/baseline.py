"""Sizes and times of an earlier version of puretree, to compare the current one with.

There are two parts. ``paper``: 80 % samples of the paper's largest data sets, with the number of nodes at the time
limit. ``proofs``: the 19 training sets of the paper's accuracy table and the harder instances of the search benchmark,
with the seconds to the proof. ``benchmarks/large.py`` writes the results of one version to a file, and compares those
of another version with them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import monotonic

import instances
from instances import Instance
from stopwatch import Measurement, Stopwatch, measure

from puretree import BinaryProblem
from puretree._support.clock import Clock
from puretree.bench.provenance import provenance
from puretree.bench.runtime import largest_datasets
from puretree.datasets.paper_parts import binary_table
from puretree.engines import make_engine, solve

FRACTION = 0.8  # of the rows: the paper's largest samples
N_REPEATS = 3  # of a proof; the median is used


@dataclass(frozen=True, slots=True)
class Solved:
    """The result on one instance.

    Parameters
    ----------
    nodes : int or None
        The number of nodes of the tree, which was checked on every example; None if there is no tree.
    lower : int
        The lower bound.
    proved : bool
    seconds : float
        Processor seconds.
    wall_seconds : float
    """

    nodes: int | None
    lower: int
    proved: bool
    seconds: float
    wall_seconds: float


Part = dict[str, Solved]
OnResult = Callable[[str, str, Solved], None]


def paper_samples(folder: Path, seed: int) -> Iterator[Instance]:
    """Yield samples of the paper's largest data sets, with the paper's binary features."""
    for name in reversed(largest_datasets(str(folder))):

        def make(name: str = name) -> BinaryProblem:
            table = binary_table(name, folder)
            return table.problem(table.sample(FRACTION, seed))

        yield Instance(name, make)


def proofs(folder: Path, seed: int) -> Iterator[Instance]:
    """Yield the training sets of the paper's accuracy table, and the harder instances."""
    yield from instances.paper(folder, [seed])
    yield from instances.harder(folder)


PARTS: dict[str, Callable[[Path, int], Iterator[Instance]]] = {"proofs": proofs, "paper": paper_samples}


def measure_part(
    part: str, folder: Path, *, engine: str, limit: float, seed: int = 0, only: str = ""
) -> Iterator[tuple[str, Solved]]:
    """Solve the instances of a part, each in a process of its own, one after the other.

    Parameters
    ----------
    part : {"proofs", "paper"}
    folder : Path
        The paper's data sets.
    engine : str
    limit : float
        Seconds.
    seed : int, default=0
        Of the samples.
    only : str, default=""
        Only instances whose name contains this text.
    """
    n_repeats = N_REPEATS if part == "proofs" else 1
    for instance in PARTS[part](folder, seed):
        if only in instance.name:
            yield instance.name, measure_instance(instance, engine, limit, n_repeats)


def measure_instance(instance: Instance, engine: str, limit: float, n_repeats: int) -> Solved:
    """Solve an instance; if it is proved, repeat it and return the median times."""
    problem = instance.make()
    results: list[Solved] = []
    while len(results) < n_repeats:
        measured = measure(partial(solve_once, problem, engine, limit), limit)
        if measured.value is None:
            return Solved(None, 0, False, measured.seconds, measured.seconds)
        results.append(with_seconds(measured))
        if not results[-1].proved:
            break
    seconds, wall_seconds = (
        median(getattr(result, name) for result in results) for name in ("seconds", "wall_seconds")
    )
    last = results[-1]  # proved only if all are
    return Solved(last.nodes, last.lower, last.proved, seconds, wall_seconds)


def with_seconds(measured: Measurement[Solved]) -> Solved:
    """Return the result with the processor seconds of its measurement."""
    assert measured.value is not None
    return Solved(**{**asdict(measured.value), "seconds": measured.seconds})


def solve_once(problem: BinaryProblem, engine: str, limit: float, timer: Stopwatch) -> Solved:
    """Solve a problem, check the tree on every example, and count its nodes."""
    solver, start = make_engine(engine), monotonic()
    outcome = timer(lambda: solve(problem, solver, clock=Clock(limit)))
    wall_seconds, tree = monotonic() - start, outcome.tree
    if tree is not None and (tree.predict_codes(problem.examples) != problem.labels).any():
        raise AssertionError("the tree is not pure")
    proved = outcome.status == "optimal"
    return Solved(None if tree is None else tree.n_nodes, outcome.lower_bound, proved, 0.0, wall_seconds)


def save(path: Path, settings: dict[str, object], parts: dict[str, Part]) -> None:
    """Write the results to a file."""
    content = {
        "settings": settings,
        **{name: {key: asdict(value) for key, value in part.items()} for name, part in parts.items()},
    }
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def load(path: Path, part: str) -> Part:
    """Read the results of a part from a file; empty if it has none."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return {name: Solved(**values) for name, values in content.get(part, {}).items()}


def write(path: Path, folder: Path, *, engine: str, limits: dict[str, float], seed: int = 0, only: str = "") -> None:
    """Measure all parts, and write the file after every instance.

    Parameters
    ----------
    path : Path
        The file.
    folder : Path
        The paper's data sets.
    engine : str
    limits : dict of str to float
        The time limit of each part, in seconds.
    seed : int, default=0
    only : str, default=""
        Only instances whose name contains this text.
    """
    settings: dict[str, object] = {"engine": engine, "limits": limits, "seed": seed, "versions": provenance()}
    parts: dict[str, Part] = {}
    for part, limit in limits.items():
        results = parts.setdefault(part, {})
        for name, solved in measure_part(part, folder, engine=engine, limit=limit, seed=seed, only=only):
            results[name] = solved
            save(path, settings, parts)
            print(f"{part}: {name}: {solved}", file=sys.stderr, flush=True)
