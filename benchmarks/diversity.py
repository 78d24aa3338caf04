"""Diversity of extracted trees: the paper's methods and the forest, by the paper's measure.

Prints a row for each of the paper's training sets (64 % of the rows, with the paper's binary features): the size and
the number of minimum trees, then the mean Hamming distance over the targets of k trees for each method. ``nd`` extracts
any trees, ``mdsol`` diverse ones, ``lay`` enumerates layouts; ``forest`` chooses among all trees by the same measure.
A number after a slash is the number of trees, if it is less than k: there are no more, or the time limit was reached.
By default each tree of ``mdsol`` and ``lay`` is proved to be the farthest before the next is taken; ``--pace share``
divides the time among the trees, and a star means that some tree was not proved within its part.

``python benchmarks/diversity.py --data FOLDER`` takes at most a minute per data set with the defaults.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from instances import SEED

from puretree import Forest, Tree, UnfinishedError, prepare
from puretree._support.clock import Clock
from puretree.datasets.paper_parts import IN_TABLE_4, binary_table
from puretree.engines import make_engine, solve
from puretree.extraction import DEFAULT_DEPTH, Extractor, Pace, mean_hamming
from puretree.forest import grow_graph
from puretree.outcome import Outcome
from puretree.problem import Prepared

METHODS = ["nd", "mdsol", "lay-nd", "lay"]


def extractor(method: str, pace: Pace) -> Extractor:
    """Return the extractor of one of the paper's methods."""
    depth = DEFAULT_DEPTH if method.startswith("lay") else None
    return Extractor("none" if method.endswith("nd") else "mdsol", depth, pace)


def training_table(name: str, folder: Path) -> Prepared:
    """Return the training set of :mod:`instances` as a table of bits: a column is an original feature."""
    table = binary_table(name, folder)
    rows = table.training_part(SEED)
    return prepare(table.table(rows).astype(int), table.labels[rows], binarize="bits")


def extraction_diversity(prepared: Prepared, outcome: Outcome, extractor: Extractor, k: int, limit: float) -> str:
    """Extract trees by one of the paper's methods and format their diversity."""
    extraction = extractor.extract(prepared, outcome, k, clock=Clock(limit))
    return format_diversity(extraction.trees, k) + ("*" if extraction.n_unproved else "")


def forest_diversity(prepared: Prepared, k: int, limit: float) -> tuple[str, str]:
    """Return the number of trees in the forest, and the diversity of the trees chosen from it."""
    try:
        outcome, graph = grow_graph(prepared.problem, clock=Clock(limit))
    except UnfinishedError:
        return "?", "-"
    forest = Forest(prepared, graph, prepared.decode(outcome))
    return f"{forest.count:.3g}", format_diversity(forest.diverse(min(k, forest.count), "paper"), k)


def format_diversity(trees: Sequence[Tree], k: int) -> str:
    """Format the mean distance, and the number of trees if it is not k."""
    return f"{mean_hamming(trees):.2f}" + (f"/{len(trees)}" if len(trees) < k else "")


def main() -> None:
    """Print the table row by row."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("PURETREE_DATA"))
    parser.add_argument("--trees", type=int, default=10, help="number of trees per method (10)")
    parser.add_argument("--limit", type=float, default=12.0, help="seconds for each method (12)")
    parser.add_argument("--pace", choices=get_args(Pace), default="prove", help="prove each tree, or share the time")
    parser.add_argument("names", nargs="*", default=IN_TABLE_4)
    options = parser.parse_args()
    if options.data is None:
        parser.error("the folder of the paper's data sets is required: use --data FOLDER or set PURETREE_DATA")
    print(f"{'':18}{'nodes':>6}{'trees':>10}" + "".join(f"{method:>10}" for method in [*METHODS, "forest"]))
    for name in options.names:
        prepared = training_table(name, Path(options.data))
        outcome = prepared.decode(solve(prepared.problem, make_engine("search"), clock=Clock(options.limit)))
        print(f"{name:18}{outcome.n_nodes or '?':>6}", end="", flush=True)
        if outcome.status != "optimal":
            print("  not proved")
            continue
        count, forest = forest_diversity(prepared, options.trees, options.limit)
        print(f"{count:>10}", end="", flush=True)
        for method in METHODS:
            method_extractor = extractor(method, options.pace)
            diversity = extraction_diversity(prepared, outcome, method_extractor, options.trees, options.limit)
            print(f"{diversity:>10}", end="", flush=True)
        print(f"{forest:>10}", flush=True)


if __name__ == "__main__":
    main()
