"""``puretree explain``: why a row gets its label, and what would change it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError, near, shorten
from . import options

if TYPE_CHECKING:
    from ..table import Column, Level


def explain(
    model: options.Model,
    data: Annotated[Path | None, typer.Argument(metavar="[DATA.csv]", help="Where the row is.")] = None,
    row: Annotated[int | None, typer.Option("--row", metavar="N", help="Which row, counted from 0.")] = None,
    values: Annotated[
        list[str] | None, typer.Option("--set", metavar="COLUMN=VALUE", help="A value; of the row, or instead of one.")
    ] = None,
    json: options.Json = False,
) -> int:
    """Tell the way of one row through the tree, and the nearest change that gets another label."""
    from ..tree import explain as explain_row
    from .inputs import open_model
    from .output import note, put, put_json

    if (data is None) != (row is None) or (data is None and not values):
        raise InputError("say which row: DATA.csv with --row N, or --set COLUMN=VALUE for each column that is known")
    opened = open_model(model)
    columns = {column.name: column for column in opened.columns}
    given: dict[str, Level | None] = dict.fromkeys(columns)
    if data is not None and row is not None:
        given |= _one_row(data, row, columns)
    asked = _settings(options.parse_settings(values), columns, opened.run.data.columns if opened.run else ())
    if data is None and asked.keys() < columns.keys():
        note(f"taken as missing, since not given: {shorten([name for name in columns if name not in asked], 10)}")
    given |= asked
    explanation = explain_row(opened.tree, given, opened.run.data.ranges if opened.run else None)
    put_json({"row": row, **explanation.to_dict()}) if json else put(str(explanation))
    return 0


def _one_row(path: Path, row: int, columns: Mapping[str, Column]) -> dict[str, Level | None]:
    from ..datasets.prediction_rows import read_rows

    table = read_rows(path, list(columns.values()))
    if not 0 <= row < table.n_rows:
        raise InputError(f"--row {row}: {path} has {table.n_rows} rows, counted from 0 to {table.n_rows - 1}")
    values = {name: values.tolist()[0] for name, values in table.take([row]).to_dict().items()} if columns else {}
    return {name: None if value != value else value for name, value in values.items()}  # NaN is a gap


def _settings(
    given: Mapping[str, str], columns: Mapping[str, Column], of_table: Collection[str]
) -> dict[str, Level | None]:
    """Read the values of the columns that the tree asks about; what else the table has makes no difference."""
    from ..datasets.prediction_rows import read_cell

    values: dict[str, Level | None] = {}
    for name, text in given.items():
        if name in of_table and name not in columns:
            continue
        if name not in columns:
            known = f"the tree asks about {shorten(columns, 10)}" if columns else "the tree asks about nothing"
            raise InputError(f"--set {name}: no test is about this column{near(name, columns)}; {known}")
        try:
            values[name] = read_cell(columns[name], text)
        except ValueError as error:
            raise InputError(f"--set {name}: {error}, as it was in training") from None
    return values
