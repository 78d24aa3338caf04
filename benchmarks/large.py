"""Benchmark of large tables: seconds, nodes, bounds and peak memory, beside scikit-learn's trees.

Run with ``python benchmarks/large.py --data FOLDER``. Each fit has a new process, whose memory is measured together
with that of its descendants; the seconds are wall time of the fit. Prints a row for each table as it is finished: the
nodes are counted in the returned tree, which is checked on the raw table, and compared with the smallest of six
scikit-learn trees (gini and entropy, seeds 0 to 2) on the same columns. The last column says whether the requirement
holds.

Two more cases compare this version with an earlier one. ``paper``: nodes on samples of the paper's largest data sets.
``proofs``: seconds to the proof of instances that are proved. ``--write-baseline FILE`` measures them with the
installed version, ``--baseline FILE`` compares with such a file.
"""

from __future__ import annotations

import argparse
import os
import pickle
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import baseline
import numpy as np
from baseline import Solved
from fresh_process import Report, run
from large_tables import CASES, GRACE, TARGET, Case, Requirement, read_batches, write_categories
from stopwatch import pin

from puretree import PureTreeClassifier, Tree

Send = Callable[[Any], None]
GIGABYTE = 1e9
COMPARED = ("paper", "proofs")
HEADER = (
    *("table", "limit s", "seconds", "nodes", "lower bound", "status", "scikit-learn nodes", "scikit-learn s"),
    *("ratio", "peak GB", "required"),
)
PATIENCE = 120.0  # seconds after the time limit until a fit is killed; reading and checking a table takes time, too
N_PARQUET = 20_000_000


@dataclass(frozen=True, slots=True)
class Fitted:
    """A tree that was checked: it misclassifies ``n_wrong`` rows more than contradictory rows make necessary."""

    seconds: float
    nodes: int
    lower: int
    status: str
    n_wrong: int


@dataclass(frozen=True, slots=True)
class Peer:
    """One of scikit-learn's trees."""

    nodes: int
    seconds: float


def read_options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("--cases", default=",".join([*CASES, *COMPARED]), help="comma-separated; all by default")
    add("--data", type=Path, default=os.environ.get("PURETREE_DATA"), help="folder of the paper's data sets")
    add("--seed", type=int, default=0, help="of generated tables and of samples")
    add("--engine", default="auto")
    add("--n-jobs", type=int, help="of the fit")
    add("--quick", action="store_true", help="a tenth of the rows and of the time")
    add("--sklearn-seconds", type=float, default=120.0, help="for scikit-learn's six trees of a table")
    add("--memory", type=float, default=20.0, help="GB at which a fit is killed")
    add("--limit", type=float, default=60.0, help="seconds for each instance of paper")
    add("--proof-limit", type=float, default=180.0, help="seconds for each instance of proofs")
    add("--only", default="", help="only instances of paper and proofs whose name contains this text")
    add("--baseline", type=Path, help="results of another version, to compare paper and proofs with")
    add("--write-baseline", type=Path, help="write paper and proofs to this file, and run nothing else")
    options = parser.parse_args(arguments)
    options.cases = options.cases.split(",")
    for name in options.cases:
        if name not in (*CASES, *COMPARED):
            parser.error(f"there is no case {name}; choose from {', '.join([*CASES, *COMPARED])}")
    needs_data = options.write_baseline is not None or {"letter", *COMPARED} & set(options.cases)
    if options.data is None and needs_data:
        parser.error("the folder of the paper's data sets is required: use --data FOLDER or set PURETREE_DATA")
    return options


# In the new process


def fit_table(
    path: Path, engine: str, limit: float, n_jobs: int | None, one_core: bool, send: Callable[[Any], None]
) -> None:
    """Fit the table of a file, and send the result; then send it again, checked on the table."""
    if one_core:
        pin()
    warnings.simplefilter("ignore")
    with path.open("rb") as file:
        table, labels = pickle.load(file)
    model = PureTreeClassifier(engine=engine, time_limit=limit, n_jobs=n_jobs, random_state=0)
    start = monotonic()
    model.fit(table, labels)
    seconds = monotonic() - start
    send("fitted")  # memory is measured until here
    n_wrong = int((model.tree_.predict(table) != labels).sum())
    n_wrong -= n_contradictory(table, labels) if n_wrong else 0
    send(Fitted(seconds, count_nodes(model.tree_), model.lower_bound_, model.status_, n_wrong))


