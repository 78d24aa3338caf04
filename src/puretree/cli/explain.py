"""``puretree explain``: explain the prediction for a row, and the smallest change that alters it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .._support.text import quantity
from ..errors import InputError, near, shorten
from . import options

if TYPE_CHECKING:
    from ..table import Column, Level, Table


def explain(
    model: options.Model,
    data: Annotated[Path | None, typer.Argument(metavar="[DATA.csv]", help="The file with the row.")] = None,
    row: Annotated[int | None, typer.Option("--row", metavar="N", help="The number of the row, from 0.")] = None,
    values: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="COLUMN=VALUE", help="The value of a column; replaces that of the row."),
    ] = None,
    missing_values: options.MissingValues = None,
    json: options.Json = False,
) -> int:
    """Show the path of one row through the tree, and the smallest change that leads to another label."""
    from ..tree import explain as explain_row
    from .inputs import open_model
    from .output import note, put, put_json

    if (data is None) != (row is None) or (data is None and not values):
        raise InputError("no row is given; use DATA.csv with --row N, or --set COLUMN=VALUE for each known column")
    opened = open_model(model)
    columns = {column.name: column for column in opened.columns}
    row_values: dict[str, Level | None] = dict.fromkeys(columns)
    if data is not None and row is not None:
        row_values |= _one_row(opened.read_rows(data, missing_values), row, data)
    of_table = opened.run.data.columns if opened.run else ()
    settings = _settings(options.parse_settings(values), columns, of_table, opened.missing_values(missing_values))
    if data is None and settings.keys() < columns.keys():
        note(f"treated as missing: {shorten([name for name in columns if name not in settings], 10)}")
    row_values |= settings
    explanation = explain_row(opened.tree, row_values, opened.run.data.ranges if opened.run else None)
    put_json({"row": row, **explanation.to_dict()}) if json else put(str(explanation))
    return 0


def _one_row(table: Table, row: int, path: Path) -> dict[str, Level | None]:
    if not 0 <= row < table.n_rows:
        raise InputError(
            f"--row {row}: {path} has {quantity(table.n_rows, 'row')}, counted from 0 to {table.n_rows - 1}"
        )
    values = {name: values.tolist()[0] for name, values in table.take([row]).to_dict().items()} if table.columns else {}
    return {name: None if value != value else value for name, value in values.items()}  # NaN is missing


def _settings(
    texts: Mapping[str, str], columns: Mapping[str, Column], of_table: Collection[str], missing: Collection[str] | None
) -> dict[str, Level | None]:
    """Parse the values of the columns that the tree tests; other columns of the table are ignored."""
    from ..datasets.prediction_rows import read_cell

    values: dict[str, Level | None] = {}
    for name, text in texts.items():
        if name in of_table and name not in columns:
            continue
        if name not in columns:
            known = f"the tree tests {shorten(columns, 10)}" if columns else "the tree has no tests"
            raise InputError(f"--set {name}: the tree does not test this column{near(name, columns)}; {known}")
        try:
            values[name] = read_cell(columns[name], text, missing)
        except ValueError as error:
            raise InputError(f"--set {name}: {error}, as it was in training") from None
    return values
