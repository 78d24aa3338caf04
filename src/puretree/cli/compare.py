"""``puretree compare``: every engine on the same table, side by side."""

from __future__ import annotations

import csv as csv_format
import io
import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from . import options
from .exit_codes import ExitCode

if TYPE_CHECKING:
    from ..engines.comparison import Comparison

_SPELLED = re.compile(r"[^,()]+(?:\([^()]*\)\s*)?")


def compare(
    data: options.Data,
    target: options.Target = None,
    engines: Annotated[
        str,
        typer.Option(
            "--engines", metavar="NAMES", help="With commas between, such as 'search,dtmax(depth=3)'; or all."
        ),
    ] = "all",
    time_limit: Annotated[
        float, typer.Option("--time-limit", metavar="SECONDS", help="For each engine, which then tells its best tree.")
    ] = 30.0,
    memory_limit: options.MemoryLimit = None,
    binarize: options.Binarize = None,
    on_conflict: options.OnConflict = None,
    max_depth: options.MaxDepth = None,
    root: options.Root = None,
    forbid: options.Forbid = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    json: options.Json = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print comma-separated values.")] = False,
) -> int:
    """Let every engine answer for the same table: size, depth, accuracy, bounds, status and seconds.

    Engines answer different questions: 'puretree engines' tells what each is for. Ctrl-C ends it with what is there.
    """
    from ..engines.comparison import compare as compare_engines
    from .inputs import naming_lines, read_data
    from .output import note
    from .progress import Progress

    if json and csv:
        raise InputError("--json and --csv cannot both be had; choose one")
    given = read_data(data, target)
    with naming_lines(given), Progress(quiet=quiet, verbose=verbose) as progress:
        comparison = compare_engines(
            given.dataset.table,
            given.dataset.target,
            engines="all" if engines.strip() == "all" else parse_engines(engines),
            time_limit=time_limit,
            memory_limit=options.parse_bytes(memory_limit),
            binarize=binarize or "thresholds",
            on_conflict=on_conflict or "raise",  # type: ignore[arg-type]  # a wrong one is refused there
            max_depth=max_depth,
            root=root,
            forbidden=forbid or (),
            on_engine=progress.begin,
            on_progress=progress,
        )
    _put(comparison, as_json=json, as_csv=csv)
    if not (quiet or json or csv):
        for line in comparison.notes():
            note(line)
    return ExitCode.OK if comparison.is_complete else ExitCode.INCUMBENT


def parse_engines(text: str) -> list[str]:
    """Read engines with commas between, of which some have options.

    >>> parse_engines("search, maxsat(backend='rc2', lazy=True)")
    ['search', "maxsat(backend='rc2', lazy=True)"]
    """
    names = [name.strip() for name in _SPELLED.findall(text)]
    if ",".join(names).replace(" ", "") != text.replace(" ", ""):
        raise InputError(f"--engines {text!r} cannot be read; write names with commas between, such as search,maxsat")
    if "all" in names:
        raise InputError(f"--engines {text!r}: all of them are had by 'all' alone")
    for name in names:
        _require_engine(name)
    return names


def _require_engine(name: str) -> None:
    """Refuse what is no engine, by the name that the option has here."""
    from ..engines import make_engine

    try:
        make_engine(name)
    except InputError as error:
        raise InputError(str(error).replace("engine=", "engines=", 1)) from None


def _put(comparison: Comparison, *, as_json: bool, as_csv: bool) -> None:
    from ..engines.comparison import HEADER
    from .output import put_json, put_table, put_text

    if as_json:
        trees = [None if entry.outcome is None else entry.outcome.tree for entry in comparison]
        told: list[dict[str, Any]] = comparison.to_dicts()
        put_json([{**each, "tree": tree and tree.to_dict()} for each, tree in zip(told, trees, strict=True)])
    elif as_csv:
        rows, text = comparison.to_dicts(), io.StringIO()
        writer = csv_format.DictWriter(text, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        put_text(text.getvalue())
    else:
        put_table(HEADER, [entry.cells() for entry in comparison])
