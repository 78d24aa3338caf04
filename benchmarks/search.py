"""The exact search: how fast it is, how far it gets, and how much faster than others that prove the same.

Run with ``make bench-search``, or ``python benchmarks/search.py --data FOLDER``; needs ``pip install puretree[peers]``.
Every engine gets the same problems, made beforehand, in the same run and on the same core; each run has a process of
its own. Printed are tables in Markdown: s is the number of inner nodes of the minimum tree, "trees" how many minimum
trees there are, then the seconds of processor time to the proof, "open" with what is known at the limit, and how many
times as long the fastest peer takes that proves the same. With all parts and limits it may take some hours; ``--part``,
``--seeds``, ``--limit``, ``--only`` and ``--engines`` make it shorter.
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
from comparison import Line, header, summary, written
from contenders import PEER, Contender, Question, contender, count_trees, names
from instances import Instance
from stopwatch import Result, measure, pin

from puretree._support.resources import MOST_BYTES

T = TypeVar("T")
Options = argparse.Namespace
PARTS: dict[str, Callable[[Options], Iterator[Instance]]] = {
    "paper": lambda options: instances.paper(options.data, options.seeds),
    "harder": lambda options: instances.harder(options.data),
    "larger": lambda options: instances.larger(options.data),
    "growth": lambda options: instances.growth(options.data),
}
NOT_COUNTED: Result[int] = Result(None, 0.0)


def read_options() -> Options:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("--data", type=Path, default=os.environ.get("PURETREE_DATA"), help="folder of the paper's data sets")
    add("--part", nargs="+", choices=PARTS, default=list(PARTS))
    add("--engines", nargs="+", default=["search", "maxsat", PEER], help=f"the one in question first: {names()}")
    add("--seeds", nargs="+", type=int, default=range(5), help="of the paper's training sets")
    add("--only", default="", help="instances with this in their name")
    add("--limit", type=float, default=60.0, help="seconds for each peer and instance")
    add("--own-limit", type=float, default=300.0, help="seconds for the engine in question, and to count its trees")
    add("--memory", type=float, default=MOST_BYTES / 2**30, help="GB of address space for each peer")
    add("--core", type=int, help="the core to run on; the last one by default")
    add("--no-count", action="store_true", help="do not count the minimum trees")
    options = parser.parse_args()
    if options.data is None:
        parser.error("where are the paper's data sets? use --data FOLDER or set PURETREE_DATA")
    return options


def compare(instance: Instance, engines: dict[str, Contender], options: Options) -> Line:
    """Run all engines on an instance: the one in question first, since it tells a peer how large trees can be."""
    problem = instance.make()
    (subject, ask), *others = engines.items()
    ours = told(subject, instance, measure(partial(ask, Question(problem, options.own_limit)), options.own_limit))
    known = None if ours.value is None else ours.value.upper
    question = Question(problem, options.limit, known)
    peers = {
        name: told(name, instance, measure(partial(ask, question), options.limit, options.memory * 2**30))
        for name, ask in others
    }
    trees = NOT_COUNTED
    if not options.no_count and ours.value is not None and ours.value.proved:
        trees = count(instance, Question(problem, options.own_limit), options)
    return Line(instance.name, problem, ours, peers, trees, options.limit)


def count(instance: Instance, question: Question, options: Options) -> Result[int]:
    """Count the minimum trees of an instance."""
    return told("count", instance, measure(partial(count_trees, question), options.own_limit))


def told(name: str, instance: Instance, result: Result[T]) -> Result[T]:
    """Say on the side why a run ended without an answer."""
    if result.reason:
        print(f"{instance.name}, {name}: {result.reason}", file=sys.stderr, flush=True)
    return result


def print_table(chosen: Iterable[Instance], engines: dict[str, Contender], options: Options) -> list[Line]:
    """Print a part as it goes, then what it says in all."""
    subject, *peers = engines
    print(header(subject, peers), flush=True)
    lines = []
    for instance in chosen:
        lines.append(compare(instance, engines, options))
        print(written(lines[-1]), flush=True)
    print()
    print_summary(lines, subject)
    return lines


def print_summary(lines: list[Line], subject: str) -> None:
    """Print what lines say together, as a list."""
    print("".join(f"- {words}\n" for words in summary(lines, subject)), flush=True)


def print_setting(options: Options, core: int | None) -> None:
    """Say what the figures are figures of."""
    where = "any core" if core is None else f"core {core}"
    versions = ", ".join(f"{name} {installed(name)}" for name in ("puretree", "python-sat", PEER))
    print(f"{versions}, Python {platform.python_version()}, {platform.machine()}, {where}. ", end="")
    print(f"{options.engines[0]} has {options.own_limit:g} s, a peer {options.limit:g} s.\n", flush=True)


def installed(package: str) -> str:
    """Return the version of a package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def main() -> None:
    """Run all parts that were asked for."""
    options = read_options()
    engines = {name: contender(name) for name in options.engines}
    print_setting(options, pin(options.core))
    lines: list[Line] = []
    for part in options.part:
        chosen = [instance for instance in PARTS[part](options) if options.only in instance.name]
        if chosen:
            print(f"## {part}\n")
            lines += print_table(chosen, engines, options)
    if len(options.part) > 1 and lines:
        print("## all parts\n")
        print_summary(lines, options.engines[0])


if __name__ == "__main__":
    main()