def fit_file(path: Path, engine: str, limit: float, send: Send) -> None:
    """Fit a file with the command line; the seconds include reading it."""
    from json import loads

    from puretree.cli import main as puretree

    output, start = StringIO(), monotonic()
    options = ("--time-limit", str(limit), "--engine", engine, "--quiet", "--json")
    with redirect_stdout(output):
        code = puretree(["fit", str(path), "--target", TARGET, *options])
    seconds = monotonic() - start
    send("fitted")
    if code not in (0, 10):
        raise RuntimeError(f"puretree fit ended with exit code {code}")
    result = loads(output.getvalue())
    tree = Tree.from_dict(result["tree"])
    n_wrong = sum(int((tree.predict(table) != labels).sum()) for table, labels in read_batches(path))
    send(Fitted(seconds, count_nodes(tree), result["lower_bound"], result["status"], n_wrong))


def fit_peers(path: Path, send: Send) -> None:
    """Fit scikit-learn's trees one after the other, and send each."""
    from sklearn.tree import DecisionTreeClassifier

    with path.open("rb") as file:
        table, labels = pickle.load(file)
    numbers = as_numbers(table)
    for seed in range(3):
        for criterion in ("gini", "entropy"):
            start = monotonic()
            model = DecisionTreeClassifier(criterion=criterion, random_state=seed).fit(numbers, labels)
            send(Peer(model.tree_.node_count, monotonic() - start))


def count_nodes(tree: Tree) -> int:
    """Count the nodes that are reached from the root."""
    n_nodes, stack = 0, [0]
    while stack:
        left = int(tree.left[stack.pop()])
        n_nodes += 1
        stack.extend([] if left < 0 else [left, left + 1])
    return n_nodes


def n_contradictory(table: Any, labels: Any) -> int:
    """Return the smallest number of rows that any tree misclassifies: equal rows have different labels."""
    import pandas as pd

    codes = pd.factorize(pd.Series(labels))[0]
    rows = pd.util.hash_pandas_object(pd.DataFrame(table), index=False)
    counts = pd.DataFrame({"row": rows, "label": codes}).value_counts(sort=False)
    return len(codes) - int(counts.groupby(level="row").max().sum())


def as_numbers(table: Any) -> Any:
    """Return a table as scikit-learn's trees take it: strings as ordinal codes, missing values as NaN."""
    if isinstance(table, np.ndarray):
        return table
    columns = [
        cells.to_numpy(dtype=float)
        if cells.dtype.kind in "fiub"
        else np.where(cells.isna(), np.nan, cells.astype("category").cat.codes)
        for _, cells in table.items()
    ]
    return np.column_stack(columns)


# In the benchmark


def write_table(name: str, path: Path, seed: int, scale: float, folder: Path | None, send: Send) -> None:
    """Write the table of a case to a file, in a new process: the memory of the benchmark stays small."""
    make = CASES[name].make
    if make is None:
        write_categories(path, round(scale * N_PARQUET), seed)
    else:
        with path.open("wb") as file:
            pickle.dump(make(seed, scale, folder), file, protocol=5)
    send("written")


def run_case(name: str, options: argparse.Namespace) -> str:
    """Run a case, and return its row."""
    case, scale = CASES[name], 0.1 if options.quick else 1.0
    limit, memory = scale * case.limit, options.memory * GIGABYTE
    with TemporaryDirectory() as folder:
        path = Path(folder) / ("table.parquet" if case.is_file else "table.pickle")
        made = run(write_table, name, path, options.seed, scale, options.data, limit=900, memory=memory)
        if made.reason:
            return format_line([case.title, *["–"] * (len(HEADER) - 2), f"no table: {made.reason}"])
        if case.is_file:
            ours = run(fit_file, path, options.engine, limit, limit=limit + PATIENCE, memory=memory)
        else:
            arguments = (path, options.engine, limit, options.n_jobs, case.one_core)
            ours = run(fit_table, *arguments, limit=limit + PATIENCE, memory=memory)
        has_peer = case.has_peer and options.sklearn_seconds > 0
        peers = run(fit_peers, path, limit=options.sklearn_seconds, memory=memory) if has_peer else Report()
    return format_case(case, limit, ours, peers.messages, scale)


def format_case(case: Case, limit: float, ours: Report, peers: list[Peer], scale: float = 1.0) -> str:
    """Format the row of a case."""
    fitted = next((message for message in ours.messages if isinstance(message, Fitted)), None)
    best = min((peer.nodes for peer in peers), default=None)
    peer_cells = ["–", "–"]
    if best is not None:
        peer_cells = [f"{best:,} ({len(peers)} of 6)", f"{sum(peer.seconds for peer in peers):.1f}"]
    gigabytes, ratio = ours.peak / GIGABYTE, "–"
    if fitted is None:
        cells, failures = ["–", "–", "–", "–"], ours.reason or "no result"
    else:
        cells = [f"{fitted.seconds:.1f}", f"{fitted.nodes:,}", f"{fitted.lower:,}", fitted.status]
        failures = "; ".join(find_failures(case.requirement, fitted, best, gigabytes, scale))
        ratio = ratio if best is None else f"{fitted.nodes / best:.3f}"
    holds = f"no: {failures}" if failures else "yes"
    return format_line([case.title, f"{limit:g}", *cells, *peer_cells, ratio, f"{gigabytes:.2f}", holds])


