"""What every ``puretree bench`` does: measure what has no row yet, then make tables and pictures of all rows."""

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
class Wishes:
    """How to run an experiment, whichever it is: the options that all of them share."""

    out: Path | None
    jobs: int | None
    scheduler: str | None
    retry: bool
    quiet: bool
    verbose: bool
    json: bool


def run_bench(experiment: Experiment, wishes: Wishes) -> int:
    """Run an experiment to its end or to Ctrl-C, and show what came of it."""
    from .output import note

    folder = wishes.out or Path(f"bench-{experiment.name}")
    rows, sessions, is_complete = _measured(experiment, wishes, folder)
    if not is_complete:
        note(f"stopped after {len(rows)} of {experiment.n_cells} cells; the same command goes on from there")
    try:
        _show(experiment, rows, sessions, folder, wishes)
    except KeyboardInterrupt:
        note(f"interrupted; all rows are kept in {folder / RESULTS}, and the same command makes the tables")
        return ExitCode.INTERRUPTED
    return ExitCode.OK if is_complete and any(row.status == "done" for row in rows) else ExitCode.INCUMBENT


def _measured(experiment: Experiment, wishes: Wishes, folder: Path) -> tuple[list[Row], list[dict[str, Any]], bool]:
    """Measure what is missing; return all rows, the runs they are of, and whether none is missing now."""
    from ..bench.measurement import ResultsFile, run
    from ..bench.provenance import provenance
    from .bench_progress import BenchProgress
    from .output import note, printable

    folder.mkdir(parents=True, exist_ok=True)
    session = provenance() | {"command": printable(shlex.join(["puretree", *sys.argv[1:]]))}
    is_complete = True
    with ResultsFile(folder / RESULTS, session) as results:
        n_known = sum(row.status == "done" or not wishes.retry for row in _asked_for(experiment, results.rows))
        with BenchProgress(experiment, n_known, quiet=wishes.quiet, verbose=wishes.verbose) as progress:
            try:
                run(
                    experiment,
                    results,
                    jobs=wishes.jobs,
                    scheduler=wishes.scheduler,
                    retry=wishes.retry,
                    on_row=progress.add,
                )
            except KeyboardInterrupt:
                is_complete = False
            except ClusterLostError as error:
                is_complete = False
                note(str(error))
        return _asked_for(experiment, results.rows), results.sessions, is_complete


def _asked_for(experiment: Experiment, rows: Mapping[str, Row]) -> list[Row]:
    """Return the rows of an experiment's cells, in its order: a file may hold those of other options, too."""
    return [rows[cell.id] for cell in experiment.cells(rows) if cell.id in rows]


def _show(
    experiment: Experiment, rows: Sequence[Row], sessions: Sequence[Mapping[str, Any]], folder: Path, wishes: Wishes
) -> None:
    """Print the tables, and write them with the rows and the pictures."""
    from ..bench.cell import module_of
    from ..bench.output import to_text, write_report
    from .output import console, note, put, put_json

    module = importlib.import_module(module_of(experiment.name))
    tables = module.tables(experiment, rows)
    if wishes.json:
        put_json({"experiment": experiment.name, "n_rows": len(rows), "tables": [table.to_dict() for table in tables]})
    else:
        for table in tables:
            put("\n".join([*to_text(table, console().width if sys.stdout.isatty() else None), ""]))
    paths, left_out = write_report(
        folder,
        experiment.name,
        tables,
        rows,
        lambda where: module.plots(experiment, rows, where),
        _notes(sessions),
    )
    if not wishes.quiet:
        for line in (*left_out, f"written to {folder}: {', '.join(path.name for path in paths)}"):
            note(line)


def _notes(sessions: Sequence[Mapping[str, Any]]) -> list[str]:
    """Tell on what and with what all the runs were made that added rows: each thing once, however many there were."""
    names = dict.fromkeys(name for session in sessions for name in session)
    values = {name: dict.fromkeys(str(session[name]) for session in sessions if name in session) for name in names}
    return [f"{name}: {'; '.join(each)}" for name, each in values.items()]
