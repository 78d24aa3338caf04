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


def predict(
    model: options.Model,
    data: options.Rows,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The output file. Default: standard output.")
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Add the class frequencies in the leaf.")] = False,
    json: options.Json = False,
) -> int:
    """Predict the rows of a CSV file; the result is a CSV file with a column "prediction"."""
    from ..datasets.prediction_rows import read_rows
    from ..runs import replace_file
    from .inputs import open_model
    from .output import note, put_json, put_text

    opened = open_model(model)
    tree, rows = opened.tree, read_rows(data, opened.columns)
    predicted = tree.predict(rows).tolist()
    shares = _shares(opened, tree.apply(rows)) if proba else None
    if json:
        result: dict[str, Any] = {"predictions": predicted}
        put_json(
            result if shares is None else result | {"classes": list(tree.classes), "probabilities": shares.tolist()}
        )
        return 0
    text = _as_csv(tree, predicted, shares)
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


def _as_csv(tree: Tree, predicted: list[Any], shares: Any) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ["prediction", *(f"p({label})" for label in tree.classes)] if shares is not None else ["prediction"]
    )
    for row, label in enumerate(predicted):
        writer.writerow([label] if shares is None else [label, *(f"{share:g}" for share in shares[row])])
    return text.getvalue()
