"""The paper's Table 3: which engine has the smallest tree at the time limit, and the time to find and to prove it.

The instances are samples of 40, 60 and 80 % of the rows of large data sets, with the paper's binary features. All
engines get the same problem, limits and initial bounds: the upper bound is the tree of ITI; the lower bound is one leaf
per class (3 nodes for two classes, as in the paper; 2 c − 1 for c). The time limit includes the encoding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from ..._support.clock import Clock
from ...bounds.upper import iti_tree
from ...datasets.files import find_folder, read_manifest
from ...datasets.paper_parts import binary_table, require_datasets
from ...engines import solve
from ...errors import InputError, SolverError
from ...outcome import Outcome
from ...problem import BinaryProblem
from ..cell import Cell, Key, OnProgress, Row, Values, cell_id
from ..options import require_count, require_distinct, require_limits
from ..result_table import ResultTable, failed_cells
from .engines import ENGINES, measured_engine
from .maxsat_mindt import warm_start_tables
from .scores import History, InstanceHistories, mean_gaps
from .starting_tree import EngineWithTree
from .tables import (
    Histories,
    Instance,
    format_instance,
    improvements_table,
    instances_table,
    ordering_table,
    table3,
)

QUICK_DATASETS = (
    *("audiology-cp4im", "australian", "cancer", "car", "colic", "heart-statlog", "hypothyroid-cp4im", "kr-vs-kp"),
    *("mushroom", "primary-tumor-cp4im", "soybean-cp4im", "tic-tac-toe-cp4im"),
)
"""Twelve nontrivial data sets, for a run that takes hours instead of days."""

PROTOCOL = 3
"""Increase it when a measurement means something else than before, such as another starting tree, other defaults of the
experiment, or other stages of an engine: rows of earlier protocols are then ignored, and their cells measured again.
"""

N_LARGE = 29  # the paper uses 29 "large datasets (rows/features)", which it does not name
OVERHEAD = 60.0  # seconds allowed to read the table and to run ITI: most need less than 1, letter took 15
N_PLOTTED = 12  # instances
PLOT_START = 0.01  # seconds, where time axes start


@dataclass(frozen=True, slots=True)
class Runtime:
    """Several engines on samples of data sets.

    Parameters
    ----------
    datasets : tuple of str
        Names in the data folder, or with a source, such as ``formula:mux11``: see :func:`largest_datasets` and
        :data:`QUICK_DATASETS`.
    folder : str, optional
        The data folder; by default the one in PURETREE_DATA.
    shares : tuple of float
        Fractions of the rows of a data set in a sample.
    samples : int, default=20
        Number of samples of each fraction and data set, with the seeds 0, 1, …
    engines : tuple of str
        Names, with options if needed: ``maxsat(backend='rc2')``. They run alone and on all examples at once, unless
        the options say otherwise: see :mod:`~puretree.bench.runtime.engines`.
    time_limit : float, default=60.0
        Time limit in seconds for each engine and sample.
    memory_limit : float, optional
        Memory limit in bytes for each engine and sample.
    """

    name: ClassVar[str] = "runtime"
    datasets: tuple[str, ...]
    folder: str | None = None
    shares: tuple[float, ...] = (0.4, 0.6, 0.8)
    samples: int = 20
    engines: tuple[str, ...] = ENGINES
    time_limit: float = 60.0
    memory_limit: float | None = None

    def __post_init__(self) -> None:
        for option, values in (("datasets", self.datasets), ("shares", self.shares), ("engines", self.engines)):
            require_distinct(option, values)
        require_count("samples", self.samples)
        require_limits(self.time_limit, self.memory_limit)
        for share in self.shares:
            if not 0 < share <= 1:
                raise InputError(
                    "is not a fraction of the rows; use numbers above 0, at most 1", parameter="shares", value=share
                )
        for engine in self.engines:
            guarantees = measured_engine(engine).guarantees
            if guarantees.aim != "nodes":
                raise InputError(
                    f"is for {guarantees.objective}; choose engines that minimise the tree size",
                    parameter="engines",
                    value=engine,
                )

    @property
    def instances(self) -> list[Instance]:
        """All samples, ordered by seed first: a run that is stopped early has fewer samples of every data set."""
        samples = product(range(self.samples), self.shares, self.datasets)
        return [(dataset, share, sample) for sample, share, dataset in samples]

    @property
    def n_cells(self) -> int:
        """One for each sample and engine."""
        return len(self.instances) * len(self.engines)

    def cells(self, done: Mapping[str, Row]) -> list[Cell]:
        """Return all cells, ordered by instance; no cell depends on another."""
        require_datasets(self.datasets, None if self.folder is None else Path(self.folder))
        return [
            Cell(self.name, self.key(instance, engine), self.time_limit + OVERHEAD, self.memory_limit, self._context)
            for instance, engine in product(self.instances, self.engines)
        ]

    def key(self, instance: Instance, engine: str) -> Key:
        """Return the key of a cell."""
        dataset, share, sample = instance
        sample_key: Key = {"dataset": dataset, "share": share, "sample": sample}
        return {**sample_key, "engine": engine, "limit": self.time_limit, "protocol": PROTOCOL}

    @property
    def _context(self) -> Values:
        return {"folder": self.folder}


def largest_datasets(folder: str | None = None, n: int = N_LARGE) -> tuple[str, ...]:
    """Return the data sets with the largest number of rows × binary features as counted in the paper, in that order."""
    entries = [entry for entry in read_manifest(find_folder(folder)).values() if entry.paper_counts]
    entries.sort(key=lambda entry: (-entry.paper_counts[0] * entry.paper_counts[3], entry.name))
    return tuple(entry.name for entry in entries[:n])


def measure(cell: Cell, on_progress: OnProgress) -> Values:
    """Run an engine; improved bounds are reported at once, so that they count even if the engine fails later."""
    problem = _sample(cell)
    start = iti_tree(problem)
    assert start is not None  # there is no time limit
    engine = EngineWithTree(measured_engine(str(cell.key["engine"]), cell.memory), start)
    values = {
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
            on_progress=lambda bounds: on_progress(asdict(bounds)),
            memory_limit=cell.memory,
        )
    except SolverError as error:
        return {**values, **_summarise(error.outcome), "reason": str(error)}
    return {**values, **_summarise(outcome)}


def _sample(cell: Cell) -> BinaryProblem:
    key: dict[str, Any] = cell.key
    folder = cell.context.get("folder")
    table = binary_table(key["dataset"], None if folder is None else Path(folder))
    return table.problem(table.sample(key["share"], key["sample"]))


def _summarise(outcome: Outcome) -> Values:
    return {
        "lower": outcome.lower_bound,
        "upper": outcome.upper_bound,
        "status": outcome.status,
        "seconds": outcome.seconds,
        "n_nodes": outcome.n_nodes,
    }


def tables(experiment: Runtime, rows: Sequence[Row]) -> list[ResultTable]:
    """Return the paper's Table 3, the comparison of MaxSAT with MinDT, all upper bounds and failed cells."""
    histories, n_incomplete = _histories(experiment, rows)
    engines, limit = experiment.engines, experiment.time_limit
    ids = {cell_id(experiment.name, experiment.key(*pair)) for pair in product(experiment.instances, engines)}
    failed = failed_cells([_with_engine_failure(row) for row in rows if row.id in ids])
    all_tables = [
        table3(histories, experiment.shares, engines, limit, n_incomplete),
        ordering_table(histories, experiment.shares, engines, limit),
        *warm_start_tables(histories, experiment.shares, engines, limit),
        improvements_table(histories, engines),
        instances_table(histories, engines, limit),
    ]
    return [*all_tables, failed] if failed else all_tables


