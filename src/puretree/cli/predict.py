"""``puretree predict``: predict the label of each row."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from .._support.text import quantity
from ..errors import InputError
from . import options

if TYPE_CHECKING:
    from ..tree import Tree
    from .inputs import Model

FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", "\0")
"""Characters that begin a formula in some spreadsheet, and those that are skipped before them."""


def predict(
    model: options.Model,
    data: options.Rows,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The output file. Default: standard output.")
    ] = None,
    missing_values: options.MissingValues = None,
    proba: Annotated[bool, typer.Option("--proba", help="Add the class frequencies in the leaf.")] = False,
    escape_formulas: Annotated[
        bool,
        typer.Option(
            "--escape-formulas",
            help="Put ' before a label that a spreadsheet would run as a formula, such as one that begins with =.",
        ),
    ] = False,
    json: options.Json = False,
) -> int:
    """Predict the rows of a file; the result is a CSV file with a column "prediction"."""
    from ..runs import replace_file
    from .inputs import open_model
    from .output import note, put_json, put_text

    opened = open_model(model)
    tree, rows = opened.tree, opened.read_rows(data, missing_values)
    predicted = tree.predict(rows).tolist()
    shares = _shares(opened, tree.apply(rows)) if proba else None
    if json:
        result: dict[str, Any] = {"predictions": predicted}
        put_json(
            result if shares is None else result | {"classes": list(tree.classes), "probabilities": shares.tolist()}
        )
        return 0
    text = _as_csv(tree, list(map(_escape_formula, predicted)) if escape_formulas else predicted, shares)
    if out:
        replace_file(out, text.encode())
        note(f"{quantity(len(predicted), 'row')} predicted, written to {out}")
    else:
        put_text(text)
    return 0


def _shares(opened: Model, leaves: Any) -> Any:
    """Return the class frequencies at leaves: those of the run, or of the training rows that the model counts."""
    if opened.run:
        return opened.run.shares_at(leaves)
    counts = opened.tree.counts
    if counts is None:
        raise InputError("--proba: the model has no counts of training rows; fit it again")
    return counts[leaves] / np.maximum(1, counts[leaves].sum(axis=1, keepdims=True))


def _escape_formula(label: Any) -> Any:
    """Put a single quote before text that a spreadsheet would run as a formula, as OWASP advises; numbers stay.

    >>> _escape_formula("=1+1"), _escape_formula("-1+1"), _escape_formula("a=b"), _escape_formula("-1")
    ("'=1+1", "'-1+1", 'a=b', '-1')
    """
    text = str(label)
    try:
        float(text)
    except ValueError:
        return f"'{text}" if text.startswith(FORMULA_STARTS) else label
    return label


def _as_csv(tree: Tree, predicted: list[Any], shares: Any) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ["prediction", *(f"p({label})" for label in tree.classes)] if shares is not None else ["prediction"]
    )
    for row, label in enumerate(predicted):
        writer.writerow([label] if shares is None else [label, *(f"{share:g}" for share in shares[row])])
    return text.getvalue()
