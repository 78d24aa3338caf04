"""Growth of time and memory of each engine with the number of rows, columns, classes and nodes of the minimum tree.

The problems are generated from a planted tree (see :mod:`puretree.bench.scale.families`); in each family one of the
four numbers grows and the others stay fixed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from ..._support.clock import Clock
from ...engines import make_engine, solve
from ..cell import Cell, Key, OnProgress, Row, Values, cell_id
from ..options import require_count, require_distinct, require_known, require_limits
from ..result_table import ResultTable, Value, failed_cells
from .families import FAMILIES
from .growth import Curve, Point, exponents

PROTOCOL = 2
"""Increase it when a measurement means something else than before, such as other starting trees or limits of the
engines: rows of earlier protocols are then ignored, and their cells measured again.
"""

OVERHEAD = 30.0  # seconds allowed to generate the problem; takes one at most on an idle machine


@dataclass(frozen=True, slots=True)
class Scale:
    """Engines on problems of growing size.

    Parameters
    ----------
    families : tuple of str
        What grows: names in :data:`puretree.bench.scale.families.FAMILIES`.
    engines : tuple of str
        Names, with options if needed.
    seeds : int, default=3
        Number of problems of each size.
    time_limit : float, default=10.0
        Time limit in seconds for each engine and problem.
    memory_limit : float, optional
        Memory limit in bytes for each engine and problem.
    """

    name: ClassVar[str] = "scale"
    families: tuple[str, ...] = tuple(FAMILIES)
    engines: tuple[str, ...] = ("search", "maxsat", "mindt")
    seeds: int = 3
    time_limit: float = 10.0
    memory_limit: float | None = None

    def __post_init__(self) -> None:
        require_known("families", self.families, FAMILIES)
        require_distinct("engines", self.engines)
        require_count("seeds", self.seeds)
        require_limits(self.time_limit, self.memory_limit)
        for engine in self.engines:
            make_engine(engine)

    @property
    def n_cells(self) -> int:
        """One for each problem and engine."""
        return sum(len(FAMILIES[family].sizes) for family in self.families) * self.seeds * len(self.engines)

    def cells(self, done: Mapping[str, Row]) -> list[Cell]:
        """Return all cells, small problems first; no cell depends on another."""
        return [
            Cell(self.name, self.key(family, size, seed, engine), self.time_limit + OVERHEAD, self.memory_limit)
            for family in self.families
            for size, seed, engine in product(FAMILIES[family].sizes, range(self.seeds), self.engines)
        ]

    def key(self, family: str, size: int, seed: int, engine: str) -> Key:
        """Return the key of a cell."""
        problem: Key = {"family": family, "size": size, "seed": seed}
        return {**problem, "engine": engine, "limit": self.time_limit, "protocol": PROTOCOL}


def measure(cell: Cell, on_progress: OnProgress) -> Values:
    """Run an engine with its own initial bounds, and alone: no other solver continues after it."""
    key: dict[str, Any] = cell.key
    problem = FAMILIES[key["family"]].make(key["size"], key["seed"])
    engine = make_engine(key["engine"], cell.memory, takeover=False)
    outcome = solve(problem, engine, clock=Clock(key["limit"]), memory_limit=cell.memory)
    return {
        "seconds": outcome.seconds,
        "status": outcome.status,
        "n_nodes": outcome.n_nodes,
        "lower": outcome.lower_bound,
        "upper": outcome.upper_bound,
        "optimum": outcome.n_nodes if outcome.is_minimum else None,
    }


Curves = dict[str, dict[str, Curve]]  # by family, then by engine


def growth_curves(experiment: Scale, rows: Sequence[Row]) -> Curves:
    """Return the points of each family and engine, by ascending size."""
    by_id = {row.id: row for row in rows}

    def point(family: str, engine: str, size: int) -> Point:
        ids = [cell_id(experiment.name, experiment.key(family, size, seed, engine)) for seed in range(experiment.seeds)]
        return Point.from_rows(size, [by_id[id] for id in ids if id in by_id])

    return {
        family: {
            engine: tuple(point(family, engine, size) for size in FAMILIES[family].sizes)
            for engine in experiment.engines
        }
        for family in experiment.families
    }


def tables(experiment: Scale, rows: Sequence[Row]) -> list[ResultTable]:
    """Return the medians of each size with the growth exponents below, and the failed cells."""
    ids = {cell.id for cell in experiment.cells({})}
    failed = failed_cells([row for row in rows if row.id in ids])
    table = _growth_table(experiment, growth_curves(experiment, rows))
    return [table, failed] if failed else [table]


def _growth_table(experiment: Scale, curves: Curves) -> ResultTable:
    body: list[tuple[Value, ...]] = []
    rules: list[int] = []
    for family, curve_of_engine in curves.items():
        if body:
            rules.append(len(body))
        for points in zip(*curve_of_engine.values(), strict=True):
            values = (value for point in points for value in _values(point, experiment.time_limit))
            body.append((family, points[0].size, *values))
        slopes = (slope for curve in curve_of_engine.values() for slope in exponents(curve))
        body.append((family, "exponent", *slopes))
    n_rows = _n_rows(curves)
    missing = f" {experiment.n_cells - n_rows} cells are missing." if n_rows < experiment.n_cells else ""
    return ResultTable(
        name="growth",
        caption=f"Median seconds to the proof, > {experiment.time_limit:g} if at least half of the problems have no "
        f"proof for any reason, and median peak memory in MB.{missing}",
        header=("what grows", "size", *(("s", "MB") * len(experiment.engines))),
        rows=tuple(body),
        groups=(("", 2), *((engine, 2) for engine in experiment.engines)),
        rules=tuple(rules),
        digits=3,
    )


def _n_rows(curves: Curves) -> int:
    return sum(point.n_rows for by_engine in curves.values() for curve in by_engine.values() for point in curve)


def _values(point: Point, limit: float) -> tuple[Value, Value]:
    if point.n_rows == 0:
        return None, None
    megabytes = None if point.n_bytes is None else point.n_bytes / 1e6
    return f"> {limit:g}" if point.seconds is None else point.seconds, megabytes


def plots(experiment: Scale, rows: Sequence[Row], folder: Path) -> list[Path]:
    """Plot seconds and bytes against the size, on logarithmic axes."""
    from ..output.plots import growth

    curves = growth_curves(experiment, rows)
    if not _n_rows(curves):
        return []
    path = folder / "scale-growth.png"
    plotted = {
        family: {engine: _plotted_points(curve, experiment.time_limit) for engine, curve in by_engine.items()}
        for family, by_engine in curves.items()
    }
    growth(plotted, path)
    return [path]


def _plotted_points(curve: Curve, limit: float) -> list[tuple[int, float, float | None, bool]]:
    """Return the points to plot; sizes without a proof are at the time limit."""
    return [(point.size, point.seconds or limit, point.n_bytes, point.is_proved) for point in curve if point.n_rows]
