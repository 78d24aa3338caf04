"""``puretree export``: the tree for other programs."""

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
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write here.")] = None,
    json: options.Json = False,
) -> int:
    """Write a tree for other programs. If the data of a run are still there, the export is checked on them."""
    from ..export import export_tree
    from ..runs import replace_file
    from .inputs import open_model
    from .output import note, put_json, put_text

    if json and not out:
        raise InputError("--json tells about an export in a file: give --out FILE as well")
    opened = open_model(model)
    rows = _training_rows(opened)
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
    """Return the rows that the tree was trained on, if they are still as they were."""
    from .inputs import reread_data
    from .output import note

    if opened.run is None:
        return ()
    try:
        dataset = reread_data(opened.run).dataset
    except (DataNotFoundError, InputError) as error:
        note(f"note: not checked on the training rows: {error}")
        return ()
    right = opened.tree.predict(dataset.table) == dataset.target  # rows kept back, or contradicted, may be wrong
    return dataset.table.take(right), dataset.target[right]


def _put_bytes(format: str, content: bytes) -> None:
    if sys.stdout.isatty():
        raise InputError(f"--format {format} is not for a terminal; give --out FILE, or pipe it into a program")
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
