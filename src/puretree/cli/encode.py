"""``puretree encode``: write the paper's MaxSAT formula, for any solver."""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError
from . import options

if TYPE_CHECKING:
    from ..formula import Wcnf
    from ..formula.wcnf_format import Style
    from ..problem import BinaryProblem, Constraints

SECONDS_TO_BOUND = 10.0


def encode(
    data: options.Data,
    target: options.Target = None,
    missing_values: options.MissingValues = None,
    nodes: Annotated[
        int | None,
        typer.Option(
            "--nodes", metavar="N", help="The maximum number of nodes. Default: the size of a heuristic tree."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The file, such as tree.wcnf. Default: standard output."),
    ] = None,
    old_style: Annotated[bool, typer.Option("--old-style", help="With a 'p wcnf' header, as before 2022.")] = False,
    binarize: options.Binarize = "thresholds",
    on_conflict: options.OnConflict = "warn",
    max_depth: options.MaxDepth = None,
    root: options.Root = None,
    forbidden: options.Forbidden = None,
    json: options.Json = False,
) -> int:
    """Write the problem of finding a minimum tree as a MaxSAT formula (WCNF)."""
    from .._support.resources import MOST_BYTES
    from ..encoding import TreeEncoding
    from ..problem import Constraints, prepare
    from .inputs import printing_warnings, read_data
    from .output import note, put_json

    if json and not out:
        raise InputError("--json describes a formula in a file; add --out FILE")
    if nodes is not None and (nodes < 3 or nodes % 2 == 0):
        raise InputError(
            f"--nodes {nodes} is not the size of a tree with an inner node; use an odd number of at least 3"
        )
    table = read_data(data, target, options.parse_missing_values(missing_values))
    with printing_warnings(table):
        prepared = prepare(
            table.dataset.table,
            table.dataset.target,
            binarize=binarize,
            on_conflict=on_conflict,  # type: ignore[arg-type]  # checked there
            root=root,
            forbidden=forbidden,
        )
    constraints = Constraints(max_depth, prepared.roots)
    n_nodes = nodes or _upper_bound(prepared.problem, constraints)
    if TreeEncoding.n_bytes(prepared.problem, n_nodes) > MOST_BYTES:
        raise InputError(f"the formula for {n_nodes} nodes does not fit into memory; use a smaller --nodes")
    formula = TreeEncoding(prepared.problem, n_nodes, constraints=constraints).wcnf()
    _write(formula, out, "old" if old_style else "new")
    summary = {"n_nodes": n_nodes, "n_vars": formula.n_vars, "n_hard": formula.n_hard, "n_soft": len(formula.soft)}
    if json:
        put_json(summary | {"file": str(out)})
    else:
        sizes = f"{formula.n_vars:,} variables, {formula.n_hard:,} hard and {len(formula.soft):,} soft clauses"
        note(f"trees of up to {n_nodes} nodes: {sizes}" + (f", written to {out}" if out else ""))
    return 0


def _write(formula: Wcnf, out: Path | None, style: Style) -> None:
    """Write a formula to a file, atomically, or to a stream: a terminal, a pipe."""
    from ..formula import write_wcnf
    from ..runs import path_in_errors

    if out and (out.is_file() or not out.exists()):
        with path_in_errors(out):
            write_wcnf(formula, out, style=style)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree.wcnf"
        write_wcnf(formula, path, style=style)
        sys.stdout.flush()
        with path.open("rb") as file, out.open("wb") if out else nullcontext(sys.stdout.buffer) as target:
            shutil.copyfileobj(file, target)


def _upper_bound(problem: BinaryProblem, constraints: Constraints) -> int:
    """Return the size of the best heuristic tree."""
    from .._support.clock import Clock
    from ..bounds.upper import starting_trees

    sizes = [tree.n_nodes for tree in starting_trees(problem, constraints, Clock(SECONDS_TO_BOUND))]
    if not sizes:
        raise InputError(
            "no heuristic finds a tree that satisfies the constraints; give its maximum size with --nodes N"
        )
    return min(sizes)
