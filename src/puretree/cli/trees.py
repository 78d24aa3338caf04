"""``puretree trees``: all smallest trees at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from . import options

if TYPE_CHECKING:
    from ..runs import Run

STEERING = ("binarize", "on_conflict", "max_depth", "root", "forbidden", "costs")


def trees(
    data: options.DataOrRun,
    target: options.Target = None,
    first: Annotated[int | None, typer.Option("--list", metavar="N", help="Show the first N.")] = None,
    sample: Annotated[int | None, typer.Option("--sample", metavar="N", help="Show N drawn at random.")] = None,
    diverse: Annotated[int | None, typer.Option("--diverse", metavar="N", help="Show N that differ much.")] = None,
    layouts: Annotated[bool, typer.Option("--layouts", help="Count the shapes.")] = False,
    features: Annotated[bool, typer.Option("--features", help="Count the questions that are asked.")] = False,
    best: Annotated[
        Path | None, typer.Option("--best", metavar="SELECTION.csv", help="Show the most accurate on these rows.")
    ] = None,
    extra: Annotated[int, typer.Option("--extra", metavar="E", help="Also trees with up to E more inner nodes.")] = 0,
    binarize: options.Binarize = None,
    on_conflict: options.OnConflict = None,
    max_depth: options.MaxDepth = None,
    root: options.Root = None,
    forbid: options.Forbid = None,
    cost: options.Cost = None,
    time_limit: options.TimeLimit = None,
    memory_limit: options.MemoryLimit = None,
    random_state: options.RandomState = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    json: options.Json = False,
) -> int:
    """Count all smallest trees, and show some of them. For a run, what the run was asked for counts, too."""
    from ..pipeline import minimum_trees
    from . import forest_sections as sections
    from .inputs import naming_lines, open_model, read_data, reread_data
    from .output import note, put_json
    from .progress import Progress

    for name, number in (("--list", first), ("--sample", sample), ("--diverse", diverse)):
        if number is not None and number < 1:
            raise InputError(f"{name} {number} is not a number of trees; use 1 or more")
    run = open_model(data).run if Path(data).is_dir() else None
    if run and target not in (None, run.data.target):
        raise InputError(f"--target {target!r}: the run knows that it predicts {run.data.target!r}; leave --target out")
    given = reread_data(run) if run else read_data(data, target)
    asked = (binarize, on_conflict, max_depth, root, forbid or None, options.parse_costs(cost))
    with naming_lines(given), Progress(quiet=quiet, verbose=verbose) as progress:
        forest = minimum_trees(
            given.dataset.table,
            given.dataset.target,
            extra=extra,
            time_limit=time_limit,
            memory_limit=options.parse_bytes(memory_limit),
            on_progress=progress,
            **_wishes(run, dict(zip(STEERING, asked, strict=True))),
        )
    told = [sections.how_many(forest)]
    if first:
        told.append(sections.some_trees(forest, "first", forest[: min(first, forest.count)]))
    if sample:
        told.append(sections.some_trees(forest, "sample", forest.sample(min(sample, forest.count), random_state)))
    if diverse:
        told.append(sections.some_trees(forest, "diverse", forest.diverse(min(diverse, forest.count))))
    if layouts:
        told.append(sections.shapes(forest))
    if features:
        told.append(sections.questions(forest))
    if best:
        told.append(sections.most_accurate(forest, best, given.dataset.target_name))
    if json:
        put_json({name: value for section in told for name, value in section.values.items()})
        return 0
    for section in told:
        section.put()
    if run and str(run.selection.get("rule")).startswith("holdout") and not quiet:
        note("note: these are the trees of all rows; the run kept some back to choose by")
    return 0


def _wishes(run: Run | None, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is asked of the trees: as given here, else as the run was asked."""
    kept = {} if run is None else {name: run.parameters.get(name) for name in STEERING}
    wishes = {name: kept.get(name) if asked[name] is None else asked[name] for name in STEERING}
    return {name: wish for name, wish in wishes.items() if wish is not None}
