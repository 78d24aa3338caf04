"""``puretree bench``: the paper's experiments and some past them, stopped and resumed at will, on many machines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InputError
from . import options
from .bench_run import Wishes, run_bench
from .compare import parse_engines

app = typer.Typer(
    name="bench",
    help="Run the paper's experiments, and some past them. Stop with Ctrl-C; the same command goes on from there.",
    no_args_is_help=True,
)

Data = Annotated[
    Path | None, typer.Option("--data", metavar="FOLDER", help="The paper's data sets. Default: PURETREE_DATA.")
]
Datasets = Annotated[
    str | None,
    typer.Option("--datasets", metavar="NAMES", help="With commas between, such as iris,zoo or formula:monks-1."),
]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="FOLDER", help="For rows, tables and pictures. Default: bench-NAME.")
]
Jobs = Annotated[int | None, typer.Option("--jobs", metavar="N", help="Cells at a time. Default: one for each core.")]
Scheduler = Annotated[
    str | None, typer.Option("--scheduler", metavar="ADDRESS", help="Of a Dask cluster, such as tcp://10.0.0.1:8786.")
]
Retry = Annotated[bool, typer.Option("--retry", help="Measure again what timed out, ran out of memory or crashed.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="A line for every cell.")]
MemoryLimit = Annotated[
    str | None, typer.Option("--memory-limit", metavar="BYTES", help="For each cell, such as 2GB. Default: no limit.")
]


@app.command()
def runtime(
    data: Data = None,
    datasets: Datasets = None,
    engines: Annotated[
        str | None,
        typer.Option("--engines", metavar="NAMES", help="With commas between, such as search,maxsat(backend='rc2')."),
    ] = None,
    samples: Annotated[int, typer.Option("--samples", metavar="N", help="Of each data set and size.")] = 20,
    shares: Annotated[str, typer.Option("--shares", metavar="SHARES", help="Of the rows, in percent.")] = "40,60,80",
    limit: Annotated[float, typer.Option("--limit", metavar="SECONDS", help="For each engine and sample.")] = 60.0,
    memory_limit: MemoryLimit = None,
    out: Out = None,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    retry: Retry = False,
    quiet: options.Quiet = False,
    verbose: Verbose = False,
    json: options.Json = False,
) -> int:
    """Which engine has the smallest tree when the time is over? The paper's Table 3, and the time to a proof.

    Samples of the rows of the larger data sets; every engine begins with the tree of ITI and nothing else. The data
    sets are twelve of the paper's unless said; 'large' stands for the 29 largest.
    """
    from ..bench.runtime import Runtime, largest_datasets

    folder = _folder(data, datasets)
    names = largest_datasets(folder) if datasets == "large" else _names(datasets)
    experiment = Runtime(
        **_given(datasets=names, engines=_engines(engines)),
        folder=folder,
        shares=_shares(shares),
        samples=samples,
        limit=limit,
        memory=options.parse_bytes(memory_limit),
    )
    return run_bench(experiment, Wishes(out, jobs, scheduler, retry, quiet, verbose, json))


@app.command()
def accuracy(
    data: Data = None,
    datasets: Datasets = None,
    methods: Annotated[
        str | None, typer.Option("--methods", metavar="NAMES", help="With commas between. Default: all twelve.")
    ] = None,
    train_seeds: Annotated[
        int, typer.Option("--train-seeds", metavar="N", help="How many training parts of each data set.")
    ] = 1,
    splits: Annotated[
        int, typer.Option("--splits", metavar="N", help="Of the other rows into selection and test part.")
    ] = 50,
    trees: Annotated[
        int | None, typer.Option("--trees", metavar="K", help="The most trees that a method extracts. Default: 1000.")
    ] = None,
    limit: Annotated[
        float | None, typer.Option("--limit", metavar="SECONDS", help="For each method and training part. Default: 8.")
    ] = None,
    memory_limit: MemoryLimit = None,
    out: Out = None,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    retry: Retry = False,
    quiet: options.Quiet = False,
    verbose: Verbose = False,
    json: options.Json = False,
) -> int:
    """Which trees are right on new rows? The paper's Table 4 with more than one training part, and all minimum trees.

    64 % of the rows train; the others are split many times into those that select a tree and those that test it.
    """
    from ..bench.accuracy import Accuracy
    from ..datasets.paper_parts import require_datasets

    experiment = Accuracy(
        **_given(datasets=_names(datasets), methods=_names(methods), trees=trees, limit=limit),
        folder=_folder(data, datasets),
        train_seeds=train_seeds,
        splits=splits,
        memory=options.parse_bytes(memory_limit),
    )
    require_datasets(experiment.datasets, None if experiment.folder is None else Path(experiment.folder))
    return run_bench(experiment, Wishes(out, jobs, scheduler, retry, quiet, verbose, json))


@app.command()
def scale(
    families: Annotated[
        str | None,
        typer.Option("--families", metavar="NAMES", help="Of rows,columns,classes,nodes. Default: all of them."),
    ] = None,
    engines: Annotated[
        str | None,
        typer.Option("--engines", metavar="NAMES", help="With commas between. Default: search,maxsat,mindt."),
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", metavar="N", help="Problems of each size.")] = 3,
    limit: Annotated[float, typer.Option("--limit", metavar="SECONDS", help="For each engine and problem.")] = 10.0,
    memory_limit: MemoryLimit = None,
    out: Out = None,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    retry: Retry = False,
    quiet: options.Quiet = False,
    verbose: Verbose = False,
    json: options.Json = False,
) -> int:
    """How do time and memory grow with rows, columns, classes and nodes? On problems made up for it; no data needed."""
    from ..bench.scale import Scale

    experiment = Scale(
        **_given(families=_names(families), engines=_engines(engines)),
        seeds=seeds,
        limit=limit,
        memory=options.parse_bytes(memory_limit),
    )
    return run_bench(experiment, Wishes(out, jobs, scheduler, retry, quiet, verbose, json))


def _given(**options: Any) -> dict[str, Any]:
    """Leave out what was not given, so that its default holds."""
    return {name: value for name, value in options.items() if value is not None}


def _names(text: str | None) -> tuple[str, ...] | None:
    """Read names with commas between.

    >>> _names("iris, zoo")
    ('iris', 'zoo')
    """
    if text is None:
        return None
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise InputError(f"{text!r} cannot be read; write names with commas between, such as iris,zoo")
    return tuple(dict.fromkeys(names))


def _engines(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    if text.strip() == "all":
        raise InputError("--engines all is not for measurements; name those to measure, such as search,maxsat,mindt")
    return tuple(dict.fromkeys(parse_engines(text)))


def _shares(text: str) -> tuple[float, ...]:
    """Read percents with commas between.

    >>> _shares("40,60")
    (0.4, 0.6)
    """
    try:
        percents = tuple(dict.fromkeys(map(float, text.split(","))))
    except ValueError:
        raise InputError(f"--shares {text!r} cannot be read; write percents such as 40,60,80") from None
    if not all(1 <= percent <= 100 for percent in percents):
        raise InputError(f"--shares {text}: write percents from 1 to 100, such as 40,60,80")
    return tuple(percent / 100 for percent in percents)


def _folder(data: Path | None, datasets: str | None) -> str | None:
    """Return the folder of data sets, by its full name: cells are measured wherever; None if no name needs one."""
    from ..datasets.files import find_folder

    needs_none = datasets is not None and all(":" in name for name in datasets.split(","))
    return None if needs_none and data is None else str(find_folder(data).resolve())