def _histories(experiment: Runtime, rows: Sequence[Row]) -> tuple[dict[Instance, InstanceHistories], int]:
    """Return the histories of instances for which every engine has a row, and the number of other instances."""
    by_id = {row.id: row for row in rows}
    histories: dict[Instance, InstanceHistories] = {}
    for instance in experiment.instances:
        ids = [cell_id(experiment.name, experiment.key(instance, engine)) for engine in experiment.engines]
        if all(id in by_id for id in ids):
            of_instance = [History.from_row(by_id[id], experiment.time_limit) for id in ids]
            histories[instance] = dict(zip(experiment.engines, of_instance, strict=True))
    return histories, len(experiment.instances) - len(histories)


def _with_engine_failure(row: Row) -> Row:
    """Report the failure of a solver as a failed cell, although its row is ``done`` and has bounds."""
    if row.values.get("status") != "failed":
        return row
    return replace(row, status="failed", reason=row.values.get("reason", ""))


def plots(experiment: Runtime, rows: Sequence[Row], folder: Path) -> list[Path]:
    """Draw a cactus plot of the proofs, the mean gaps over time, and the bounds of some instances over time."""
    from ..output.plots import bounds_over_time, cactus, gaps_over_time

    histories, _ = _histories(experiment, rows)
    if not histories:
        return []
    engines, limit = experiment.engines, experiment.time_limit
    instances = list(histories.values())
    proofs = {name: sorted(s for instance in instances if (s := instance[name].proof) is not None) for name in engines}
    times = [PLOT_START * (limit / PLOT_START) ** (step / 100) for step in range(101)]
    gaps = mean_gaps(instances, engines, times)
    paths = [folder / f"runtime-{plot}.png" for plot in ("cactus", "gaps", "bounds")]
    cactus(proofs, paths[0], limit, len(instances))
    gaps_over_time({name: (times, gaps[name]) for name in engines}, paths[1])
    bounds_over_time(_plotted_bounds(histories), paths[2])
    return paths


def _plotted_bounds(histories: Histories) -> dict[str, dict[str, Sequence[tuple[float, int, int | None]]]]:
    """Return the bounds on one instance of each data set: the largest sample, which is the hardest."""
    instance_of_dataset: dict[str, Instance] = {}
    for instance in sorted(histories, key=lambda instance: (-instance[1], instance[2])):
        instance_of_dataset.setdefault(instance[0], instance)
    plotted = [instance_of_dataset[name] for name in sorted(instance_of_dataset)[:N_PLOTTED]]
    return {
        format_instance(instance): {engine: history.bounds for engine, history in histories[instance].items()}
        for instance in plotted
    }
