"""Options that several commands share, each with one name, one default and one help text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InputError

CONSTRAINTS, SELECTION, FILTERS = "Constraints and features", "Selection among minimum trees", "Filters of trees"


def _require_seed(number: int | None) -> int | None:
    if number is not None and not 0 <= number < 2**32:
        raise typer.BadParameter(f"{number} is not an integer from 0 to {2**32 - 1}")
    return number


Data = Annotated[
    str, typer.Argument(metavar="DATA", help="CSV, Parquet or Arrow file, or a data set such as sklearn:iris.")
]
DataOrRun = Annotated[str, typer.Argument(metavar="DATA|RUN", help="File of a table, data set, or run folder.")]
RunFolder = Annotated[str, typer.Argument(metavar="RUN", help="Run folder, written by 'puretree fit --out'.")]
Model = Annotated[str, typer.Argument(metavar="RUN|MODEL", help="Run folder, or a model.json.")]
Rows = Annotated[Path, typer.Argument(metavar="DATA", help="File of rows, with the columns of the training table.")]

MovedData = Annotated[
    str | None, typer.Option("--data", metavar="DATA", help="The new location of the run's data, if they were moved.")
]
Target = Annotated[str | None, typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict.")]
MissingValues = Annotated[
    str | None,
    typer.Option(
        "--missing-values",
        metavar="TEXTS",
        help="Cells that are missing values, besides empty ones: comma-separated, '' for none. Default: as in the run, "
        "else those of pandas (NA, NaN, null …) and '?'.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress and no notes.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Print a line for every improved bound.")]

TimeLimit = Annotated[
    str,
    typer.Option(
        "--time-limit", metavar="SECONDS", help="Keep the best tree when the limit is reached; 'none' for no limit."
    ),
]
DEFAULT_TIME_LIMIT = "60"
MemoryLimit = Annotated[
    str | None,
    typer.Option("--memory-limit", metavar="BYTES", help="Such as 2GB. Default: half of the machine's memory."),
]
Engine = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="auto, search, local-improvement, maxsat, mindt, bessiere, dtfinder, local-search, local-search-c, "
        "local-search-ck or psk: see 'puretree engines'.",
    ),
]
Binarize = Annotated[
    str,
    typer.Option(
        "--binarize",
        rich_help_panel=CONSTRAINTS,
        metavar="NAME",
        help="The features that are made of columns: thresholds, guessed, onehot or bits.",
    ),
]
OnConflict = Annotated[
    str,
    typer.Option(
        "--on-conflict",
        metavar="RULE",
        help="For contradictory rows: warn (keep the majority label, with a warning), majority, drop or raise.",
    ),
]
MaxDepth = Annotated[
    int | None,
    typer.Option(
        "--max-depth", rich_help_panel=CONSTRAINTS, metavar="N", help="The maximum number of tests on a path."
    ),
]
MaxLeafNodes = Annotated[
    int | None,
    typer.Option("--max-leaf-nodes", rich_help_panel=CONSTRAINTS, metavar="N", help="The maximum number of leaves."),
]
MinSamplesLeaf = Annotated[
    int,
    typer.Option(
        "--min-samples-leaf",
        rich_help_panel=CONSTRAINTS,
        metavar="N",
        help="The minimum number of rows in a leaf (engines search and auto).",
    ),
]
Root = Annotated[
    str | None,
    typer.Option("--root", rich_help_panel=CONSTRAINTS, metavar="COLUMN", help="The column that the root tests."),
]
Forbidden = Annotated[
    list[str] | None,
    typer.Option(
        "--forbidden",
        rich_help_panel=CONSTRAINTS,
        metavar="COLUMN",
        help="A column that no node may test; repeatable.",
    ),
]
FeatureCosts = Annotated[
    list[str] | None,
    typer.Option(
        "--feature-costs",
        rich_help_panel=CONSTRAINTS,
        metavar="COLUMN=INT",
        help="The cost of a test on a column, 1 by default; repeatable.",
    ),
]
AtRoot = Annotated[
    list[str] | None,
    typer.Option(
        "--at-root",
        rich_help_panel=FILTERS,
        metavar="TEST",
        help="Trees whose root tests this column, or this test such as 'age <= 40'; repeatable: one of them.",
    ),
]
Uses = Annotated[
    list[str] | None,
    typer.Option("--uses", rich_help_panel=FILTERS, metavar="TEST", help="Trees that test it anywhere; repeatable."),
]
Avoids = Annotated[
    list[str] | None,
    typer.Option("--avoids", rich_help_panel=FILTERS, metavar="TEST", help="Trees that do not test it; repeatable."),
]
Depth = Annotated[
    int | None,
    typer.Option(
        "--depth", rich_help_panel=FILTERS, metavar="N", min=1, help="Trees with at most N tests on every path."
    ),
]
LeafRows = Annotated[
    int | None,
    typer.Option(
        "--leaf-rows", rich_help_panel=FILTERS, metavar="N", min=1, help="Trees with at least N rows in every leaf."
    ),
]
AgreesWith = Annotated[
    Path | None,
    typer.Option(
        "--agrees-with", rich_help_panel=FILTERS, metavar="ROWS", help="Trees that classify all these rows correctly."
    ),
]
RandomState = Annotated[
    int | None,
    typer.Option(
        "--random-state",
        metavar="INT",
        callback=_require_seed,
        rich_help_panel=SELECTION,
        help="The seed of all random choices.",
    ),
]


def option_name(parameter: str) -> str:
    """Return the option for a parameter.

    >>> option_name("max_depth")
    '--max-depth'
    """
    return f"--{parameter.replace('_', '-')}"


def as_option(name: str, value: Any) -> str:
    """Write a parameter with its value as an option of the command line.

    >>> as_option("on_conflict", "drop"), as_option("forbidden", ["a", "b"]), as_option("time_limit", None)
    ('--on-conflict drop', '--forbidden a --forbidden b', '--time-limit none')
    """
    option = option_name(name)
    if isinstance(value, Mapping):
        value = [f"{key}={item}" for key, item in value.items()]
    if isinstance(value, list | tuple):
        return " ".join(f"{option} {item}" for item in value) or option
    return f"{option} {'none' if value is None else value}"


def parse_seconds(text: str) -> float | None:
    """Read a time limit.

    >>> parse_seconds("1.5"), parse_seconds("none")
    (1.5, None)
    """
    if text.lower() == "none":
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not seconds >= 0:
        raise InputError(f"--time-limit {text} is not a number of seconds; use 0 or more, or none for no limit")
    return seconds


_BYTES = re.compile(r"\s*([0-9.]+(?:e[0-9]+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)


def parse_bytes(text: str | None) -> float | None:
    """Read an amount of memory in bytes.

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
        raise InputError(f"--memory-limit {text} is not an amount of memory; use 2GB, 500MB or a number of bytes")
    power = " kmgt".index(match[2].lower() or " ")
    return number * float(1024**power if match[3] else 1000**power)


def parse_missing_values(text: str | None) -> tuple[str, ...] | None:
    """Read the texts of missing values; None if there is no such option.

    >>> parse_missing_values("NA,-9"), parse_missing_values("")
    (('NA', '-9'), ())
    """
    return None if text is None else tuple(filter(None, text.split(",")))


def parse_costs(items: list[str] | None) -> dict[str | int, int] | None:
    """Read feature costs.

    >>> parse_costs(["blood test=40", "age=1"])
    {'blood test': 40, 'age': 1}
    """
    costs: dict[str | int, int] = {}
    for item in items or ():
        name, equals, cost = item.rpartition("=")
        if not equals or not cost.strip().isdecimal():
            raise InputError(f"--feature-costs {item!r} is not COLUMN=INT, with an integer of at least 0")
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
