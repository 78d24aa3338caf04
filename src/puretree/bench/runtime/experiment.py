"""Which engine has the smallest tree when the time is over? The paper's Table 3, and when, and whether proved.

Samples of 40, 60 and 80 % of the rows of large data sets, in the paper's bits. All engines get the same problem, the
same time, and the same start: the tree of ITI for an upper bound, and for a lower bound what every pure tree needs,
a leaf for each class (3 nodes for two classes, as in the paper; 2 c − 1 for c). Nothing else is known to them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from ..._support.clock import Clock
from ...bounds.upper import iti_tree
from ...datasets.files import find_folder, read_manifest
from ...datasets.paper_parts import binary_table, require_datasets
from ...engines import make_engine, solve
from ...errors import InputError, SolverError
from ...outcome import Outcome
from ...problem import BinaryProblem
from ..cell import Cell, Key, ResultTable, Row, Tell, Values, cell_id, failed_rows
from ..provenance import require_count, require_limits, require_some
from .from_iti import FromIti
from .scores import History, Race, mean_gaps
from .tables import Instance, name_of, ordering_table, races_table, table3

DATASETS = (
    *("audiology-cp4im", "australian", "cancer", "car", "colic", "heart-statlog", "hypothyroid-cp4im", "kr-vs-kp"),
    *("mushroom", "primary-tumor-cp4im", "soybean-cp4im", "tic-tac-toe-cp4im"),
)
"""Twelve that keep engines busy. The paper's are 29 "large datasets (rows/features)", which it does not name."""

ENGINES = ("maxsat", "mindt", "local-search-c", "local-search-ck", "search")
N_LARGE = 29
SECONDS_BEFORE = 60.0  # to read the table and let ITI induce its tree: most take less than 1, letter took 15
INSTANCES_DRAWN = 12
FIRST_DRAWN = 0.01  # seconds, where pictures of what happens over time begin


@dataclass(frozen=True, slots=True)
class Runtime:
    """A race of engines on samples of data sets.

    Parameters
    ----------
    datasets : tuple of str
        Names in the folder of data sets, or with their source, as ``formula:mux11``.
    folder : str, optional
        The folder; by default the one in PURETREE_DATA.
    shares : tuple of float
        Of the rows of a data set in a sample.
    samples : int, default=20
        Samples of each share and data set: their seeds are 0, 1, …
    engines : tuple of str
        By name, with options if need be: ``maxsat(backend='rc2')``.
    limit : float, default=60.0
        Seconds for each engine and sample.
    memory : float, optional
        Bytes for each.
    """

    name: ClassVar[str] = "runtime"
    datasets: tuple[str, ...] = DATASETS
    folder: str | None = None
    shares: tuple[float, ...] = (0.4, 0.6, 0.8)
    samples: int = 20
    engines: tuple[str, ...] = ENGINES
    limit: float = 60.0
    memory: float | None = None

    def __post_init__(self) -> None:
        for option, values in (("datasets", self.datasets), ("shares", self.shares), ("engines", self.engines)):
            require_some(option, values)
        require_count("samples", self.samples)
        require_limits(self.limit, self.memory)
        for share in self.shares:
            if not 0 < share <= 1:
                raise InputError(f"shares={share!r} is not a share of the rows; use numbers above 0, up to 1")
        for engine in self.engines:
            guarantees = make_engine(engine).guarantees
            if guarantees.aim != "nodes":
                raise InputError(
                    f"engines={engine!r} is for {guarantees.objective}: it cannot race for the smallest tree"
                )

    @property
    def instances(self) -> list[Instance]:
        """The samples, the first of every data set first: a run that ends early is one with fewer samples."""
        samples = product(range(self.samples), self.shares, self.datasets)
        return [(dataset, share, sample) for sample, share, dataset in samples]

    @property
    def n_cells(self) -> int:
        """One for each sample and engine."""
        return len(self.instances) * len(self.engines)

    def cells(self, done: Mapping[str, Row]) -> list[Cell]:
        """Return all cells, those of an instance together; none needs to wait for another."""
        require_datasets(self.datasets, None if self.folder is None else Path(self.folder))
        return [
            Cell(self.name, self.key(instance, engine), self.limit + SECONDS_BEFORE, self.memory, self._context)
            for instance, engine in product(self.instances, self.engines)
        ]

    def key(self, instance: Instance, engine: str) -> Key:
        """Return the key of a cell."""
        dataset, share, sample = instance
        return {"dataset": dataset, "share": share, "sample": sample, "engine": engine, "limit": self.limit}

    @property
    def _context(self) -> Values:
        return {"folder": self.folder}


