"""How different extracted trees are: the paper's ways and the forest's, by the paper's measure.

A row for each of the paper's training sets (64 % of the rows, its bits): how many nodes and how many trees the minimum
has, then the mean Hamming distance over the targets of k trees by each way. ``nd`` takes any, ``mdsol`` diverse ones,
``lay`` goes by layout; ``forest`` chooses among all trees, by the paper's measure. A star: some tree was not proved to
be the farthest in its share of the time. A number after a slash: so many trees only, all there are or all there was
time for.

``python benchmarks/diversity.py --data FOLDER`` takes a minute a data set at most, with the defaults.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from instances import SEED

from puretree import Forest, Tree, UnfinishedError, prepare
from puretree._support.clock import Clock
from puretree.datasets.paper_parts import IN_TABLE_4, binary_table
from puretree.engines import make_engine, solve
from puretree.extraction import DEFAULT_DEPTH, Extractor, mean_hamming
from puretree.forest import grow_graph
from puretree.outcome import Outcome
from puretree.problem import Prepared

WAYS = {
    "nd": Extractor("none"),
    "mdsol": Extractor("mdsol"),
    "lay-nd": Extractor("none", DEFAULT_DEPTH),
    "lay": Extractor("mdsol", DEFAULT_DEPTH),
}


def training_table(name: str, folder: Path) -> Prepared:
    """Return the training set of :mod:`instances` as a table of bits: a column is a given feature."""
    table = binary_table(name, folder)
    rows = table.training_part(SEED)
    return prepare(table.table(rows).astype(int), table.labels[rows], binarize="bits")


def extracted(prepared: Prepared, outcome: Outcome, way: str, k: int, limit: float) -> str:
    """Extract by one of the paper's ways and say how different the trees are."""
    found = WAYS[way].extract(prepared, outcome, k, clock=Clock(limit))
    return told(found.trees, k) + ("*" if found.n_unproved else "")


def chosen(prepared: Prepared, k: int, limit: float) -> tuple[str, str]:
    """Return how many trees the forest has, and how different its choice is."""
    try:
        outcome, graph = grow_graph(prepared.problem, clock=Clock(limit))
    except UnfinishedError:
        return "?", "-"
    forest = Forest(prepared, graph, prepared.decode(outcome))
    return f"{forest.count:.3g}", told(forest.diverse(min(k, forest.count), "paper"), k)


def told(trees: Sequence[Tree], k: int) -> str:
    """Write a mean distance, and the number of trees where it is not k."""
    return f"{mean_hamming(trees):.2f}" + (f"/{len(trees)}" if len(trees) < k else "")


def main() -> None:
    """Print the table, a row as soon as it is known."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("PURETREE_DATA"))
    parser.add_argument("--trees", type=int, default=10, help="how many of each kind (10)")
    parser.add_argument("--limit", type=float, default=12.0, help="seconds for each way (12)")
    parser.add_argument("names", nargs="*", default=IN_TABLE_4)
    options = parser.parse_args()
    if options.data is None:
        parser.error("where are the paper's data sets? use --data FOLDER or set PURETREE_DATA")
    print(f"{'':18}{'nodes':>6}{'trees':>10}" + "".join(f"{way:>10}" for way in [*WAYS, "forest"]))
    for name in options.names:
        prepared = training_table(name, Path(options.data))
        outcome = prepared.decode(solve(prepared.problem, make_engine("search"), clock=Clock(options.limit)))
        print(f"{name:18}{outcome.n_nodes or '?':>6}", end="", flush=True)
        if outcome.status != "optimal":
            print("  not proved")
            continue
        count, forest = chosen(prepared, options.trees, options.limit)
        print(f"{count:>10}", end="", flush=True)
        for way in WAYS:
            print(f"{extracted(prepared, outcome, way, options.trees, options.limit):>10}", end="", flush=True)
        print(f"{forest:>10}", flush=True)


if __name__ == "__main__":
    main()
