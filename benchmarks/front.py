"""Benchmark of the front between size and errors: seconds beside prototypes and other optimal trees.

Run with ``python benchmarks/front.py --data FOLDER --prototypes FOLDER``; the peers need
``pip install "puretree[peers,front-peers]"``. All contenders get the same table on the same core, each question in a
process of its own. Prints a Markdown table for each part and what follows from it; the exit code is 1 if two proved
answers contradict each other.

- ``prototypes``: eight tables of bits, beside the C++ prototypes of a folder, to the k that these reach in the time
  limit; the whole front of these tables, and of the paper's 19 training sets.
- ``sizes``: one number of tests after the other beside pystreed, until that does not finish.
- ``prices``: the least sum of errors and a price for each leaf, beside FastSmallTreeClassifier.
- ``depth``: all thresholds of numeric tables. The whole front up to a depth, beside one point of it by ConTree and
  pydl8.5; without a depth limit, beside the numeric prototype, the k that is reached in the same time.
- ``growth``: seconds and peak memory against k, rows, columns and classes, with a limit on the memory.

Seconds are processor time, those of ``growth`` wall time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import front_ours
import front_peers
import front_tables
from comparison import format_seconds
from fresh_process import run
from front_comparison import Comparison, Proved, Timed, format_line, format_row, header, summary, timed, titles
from front_ours import OwnFront
from front_peers import CONTREE, DL85, PACKAGES, SMALL_TREE, STREED, Answer
from front_prototypes import BITS, NUMERIC, PrototypeRun, compile_prototype, run_prototype
from front_tables import BIT_TABLES, NUMERIC_TABLES, FrontTable
from search import installed
from stopwatch import Stopwatch, measure, pin

T = TypeVar("T")
Options = argparse.Namespace
GIGABYTE = 1e9
PROTOTYPE = "prototype"
PRICES = (16, 8, 4, 2, 1)  # errors for each leaf
DEPTHS = (3, 4)
MEMORY_LIMIT = 1.0  # GB of the part ``growth``
PATIENCE = 60.0  # seconds after the time limit until a process of ``growth`` is killed
GROWING_TESTS = (2, 4, 6, 8, 10, 12)  # of heart-statlog
TESTS_OF_ROWS, TESTS_OF_COLUMNS, TESTS_OF_CLASSES = 6, 6, 4
LARGE_FRONTS = ("anneal-cp4im", "hypothyroid-cp4im")  # the whole ones need more memory than the limit
PEERS_OF_PART = {"sizes": [STREED], "prices": [SMALL_TREE], "depth": [CONTREE, DL85]}


def read_options(arguments: list[str] | None = None) -> Options:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("--data", type=Path, default=os.environ.get("PURETREE_DATA"), help="folder of the paper's data sets")
    add("--prototypes", type=Path, help="folder of the C++ prototypes; they are left out by default")
    add("--part", nargs="+", choices=PARTS, default=list(PARTS))
    add("--only", default="", help="only tables whose name contains this text")
    add("--limit", type=float, default=60.0, help="seconds for each question to a peer or a prototype, and of growth")
    add("--own-limit", type=float, default=300.0, help="seconds for each question to puretree")
    add("--memory", type=float, default=8.0, help="GB of address space for each peer and prototype")
    add("--seed", type=int, default=0, help="of the paper's training sets")
    add("--core", type=int, help="the core to run on; the last one by default")
    add("--peers-only", action="store_true", help="ask the peers and prototypes alone")
    add("--write", type=Path, help="write all comparisons to this file, as JSON")
    options = parser.parse_args(arguments)
    if options.data is None:
        parser.error("the folder of the paper's data sets is required: use --data FOLDER or set PURETREE_DATA")
    return options


def ask_peer(question: Callable[[Stopwatch], T], answer: Callable[[T], Proved], options: Options) -> Timed:
    """Ask a peer in a process of its own, with limits on time and memory; ``answer`` returns what it proves."""
    return timed(measure(question, options.limit, options.memory * GIGABYTE), answer)


def ask_ours(question: Callable[[Stopwatch], T], answer: Callable[[T], Proved], options: Options) -> Timed | None:
    """Ask puretree in a process of its own; return None if only the peers are asked."""
    return None if options.peers_only else timed(measure(question, options.own_limit), answer)


def errors_of(answer: Answer) -> Proved:
    """Return the errors if they are proved the fewest."""
    return answer.errors if answer.proved else None


def objective_of(price: float, answer: Answer) -> Proved:
    """Return the objective value if it is proved the least."""
    return answer.objective(price) if answer.proved else None


def errors_up_to(n_tests: int | None, own: OwnFront) -> Proved:
    """Return the errors with at most so many tests, or of the whole front, if they are proved the fewest."""
    if n_tests is None:
        return own.errors[-1] if own.is_whole else None
    is_answered = own.is_whole or own.most_tests >= n_tests
    return own.errors[min(n_tests, own.most_tests)] if is_answered else None


def curve_up_to(n_tests: int, own: OwnFront) -> Proved:
    """Return the errors with at most 0, 1, …, so many tests if all of them are proved the fewest."""
    return own.errors[: n_tests + 1] if own.most_tests >= n_tests else None


# The parts


def prototypes(options: Options) -> Iterator[Comparison]:
    """Compare with the prototype to the same k; print the comparisons, and whole fronts."""
    tables = [front_tables.bit_table(name, options.data) for name in BIT_TABLES if options.only in name]
    comparisons: list[Comparison] = []
    if options.prototypes is not None and tables:
        print(header(titles("k", "errors", [PROTOTYPE])), flush=True)
        with TemporaryDirectory() as folder:
            program = compile_prototype(options.prototypes, BITS, Path(folder))
            for table in tables:
                comparisons.append(compare_with_prototype(program, table, options))
                print(format_row(comparisons[-1]), flush=True)
        print_sentences(prototype_summary(comparisons))
    if not options.peers_only:
        whole_fronts("eight tables", tables, options)
        training = front_tables.training_tables(options.data, options.seed)
        whole_fronts("the paper's training sets", [table for table in training if options.only in table.name], options)
    yield from comparisons


def compare_with_prototype(program: Path, table: FrontTable, options: Options) -> Comparison:
    """Run the prototype, and ask for the front to the same k."""
    own_memory = options.memory * GIGABYTE
    result = run_prototype(program, table, options.limit, memory=own_memory)
    k = result.most_tests
    ours = None
    if k >= 0:
        question = front_ours.ask_front(table, options.own_limit, max_tests=k)
        ours = ask_ours(question, partial(curve_up_to, k), options)
    peer = Timed(result.seconds[-1], result.errors) if k >= 0 else Timed(options.limit)
    name = f"{k} (whole)" if result.is_whole else str(k)
    return Comparison(table.name, table.shape, name, ours, {PROTOTYPE: peer}, options.limit)


def prototype_summary(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield the sentences about puretree and the prototype."""
    yield from summary(comparisons, PROTOTYPE)
    ratios = [comparison.ratio(PROTOTYPE) or 0.0 for comparison in comparisons if comparison.ours is not None]
    if ratios:
        yield f"at least 3× as fast on {sum(ratio >= 3 for ratio in ratios)} of {len(ratios)} tables"


