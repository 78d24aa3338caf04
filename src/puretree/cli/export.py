"""``puretree export``: write the tree in another format."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import DataNotFoundError, InputError
from . import options

if TYPE_CHECKING:
    from .inputs import Model


def export(
    model: options.Model,
    format: Annotated[
        str,
        typer.Option("--format", "-f", metavar="NAME", help="json, text, dot, svg, png, python, sql or onnx."),
    ],
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="The output file.")] = None,
    json: options.Json = False,
) -> int:
    """Write a tree in another format. If the data of the run are available, the export is checked on them."""
    from ..export import export_tree, find_format
    from ..runs import replace_file
    from .inputs import open_model
    from .output import note, put_json, put_text

    if json and not out:
        raise InputError("--json describes an export in a file; add --out FILE")
    opened = open_model(model)
    rows = _training_rows(opened)
    if find_format(format).needs_rows and not rows:
        raise InputError(
            f"--format {format} needs the training rows, and those of {model} are not available; use the folder of a "
            "run whose data still exist, or --format json, python or sql"
        )
    content = export_tree(opened.tree, format, *rows)
    if out:
        replace_file(out, content if isinstance(content, bytes) else content.encode())
    elif isinstance(content, bytes):
        _put_bytes(format, content)
    else:
        put_text(content if content.endswith("\n") else content + "\n")
    if json:
        put_json({"file": str(out), "format": format, "checked": bool(rows)})
    elif out:
        note(f"written to {out}" + (", checked on the training rows" if rows else ""))
    return 0


def _training_rows(opened: Model) -> tuple[Any, ...]:
    """Return the training rows of the tree, if they are available and unchanged."""
    from .inputs import reread_data
    from .output import note

    if opened.run is None:
        note("note: not checked on the training rows: the model does not have them")
        return ()
    try:
        dataset = reread_data(opened.run).dataset
    except (DataNotFoundError, InputError) as error:
        note(f"note: not checked on the training rows: {error}")
        return ()
    predicted = opened.tree.predict(dataset.table)
    if opened.run.allows_errors:
        return dataset.table, predicted
    right = predicted == dataset.target  # held-out and contradictory rows may be misclassified
    return dataset.table.take(right), dataset.target[right]


def _put_bytes(format: str, content: bytes) -> None:
    if sys.stdout.isatty():
        raise InputError(f"--format {format} is binary and cannot be printed; use --out FILE, or a pipe")
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