def largest_datasets(folder: str | None = None, n: int = N_LARGE) -> tuple[str, ...]:
    """Return the data sets with the most rows times binary columns by the paper's count, the largest first."""
    entries = [entry for entry in read_manifest(find_folder(folder)).values() if entry.paper_counts]
    entries.sort(key=lambda entry: (-entry.paper_counts[0] * entry.paper_counts[3], entry.name))
    return tuple(entry.name for entry in entries[:n])


def measure(cell: Cell, tell: Tell) -> Values:
    """Let an engine search; every better bound is told when it is there, so that it counts whatever happens then."""
    problem = _sample(cell)
    start = iti_tree(problem)
    assert start is not None  # it had no limit
    engine = FromIti(make_engine(str(cell.key["engine"]), cell.memory), start)
    found = {
        "n_examples": problem.n_examples,
        "n_features": problem.n_features,
        "n_classes": problem.n_classes,
        "start": start.n_nodes,
    }
    try:
        outcome = solve(
            problem,
            engine,
            clock=Clock(float(cell.key["limit"] or 0)),
            on_progress=lambda now: tell({"seconds": now.seconds, "lower": now.lower, "upper": now.upper}),
        )
    except SolverError as error:
        return {**found, **_told(error.outcome), "reason": str(error)}
    return {**found, **_told(outcome)}


def _sample(cell: Cell) -> BinaryProblem:
    key: dict[str, Any] = cell.key
    folder = cell.context.get("folder")
    table = binary_table(key["dataset"], None if folder is None else Path(folder))
    return table.problem(table.sample(key["share"], key["sample"]))


def _told(outcome: Outcome) -> Values:
    return {
        "lower": outcome.lower_bound,
        "upper": outcome.upper_bound,
        "status": outcome.status,
        "seconds": outcome.seconds,
        "n_nodes": outcome.n_nodes,
    }


def tables(experiment: Runtime, rows: Sequence[Row]) -> list[ResultTable]:
    """Return the paper's Table 3 with more columns, who is before whom, all upper bounds, and what went wrong."""
    races, n_left_out = _races(experiment, rows)
    engines, limit = experiment.engines, experiment.limit
    asked = {cell_id(experiment.name, experiment.key(*each)) for each in product(experiment.instances, engines)}
    failed = failed_rows([_with_engine_failure(row) for row in rows if row.id in asked])
    made = [
        table3(races, experiment.shares, engines, limit, n_left_out),
        ordering_table(races, experiment.shares, engines, limit),
        races_table(races, engines, limit),
    ]
    return [*made, failed] if failed else made


def _races(experiment: Runtime, rows: Sequence[Row]) -> tuple[dict[Instance, Race], int]:
    """Return the instances that every engine has a row of, and the number of the others."""
    by_id = {row.id: row for row in rows}
    races: dict[Instance, Race] = {}
    for instance in experiment.instances:
        ids = [cell_id(experiment.name, experiment.key(instance, engine)) for engine in experiment.engines]
        if all(each in by_id for each in ids):
            histories = [History.of(by_id[each], experiment.limit) for each in ids]
            races[instance] = dict(zip(experiment.engines, histories, strict=True))
    return races, len(experiment.instances) - len(races)


def _with_engine_failure(row: Row) -> Row:
    """Tell a solver's failure as one of the cell: its bounds were measured all the same."""
    if row.values.get("status") != "failed":
        return row
    return replace(row, status="failed", reason=row.values.get("reason", ""))


def plots(experiment: Runtime, rows: Sequence[Row], folder: Path) -> list[Path]:
    """Draw how many are proved within a time, the gaps over time, and the bounds of some instances."""
    from ..output.plots import bounds_over_time, cactus, gaps_over_time

    races, _ = _races(experiment, rows)
    if not races:
        return []
    engines, limit = experiment.engines, experiment.limit
    proofs = {name: sorted(s for race in races.values() if (s := race[name].proof) is not None) for name in engines}
    times = [FIRST_DRAWN * (limit / FIRST_DRAWN) ** (step / 100) for step in range(101)]
    gaps = mean_gaps(list(races.values()), engines, times)
    paths = [folder / f"runtime-{what}.png" for what in ("cactus", "gaps", "bounds")]
    cactus(proofs, paths[0], limit, len(races))
    gaps_over_time({name: (times, gaps[name]) for name in engines}, paths[1])
    bounds_over_time(_drawn(races), paths[2])
    return paths


def _drawn(races: Mapping[Instance, Race]) -> dict[str, dict[str, Sequence[tuple[float, int, int | None]]]]:
    """Return the bounds on one instance a data set: the largest sample, which is the hardest."""
    of_dataset: dict[str, Instance] = {}
    for instance in sorted(races, key=lambda each: (-each[1], each[2])):
        of_dataset.setdefault(instance[0], instance)
    chosen = [of_dataset[name] for name in sorted(of_dataset)[:INSTANCES_DRAWN]]
    return {name_of(each): {name: history.bounds for name, history in races[each].items()} for each in chosen}