def whole_fronts(title: str, tables: Sequence[FrontTable], options: Options) -> None:
    """Ask for whole fronts, and print how far they are proved."""
    print(f"\nWhole fronts, {title}, {options.own_limit:g} s:\n")
    print(header(["table", "rows × columns", "classes", "proved to k", "errors", "whole", "seconds"]), flush=True)
    n_whole = 0
    for table in tables:
        measurement = measure(front_ours.ask_front(table, options.own_limit), options.own_limit)
        own = measurement.value or OwnFront((), False)
        n_whole += own.is_whole
        cells = [str(own.most_tests), str(own.errors[-1])] if own.errors else ["–", "–"]
        cells += ["yes" if own.is_whole else measurement.reason or "no", format_seconds(measurement.seconds)]
        print(format_line([table.name, table.shape, str(table.n_classes), *cells]), flush=True)
    print_sentences([f"{n_whole} of {len(tables)} whole fronts are proved"])


def sizes(options: Options) -> Iterator[Comparison]:
    """Compare with pystreed for k = 1, 2, … tests, until that does not finish."""
    for table in (front_tables.bit_table(name, options.data) for name in BIT_TABLES if options.only in name):
        for k in range(1, front_peers.MOST_TESTS + 1):
            peer = ask_peer(front_peers.streed(table, k, options.limit), errors_of, options)
            question = front_ours.ask_front(table, options.own_limit, max_tests=k)
            ours = ask_ours(question, partial(errors_up_to, k), options)
            yield Comparison(table.name, table.shape, str(k), ours, {STREED: peer}, options.limit)
            if not peer.proved or peer.answer == 0:
                break


