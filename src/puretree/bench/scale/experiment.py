"""How time and memory grow with rows, columns, classes and the size of the minimum tree, for each engine.

On generated problems with a planted tree (see :mod:`puretree.bench.families`), where one of the four grows and the
others stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from ..._support.clock import Clock
from ...engines import make_engine, solve
from ..cell import Cell, Key, ResultTable, Row, Tell, Value, Values, cell_id, failed_rows
from ..provenance import require_count, require_known, require_limits, require_some
from .families import FAMILIES
from .growth import Line, Point, exponents

SECONDS_BEFORE = 30.0  # to make the problem: a second at most, on a machine that is not busy


@dataclass(frozen=True, slots=True)
class Scale:
    """Engines on problems of growing size.

    Parameters
    ----------
    families : tuple of str
        What grows: names in :data:`puretree.bench.families.FAMILIES`.
    engines : tuple of str
        By name, with options if need be.
    seeds : int, default=3
        Problems of each size.
    limit : float, default=10.0
        Seconds for each engine and problem.
    memory : float, optional
        Bytes for each.
    """

    name: ClassVar[str] = "scale"
    families: tuple[str, ...] = tuple(FAMILIES)
    engines: tuple[str, ...] = ("search", "maxsat", "mindt")
    seeds: int = 3
    limit: float = 10.0
    memory: float | None = None

    def __post_init__(self) -> None:
        require_known("families", self.families, FAMILIES)
        require_some("engines", self.engines)
        require_count("seeds", self.seeds)
        require_limits(self.limit, self.memory)
        for engine in self.engines:
            make_engine(engine)

    @property
    def n_cells(self) -> int:
        """One for each problem and engine."""
        return sum(len(FAMILIES[family].sizes) for family in self.families) * self.seeds * len(self.engines)

    def cells(self, done: Mapping[str, Row]) -> list[Cell]:
        """Return all cells, small problems first; none needs to wait for another."""
        return [
            Cell(self.name, self.key(family, size, seed, engine), self.limit + SECONDS_BEFORE, self.memory)
            for family in self.families
            for size, seed, engine in product(FAMILIES[family].sizes, range(self.seeds), self.engines)
        ]

    def key(self, family: str, size: int, seed: int, engine: str) -> Key:
        """Return the key of a cell."""
        return {"family": family, "size": size, "seed": seed, "engine": engine, "limit": self.limit}


def measure(cell: Cell, tell: Tell) -> Values:
    """Let an engine look for the minimum tree, beginning as it does by itself."""
    key: dict[str, Any] = cell.key
    problem = FAMILIES[key["family"]].make(key["size"], key["seed"])
    outcome = solve(problem, make_engine(key["engine"], cell.memory), clock=Clock(key["limit"]))
    return {
        "seconds": outcome.seconds,
        "status": outcome.status,
        "n_nodes": outcome.n_nodes,
        "lower": outcome.lower_bound,
        "upper": outcome.upper_bound,
        "optimum": outcome.n_nodes if outcome.is_minimum else None,
    }


Lines = dict[str, dict[str, Line]]  # by family, then by engine


def lines(experiment: Scale, rows: Sequence[Row]) -> Lines:
    """Return the points of each family and engine, the smallest size first."""
    by_id = {row.id: row for row in rows}

    def point(family: str, engine: str, size: int) -> Point:
        ids = [cell_id(experiment.name, experiment.key(family, size, seed, engine)) for seed in range(experiment.seeds)]
        return Point.of(size, [by_id[each] for each in ids if each in by_id])

    return {
        family: {
            engine: tuple(point(family, engine, size) for size in FAMILIES[family].sizes)
            for engine in experiment.engines
        }
        for family in experiment.families
    }


def tables(experiment: Scale, rows: Sequence[Row]) -> list[ResultTable]:
    """Return the medians of each size with the exponents below, and what went wrong."""
    found = lines(experiment, rows)
    of_experiment = {cell.id for cell in experiment.cells({})}
    failed = failed_rows([row for row in rows if row.id in of_experiment])
    made = [_growth(experiment, found)]
    return [*made, failed] if failed else made


def _growth(experiment: Scale, found: Lines) -> ResultTable:
    body: list[tuple[Value, ...]] = []
    rules: list[int] = []
    for family, of_engine in found.items():
        if body:
            rules.append(len(body))
        for points in zip(*of_engine.values(), strict=True):
            values = (value for point in points for value in _values(point, experiment.limit))
            body.append((family, points[0].size, *values))
        body.append((family, "exponent", *(slope for line in of_engine.values() for slope in exponents(line))))
    n_rows = sum(point.n_rows for of_engine in found.values() for line in of_engine.values() for point in line)
    missing = f" {experiment.n_cells - n_rows} cells are missing." if n_rows < experiment.n_cells else ""
    return ResultTable(
        name="growth",
        caption=f"Median seconds to the proof, > {experiment.limit:g} where half of the problems or more have none for "
        f"whatever reason, and median peak of memory in MB.{missing}",
        header=("what grows", "size", *(("s", "MB") * len(experiment.engines))),
        rows=tuple(body),
        groups=(("", 2), *((engine, 2) for engine in experiment.engines)),
        rules=tuple(rules),
        digits=3,
    )


def _values(point: Point, limit: float) -> tuple[Value, Value]:
    if point.n_rows == 0:
        return None, None
    megabytes = None if point.n_bytes is None else point.n_bytes / 1e6
    return f"> {limit:g}" if point.seconds is None else point.seconds, megabytes


def plots(experiment: Scale, rows: Sequence[Row], folder: Path) -> list[Path]:
    """Draw seconds and bytes over the size, both as powers of ten."""
    from ..output.plots import growth

    found = lines(experiment, rows)
    if not any(point.n_rows for of_engine in found.values() for line in of_engine.values() for point in line):
        return []
    path = folder / "scale-growth.png"
    drawn = {
        family: {engine: _drawn(line, experiment.limit) for engine, line in of_engine.items()}
        for family, of_engine in found.items()
    }
    growth(drawn, path)
    return [path]


def _drawn(line: Line, limit: float) -> list[tuple[int, float, float | None, bool]]:
    """Return what is drawn of a line: a size that is not proved stands at the limit."""
    return [(each.size, each.seconds or limit, each.n_bytes, each.is_proved) for each in line if each.n_rows]