def find_failures(
    needed: Requirement, fitted: Fitted, peer: int | None, gigabytes: float, scale: float = 1.0
) -> Iterator[str]:
    """Yield what does not hold.

    Parameters
    ----------
    needed : Requirement
    fitted : Fitted
    peer : int or None
        The nodes of the smallest scikit-learn tree; None if there is none.
    gigabytes : float
        The peak memory.
    scale : float, default=1.0
        Of the time limit, after which the same time may pass.
    """
    seconds = scale * (needed.seconds - GRACE) + GRACE
    if fitted.n_wrong:
        yield f"{fitted.n_wrong:,} rows misclassified"
    if fitted.seconds > seconds:
        yield f"{fitted.seconds:.1f} s, at most {seconds:g}"
    if needed.gigabytes is not None and gigabytes >= needed.gigabytes:
        yield f"{gigabytes:.2f} GB, less than {needed.gigabytes:g}"
    if needed.peer_ratio is not None and peer is None:
        yield "no scikit-learn tree to compare with"
    elif needed.peer_ratio is not None and peer is not None and not _is_smaller(fitted.nodes, peer, needed.peer_ratio):
        yield f"{fitted.nodes / peer:.3f} of scikit-learn's nodes, {needed.peer_ratio:g} needed"
    if needed.nodes is not None and fitted.nodes > needed.nodes:
        yield f"{fitted.nodes:,} nodes, at most {needed.nodes:,}"
    if needed.proved and fitted.status != "optimal":
        yield "not proved"


def _is_smaller(nodes: int, peer: int, ratio: float) -> bool:
    return nodes < peer if ratio == 1 else nodes <= ratio * peer


def format_line(cells: list[str]) -> str:
    """Format the cells of a Markdown row."""
    return f"| {' | '.join(cells)} |"


def compare_part(part: str, options: argparse.Namespace) -> None:
    """Print the results of a part beside those of the baseline."""
    before = {} if options.baseline is None else baseline.load(options.baseline, part)
    header = ["instance", "nodes before", "nodes now", "seconds before", "seconds now", "ratio", "as good"]
    print(f"\n## {part}\n\n{format_line(header)}\n|{'---|' * len(header)}", flush=True)
    limit = options.limit if part == "paper" else options.proof_limit
    results = baseline.measure_part(
        part, options.data, engine=options.engine, limit=limit, seed=options.seed, only=options.only
    )
    for name, now in results:
        print(format_line(format_comparison(name, before.get(name), now)), flush=True)


def format_comparison(name: str, before: Solved | None, now: Solved) -> list[str]:
    """Return the cells of an instance; ``*`` marks a proved minimum."""
    cells = ["–", "–"] if before is None else [_size(before), f"{before.seconds:.4g}"]
    ratio, is_good = "–", "–"
    if before is not None:
        ratio = f"{now.seconds / max(before.seconds, 1e-4):.2f}" if before.proved and now.proved else "–"
        is_no_larger = before.nodes is None or (now.nodes is not None and now.nodes <= before.nodes)
        is_good = "yes" if is_no_larger and now.proved >= before.proved else "no"
    return [name, cells[0], _size(now), cells[1], f"{now.seconds:.4g}", ratio, is_good]


def _size(solved: Solved) -> str:
    return "–" if solved.nodes is None else f"{solved.nodes:,}{'*' if solved.proved else ''}"


def main(arguments: list[str] | None = None) -> None:
    """Run the cases selected on the command line."""
    options = read_options(arguments)
    if options.write_baseline is not None:
        limits = {"proofs": options.proof_limit, "paper": options.limit}
        limits = {part: limit for part, limit in limits.items() if part in options.cases}
        baseline.write(
            *(options.write_baseline, options.data),
            **{"engine": options.engine, "limits": limits, "seed": options.seed, "only": options.only},
        )
        return
    tables = [name for name in options.cases if name in CASES]
    if tables:
        print(f"{format_line(list(HEADER))}\n|{'---|' * len(HEADER)}", flush=True)
    for name in tables:
        print(run_case(name, options), flush=True)
    for part in COMPARED:
        if part in options.cases:
            compare_part(part, options)


if __name__ == "__main__":
    main()
