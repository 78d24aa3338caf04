"""The tables of the runtime experiment: the paper's Table 3 with further scores, the order of engines, all tree sizes.

The paper compares encodings for SAT and MaxSAT. The exact search uses no encoding; where it is best on most instances,
it hides how the encodings compare, so they are also ranked among themselves. The published values are compared with
that ranking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import published
from ..result_table import Reproduction, ResultTable, Value
from .scores import InstanceHistories, Score, ordering, ranks, score

Instance = tuple[str, float, int]
"""Data set, fraction of its rows, and seed of the sample."""

Histories = Mapping[Instance, InstanceHistories]

ENCODINGS = {
    "maxsat": "MaxSAT",
    "local-search": "MaxSAT",
    "local-search-c": "MaxSAT",
    "local-search-ck": "MaxSAT",
    "mindt": "SAT",
    "bessiere": "SAT",
    "dtfinder": "SAT",
    "infer-size": "SAT",
}
"""The kind of encoding of each engine that uses one."""

NO_ENCODING = "–"
HEADER = (
    *("Sample size", "Time limit", "Solver", "Encoding", "# Best UB", "of", "%", "# Best UB of encodings"),
    *("% of encodings", "rank", "alone", "proved", "PAR2", "time to best", "primal integral", "failed"),
)


def format_instance(instance: Instance) -> str:
    """Format an instance.

    >>> format_instance(("car", 0.4, 1))
    'car 40%, sample 1'
    """
    dataset, fraction, sample = instance
    return f"{dataset} {fraction:.0%}, sample {sample}"


def encoding_of(engine: str) -> str:
    """Return the kind of encoding of an engine.

    >>> encoding_of("maxsat(backend='rc2')"), encoding_of("search")
    ('MaxSAT', '–')
    """
    return ENCODINGS.get(engine.partition("(")[0].strip(), NO_ENCODING)


def table3(
    histories: Histories, fractions: Sequence[float], engines: Sequence[str], limit: float, n_incomplete: int
) -> ResultTable:
    """Return the paper's Table 3, the number of best upper bounds of each engine, with further scores."""
    rows: list[tuple[Value, ...]] = []
    rules = []
    for fraction in fractions:
        if rows:
            rules.append(len(rows))
        rows += _rows(fraction, _of_fraction(histories, fraction), engines, limit)
    incomplete = f" {n_incomplete} instances are left out: not all engines have a row for them." if n_incomplete else ""
    caption = (
        f"Instances on which no other engine has a smaller tree after {limit:g} s (ties count for all), and the same "
        "among engines with an encoding, in percent with the published value after one hour in brackets; rank by the "
        "former; instances on which it alone has the smallest tree, and those proved; mean PAR2, and median time to "
        f"the best tree where it has it, in seconds; mean primal integral, from 0 (best) to 1.{incomplete}"
    )
    return ResultTable("table3", caption, HEADER, tuple(rows), rules=tuple(rules), digits=2)


def _rows(
    fraction: float, instances: Sequence[InstanceHistories], engines: Sequence[str], limit: float
) -> list[tuple[Value, ...]]:
    """Return the rows of a sample size, best engine first."""
    scores = score(instances, engines, limit)
    counts = {engine: engine_score.n_best for engine, engine_score in scores.items()}
    among_encodings = score(instances, _with_encoding(engines), limit)
    return [
        (
            *(f"{fraction:.0%}", f"{limit:g} s", engine, encoding_of(engine), counts[engine], len(instances)),
            100 * counts[engine] / len(instances),
            *_encoding_values(among_encodings.get(engine), len(instances), _paper_percent(fraction, engine)),
            rank,
            *_score_values(scores[engine]),
        )
        for engine, rank in ranks(counts).items()
    ]


def _encoding_values(among_encodings: Score | None, n_instances: int, paper: float | None) -> tuple[Value, Value]:
    """Return how often an encoding has the best upper bound of all encodings, as the paper counts it."""
    if among_encodings is None:
        return None, None
    return among_encodings.n_best, Reproduction(100 * among_encodings.n_best / n_instances, paper)


def _score_values(engine_score: Score) -> tuple[Value, ...]:
    return (
        engine_score.n_alone,
        engine_score.n_proved,
        engine_score.par2,
        engine_score.time_to_best,
        engine_score.primal_integral,
        engine_score.n_failed,
    )


def _paper_percent(fraction: float, engine: str) -> float | None:
    """Return the published percentage of instances on which an engine has the best upper bound."""
    count = published.TABLE_3.get(fraction, {}).get(engine)
    return None if count is None else 100 * count / published.TABLE_3_INSTANCES


def ordering_table(
    histories: Histories, fractions: Sequence[float], engines: Sequence[str], limit: float
) -> ResultTable:
    """Return the order of the engines by the number of best upper bounds, for each sample size and overall."""
    groups = [(f"{fraction:.0%}", _of_fraction(histories, fraction)) for fraction in fractions]
    groups.append(("all", list(histories.values())))
    rows = [
        (label, len(instances), _order(instances, engines, limit), _order(instances, _with_encoding(engines), limit))
        for label, instances in groups
    ]
    header = ("Sample size", "instances", "by # best UB", "encodings among themselves")
    caption = "Engines by the number of best upper bounds; = is a tie."
    return ResultTable("ordering", caption, header, tuple(rows), rules=(len(fractions),))


def _order(instances: Sequence[InstanceHistories], engines: Sequence[str], limit: float) -> str:
    scores = score(instances, engines, limit)
    return ordering({engine: engine_score.n_best for engine, engine_score in scores.items()}) or NO_ENCODING


def instances_table(histories: Histories, engines: Sequence[str], limit: float) -> ResultTable:
    """Return the size of ITI's tree and of each engine's tree for every instance."""
    rows = tuple(
        (format_instance(instance), _start(of_instance), *(_nodes(of_instance, engine) for engine in engines))
        for instance, of_instance in histories.items()
    )
    caption = f"Nodes of the smallest tree after {limit:g} s; * proved minimum. All engines start from the tree of ITI."
    return ResultTable("instances", caption, ("instance", "ITI", *engines), rows)


def _start(histories: InstanceHistories) -> int | None:
    """Return the first upper bound of any engine, which is the size of ITI's tree."""
    uppers = (upper for history in histories.values() for _, _, upper in history.bounds)
    return next((upper for upper in uppers if upper is not None), None)


def _nodes(histories: InstanceHistories, engine: str) -> str:
    history = histories[engine]
    return NO_ENCODING if history.upper is None else f"{history.upper}{'*' if history.is_proved else ''}"


def _of_fraction(histories: Histories, fraction: float) -> list[InstanceHistories]:
    return [of_instance for (_, sampled, _), of_instance in histories.items() if sampled == fraction]


def _with_encoding(engines: Sequence[str]) -> list[str]:
    return [engine for engine in engines if encoding_of(engine) != NO_ENCODING]
