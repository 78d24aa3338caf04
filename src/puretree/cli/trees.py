"""``puretree trees``: count all minimum trees, and show some of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError, UnfinishedError
from . import options

if TYPE_CHECKING:
    from ..runs import Run

PARAMETERS = (
    *("engine", "binarize", "on_conflict", "max_depth", "max_leaf_nodes", "min_samples_leaf", "root", "forbidden"),
    "feature_costs",
)


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
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    json: options.Json = False,
) -> int:
    """Count all minimum trees, and show some of them. For a run, its parameters are the defaults."""
    from .._support.clock import Clock
    from ..pipeline import minimum_trees
    from . import forest_sections as sections
    from .inputs import open_model, printing_warnings, read_data, reread_data
    from .output import note, put_json
    from .progress import Progress

    clock = Clock.of(options.parse_seconds(time_limit))
    for name, number in (("--list", first), ("--sample", sample), ("--diverse", diverse)):
        if number is not None and number < 1:
            raise InputError(f"{name} {number} is not a number of trees; use 1 or more")
    run = open_model(data).run if Path(data).is_dir() else None
    if run and target not in (None, run.data.target):
        raise InputError(f"--target {target!r}: the target of the run is {run.data.target!r}; omit --target")
    texts = options.parse_missing_values(missing_values)
    if run and texts not in (None, run.data.missing_values):
        raise InputError("--missing-values: the run has other missing values; omit --missing-values")
    table = reread_data(run) if run else read_data(data, target, texts)
    parameters = context.params | {"feature_costs": options.parse_costs(feature_costs)}
    with printing_warnings(table), Progress(table.dataset.n_rows, clock, quiet=quiet, verbose=verbose) as progress:
        forest = minimum_trees(
            table.dataset.table,
            table.dataset.target,
            extra=extra,
            time_limit=clock,
            memory_limit=options.parse_bytes(memory_limit),
            on_progress=progress,
            **_of_run(run, {name: parameters[name] for name in PARAMETERS}, context),
        )
    shown = [sections.how_many(forest, clock)]
    unfinished: UnfinishedError | None = None
    try:
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
        if run and str(run.selection.get("rule")).startswith("holdout") and not quiet:
            note("note: these are the trees of all rows; the run held some of them out for selection")
    if unfinished is not None:
        raise unfinished
    return 0


def _of_run(run: Run | None, parameters: dict[str, Any], context: typer.Context) -> dict[str, Any]:
    """Replace options that were not given on the command line by the parameters of the run."""
    if run is None:
        return parameters
    is_given = {name: context.get_parameter_source(name).name == "COMMANDLINE" for name in parameters}  # type: ignore[union-attr]
    return {name: value if is_given[name] else run.parameters.get(name, value) for name, value in parameters.items()}
