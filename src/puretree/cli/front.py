"""``puretree front``: the fewest training errors for every number of nodes."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from . import options, with_errors
from .exit_codes import ExitCode

if TYPE_CHECKING:
    from ..pareto import Front


def front(
    data: options.Data,
    target: options.Target = None,
    missing_values: options.MissingValues = None,
    max_nodes: Annotated[
        int | None, typer.Option("--max-nodes", metavar="N", help="The number of nodes at which the front ends.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write to a file instead.")] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE", help="Draw the front: .svg, .png or .pdf.")
    ] = None,
    binarize: options.Binarize = "thresholds",
    max_depth: options.MaxDepth = None,
    min_samples_leaf: options.MinSamplesLeaf = 1,
    root: options.Root = None,
    forbidden: options.Forbidden = None,
    class_weight: with_errors.ClassWeight = None,
    time_limit: options.TimeLimit = options.DEFAULT_TIME_LIMIT,
    memory_limit: options.MemoryLimit = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    json: options.Json = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the points as CSV.")] = False,
) -> int:
    """Find the tree with the fewest training errors for every number of nodes, and prove it.

    The last point is the smallest tree that makes no avoidable error. Each point is a line, with its status if not all
    are proved; the exit code is 10 then. 'puretree fit --max-nodes N' writes one of the trees, and 'puretree trees
    --max-nodes N' counts them.
    """
    from .._support.clock import Clock
    from ..pareto.plot import PICTURES, require_matplotlib, to_picture
    from ..pipeline import front as find_front
    from ..runs import replace_file
    from ..runs.atomic import require_parent
    from .inputs import printing_warnings, read_data
    from .output import note, put, put_text
    from .progress import FrontProgress

    if json and as_csv:
        raise InputError("--json and --csv are two formats; use one of them")
    for path in filter(None, (out, picture)):
        require_parent(path)  # before the work, not after it
    if picture:
        if picture.suffix not in PICTURES:
            raise InputError(f"--picture {picture}: the name must end in {', '.join(PICTURES)}")
        require_matplotlib()
    clock, memory = Clock.of(options.parse_seconds(time_limit)), options.parse_bytes(memory_limit)
    table = read_data(data, target, options.parse_missing_values(missing_values), clock=clock, memory_limit=memory)
    with (
        printing_warnings(table),
        FrontProgress(table.dataset.n_rows, clock, quiet=quiet, verbose=verbose) as progress,
    ):
        found = find_front(
            table.dataset.table,
            table.dataset.target,
            binarize=binarize,
            max_nodes=max_nodes,
            max_depth=max_depth,
            min_samples_leaf=min_samples_leaf,
            root=root,
            forbidden=forbidden,
            class_weight=with_errors.parse_class_weight(class_weight),
            time_limit=clock,
            memory_limit=memory,
            on_progress=progress,
        )
    text = _as_json(found) if json else _as_csv(found) if as_csv else f"{found}\n"
    if out:
        replace_file(out, text.encode())
    elif json or as_csv:
        put_text(text)
    else:
        put(text.rstrip("\n"))
    if picture:
        replace_file(picture, to_picture(found, picture.suffix[1:]))
    if not quiet:
        for path in filter(None, (out, picture)):
            note(f"written to {path}")
    return ExitCode.OK if found.is_complete else ExitCode.INCUMBENT


def _as_json(found: Front) -> str:
    from .._support.strict_json import to_json

    values: dict[str, Any] = {
        "status": found.status,
        "counts_errors": found.counts_errors,
        "n_rows": found.n_rows,
        "seconds": round(found.seconds, 3),
        "points": found.to_dicts(),
    }
    return to_json(values)


def _as_csv(found: Front) -> str:
    text = io.StringIO()
    rows = found.to_dicts()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
