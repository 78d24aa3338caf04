"""The common part of all ``puretree bench`` commands: measure missing cells, then write tables and plots."""

from __future__ import annotations

import importlib
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ClusterLostError
from .exit_codes import ExitCode

if TYPE_CHECKING:
    from ..bench.cell import Experiment, Row

RESULTS = "results.jsonl"


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """The options that all experiments share."""

    out: Path | None
    n_jobs: int | None
    scheduler: str | None
    retry: bool
    quiet: bool
    verbose: bool
    json: bool


def run_bench(experiment: Experiment, options: BenchOptions) -> int:
    """Run an experiment until it is complete or interrupted, and show the results."""
    from .output import note

    folder = options.out or Path(f"bench-{experiment.name}")
    rows, sessions, is_complete = _measured(experiment, options, folder)
    if not is_complete:
        note(f"stopped after {len(rows)} of {experiment.n_cells} cells; run the same command to resume")
    try:
        _show(experiment, rows, sessions, folder, options)
    except KeyboardInterrupt:
        note(f"interrupted; all results are kept in {folder / RESULTS}; run the same command to write the tables")
        return ExitCode.INTERRUPTED
    return ExitCode.OK if is_complete and any(row.status == "done" for row in rows) else ExitCode.INCUMBENT


def _measured(
    experiment: Experiment, options: BenchOptions, folder: Path
) -> tuple[list[Row], list[dict[str, Any]], bool]:
    """Measure missing cells; return all rows, the sessions that measured them, and whether all cells are done."""
    from ..bench.measurement import ResultsFile, run
    from ..bench.provenance import provenance
    from .bench_progress import BenchProgress
    from .output import note, printable

    folder.mkdir(parents=True, exist_ok=True)
    session = provenance() | {"command": printable(shlex.join(["puretree", *sys.argv[1:]]))}
    is_complete = True
    with ResultsFile(folder / RESULTS, session) as results:
        n_known = sum(row.status == "done" or not options.retry for row in _rows_of(experiment, results.rows))
        with BenchProgress(experiment, n_known, quiet=options.quiet, verbose=options.verbose) as progress:
            try:
                run(
                    experiment,
                    results,
                    n_jobs=options.n_jobs,
                    scheduler=options.scheduler,
                    retry=options.retry,
                    on_row=progress.add,
                )
            except KeyboardInterrupt:
                is_complete = False
            except ClusterLostError as error:
                is_complete = False
                note(str(error))
        return _rows_of(experiment, results.rows), results.sessions, is_complete


def _rows_of(experiment: Experiment, rows: Mapping[str, Row]) -> list[Row]:
    """Return the rows of an experiment in its order; the file may contain rows of other options."""
    return [rows[cell.id] for cell in experiment.cells(rows) if cell.id in rows]


def _show(
    experiment: Experiment,
    rows: Sequence[Row],
    sessions: Sequence[Mapping[str, Any]],
    folder: Path,
    options: BenchOptions,
) -> None:
    """Print the tables, and write them with the rows and the plots."""
    from ..bench.cell import module_of
    from ..bench.output import to_text, write_report
    from .output import console, note, put, put_json

    module = importlib.import_module(module_of(experiment.name))
    tables = module.tables(experiment, rows)
    if options.json:
        put_json({"experiment": experiment.name, "n_rows": len(rows), "tables": [table.to_dict() for table in tables]})
    else:
        for table in tables:
            put("\n".join([*to_text(table, console().width if sys.stdout.isatty() else None), ""]))
    paths, notes = write_report(
        folder,
        experiment.name,
        tables,
        rows,
        lambda where: module.plots(experiment, rows, where),
        _notes(sessions),
    )
    if not options.quiet:
        for line in (*notes, f"written to {folder}: {', '.join(path.name for path in paths)}"):
            note(line)


def _notes(sessions: Sequence[Mapping[str, Any]]) -> list[str]:
    """Describe the machines and versions of all sessions, each distinct value once."""
    names = dict.fromkeys(name for session in sessions for name in session)
    values = {name: dict.fromkeys(str(session[name]) for session in sessions if name in session) for name in names}
    return [f"{name}: {'; '.join(distinct)}" for name, distinct in values.items()]
