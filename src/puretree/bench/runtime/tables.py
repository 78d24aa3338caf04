"""The tables of the race: the paper's Table 3 with what it leaves out, who is before whom, and each tree's size.

The paper's engines are encodings, for SAT and for MaxSAT. The exact search is none: where it wins most races it hides
what the others do among themselves, so that is counted besides, and is what the paper's figures compare with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import published
from ..cell import Beside, ResultTable, Value
from .scores import Race, Score, ordering, ranks, score

Instance = tuple[str, float, int]
"""The data set, the share of its rows, and the seed of the sample."""

Races = Mapping[Instance, Race]

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
"""What each engine's formula is for; engines without a formula are not here."""

NO_ENCODING = "–"
HEADER = (
    *("Sample size", "Time limit", "Solver", "Encoding", "# Best UB", "of", "%", "# Best UB of encodings"),
    *("% of encodings", "rank", "alone", "proved", "PAR2", "time to best", "primal integral", "failed"),
)


def name_of(instance: Instance) -> str:
    """Tell an instance to people.

    >>> name_of(("car", 0.4, 1))
    'car 40%, sample 1'
    """
    dataset, share, sample = instance
    return f"{dataset} {share:.0%}, sample {sample}"


def encoding_of(engine: str) -> str:
    """Return what an engine's formula is for.

    >>> encoding_of("maxsat(backend='rc2')"), encoding_of("search")
    ('MaxSAT', '–')
    """
    return ENCODINGS.get(engine.partition("(")[0].strip(), NO_ENCODING)


def table3(races: Races, shares: Sequence[float], engines: Sequence[str], limit: float, n_left_out: int) -> ResultTable:
    """Return the paper's Table 3: who has the best upper bound how often, and more."""
    rows: list[tuple[Value, ...]] = []
    rules = []
    for share in shares:
        if rows:
            rules.append(len(rows))
        rows += _lines(share, _of_share(races, share), engines, limit)
    left_out = f" {n_left_out} instances are left out: not all engines have a row of them." if n_left_out else ""
    caption = (
        f"Instances on which no other engine has a smaller tree after {limit:g} s (ties count for all), the same among "
        "engines with an encoding, in percent with the paper's after an hour in brackets; rank by the former; those on "
        "which it has it alone, and those proved; mean PAR2 and median time to the best tree where it has it, in "
        f"seconds; mean primal integral, from 0 (best) to 1.{left_out}"
    )
    return ResultTable("table3", caption, HEADER, tuple(rows), rules=tuple(rules), digits=2)


def _lines(share: float, races: Sequence[Race], engines: Sequence[str], limit: float) -> list[tuple[Value, ...]]:
    """Return the lines of a share, the best engine first."""
    scores = score(races, engines, limit)
    counts = {engine: each.n_best for engine, each in scores.items()}
    of_encodings = score(races, _encodings(engines), limit)
    return [
        (
            *(f"{share:.0%}", f"{limit:g} s", engine, encoding_of(engine), counts[engine], len(races)),
            100 * counts[engine] / len(races),
            *_among_encodings(of_encodings.get(engine), len(races), _paper_percent(share, engine)),
            rank,
            *_rest(scores[engine]),
        )
        for engine, rank in ranks(counts).items()
    ]


def _among_encodings(found: Score | None, n_races: int, paper: float | None) -> tuple[Value, Value]:
    """Return how often an encoding has the best upper bound of all encodings: what the paper counts."""
    return (None, None) if found is None else (found.n_best, Beside(100 * found.n_best / n_races, paper))


def _rest(found: Score) -> tuple[Value, ...]:
    return (
        found.n_alone,
        found.n_proved,
        found.par2,
        found.time_to_best,
        found.primal_integral,
        found.n_failed,
    )


def _paper_percent(share: float, engine: str) -> float | None:
    """Return the share of the paper's instances on which it says that an engine has the best upper bound."""
    count = published.TABLE_3.get(share, {}).get(engine)
    return None if count is None else 100 * count / published.TABLE_3_INSTANCES


def ordering_table(races: Races, shares: Sequence[float], engines: Sequence[str], limit: float) -> ResultTable:
    """Return who has the best upper bound more often than whom, for each share and for all."""
    groups = [(f"{share:.0%}", _of_share(races, share)) for share in shares] + [("all", list(races.values()))]
    rows = [
        (label, len(chosen), _order(chosen, engines, limit), _order(chosen, _encodings(engines), limit))
        for label, chosen in groups
    ]
    header = ("Sample size", "instances", "by # best UB", "encodings among themselves")
    caption = "Engines by the number of best upper bounds; = is a tie."
    return ResultTable("ordering", caption, header, tuple(rows), rules=(len(shares),))


def _order(races: Sequence[Race], engines: Sequence[str], limit: float) -> str:
    return ordering({engine: each.n_best for engine, each in score(races, engines, limit).items()}) or NO_ENCODING


def races_table(races: Races, engines: Sequence[str], limit: float) -> ResultTable:
    """Return every instance with the nodes of ITI's tree and of each engine's."""
    rows = tuple(
        (name_of(instance), _start(race), *(_nodes(race, engine) for engine in engines))
        for instance, race in races.items()
    )
    caption = f"Nodes of the smallest tree after {limit:g} s; * proved minimum. All begin with the tree of ITI."
    return ResultTable("instances", caption, ("instance", "ITI", *engines), rows)


def _start(race: Race) -> int | None:
    """Return the size of the first tree that anybody tells of, which is that of ITI."""
    uppers = (upper for history in race.values() for _, _, upper in history.bounds)
    return next((upper for upper in uppers if upper is not None), None)


def _nodes(race: Race, engine: str) -> str:
    history = race[engine]
    return NO_ENCODING if history.upper is None else f"{history.upper}{'*' if history.is_proved else ''}"


def _of_share(races: Races, share: float) -> list[Race]:
    return [race for (_, its_share, _), race in races.items() if its_share == share]


def _encodings(engines: Sequence[str]) -> list[str]:
    return [engine for engine in engines if encoding_of(engine) != NO_ENCODING]
