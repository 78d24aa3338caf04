"""``puretree compare``: run engines on the same table, and print their results side by side."""

from __future__ import annotations

import csv as csv_format
import io
import re
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from . import options
from .exit_codes import ExitCode

if TYPE_CHECKING:
    from ..engines.comparison import Comparison

_ENGINE = re.compile(r"[^,()]+(?:\([^()]*\)\s*)?")


def compare(
    data: options.Data,
    target: options.Target = None,
    missing_values: options.MissingValues = None,
    engines: Annotated[
        str,
        typer.Option("--engines", metavar="NAMES", help="Comma-separated, such as 'search,dtmax(depth=3)'; or all."),
    ] = "all",
    time_limit: Annotated[
        str, typer.Option("--time-limit", metavar="SECONDS", help="For each engine; 'none' for no limit.")
    ] = options.DEFAULT_TIME_LIMIT,
    memory_limit: options.MemoryLimit = None,
    binarize: options.Binarize = "thresholds",
    on_conflict: options.OnConflict = "warn",
    max_depth: options.MaxDepth = None,
    max_leaf_nodes: options.MaxLeafNodes = None,
    min_samples_leaf: options.MinSamplesLeaf = 1,
    root: options.Root = None,
    forbidden: options.Forbidden = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    json: options.Json = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print comma-separated values.")] = False,
) -> int:
    """Run engines on the same table: size and who found the tree, depth, accuracy, bounds, status and seconds of each.

    Engines have different objectives; see 'puretree engines'. After Ctrl-C the results so far are printed.
    """
    from ..engines.comparison import compare as compare_engines
    from .inputs import printing_warnings, read_data
    from .output import note
    from .progress import Progress

    if json and csv:
        raise InputError("--json and --csv exclude each other; choose one")
    table = read_data(data, target, options.parse_missing_values(missing_values))
    seconds = options.parse_seconds(time_limit)
    with printing_warnings(table), Progress(table.dataset.n_rows, None, quiet=quiet, verbose=verbose) as progress:
        comparison = compare_engines(
            table.dataset.table,
            table.dataset.target,
            engines="all" if engines.strip() == "all" else parse_engines(engines),
            time_limit=seconds,
            memory_limit=options.parse_bytes(memory_limit),
            binarize=binarize,
            on_conflict=on_conflict,  # type: ignore[arg-type]  # checked there
            max_depth=max_depth,
            max_leaf_nodes=max_leaf_nodes,
            min_samples_leaf=min_samples_leaf,
            root=root,
            forbidden=forbidden,
            on_engine=partial(progress.begin, time_limit=seconds),
            on_progress=progress,
        )
    _put(comparison, as_json=json, as_csv=csv)
    if not (quiet or json or csv):
        for line in comparison.notes():
            note(line)
    return ExitCode.OK if comparison.is_complete else ExitCode.INCUMBENT


def parse_engines(text: str) -> list[str]:
    """Split a comma-separated list of engines, which may have options.

    >>> parse_engines("search, maxsat(backend='rc2', lazy=True)")
    ['search', "maxsat(backend='rc2', lazy=True)"]
    """
    names = [name.strip() for name in _ENGINE.findall(text)]
    if ",".join(names).replace(" ", "") != text.replace(" ", ""):
        raise InputError(f"--engines {text!r} cannot be parsed; use comma-separated names, such as search,maxsat")
    if "all" in names:
        raise InputError(f"--engines {text!r} mixes 'all' with names; use all, or a list of names")
    for name in names:
        _require_engine(name)
    return names


def _require_engine(name: str) -> None:
    """Raise an error about --engines if an engine is unknown."""
    from ..engines import make_engine

    try:
        make_engine(name)
    except InputError as error:
        raise InputError(error.reason, parameter="engines", value=name, use=error.use) from None


def _put(comparison: Comparison, *, as_json: bool, as_csv: bool) -> None:
    from ..engines.comparison import HEADER
    from .output import put_json, put_table, put_text

    if as_json:
        trees = [None if entry.outcome is None else entry.outcome.tree for entry in comparison]
        entries: list[dict[str, Any]] = comparison.to_dicts()
        put_json([{**entry, "tree": tree and tree.to_dict()} for entry, tree in zip(entries, trees, strict=True)])
    elif as_csv:
        rows, text = comparison.to_dicts(), io.StringIO()
        writer = csv_format.DictWriter(text, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        put_text(text.getvalue())
    else:
        put_table(HEADER, [entry.cells() for entry in comparison])
