"""Options that several commands share: one name, one meaning, one help text."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError

WISHES, CHOICE = "What the tree may be", "How one of the smallest is chosen"


def _require_seed(number: int | None) -> int | None:
    if number is not None and not 0 <= number < 2**32:
        raise typer.BadParameter(f"{number} is not a whole number from 0 to {2**32 - 1}")
    return number


Data = Annotated[
    str, typer.Argument(metavar="DATA", help="CSV file with a header, or a data set such as sklearn:iris.")
]
DataOrRun = Annotated[str, typer.Argument(metavar="DATA|RUN", help="CSV file, data set, or run folder.")]
RunFolder = Annotated[str, typer.Argument(metavar="RUN", help="Run folder, as 'puretree fit --out' makes it.")]
Model = Annotated[str, typer.Argument(metavar="RUN|MODEL", help="Run folder, or a model.json.")]
Rows = Annotated[Path, typer.Argument(metavar="DATA.csv", help="Rows, with the columns of the training table.")]

MovedData = Annotated[
    str | None, typer.Option("--data", metavar="DATA", help="Where the data of the run are now, if they were moved.")
]
Target = Annotated[str | None, typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="A line for every better bound.")]

TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", metavar="SECONDS", help="Keep the best tree when they are over. Default: no limit."),
]
MemoryLimit = Annotated[
    str | None, typer.Option("--memory-limit", metavar="BYTES", help="Such as 2GB. Default: half of the machine's.")
]
Binarize = Annotated[
    str | None,
    typer.Option(
        "--binarize",
        rich_help_panel=WISHES,
        metavar="NAME",
        help="Which questions: thresholds (default), onehot or bits.",
    ),
]
OnConflict = Annotated[
    str | None,
    typer.Option(
        "--on-conflict", metavar="WHAT", help="Equal rows, different labels: raise (default), majority, drop."
    ),
]
MaxDepth = Annotated[
    int | None, typer.Option("--max-depth", rich_help_panel=WISHES, metavar="TESTS", help="The most tests on any path.")
]
Root = Annotated[
    str | None,
    typer.Option("--root", rich_help_panel=WISHES, metavar="COLUMN", help="The column that the first test is about."),
]
Forbid = Annotated[
    list[str] | None,
    typer.Option(
        "--forbid", rich_help_panel=WISHES, metavar="COLUMN", help="A column that no test may be about; repeatable."
    ),
]
Cost = Annotated[
    list[str] | None,
    typer.Option(
        "--cost",
        rich_help_panel=WISHES,
        metavar="COLUMN=INT",
        help="What a test on a column costs, 1 if not given; repeatable.",
    ),
]
RandomState = Annotated[
    int | None,
    typer.Option(
        "--random-state",
        metavar="INT",
        callback=_require_seed,
        rich_help_panel=CHOICE,
        help="Chance is repeated with the same number.",
    ),
]

_BYTES = re.compile(r"\s*([0-9.]+(?:e[0-9]+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)


def parse_bytes(text: str | None) -> float | None:
    """Read an amount of memory.

    >>> parse_bytes("2GB"), parse_bytes("512MiB"), parse_bytes("1e9")
    (2000000000.0, 536870912.0, 1000000000.0)
    """
    if text is None:
        return None
    match = _BYTES.fullmatch(text)
    try:
        number = float(match[1]) if match else 0.0
    except ValueError:
        number = 0.0
    if not match or not number > 0 or math.isinf(number):
        raise InputError(f"--memory-limit {text} is not an amount of memory; write 2GB, 500MB or a number of bytes")
    power = " kmgt".index(match[2].lower() or " ")
    return number * float(1024**power if match[3] else 1000**power)


def parse_costs(items: list[str] | None) -> dict[str | int, int] | None:
    """Read what tests cost.

    >>> parse_costs(["blood test=40", "age=1"])
    {'blood test': 40, 'age': 1}
    """
    costs: dict[str | int, int] = {}
    for item in items or ():
        name, equals, cost = item.rpartition("=")
        if not equals or not cost.strip().isdecimal():
            raise InputError(f"--cost {item!r} is not COLUMN=INT, with a whole number of at least 0")
        costs[name] = int(cost)
    return costs or None


def parse_settings(items: list[str] | None) -> dict[str, str]:
    """Read values of columns.

    >>> parse_settings(["age=40", "note=a=b"])
    {'age': '40', 'note': 'a=b'}
    """
    values: dict[str, str] = {}
    for item in items or ():
        name, equals, value = item.partition("=")
        if not equals:
            raise InputError(f"--set {item!r} is not COLUMN=VALUE")
        values[name] = value
    return values