def prices(options: Options) -> Iterator[Comparison]:
    """Compare with FastSmallTreeClassifier at each price."""
    for table in (front_tables.bit_table(name, options.data) for name in BIT_TABLES if options.only in name):
        for price in PRICES:
            value = partial(objective_of, price)
            peer = ask_peer(front_peers.small_tree(table, price, options.limit), value, options)
            ours = ask_ours(front_ours.ask_price(table, price, options.own_limit), value, options)
            yield Comparison(table.name, table.shape, str(price), ours, {SMALL_TREE: peer}, options.limit)


def depth(options: Options) -> Iterator[Comparison]:
    """Compare the front under a depth with single points of ConTree and pydl8.5; then print the numeric prototype."""
    tables = [front_tables.numeric_table(name, options.data) for name in NUMERIC_TABLES if options.only in name]
    questions = {CONTREE: front_peers.contree, DL85: front_peers.dl85}
    for table in tables:
        for depth_limit in DEPTHS:
            peers = {
                name: ask_peer(question(table, depth_limit, options.limit), errors_of, options)
                for name, question in questions.items()
                if front_peers.is_installed(name)
            }
            own_question = front_ours.ask_front(table, options.own_limit, max_depth=depth_limit)
            ours = ask_ours(own_question, partial(errors_up_to, None), options)
            yield Comparison(table.name, table.shape, str(depth_limit), ours, peers, options.limit)


def numeric_prototype(options: Options) -> Iterator[Comparison]:
    """Compare the k that is reached in the same time, without a depth limit; all rows are printed here."""
    if options.prototypes is None:
        return
    print(f"\nWithout a depth limit, k after {options.limit:g} s:\n")
    print(header(["table", "rows × columns", PROTOTYPE, "puretree", "more tests", "same errors"]), flush=True)
    tables = (front_tables.numeric_table(name, options.data) for name in NUMERIC_TABLES if options.only in name)
    with TemporaryDirectory() as folder:
        program = compile_prototype(options.prototypes, NUMERIC, Path(folder))
        for table in (table for table in tables if table.n_classes == 2):
            result = run_prototype(program, table, options.limit, memory=options.memory * GIGABYTE)
            own = None
            if not options.peers_only:
                own = measure(front_ours.ask_front(table, options.limit), options.limit).value
            print(format_line([table.name, table.shape, *format_reached(result, own)]), flush=True)
            common = min(len(result.errors), 0 if own is None else len(own.errors))
            ours = None if own is None else Timed(options.limit, own.errors[:common] or None)
            peer = Timed(options.limit, result.errors[:common] or None)
            yield Comparison(table.name, table.shape, "no depth limit", ours, {PROTOTYPE: peer}, options.limit)
    print()


def format_reached(result: PrototypeRun, own: OwnFront | None) -> list[str]:
    """Return the cells of the k that were reached, and whether the errors are the same."""
    if own is None:
        return [str(result.most_tests), "–", "–", "–"]
    common = min(len(result.errors), len(own.errors))
    is_same = result.errors[:common] == own.errors[:common]
    whole = " (whole)" if own.is_whole else ""
    more = f"{own.most_tests - result.most_tests:+}"
    return [str(result.most_tests), f"{own.most_tests}{whole}", more, "yes" if is_same else "no"]


def growth(options: Options) -> Iterator[Comparison]:
    """Print seconds and peak memory against k, rows, columns and classes."""
    print(f"Memory limit {MEMORY_LIMIT:g} GB, {options.limit:g} s each; the peak is that of the whole process.\n")
    cells = ["table", "rows × columns", "classes", "k", "proved to k", "seconds", "peak GB", "under the limit"]
    print(header(cells), flush=True)
    for table, n_tests in growing(options):
        if options.only in table.name and not options.peers_only:
            print(format_line(run_growth(table, n_tests, options)), flush=True)
    print()
    yield from ()


