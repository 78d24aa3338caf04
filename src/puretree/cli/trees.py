"""``puretree trees``: count all minimum trees, or all trees of a point of the front, and show some of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError, UnfinishedError
from . import options, with_errors

if TYPE_CHECKING:
    from .._support.clock import Clock
    from ..forest import Forest
    from ..runs import Run
    from .forest_sections import Section
    from .inputs import InputData

PARAMETERS = (
    *("engine", "binarize", "on_conflict", "max_depth", "max_leaf_nodes", "min_samples_leaf", "root", "forbidden"),
    "feature_costs",
)
FILTER_OF_OPTION = {
    "at_root": "root",
    "uses": "uses",
    "avoids": "avoids",
    "depth": "max_depth",
    "leaf_rows": "min_samples_leaf",
    "agrees_with": "agrees_with",
}


def trees(
    context: typer.Context,
    data: options.DataOrRun,
    target: options.Target = None,
    missing_values: options.MissingValues = None,
    first: Annotated[int | None, typer.Option("--list", metavar="N", help="Show the first N.")] = None,
    sample: Annotated[int | None, typer.Option("--sample", metavar="N", help="Show N random ones.")] = None,
    diverse: Annotated[int | None, typer.Option("--diverse", metavar="N", help="Show N diverse ones.")] = None,
    layouts: Annotated[bool, typer.Option("--layouts", help="Count the shapes.")] = False,
    features: Annotated[bool, typer.Option("--features", help="Count the features that are used.")] = False,
    best: Annotated[
        Path | None, typer.Option("--best", metavar="SELECTION", help="Show the most accurate one on these rows.")
    ] = None,
    extra: Annotated[
        int, typer.Option("--extra", metavar="E", help="Include trees with up to E more inner nodes.")
    ] = 0,
    at_root: options.AtRoot = None,
    uses: options.Uses = None,
    avoids: options.Avoids = None,
    depth: options.Depth = None,
    leaf_rows: options.LeafRows = None,
    agrees_with: options.AgreesWith = None,
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
    """Count all minimum trees, and show some of them. For a run, its parameters are the defaults.

    With --alpha, --max-errors or --max-nodes, or for a run that allows errors: all trees of that point of the front,
    which have the same size and as few errors, or with --extra-nodes and --extra-errors those of a band around it.

    Filters (--at-root, --uses, --avoids …) keep some of these trees: how many is printed, and all other options are
    about them. Constraints (--root, --forbidden, --max-depth …) say what all trees satisfy: the minimum under a
    constraint may be larger.
    """
    from .._support.clock import Clock
    from . import forest_sections as sections
    from .inputs import printing_warnings
    from .output import note, put_json
    from .progress import FrontProgress, Progress

    clock = Clock.of(options.parse_seconds(time_limit))
    for name, number in (("--list", first), ("--sample", sample), ("--diverse", diverse)):
        if number is not None and number < 1:
            raise InputError(f"{name} {number} is not a number of trees; use 1 or more")
    run, table = read_trees_of(data, target, missing_values)
    given = with_errors.given_options(context)
    has_errors = (run and run.allows_errors) or given & {*with_errors.NAMES, *with_errors.OF_BAND}
    find, progress_of = (find_trees_with_errors, FrontProgress) if has_errors else (find_minimum_trees, Progress)
    with printing_warnings(table), progress_of(table.dataset.n_rows, clock, quiet=quiet, verbose=verbose) as progress:
        section, forest = find(context, run, table, clock, progress)
    shown = [section]
    unfinished: UnfinishedError | None = None
    filters = {name: context.params[option] for option, name in FILTER_OF_OPTION.items() if context.params[option]}
    try:
        if filters:
            section, forest = _filtered(forest, filters, table, clock)
            shown.append(section)
        if first:
            shown.append(sections.some_trees(forest, "first", forest[: min(first, forest.count)]))
        if sample:
            drawn = forest.sample(min(sample, forest.count), random_state, time_limit=clock.left)
            shown.append(sections.some_trees(forest, "sample", drawn))
        if diverse:
            drawn = forest.diverse(min(diverse, forest.count), time_limit=clock.left)
            shown.append(sections.some_trees(forest, "diverse", drawn))
        if layouts:
            shown.append(sections.shapes(forest, clock))
        if features:
            shown.append(sections.features(forest, clock))
        if best:
            shown.append(sections.most_accurate(forest, best, table.dataset, clock))
    except UnfinishedError as error:  # after what is known has been printed
        unfinished = error
    if json:
        put_json({name: value for section in shown for name, value in section.values.items()})
    else:
        for section in shown:
            section.put()
        if run and run.training_rows is not None and not quiet:
            note("note: these are the trees of all rows; the run held some of them out for selection")
    if unfinished is not None:
        raise unfinished
    return 0


def _filtered(forest: Forest, filters: dict[str, Any], data: InputData, clock: Clock) -> tuple[Section, Forest]:
    """Filter trees; errors name the options."""
    from .forest_sections import filtered

    try:
        return filtered(forest, filters, data.dataset, clock)
    except InputError as error:
        option = next((option for option, name in FILTER_OF_OPTION.items() if name == error.parameter), error.parameter)
        raise InputError(error.reason, parameter=option, value=error.value, use=error.use) from None


def read_trees_of(source: str, target: str | None, missing_values: str | None) -> tuple[Run | None, InputData]:
    """Read a table, or the table of a run."""
    from .inputs import open_model, read_data, reread_data

    run = open_model(source).run if Path(source).is_dir() else None
    if run and target not in (None, run.data.target):
        raise InputError(f"--target {target!r}: the target of the run is {run.data.target!r}; omit --target")
    texts = options.parse_missing_values(missing_values)
    if run and texts not in (None, run.data.missing_values):
        raise InputError("--missing-values: the run has other missing values; omit --missing-values")
    return run, reread_data(run) if run else read_data(source, target, texts)


def find_minimum_trees(
    context: typer.Context, run: Run | None, data: InputData, clock: Clock, on_progress: Any
) -> tuple[Section, Forest]:
    """Find all minimum trees."""
    from ..pipeline import minimum_trees
    from .forest_sections import how_many

    given = context.params | {"feature_costs": options.parse_costs(context.params["feature_costs"])}
    parameters = with_parameters_of(run, {name: given[name] for name in PARAMETERS}, context)
    forest = minimum_trees(
        data.dataset.table,
        data.dataset.target,
        extra=context.params["extra"],
        time_limit=clock,
        memory_limit=options.parse_bytes(context.params["memory_limit"]),
        on_progress=on_progress,
        **parameters,
    )
    return how_many(forest, clock), forest


def find_trees_with_errors(
    context: typer.Context, run: Run | None, data: InputData, clock: Clock, on_progress: Any
) -> tuple[Section, Forest]:
    """Find all trees of a point of the front, and of a band around it: by default the point of the run."""
    from .forest_sections import how_many_of_point

    given, values = with_errors.given_options(context), context.params
    limits = {"memory_limit": options.parse_bytes(values["memory_limit"]), "n_jobs": None}
    parameters = with_errors.parameters_with_errors(values | limits | {"selection": "first"}, given)
    is_other_point = run is None or bool(given & set(with_errors.OF_POINT))
    kept = {*limits, "time_limit", "selection", *(with_errors.OF_POINT if is_other_point else ())}
    parameters |= with_parameters_of(
        run, {name: value for name, value in parameters.items() if name not in kept}, context
    )
    max_nodes = values["max_nodes"] if parameters["alpha"] == 0 and values["alpha"] is None else None
    if run is not None and not is_other_point:
        max_nodes = run.outcome.n_nodes
    band = values["extra_nodes"], values["extra_errors"]
    point, forest = with_errors.trees_of_point(data, parameters, max_nodes, band, clock, on_progress)
    return how_many_of_point(forest, point, clock), forest


def with_parameters_of(run: Run | None, parameters: dict[str, Any], context: typer.Context) -> dict[str, Any]:
    """Replace options that were not given on the command line by the parameters of the run."""
    if run is None:
        return parameters
    given = with_errors.given_options(context)
    return {name: value if name in given else run.parameters.get(name, value) for name, value in parameters.items()}
