"""``puretree bench``: run the paper's experiments and further ones, with resume, on one machine or a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InputError
from . import options
from .bench_run import BenchOptions, run_bench
from .compare import parse_engines

app = typer.Typer(
    name="bench",
    help="Run the paper's experiments and further ones. Stop with Ctrl-C; the same command resumes.",
    no_args_is_help=True,
)

Data = Annotated[
    Path | None,
    typer.Option("--data", metavar="FOLDER", help="The folder of the paper's data sets. Default: $PURETREE_DATA."),
]
Datasets = Annotated[
    str | None,
    typer.Option("--datasets", metavar="NAMES", help="Comma-separated, such as iris,zoo or formula:monks-1."),
]
Out = Annotated[Path | None, typer.Option("--out", metavar="FOLDER", help="The output folder. Default: bench-NAME.")]
NJobs = Annotated[
    int | None, typer.Option("--n-jobs", metavar="N", help="Parallel measurements. Default: one per core.")
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler", metavar="ADDRESS", help="The address of a Dask scheduler, such as tcp://10.0.0.1:8786."
    ),
]
Retry = Annotated[
    bool, typer.Option("--retry", help="Repeat measurements that timed out, ran out of memory or crashed.")
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Print a line for every measurement.")]
MemoryLimit = Annotated[
    str | None,
    typer.Option("--memory-limit", metavar="BYTES", help="For each measurement, such as 2GB. Default: no limit."),
]


@app.command()
def runtime(
    data: Data = None,
    datasets: Datasets = None,
    quick: Annotated[bool, typer.Option("--quick", help="Twelve data sets instead of the 29 largest.")] = False,
    engines: Annotated[
        str | None,
        typer.Option("--engines", metavar="NAMES", help="Comma-separated, such as search,maxsat(backend='rc2')."),
    ] = None,
    samples: Annotated[int, typer.Option("--samples", metavar="N", help="Samples of each data set and size.")] = 20,
    shares: Annotated[
        str, typer.Option("--shares", metavar="SHARES", help="Sample sizes, in percent of the rows.")
    ] = "40,60,80",
    time_limit: Annotated[
        float, typer.Option("--time-limit", metavar="SECONDS", help="For each engine and sample.")
    ] = 60.0,
    memory_limit: MemoryLimit = None,
    out: Out = None,
    n_jobs: NJobs = None,
    scheduler: Scheduler = None,
    retry: Retry = False,
    quiet: options.Quiet = False,
    verbose: Verbose = False,
    json: options.Json = False,
) -> int:
    """Compare engines within a time limit: the paper's Table 3, and the time to a proof.

    The problems are samples of the rows of the 29 largest data sets of the paper, or of those of --quick or --datasets.
    Every engine starts from the tree of ITI, and no other solver continues after it.
    """
    from ..bench.runtime import QUICK_DATASETS, Runtime, largest_datasets

    if quick and datasets is not None:
        raise InputError("--quick and --datasets exclude each other; choose one")
    folder = _folder(data, datasets)
    experiment = Runtime(
        _names(datasets) or (QUICK_DATASETS if quick else largest_datasets(folder)),
        **_without_none(engines=_engines(engines)),
        folder=folder,
        shares=_shares(shares),
        samples=samples,
        time_limit=time_limit,
        memory_limit=options.parse_bytes(memory_limit),
    )
    return run_bench(experiment, BenchOptions(out, n_jobs, scheduler, retry, quiet, verbose, json))


@app.command()
def accuracy(
    data: Data = None,
    datasets: Datasets = None,
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods",
            metavar="NAMES",
            help="Comma-separated. Default: all thirteen. all-mdsol compares positions, not the paper's node numbers.",
        ),
    ] = None,
    train_seeds: Annotated[
        int, typer.Option("--train-seeds", metavar="N", help="The number of training parts of each data set.")
    ] = 1,
    splits: Annotated[
        int,
        typer.Option(
            "--splits", metavar="N", help="The number of splits of the other rows into selection and test part."
        ),
    ] = 50,
    n_trees: Annotated[
        str | None,
        typer.Option(
            "--n-trees",
            metavar="K",
            help="The maximum number of trees of a method; paper: the numbers in the paper's table. Default: 1000.",
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="SECONDS", help="For each method and training part. Default: 8."),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="Proves the minimum. As in the paper: "
            "maxsat(warm_start=False, objective='totaliser', lazy=False, upper_bound='iti').",
        ),
    ] = "auto",
    backend: Annotated[
        str,
        typer.Option("--backend", metavar="NAME", help="The MaxSAT solver of dtmax; hermax:Loandra: as in the paper."),
    ] = "linear",
    dtmax_encoding: Annotated[
        str,
        typer.Option(
            "--dtmax-encoding", metavar="NAME", help="The formula of dtmax: complete, or layout, after Hu et al."
        ),
    ] = "complete",
    binarize: Annotated[
        str, typer.Option("--binarize", metavar="NAME", help="The features: bits, as in the paper's table, or onehot.")
    ] = "bits",
    pace: Annotated[
        str,
        typer.Option(
            "--pace",
            metavar="NAME",
            help="Of mpdt and mpdt-lay: prove that a tree is the farthest before the next one, or share the time.",
        ),
    ] = "prove",
    memory_limit: MemoryLimit = None,
    out: Out = None,
    n_jobs: NJobs = None,
    scheduler: Scheduler = None,
    retry: Retry = False,
    quiet: options.Quiet = False,
    verbose: Verbose = False,
    json: options.Json = False,
) -> int:
    """Compare the accuracy on new rows: the paper's Table 4, with several training parts and all minimum trees.

    64 % of the rows are the training part; the others are split many times into a selection and a test part. Two
    methods are not the paper's: all selects among all minimum trees, all-mdsol among k of them, each proved to be the
    farthest from those before; its distance has the position of a node in the tree instead of the paper's node number.
    """
    from ..bench.accuracy import Accuracy
    from ..datasets.paper_parts import require_datasets

    experiment = Accuracy(
        **_without_none(
            datasets=_names(datasets), methods=_names(methods), n_trees=_n_trees(n_trees), time_limit=time_limit
        ),
        folder=_folder(data, datasets),
        train_seeds=train_seeds,
        splits=splits,
        engine=engine,
        backend=backend,
        dtmax_encoding=dtmax_encoding,  # type: ignore[arg-type]  # validated by the experiment
        binarize=binarize,  # type: ignore[arg-type]  # validated by the experiment
        pace=pace,  # type: ignore[arg-type]
        memory_limit=options.parse_bytes(memory_limit),
    )
    require_datasets(experiment.datasets, None if experiment.folder is None else Path(experiment.folder))
    return run_bench(experiment, BenchOptions(out, n_jobs, scheduler, retry, quiet, verbose, json))


@app.command()
def classifiers(
    data: Data = None,
    datasets: Datasets = None,
    part: Annotated[
        str | None,
        typer.Option(
            "--part",
            metavar="NAME",
            help="Of the data sets of the folder with 80 to 2000 rows: design, those for decisions such as defaults; "
            "reserved, the others, a third; or all. Default: design.",
        ),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option("--methods", metavar="NAMES", help="Comma-separated. Default: all whose packages are installed."),
    ] = None,
    repetitions: Annotated[
        int, typer.Option("--repetitions", metavar="N", help="How often the rows are divided into five folds.")
    ] = 1,
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit", metavar="SECONDS", help="For each method and fold, with its inner cross-validation."
        ),
    ] = 60.0,
    memory_limit: MemoryLimit = None,
    out: Out = None,
    n_jobs: NJobs = None,
    scheduler: Scheduler = None,
    retry: Retry = False,
    quiet: options.Quiet = False,
    verbose: Verbose = False,
    json: options.Json = False,
) -> int:
    """Compare classifiers for noisy tables: repeated stratified 5-fold cross-validation.

    Trees with few errors are compared with pure trees, CART, other systems for optimal trees, and a random forest:
    accuracy, size and predicted probabilities. Methods that choose their size do so on the training rows alone, by an
    inner cross-validation.
    """
    from ..bench.classifiers import Classifiers
    from ..bench.classifiers.folds import datasets_of
    from ..bench.classifiers.methods import METHODS, why_missing
    from ..datasets.paper_parts import require_datasets
    from .output import note

    if part is not None and datasets is not None:
        raise InputError("--part and --datasets exclude each other; choose one")
    folder = _folder(data, datasets)
    experiment = Classifiers(
        _names(datasets) or datasets_of(part or "design", folder),
        **_without_none(methods=_names(methods)),
        folder=folder,
        repetitions=repetitions,
        time_limit=time_limit,
        memory_limit=options.parse_bytes(memory_limit),
    )
    require_datasets(experiment.datasets, None if folder is None else Path(folder))
    if methods is None and not quiet:
        for method in METHODS:
            if reason := why_missing(method):
                note(f"{method} is not measured: it {reason}")
    return run_bench(experiment, BenchOptions(out, n_jobs, scheduler, retry, quiet, verbose, json))


@app.command()
def scale(
    families: Annotated[
        str | None,
        typer.Option("--families", metavar="NAMES", help="Some of rows,columns,classes,nodes. Default: all."),
    ] = None,
    engines: Annotated[
        str | None,
        typer.Option("--engines", metavar="NAMES", help="Comma-separated. Default: search,maxsat,mindt."),
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", metavar="N", help="Problems of each size.")] = 3,
    time_limit: Annotated[
        float, typer.Option("--time-limit", metavar="SECONDS", help="For each engine and problem.")
    ] = 10.0,
    memory_limit: MemoryLimit = None,
    out: Out = None,
    n_jobs: NJobs = None,
    scheduler: Scheduler = None,
    retry: Retry = False,
    quiet: options.Quiet = False,
    verbose: Verbose = False,
    json: options.Json = False,
) -> int:
    """Measure how time and memory grow with rows, columns, classes and nodes, on generated problems."""
    from ..bench.scale import Scale

    experiment = Scale(
        **_without_none(families=_names(families), engines=_engines(engines)),
        seeds=seeds,
        time_limit=time_limit,
        memory_limit=options.parse_bytes(memory_limit),
    )
    return run_bench(experiment, BenchOptions(out, n_jobs, scheduler, retry, quiet, verbose, json))


def _without_none(**options: Any) -> dict[str, Any]:
    """Drop options that are None, so that their defaults apply."""
    return {name: value for name, value in options.items() if value is not None}


def _names(text: str | None) -> tuple[str, ...] | None:
    """Split a comma-separated list of names.

    >>> _names("iris, zoo")
    ('iris', 'zoo')
    """
    if text is None:
        return None
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise InputError(f"{text!r} cannot be parsed; use comma-separated names, such as iris,zoo")
    return tuple(dict.fromkeys(names))


def _n_trees(text: str | None) -> int | str | None:
    """Parse a number of trees; anything else, such as paper, is left to the experiment."""
    try:
        return None if text is None else int(text)
    except ValueError:
        return text


def _engines(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    if text.strip() == "all":
        raise InputError("--engines all is not supported here; name the engines, such as search,maxsat,mindt")
    return tuple(dict.fromkeys(parse_engines(text)))


def _shares(text: str) -> tuple[float, ...]:
    """Parse comma-separated percentages.

    >>> _shares("40,60")
    (0.4, 0.6)
    """
    try:
        percents = tuple(dict.fromkeys(map(float, text.split(","))))
    except ValueError:
        raise InputError(f"--shares {text!r} cannot be parsed; use percentages such as 40,60,80") from None
    if not all(1 <= percent <= 100 for percent in percents):
        raise InputError(f"--shares {text}: use percentages from 1 to 100, such as 40,60,80")
    return tuple(percent / 100 for percent in percents)


def _folder(data: Path | None, datasets: str | None) -> str | None:
    """Return the absolute path of the folder of data sets, for workers elsewhere; None if no name needs one."""
    from ..datasets.files import find_folder

    needs_none = datasets is not None and all(":" in name for name in datasets.split(","))
    return None if needs_none and data is None else str(find_folder(data).resolve())