def growing(options: Options) -> Iterator[tuple[FrontTable, int | None]]:
    """Yield tables, and the greatest k to ask for; None for the whole front."""
    heart = front_tables.bit_table("heart-statlog", options.data)
    yield from ((heart, n_tests) for n_tests in GROWING_TESTS)
    yield from ((table, TESTS_OF_ROWS) for table in front_tables.growing_rows(options.data))
    yield from ((table, TESTS_OF_COLUMNS) for table in front_tables.growing_columns(options.data))
    yield from ((table, TESTS_OF_CLASSES) for table in front_tables.growing_classes(options.data))
    yield from ((front_tables.bit_table(name, options.data), None) for name in LARGE_FRONTS)


def run_growth(table: FrontTable, n_tests: int | None, options: Options) -> list[str]:
    """Return the cells of a table."""
    limit, memory = options.limit, MEMORY_LIMIT * GIGABYTE
    report = run(
        front_ours.send_front, table, limit, n_tests, memory, limit=limit + PATIENCE, memory=options.memory * GIGABYTE
    )
    cells = [table.name, table.shape, str(table.n_classes), "whole" if n_tests is None else str(n_tests)]
    if not report.messages:
        cells += [report.reason or "no result", "–"]
    else:
        seconds, own = report.messages[0]
        # A whole front may have no point of its own at the greatest k.
        reached = n_tests if own.is_whole and n_tests is not None else own.most_tests
        cells += [str(reached), format_seconds(seconds)]
    gigabytes = report.peak / GIGABYTE
    return [*cells, f"{gigabytes:.2f}", "yes" if gigabytes <= MEMORY_LIMIT and report.messages else "no"]


# The tables

PARTS: dict[str, Callable[[Options], Iterator[Comparison]]] = {
    "prototypes": prototypes,
    "sizes": sizes,
    "prices": prices,
    "depth": depth,
    "growth": growth,
}
QUESTIONS = {"sizes": ("k", "errors"), "prices": ("price", "objective"), "depth": ("depth", "errors")}


def run_part(part: str, options: Options) -> list[Comparison]:
    """Run a part, and print it."""
    print(f"## {part}\n", flush=True)
    if part not in QUESTIONS:
        return list(PARTS[part](options))
    peers = [peer for peer in PEERS_OF_PART[part] if front_peers.is_installed(peer)]
    missing = [peer for peer in PEERS_OF_PART[part] if peer not in peers]
    if missing:
        print(f"Not installed: {', '.join(missing)}.\n")
    if part != "depth" and not peers:
        return []
    front_peers.prepare(peers)
    print(header(titles(*QUESTIONS[part], peers)), flush=True)
    comparisons = []
    for comparison in PARTS[part](options):
        comparisons.append(comparison)
        print(format_row(comparison), flush=True)
    for peer in peers:
        print_sentences(summary(comparisons, peer))
    return comparisons + (list(numeric_prototype(options)) if part == "depth" else [])


def print_sentences(sentences: Sequence[str] | Iterator[str]) -> None:
    """Print sentences as a list."""
    print("\n" + "".join(f"- {sentence}\n" for sentence in sentences), flush=True)


def print_setup(options: Options, core: int | None) -> None:
    """Print versions, machine and limits."""
    packages = ["puretree", *(package for packages in PACKAGES.values() for package in packages)]
    versions = ", ".join(f"{package} {installed(package)}" for package in packages)
    cores = "any core" if core is None else f"core {core}"
    print(f"{versions}, Python {platform.python_version()}, {platform.machine()}, {cores}. ", end="")
    print(f"Limits: puretree {options.own_limit:g} s, others {options.limit:g} s and {options.memory:g} GB.\n")


def main(arguments: list[str] | None = None) -> int:
    """Run the parts selected on the command line; return the exit code."""
    options = read_options(arguments)
    print_setup(options, pin(options.core))
    comparisons = {part: run_part(part, options) for part in options.part}
    if options.write is not None:
        results = {part: [asdict(comparison) for comparison in rows] for part, rows in comparisons.items()}
        options.write.write_text(json.dumps(results, indent=1) + "\n")
    contradicted = [row for rows in comparisons.values() for row in rows if row.contradictions()]
    for row in contradicted:
        print(f"{row.title}: contradicted by {', '.join(row.contradictions())}", file=sys.stderr)
    return 1 if contradicted else 0


if __name__ == "__main__":
    sys.exit(main())
