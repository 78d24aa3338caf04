"""The tables of the runtime experiment: the paper's Table 3 with further scores, all tree sizes, who improved them.

The paper compares encodings for SAT and MaxSAT. The exact search uses no encoding; where it is best on most instances,
it hides how the encodings compare, so they are also ranked among themselves. Published values are compared with the
ranking of the engines that the paper has, and only if they are for the same time limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from .. import published
from ..result_table import Reproduction, ResultTable, Value
from .engines import OTHER_ALGORITHMS, encoding_of, paper_solver
from .scores import InstanceHistories, Score, ranks, score

Instance = tuple[str, float, int]
"""Data set, fraction of its rows, and seed of the sample."""

Histories = Mapping[Instance, InstanceHistories]

MISSING = "–"
HEADER = (
    *("Sample size", "Time limit", "Solver", "Encoding", "# Best UB", "of", "# Best UB of encodings", "in the paper"),
    *("% of those in the paper", "rank", "alone", "proved", "PAR2", "time to best", "primal integral", "failed"),
)


def format_instance(instance: Instance) -> str:
    """Format an instance.

    >>> format_instance(("car", 0.4, 1))
    'car 40%, sample 1'
    """
    dataset, fraction, sample = instance
    return f"{dataset} {fraction:.0%}, sample {sample}"


def by_size(histories: Histories, fractions: Sequence[float]) -> dict[str, Histories]:
    """Return the instances of each sample size and those of all, without sizes that have none."""
    groups = {
        f"{fraction:.0%}": {instance: of for instance, of in histories.items() if instance[1] == fraction}
        for fraction in fractions
    }
    return {label: group for label, group in (*groups.items(), ("all", histories)) if group}


def table3(
    histories: Histories, fractions: Sequence[float], engines: Sequence[str], limit: float, n_incomplete: int
) -> ResultTable:
    """Return the paper's Table 3, the number of best upper bounds of each engine, with further scores."""
    rows: list[tuple[Value, ...]] = []
    rules = []
    for fraction in fractions:
        instances = [of_instance for instance, of_instance in histories.items() if instance[1] == fraction]
        rules.append(len(rows))
        rows += _rows(fraction, instances, engines, limit)
    caption = (
        f"Instances on which no other engine has a smaller tree after {limit:g} s (ties count for all), the same among "
        "engines with an encoding, and the same in percent among engines that the paper has; rank by the first; "
        "instances on which it alone has the smallest tree, and those proved; mean PAR2, and median time to the best "
        "tree where it has it, in seconds; mean primal integral, from 0 (best) to 1."
        f"{_note_on_the_paper(engines, limit)}{_note_on_incomplete(n_incomplete)}"
    )
    return ResultTable("table3", caption, HEADER, tuple(rows), rules=tuple(rules[1:]))


def _note_on_the_paper(engines: Sequence[str], limit: float) -> str:
    """Return which published values are shown, and which engines are not the paper's algorithms."""
    limits = " and ".join(f"{published_limit:g}" for published_limit in published.TABLE_3)
    of_paper = len({solver for solver in map(paper_solver, engines) if solver})
    shown = (
        f"in brackets: percentages among its five solvers on its {published.TABLE_3_INSTANCES} instances of a size; "
        f"ours are among the {of_paper} of them that ran here"
        if limit in published.TABLE_3
        else "not shown, since they are for other limits"
    )
    others = [engine for engine in engines if paper_solver(engine) in OTHER_ALGORITHMS]
    names = " and ".join(f"{engine} from {paper_solver(engine)}" for engine in others)
    differ = f" ≈: the algorithms differ, {names}; ours have a warm start." if others else ""
    return f" The published values, after {limits} s, are {shown}.{differ}"


def _note_on_incomplete(n_incomplete: int) -> str:
    return f" {n_incomplete} instances are left out: not all engines have a row for them." if n_incomplete else ""


def _rows(
    fraction: float, instances: Sequence[InstanceHistories], engines: Sequence[str], limit: float
) -> list[tuple[Value, ...]]:
    """Return the rows of a sample size, best engine first."""
    scores = score(instances, engines, limit)
    counts = {engine: engine_score.n_best for engine, engine_score in scores.items()}
    of_encodings = _counts(instances, with_encoding(engines), limit)
    of_paper = _counts(instances, [engine for engine in engines if paper_solver(engine)], limit)
    printed = published.TABLE_3.get(limit, {}).get(fraction)
    return [
        (
            *(f"{fraction:.0%}", f"{limit:g} s", engine, encoding_of(engine) or MISSING, counts[engine]),
            *(len(instances), of_encodings.get(engine)),
            *_paper_values(engine, of_paper.get(engine), len(instances), printed),
            rank,
            *_score_values(scores[engine]),
        )
        for engine, rank in ranks(counts).items()
    ]


