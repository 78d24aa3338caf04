"""Encoding speed in clauses per second, also for the largest instance of the paper.

Run with ``python benchmarks/encoding.py [--data FOLDER]``. Prints the clauses per second written to each kind of sink.
With the paper's data sets, the largest instance (mushroom, 64 % of the rows, upper bound from ITI) is encoded in memory
and into a solver, and the peak memory of both processes is printed.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from puretree import BinaryProblem, prepare
from puretree.bounds.upper import iti_tree
from puretree.datasets import load
from puretree.datasets.paper import load_paper, paper_binarizer, split_sizes
from puretree.encoding import TreeEncoding
from puretree.formula import Counter, Sink
from puretree.formula.wcnf_format import write_wcnf
from puretree.sat import IsolatedOracle, LocalOracle


def training_part(name: str, folder: Path) -> BinaryProblem:
    """Return a training part of the paper's size: 64 % of the rows, not stratified."""
    dataset = load_paper(name, folder)
    bits = paper_binarizer(name).fit(dataset.table).transform_bits(dataset.table)
    whole = BinaryProblem.from_bits(bits, dataset.target, on_conflict="majority")
    rows = np.random.default_rng(0).permutation(whole.kept_rows)[: split_sizes(len(whole.kept_rows))[0]]
    examples = bits.transpose().take(np.sort(rows))
    return BinaryProblem.from_bits(examples.transpose(), np.asarray(dataset.target)[np.sort(rows)])


@contextmanager
def timed(label: str, n_clauses: int) -> Iterator[None]:
    """Print the number of clauses per second."""
    start = time.perf_counter()
    yield
    seconds = time.perf_counter() - start
    print(f"  {label:28} {seconds:6.2f} s   {n_clauses / seconds / 1e6:6.2f} million clauses per second")


def bench_sinks(title: str, problem: BinaryProblem, n_nodes: int) -> None:
    """Time writing the same formula to each kind of sink."""
    counter = Counter()
    TreeEncoding(problem, n_nodes).write(counter)
    n_clauses = counter.n_clauses
    clause_length = counter.n_literals / n_clauses
    print(f"{title}, {n_nodes} nodes: {n_clauses:,} hard clauses, {clause_length:.1f} literals per clause")
    sinks: dict[str, Callable[[], Sink]] = {
        "counter": Counter,
        "cadical195": LocalOracle,
        "cadical195, own process": IsolatedOracle,
    }
    for label, make in sinks.items():
        sink = make()
        with timed(label, n_clauses):
            TreeEncoding(problem, n_nodes).write(sink)
            if isinstance(sink, IsolatedOracle):
                sink.solve([1, -1])  # returns after all clauses have been received
    with tempfile.TemporaryDirectory() as folder, timed("WCNF file", n_clauses):
        write_wcnf(TreeEncoding(problem, n_nodes).wcnf(), Path(folder, "tree.wcnf"))


def bench_largest(folder: Path) -> None:
    """Encode mushroom, 64 %, and print time and memory."""
    problem = training_part("mushroom", folder)
    tree = iti_tree(problem)
    assert tree is not None
    bench_sinks(f"mushroom 64 %, {problem.n_examples} examples × {problem.n_features} features", problem, tree.n_nodes)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    print(f"  peak memory: {peak:.2f} GB in this process (all sinks together), {child:.2f} GB in the solver process")


def main() -> None:
    """Parse the command line and run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("PURETREE_DATA"))
    folder = parser.parse_args().data
    wine = load("sklearn:wine")
    problem = prepare(wine.table, wine.target).problem
    bench_sinks(f"wine, {problem.n_examples} examples × {problem.n_features} thresholds", problem, 21)
    if folder:
        bench_largest(Path(folder))


if __name__ == "__main__":
    main()
