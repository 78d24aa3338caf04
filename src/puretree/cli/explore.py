"""``puretree explore``: write all trees as one page, which works offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from . import options, with_errors

if TYPE_CHECKING:
    from .._support.clock import Clock
    from ..explorer import PageOptions
    from ..forest import Forest
    from ..pareto import Front, FrontPoint
    from ..runs import Run
    from .inputs import InputData


def explore(
    context: typer.Context,
    data: options.DataOrRun,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The HTML file.")],
    no_data: Annotated[bool, typer.Option("--no-data", help="Leave the training rows out of the page.")] = False,
    select: Annotated[
        Path | None,
        typer.Option("--select", metavar="SELECTION", help="Labelled rows for the choice of the most accurate tree."),
    ] = None,
    whole_front: Annotated[
        bool, typer.Option("--front", help="Explore the front of nodes and errors; the default for a run with errors.")
    ] = False,
    target: options.Target = None,
    missing_values: options.MissingValues = None,
    extra: Annotated[
        int, typer.Option("--extra", metavar="E", help="Include trees with up to E more inner nodes.")
    ] = 0,
    engine: options.Engine = "auto",
    binarize: options.Binarize = "thresholds",
    on_conflict: options.OnConflict = "warn",
    max_depth: options.MaxDepth = None,
    max_leaf_nodes: options.MaxLeafNodes = None,
    min_samples_leaf: options.MinSamplesLeaf = 1,
    root: options.Root = None,
    forbidden: options.Forbidden = None,
    feature_costs: options.FeatureCosts = None,
    time_limit: options.TimeLimit = options.DEFAULT_TIME_LIMIT,
    memory_limit: options.MemoryLimit = None,
    random_state: options.RandomState = 0,
    alpha: with_errors.Alpha = None,
    max_errors: with_errors.MaxErrors = None,
    max_nodes: with_errors.MaxNodes = None,
    rule: with_errors.Rule = "best",
    cv: with_errors.Folds = 5,
    class_weight: with_errors.ClassWeight = None,
    extra_nodes: with_errors.ExtraNodes = 0,
    extra_errors: with_errors.ExtraErrors = 0,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    json: options.Json = False,
) -> int:
    """Write all minimum trees, or the front with all trees of its points, as one HTML page that works offline.

    The trees are those of 'puretree trees' with the same options. In the page they are counted, filtered, compared and
    built test by test.
    """
    from .._support.clock import Clock
    from ..explorer import explore_forest, explore_front
    from ..forest import Forest
    from ..runs.atomic import require_parent
    from .inputs import printing_warnings
    from .output import note, put_json
    from .progress import FrontProgress, Progress
    from .trees import find_minimum_trees, find_trees_with_errors, read_trees_of

    require_parent(out)  # before the work, not after it
    clock = Clock.of(options.parse_seconds(time_limit))
    run, table = read_trees_of(data, target, missing_values)
    given = with_errors.given_options(context)
    of_point = bool(given & {"alpha", "max_errors", "rule", "cv"}) or (bool(given & {"max_nodes"}) and not whole_front)
    if whole_front and of_point:
        raise InputError("--front shows all points, so --alpha, --max-errors, --rule and --cv choose none; omit them")
    wants_front = whole_front or (run is not None and run.allows_errors and not of_point)
    has_errors = wants_front or of_point or bool(given & {*with_errors.NAMES, *with_errors.OF_BAND})
    rows = table.dataset.n_rows
    progress_of = FrontProgress if has_errors else Progress
    with printing_warnings(table), progress_of(rows, clock, quiet=quiet, verbose=verbose) as progress:
        found: Forest | Front
        point = None
        if wants_front:
            found, point = _find_front(context, run, table, clock, progress)
        else:
            find = find_trees_with_errors if has_errors else find_minimum_trees
            _, found = find(context, run, table, clock, progress)
    page, memory = _page_options(found, select, table, no_data), options.parse_bytes(memory_limit)
    tree = None if run is None else run.tree
    if isinstance(found, Forest):
        tree = tree if tree in found else None
        explore_forest(found, out, page, tree=tree, time_limit=clock, memory_limit=memory)
    else:
        explore_front(
            found,
            out,
            page,
            extra_nodes=extra_nodes,
            extra_errors=extra_errors,
            chosen=point,
            tree=tree,
            time_limit=clock,
            memory_limit=memory,
        )
    if json:
        put_json({"file": str(out), "bytes": out.stat().st_size})
    elif not quiet:
        note(f"written to {out}")
    return 0


def _find_front(
    context: typer.Context, run: Run | None, data: InputData, clock: Clock, on_progress: Any
) -> tuple[Front, FrontPoint | None]:
    """Find the front, and the point of the run on it."""
    from ..pipeline import front
    from .trees import with_parameters_of

    values = context.params
    given = with_errors.given_options(context) & {"binarize", *with_errors.OF_FRONT}
    read = {
        "memory_limit": options.parse_bytes(values["memory_limit"]),
        "class_weight": with_errors.parse_class_weight(values["class_weight"]),
    }
    parameters = {name: read.get(name, values[name]) for name in with_errors.OF_FRONT}
    if "binarize" not in given:
        parameters["binarize"] = "guessed"
    kept = {"memory_limit": parameters.pop("memory_limit")}
    parameters = with_parameters_of(run, parameters, context)
    found = front(
        data.dataset.table,
        data.dataset.target,
        max_nodes=values["max_nodes"],
        time_limit=clock.part(0.5),
        on_progress=on_progress,
        **parameters,
        **kept,
    )
    of_run = [point for point in found if run is not None and run.allows_errors and point.n_nodes == run.tree.n_nodes]
    return found, of_run[0] if of_run else None


def _page_options(found: Forest | Front, select: Path | None, data: InputData, no_data: bool) -> PageOptions:
    """Return what the page contains besides the trees."""
    from ..datasets.prediction_rows import read_rows
    from ..explorer import PageOptions
    from .forest_sections import read_selection_labels

    title = Path(data.record.source).stem if data.record.is_file else data.record.source
    if select is None:
        return PageOptions(data=not no_data, title=title)
    columns = list(found.prepared.binarizer.features_.columns)
    labels = read_selection_labels(select, data.dataset.target_name, found.prepared.problem.classes)
    return PageOptions(read_rows(select, columns, data.dataset.missing_values), labels, not no_data, title)
