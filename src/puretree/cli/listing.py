"""``puretree engines`` and ``puretree datasets``: what is available by name.

``engines`` prints the paper's Table 1 with all engines; ``datasets table2`` recounts the paper's table of data sets.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from . import options

if TYPE_CHECKING:
    from ..datasets.paper import Comparison


def engines(json: options.Json = False) -> int:
    """List the engines: the objective of each, whether its trees are pure, and whether it proves them minimum."""
    from ..engines import ENGINES
    from .output import put, put_json, put_table

    rows = [_describe(name, make()) for name, make in ENGINES.items()]
    if json:
        put_json(rows)
        return 0
    header = ["engine", "objective", "pure", "minimum", "source"]
    put_table(header, [[_text(row[field]) for field in ("name", *header[1:])] for row in rows])
    put()
    put("options, as in --engines 'maxsat(lazy=True)':")
    for row in rows:
        settings = ", ".join(f"{name}={value!r}" for name, value in row["options"].items())
        put(f"  {row['name']}({settings})")
    return 0


def _describe(name: str, engine: Any) -> dict[str, Any]:
    from ..engines import options_of

    return {
        "name": name,
        "objective": engine.guarantees.objective,
        "pure": engine.guarantees.is_pure,
        "minimum": engine.guarantees.is_minimum,
        "source": engine.source,
        "class": type(engine).__name__,
        "about": (type(engine).__doc__ or "").partition("\n")[0],
        "options": options_of(engine),
    }


def _text(value: str | bool) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value


HEADER = f"{'data set':20} {'binary':>7} {'one-hot':>8} {'labels':>7} {'rows':>6} {'train':>6} {'sel':>5} {'test':>5}"
WIDTHS = (7, 8, 7, 6, 6, 5, 5)


def datasets(
    what: Annotated[
        str, typer.Argument(metavar="[list|table2]", help="The names, or the paper's Table 2 recounted.")
    ] = "list",
    data: Annotated[
        Path | None, typer.Option("--data", metavar="FOLDER", help="The folder of data sets. Default: $PURETREE_DATA.")
    ] = None,
    paper: Annotated[
        Path | None,
        typer.Option("--paper", metavar="FILE", help="The paper's LaTeX source, to compare all seven numbers."),
    ] = None,
    json: options.Json = False,
) -> int:
    """List the data sets, or recount the paper's table; the exit code is 1 if a number differs."""
    if what == "list":
        return _list(data, as_json=json)
    if what == "table2":
        return _table2(data, paper, as_json=json)
    raise InputError(f"'puretree datasets {what}' is unknown; use list or table2")


def _list(data: Path | None, *, as_json: bool) -> int:
    from ..datasets import names
    from .output import put, put_json

    known = names(folder=data)
    put_json(known) if as_json else put("\n".join(known))
    return 0


def _table2(data: Path | None, paper: Path | None, *, as_json: bool) -> int:
    from ..datasets.files import find_folder
    from ..datasets.paper import table2
    from .output import put, put_json

    folder = find_folder(data)
    comparisons: list[Comparison] = []
    for comparison in table2(folder, paper):
        if not as_json:
            put(_line(comparison) if comparisons else f"{HEADER}\n{_line(comparison)}")
        comparisons.append(comparison)
    n_matching = sum(comparison.matches for comparison in comparisons)
    if as_json:
        put_json([asdict(item) | {"matches": item.matches} for item in comparisons])
    else:
        n_compared = sum(len(comparison.paper) for comparison in comparisons)
        source = f"in {paper}" if paper else f"as copied in {folder / 'MANIFEST.csv'}"
        put(
            f"{n_matching} of {len(comparisons)} data sets match the paper's table {source} ({n_compared} numbers "
            "compared).\nAs in the paper, columns include the class, and contradictory rows are not counted."
        )
    return 0 if n_matching == len(comparisons) else 1


def _line(comparison: Comparison) -> str:
    numbers = zip(asdict(comparison.ours).values(), WIDTHS, strict=True)
    verdict = "" if comparison.matches else f"   paper: {comparison.paper}"
    return f"{comparison.name:20} {' '.join(f'{n:>{width}}' for n, width in numbers)}{verdict}"
