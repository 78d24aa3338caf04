"""``puretree fit``: from a table to the smallest tree, its proof, and a run folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError, SolverError
from . import options
from .exit_codes import ExitCode
from .show import put_run

if TYPE_CHECKING:
    from ..outcome import Outcome
    from ..runs import Run
    from ..selection.fit_result import FitResult
    from .inputs import Given


def fit(
    data: options.Data,
    target: options.Target = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Keep the run here.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an older run, its certificate and its report.")
    ] = False,
    time_limit: options.TimeLimit = None,
    memory_limit: options.MemoryLimit = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="auto, search, maxsat, mindt, bessiere, dtfinder, local-search, local-search-c, local-search-ck or "
            "psk: see 'puretree engines'.",
        ),
    ] = "auto",
    binarize: options.Binarize = None,
    selection: Annotated[
        str,
        typer.Option(
            "--selection",
            rich_help_panel=options.CHOICE,
            metavar="RULE",
            help="consensus, teacher, teacher-extra-trees, holdout, holdout-teacher or first.",
        ),
    ] = "consensus",
    n_trees: Annotated[
        str, typer.Option("--n-trees", rich_help_panel=options.CHOICE, metavar="N|all", help="How many to choose from.")
    ] = "all",
    diversity: Annotated[
        str,
        typer.Option(
            "--diversity",
            rich_help_panel=options.CHOICE,
            metavar="HOW",
            help="How N trees differ: none, mdsol, max-min, layouts or layouts-mdsol.",
        ),
    ] = "none",
    selection_size: Annotated[
        float,
        typer.Option(
            "--selection-size",
            rich_help_panel=options.CHOICE,
            metavar="SHARE",
            help="Of the rows, kept back by holdout.",
        ),
    ] = 0.2,
    delta: Annotated[
        float,
        typer.Option(
            "--delta",
            rich_help_panel=options.CHOICE,
            metavar="SHARE",
            help="How much less than the best is good enough for holdout.",
        ),
    ] = 0.0,
    on_conflict: options.OnConflict = None,
    max_depth: options.MaxDepth = None,
    root: options.Root = None,
    forbid: options.Forbid = None,
    cost: options.Cost = None,
    n_jobs: Annotated[
        int | None,
        typer.Option(
            "--n-jobs", rich_help_panel=options.CHOICE, metavar="N", help="Processors for a teacher; -1: all."
        ),
    ] = None,
    random_state: options.RandomState = 0,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    json: options.Json = False,
) -> int:
    """Find the smallest tree that is right on every row, and prove that no smaller one is.

    Ctrl-C and the time limit keep the best tree so far, with both bounds; the exit code is 10 then.
    """
    if n_jobs is not None and (n_jobs == 0 or n_jobs < -1):
        raise InputError(f"--n-jobs {n_jobs} is not a number of processors; use 1, 2 … or -1 for all")
    parameters = {
        "engine": engine,
        "binarize": binarize or "thresholds",
        "selection": selection,
        "n_trees": _parse_n_trees(n_trees),
        "diversity": diversity,
        "selection_size": selection_size,
        "delta": delta,
        "on_conflict": on_conflict or "raise",
        "max_depth": max_depth,
        "root": root,
        "forbidden": forbid or [],
        "costs": options.parse_costs(cost),
        "time_limit": time_limit,
        "memory_limit": options.parse_bytes(memory_limit),
        "n_jobs": n_jobs,
        "random_state": random_state,
    }
    try:
        run = _run(data, target, out, force, parameters, quiet=quiet, verbose=verbose)
    except SolverError as error:
        _put_incumbent(error.outcome, as_json=json)
        raise
    try:
        if out:
            _save(run, out, force, quiet)
    finally:  # a tree that took hours is shown even if the disk is full
        _put(run, as_json=json)
    return ExitCode.OK if run.outcome.status == "optimal" else ExitCode.INCUMBENT


def _parse_n_trees(text: str) -> int | str:
    if text != "all" and not (text.isdecimal() and int(text) > 0):
        raise InputError(f"--n-trees {text} is not a number of trees; use 1, 2 … or all")
    return text if text == "all" else int(text)


def _run(
    data: str,
    target: str | None,
    out: Path | None,
    force: bool,
    parameters: dict[str, Any],
    *,
    quiet: bool,
    verbose: bool,
) -> Run:
    from ..pipeline import choose_tree
    from ..runs import require_free
    from .inputs import naming_lines, read_data
    from .progress import Progress

    if out:
        require_free(out, force=force)
    given = read_data(data, target)
    with naming_lines(given), Progress(quiet=quiet, verbose=verbose) as progress:
        chosen = choose_tree(given.dataset.table, given.dataset.target, on_progress=progress, **parameters)
    return _record(given, chosen, parameters)


def _record(given: Given, chosen: FitResult, parameters: dict[str, Any]) -> Run:
    from ..proof.claim import certificate
    from ..runs import Run

    outcome = replace(chosen.outcome, tree=chosen.tree)
    claim = certificate(chosen.prepared, outcome, chosen.tree, chosen.constraints)
    shares = chosen.leaf_shares(with_conflicts=parameters["on_conflict"] != "drop")
    leaf_shares = tuple(map(tuple, shares[chosen.tree.left < 0].tolist()))
    rows = chosen.prepared.row_numbers
    return Run(
        outcome,
        chosen.found.n_smallest,
        chosen.scores,
        parameters,
        claim,
        given.record,
        leaf_shares,
        training_rows=None if len(rows) == given.dataset.n_rows else tuple(rows.tolist()),
    )


def _save(run: Run, out: Path, force: bool, quiet: bool) -> None:
    from ..runs import save_run
    from .output import note

    try:
        save_run(run, out, force=force)
    except KeyboardInterrupt:  # it is saved in one step, and this may have come before or after it
        note(f"error: interrupted while saving: {out} is as it was before, or holds all of this")
        raise
    if not quiet:
        note(f"kept in {out}: 'puretree show {out}' shows it again")


def _put_incumbent(outcome: Outcome | None, *, as_json: bool) -> None:
    """Show what was found before a solver failed: it is not kept, and may have taken hours."""
    from .output import put, put_json, put_status, put_tree

    if outcome is None or outcome.tree is None:
        return
    if as_json:
        told = {name: getattr(outcome, name) for name in ("status", "n_nodes", "lower_bound", "upper_bound")}
        put_json({**told, "tree": outcome.tree.to_dict()})
        return
    put_tree(outcome.tree)
    put()
    put_status(outcome, None)


def _put(run: Run, *, as_json: bool) -> None:
    from .output import put, put_json, put_tree

    if as_json:
        put_json({**run.summary(), "data": run.data_dict(), "tree": run.tree.to_dict()})
        return
    put_tree(run.tree)
    put()
    put_run(run)