def _paper_values(
    engine: str, n_best: int | None, n_instances: int, printed: Mapping[str, int] | None
) -> tuple[Value, Value]:
    """Return the paper's name of an engine, and how often it has the best upper bound, with the published value."""
    solver = paper_solver(engine)
    if solver is None or n_best is None:
        return None, None
    percent = None if printed is None else 100 * printed[solver] / published.TABLE_3_INSTANCES
    name = f"≈ {solver}" if solver in OTHER_ALGORITHMS else solver
    return name, Reproduction(100 * n_best / n_instances, percent)


def _score_values(engine_score: Score) -> tuple[Value, ...]:
    return (
        engine_score.n_alone,
        engine_score.n_proved,
        engine_score.par2,
        engine_score.time_to_best,
        engine_score.primal_integral,
        engine_score.n_failed,
    )


def ordering_table(
    histories: Histories, fractions: Sequence[float], engines: Sequence[str], limit: float
) -> ResultTable:
    """Return the number of best upper bounds of each engine, for each sample size and overall, best engine first."""
    groups = by_size(histories, fractions)
    of_all = [_counts(list(group.values()), engines, limit) for group in groups.values()]
    of_encodings = [_counts(list(group.values()), with_encoding(engines), limit) for group in groups.values()]
    order = ranks(of_all[-1]) if groups else {}
    rows = [(engine, *(counts.get(engine) for counts in (*of_all, *of_encodings))) for engine in order]
    sizes = ", ".join(f"{len(group)} for {label}" for label, group in groups.items())
    return ResultTable(
        name="ordering",
        caption=f"Number of best upper bounds of each engine, ties included. Instances: {sizes or 'none'}.",
        header=("Solver", *groups, *groups),
        rows=tuple(rows),
        groups=(("", 1), ("of all engines", len(groups)), ("of encodings", len(groups))) if groups else (),
    )


def _counts(instances: Sequence[InstanceHistories], engines: Sequence[str], limit: float) -> dict[str, int]:
    return {engine: engine_score.n_best for engine, engine_score in score(instances, engines, limit).items()}


def instances_table(histories: Histories, engines: Sequence[str], limit: float) -> ResultTable:
    """Return the size of ITI's tree and of each engine's tree for every instance."""
    rows = tuple(
        (format_instance(instance), starting_size(of_instance), *(_nodes(of_instance, engine) for engine in engines))
        for instance, of_instance in histories.items()
    )
    split = [_split_options(engine) for engine in engines]
    return ResultTable(
        name="instances",
        caption=f"Nodes of the smallest tree after {limit:g} s; * proved minimum. All start from the tree of ITI.",
        header=("instance", "ITI", *(options or name for name, options in split)),
        rows=rows,
        groups=(("", 2), *((name if options else "", 1) for name, options in split)),
    )


def _split_options(engine: str) -> tuple[str, str]:
    """Split an engine into its name and its options.

    >>> _split_options("mindt(warm_start=True)"), _split_options("search")
    (('mindt', 'warm_start=True'), ('search', ''))
    """
    name, _, options = engine.partition("(")
    return name.strip(), options.strip().removesuffix(")")


def starting_size(histories: InstanceHistories) -> int | None:
    """Return the first upper bound of any engine, which is the size of ITI's tree."""
    uppers = (upper for history in histories.values() for _, _, upper in history.bounds)
    return next((upper for upper in uppers if upper is not None), None)


def _nodes(histories: InstanceHistories, engine: str) -> str:
    history = histories[engine]
    return MISSING if history.upper is None else f"{history.upper}{'*' if history.is_proved else ''}"


def improvements_table(histories: Histories, engines: Sequence[str]) -> ResultTable:
    """Return how many improvements and proofs of each engine were made by whom."""
    rows = []
    for engine in engines:
        of_engine = [of_instance[engine] for of_instance in histories.values()]
        improved_by = [history.improved_by for history in of_engine]
        proved_by = [history.proved_by for history in of_engine if history.proved_by is not None]
        improvements = [source for sources in improved_by for source in sources]
        rows.append(
            (
                *(engine, sum(map(bool, improved_by)), len(improvements), _format_sources(improvements)),
                *(len(proved_by), _format_sources(proved_by)),
            )
        )
    caption = (
        "Instances on which an engine improved the tree of ITI, the number of improvements and of proofs, and the "
        "solvers or stages that made them. Unless its options say otherwise, maxsat runs with takeover=False and "
        "lazy=False: no other solver continues after it, and all examples are encoded at once, as in mindt."
    )
    header = ("Solver", "instances improved", "improvements", "improved by", "proofs", "proved by")
    return ResultTable("improvements", caption, header, tuple(rows))


def _format_sources(sources: Iterable[str]) -> str:
    """Count sources, most frequent first.

    >>> _format_sources(["walk", "linear", "linear"])
    'linear 2, walk 1'
    """
    return ", ".join(f"{source} {n}" for source, n in Counter(sources).most_common()) or MISSING


def with_encoding(engines: Sequence[str]) -> list[str]:
    """Return the engines that use an encoding."""
    return [engine for engine in engines if encoding_of(engine)]
