"""``puretree fit``: fit the smallest tree of a table, or one with few errors, with its proof, and save the run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError, SolverError
from . import options, with_errors
from .exit_codes import ExitCode
from .show import put_run

if TYPE_CHECKING:
    from .._support.clock import Clock
    from ..outcome import Outcome
    from ..runs import Favourite, Run
    from ..selection.fit_result import FitResult
    from .inputs import InputData


def fit(
    context: typer.Context,
    data: options.Data,
    target: options.Target = None,
    missing_values: options.MissingValues = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Save the run here.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing run, its certificate and its report.")
    ] = False,
    time_limit: options.TimeLimit = options.DEFAULT_TIME_LIMIT,
    memory_limit: options.MemoryLimit = None,
    engine: options.Engine = "auto",
    binarize: options.Binarize = "thresholds",
    on_conflict: options.OnConflict = "warn",
    max_depth: options.MaxDepth = None,
    max_leaf_nodes: options.MaxLeafNodes = None,
    min_samples_leaf: options.MinSamplesLeaf = 1,
    root: options.Root = None,
    forbidden: options.Forbidden = None,
    feature_costs: options.FeatureCosts = None,
    selection: Annotated[
        str,
        typer.Option(
            "--selection",
            rich_help_panel=options.SELECTION,
            metavar="RULE",
            help="consensus, teacher, teacher-extra-trees, holdout, holdout-teacher or first.",
        ),
    ] = "consensus",
    n_trees: Annotated[
        str,
        typer.Option(
            "--n-trees", rich_help_panel=options.SELECTION, metavar="N|all", help="The number of trees to choose from."
        ),
    ] = "all",
    diversity: Annotated[
        str,
        typer.Option(
            "--diversity",
            rich_help_panel=options.SELECTION,
            metavar="METHOD",
            help="How N trees are spread: none, mdsol, max-min, layouts or layouts-mdsol.",
        ),
    ] = "none",
    layout_depth: Annotated[
        int,
        typer.Option(
            "--layout-depth",
            rich_help_panel=options.SELECTION,
            metavar="N",
            help="The depth of the layouts of --diversity layouts and layouts-mdsol.",
        ),
    ] = 2,
    selection_size: Annotated[
        float,
        typer.Option(
            "--selection-size",
            rich_help_panel=options.SELECTION,
            metavar="FRACTION",
            help="The fraction of rows that holdout holds out.",
        ),
    ] = 0.2,
    delta: Annotated[
        float,
        typer.Option(
            "--delta",
            rich_help_panel=options.SELECTION,
            metavar="FRACTION",
            help="The tolerance of holdout below the best accuracy.",
        ),
    ] = 0.0,
    tree: Annotated[
        Path | None,
        typer.Option(
            "--tree",
            rich_help_panel=options.SELECTION,
            metavar="FILE",
            help="Adopt this tree, if it is as good as the fitted one: a tree as JSON, or an exported favourite.",
        ),
    ] = None,
    n_jobs: Annotated[
        int | None,
        typer.Option(
            "--n-jobs",
            rich_help_panel=options.SELECTION,
            metavar="N",
            help="Jobs of a teacher and of local improvement; -1: all.",
        ),
    ] = None,
    random_state: options.RandomState = 0,
    alpha: with_errors.Alpha = None,
    max_errors: with_errors.MaxErrors = None,
    max_nodes: with_errors.MaxNodes = None,
    rule: with_errors.Rule = "best",
    cv: with_errors.Folds = 5,
    class_weight: with_errors.ClassWeight = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    json: options.Json = False,
) -> int:
    """Find the smallest tree that classifies every row correctly, and prove that no smaller one does.

    With --alpha, --max-errors or --max-nodes, errors are allowed: find the tree with the fewest training errors for its
    size, and prove it. Where cross-validation or a price chooses the size, numeric columns have guessed thresholds.

    When the time limit is reached, or after Ctrl-C, the best tree so far is kept with both bounds; the exit code is 10,
    or 0 if the tree is proved minimum, or to have the fewest errors for its size and
    the cross-validation is complete.
    """
    from .._support.clock import Clock
    from .._support.resources import require_n_jobs
    from ..runs import read_favourite, require_free
    from .inputs import read_data

    require_n_jobs(n_jobs)
    parameters = {
        "engine": engine,
        "binarize": binarize,
        "selection": selection,
        "n_trees": _parse_n_trees(n_trees),
        "diversity": diversity,
        "layout_depth": layout_depth,
        "selection_size": selection_size,
        "delta": delta,
        "on_conflict": on_conflict,
        "max_depth": max_depth,
        "max_leaf_nodes": max_leaf_nodes,
        "min_samples_leaf": min_samples_leaf,
        "root": root,
        "forbidden": forbidden or [],
        "feature_costs": options.parse_costs(feature_costs),
        "time_limit": options.parse_seconds(time_limit),
        "memory_limit": options.parse_bytes(memory_limit),
        "n_jobs": n_jobs,
        "random_state": random_state,
    }
    given = with_errors.given_options(context)
    if given & set(with_errors.NAMES):
        parameters = with_errors.parameters_with_errors(context.params | parameters, given)
    clock = Clock.of(options.parse_seconds(time_limit))
    try:
        if out:
            require_free(out, force=force)
        adopted = None if tree is None else read_favourite(tree)
        table = read_data(
            *(data, target, options.parse_missing_values(missing_values)),
            clock=clock,
            memory_limit=options.parse_bytes(memory_limit),
        )
        run = _fit(table, parameters, adopted, clock, quiet=quiet, verbose=verbose)
    except SolverError as error:
        _put_incumbent(error.outcome, as_json=json)
        raise
    try:
        if out:
            _save(run, out, force, quiet)
    finally:  # show a tree that took hours even if the disk is full
        _put(run, as_json=json)
    return ExitCode.OK if run.is_finished else ExitCode.INCUMBENT


def _parse_n_trees(text: str) -> int | str:
    if text != "all" and not (text.isdecimal() and int(text) > 0):
        raise InputError("is not a number of trees; use 1, 2 … or all", parameter="n_trees", value=text)
    return text if text == "all" else int(text)


def _fit(
    data: InputData,
    parameters: dict[str, Any],
    adopted: Favourite | None,
    clock: Clock,
    *,
    quiet: bool,
    verbose: bool,
) -> Run:
    from ..pipeline import choose_optimal_tree, choose_tree
    from ..runs import Run
    from .inputs import printing_warnings
    from .progress import FrontProgress, Progress

    def record(result: FitResult) -> Run:
        chosen = result if adopted is None else result.adopt(adopted.tree, adopted.note)
        return Run.from_fit(chosen, parameters, data.record, data.dataset.table.total_weight)

    choose: Any = choose_optimal_tree if "alpha" in parameters else choose_tree
    progress_of = FrontProgress if "alpha" in parameters else Progress
    result: FitResult | None = None
    try:
        with printing_warnings(data), progress_of(data.dataset.n_rows, clock, quiet=quiet, verbose=verbose) as progress:
            result = choose(
                data.dataset.table, data.dataset.target, on_progress=progress, **parameters | {"time_limit": clock}
            )
        assert result is not None
        return record(result)
    except KeyboardInterrupt:
        if result is None:
            raise
        return record(result)


def _save(run: Run, out: Path, force: bool, quiet: bool) -> None:
    from ..runs import save_run
    from .output import note

    try:
        save_run(run, out, force=force)
    except KeyboardInterrupt:  # saving is atomic, and the interrupt may come before or after
        note(f"error: interrupted while saving: {out} is unchanged, or contains the complete run")
        raise
    if not quiet:
        note(f"saved in {out}; 'puretree show {out}' shows it again")


def _put_incumbent(outcome: Outcome | None, *, as_json: bool) -> None:
    """Print the best tree found before a solver failed: it is not saved, and may have taken hours."""
    from .output import put, put_json, put_status, put_tree

    if outcome is None or outcome.tree is None:
        return
    if as_json:
        summary = {name: getattr(outcome, name) for name in ("status", "n_nodes", "lower_bound", "upper_bound")}
        put_json({**summary, "tree": outcome.tree.to_dict()})
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
