"""Benchmark of the exact search: time to the proof, compared with other solvers that prove the same.

Run with ``make bench-search``, or ``python benchmarks/search.py --data FOLDER``; needs ``pip install puretree[peers]``.
Every engine gets the same problems on the same core; each run has a process of its own. Prints Markdown tables: s is
the number of inner nodes of the minimum tree, "trees" the number of minimum trees, then the processor seconds to the
proof, or "open" with the bounds at the time limit, and the ratio of the time of the fastest peer that proves the same.
With all parts and limits it may take some hours; ``--part``, ``--seeds``, ``--limit``, ``--only`` and ``--engines``
make it shorter.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

import instances
from comparison import Comparison, format_row, header, summary
from contenders import PEER, Contender, Task, contender, count_trees, names
from instances import Instance
from stopwatch import Measurement, measure, pin

from puretree._support.resources import MOST_BYTES

T = TypeVar("T")
Options = argparse.Namespace
PARTS: dict[str, Callable[[Options], Iterator[Instance]]] = {
    "paper": lambda options: instances.paper(options.data, options.seeds),
    "harder": lambda options: instances.harder(options.data),
    "larger": lambda options: instances.larger(options.data),
    "growth": lambda options: instances.growth(options.data),
}
NOT_COUNTED: Measurement[int] = Measurement(None, 0.0)


def read_options() -> Options:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("--data", type=Path, default=os.environ.get("PURETREE_DATA"), help="folder of the paper's data sets")
    add("--part", nargs="+", choices=PARTS, default=list(PARTS))
    add(
        "--engines",
        nargs="+",
        default=["search", "maxsat", PEER],
        help=f"subject of the comparison first: {names()}",
    )
    add("--seeds", nargs="+", type=int, default=range(5), help="seeds of the paper's training sets")
    add("--only", default="", help="only instances whose name contains this text")
    add("--limit", type=float, default=60.0, help="seconds for each peer and instance")
    add("--own-limit", type=float, default=300.0, help="seconds for the subject, and to count the trees")
    add("--memory", type=float, default=MOST_BYTES / 2**30, help="GB of address space for each peer")
    add("--core", type=int, help="the core to run on; the last one by default")
    add("--no-count", action="store_true", help="do not count the minimum trees")
    options = parser.parse_args()
    if options.data is None:
        parser.error("the folder of the paper's data sets is required: use --data FOLDER or set PURETREE_DATA")
    return options


def compare(instance: Instance, engines: dict[str, Contender], options: Options) -> Comparison:
    """Run all engines on an instance, the subject first, since its upper bound makes a peer faster."""
    problem = instance.make()
    (subject, solve), *others = engines.items()
    own_task = Task(problem, options.own_limit)
    ours = report_failure(subject, instance, measure(partial(solve, own_task), options.own_limit))
    known_upper = None if ours.value is None else ours.value.upper
    task = Task(problem, options.limit, known_upper)
    peers = {
        name: report_failure(name, instance, measure(partial(solve, task), options.limit, options.memory * 2**30))
        for name, solve in others
    }
    trees = NOT_COUNTED
    if not options.no_count and ours.value is not None and ours.value.proved:
        trees = count(instance, own_task, options)
    return Comparison(instance.name, problem, ours, peers, trees, options.limit)


def count(instance: Instance, task: Task, options: Options) -> Measurement[int]:
    """Count the minimum trees of an instance."""
    return report_failure("count", instance, measure(partial(count_trees, task), options.own_limit))


def report_failure(name: str, instance: Instance, measurement: Measurement[T]) -> Measurement[T]:
    """Print the reason for a failure on standard error; return the measurement."""
    if measurement.reason:
        print(f"{instance.name}, {name}: {measurement.reason}", file=sys.stderr, flush=True)
    return measurement


def print_table(part: Iterable[Instance], engines: dict[str, Contender], options: Options) -> list[Comparison]:
    """Print the table of a part row by row, then its summary."""
    subject, *peers = engines
    print(header(subject, peers), flush=True)
    comparisons = []
    for instance in part:
        comparisons.append(compare(instance, engines, options))
        print(format_row(comparisons[-1]), flush=True)
    print()
    print_summary(comparisons, subject)
    return comparisons


def print_summary(comparisons: list[Comparison], subject: str) -> None:
    """Print the summary as a list."""
    print("".join(f"- {sentence}\n" for sentence in summary(comparisons, subject)), flush=True)


def print_setup(options: Options, core: int | None) -> None:
    """Print versions, machine and time limits."""
    cores = "any core" if core is None else f"core {core}"
    versions = ", ".join(f"{name} {installed(name)}" for name in ("puretree", "python-sat", PEER))
    print(f"{versions}, Python {platform.python_version()}, {platform.machine()}, {cores}. ", end="")
    print(f"Time limits: {options.engines[0]} {options.own_limit:g} s, peers {options.limit:g} s.\n", flush=True)


def installed(package: str) -> str:
    """Return the installed version of a package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def main() -> None:
    """Run the parts selected on the command line."""
    options = read_options()
    engines = {name: contender(name) for name in options.engines}
    print_setup(options, pin(options.core))
    comparisons: list[Comparison] = []
    for part in options.part:
        selected = [instance for instance in PARTS[part](options) if options.only in instance.name]
        if selected:
            print(f"## {part}\n")
            comparisons += print_table(selected, engines, options)
    if len(options.part) > 1 and comparisons:
        print("## all parts\n")
        print_summary(comparisons, options.engines[0])


if __name__ == "__main__":
    main()
