"""What a warm start contributes, and whether MaxSAT is ahead of MinDT without it or with it for both.

The paper concludes from its Table 3 that MaxSAT reduces the bounds faster than MinDT. Here both have a warm start or
none, the same SAT solver, upper bound and time limit, so that only the encoding and the algorithm differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from statistics import fmean

from ...engines import MaxSat, MinDt
from ...maxsat import Linear, make_backend
from ..result_table import ResultTable, Value
from .engines import measured_engine
from .scores import InstanceHistories, score
from .tables import Histories, by_size, starting_size


def linear_search_or_mindt(engine: str) -> MaxSat | MinDt | None:
    """Return the engine if it is MinDT or the linear search of ``maxsat``, the two that have a warm start."""
    measured = measured_engine(engine)
    if isinstance(measured, MaxSat):
        return measured if isinstance(make_backend(measured.backend), Linear) else None
    return measured if isinstance(measured, MinDt) else None


def warm_start_tables(
    histories: Histories, fractions: Sequence[float], engines: Sequence[str], limit: float
) -> list[ResultTable]:
    """Return the comparison of warm starts, and that of MaxSAT with MinDT; none without such engines."""
    compared = [engine for engine in engines if linear_search_or_mindt(engine)]
    pairs = [(maxsat, mindt) for maxsat, mindt in product(compared, repeat=2) if _is_pair(maxsat, mindt)]
    tables = [_scores_table(histories, fractions, compared, limit)] if len(compared) > 1 else []
    return [*tables, _pairs_table(histories, fractions, pairs)] if pairs else tables


def _is_pair(maxsat: str, mindt: str) -> bool:
    """Whether MaxSAT and MinDT have the same warm start and SAT solver, and all examples from the beginning."""
    one, other = linear_search_or_mindt(maxsat), linear_search_or_mindt(mindt)
    if not (isinstance(one, MaxSat) and isinstance(other, MinDt)):
        return False
    is_alone = one.lazy is False and not one.takeover
    return is_alone and (one.warm_start, one.solver, one.isolated) == (other.warm_start, other.solver, other.isolated)


def _scores_table(
    histories: Histories, fractions: Sequence[float], engines: Sequence[str], limit: float
) -> ResultTable:
    rows: list[tuple[Value, ...]] = []
    rules = []
    for label, group in by_size(histories, fractions).items():
        instances = list(group.values())
        rules.append(len(rows))
        for engine, engine_score in score(instances, engines, limit).items():
            sizes = [_relative_size(of_instance, engine) for of_instance in instances]
            n_improved = sum(size < 1 for size in sizes)
            counts = (engine_score.n_best, n_improved, engine_score.n_proved)
            rows.append((label, len(instances), engine, *counts, 100 * fmean(sizes)))
    return ResultTable(
        name="warm-start",
        caption="Linear search and MinDT with and without a warm start from the tree of ITI: instances on which none "
        "of these engines has a smaller tree, those on which the tree is smaller than that of ITI, those proved, and "
        "mean number of nodes in percent of ITI's.",
        header=("Sample size", "instances", "Solver", "# Best UB", "improved", "proved", "% of ITI's nodes"),
        rows=tuple(rows),
        rules=tuple(rules[1:]),
        digits=1,
    )


def _relative_size(histories: InstanceHistories, engine: str) -> float:
    """Return the size of an engine's tree relative to that of ITI, which counts if a failed engine reports no tree."""
    start, upper = starting_size(histories), histories[engine].upper
    return 1.0 if start is None or upper is None else upper / start


def _pairs_table(histories: Histories, fractions: Sequence[float], pairs: Sequence[tuple[str, str]]) -> ResultTable:
    groups = by_size(histories, fractions)
    rows = [_pair_row(label, group, *pair) for label, group in groups.items() for pair in pairs]
    return ResultTable(
        name="maxsat-mindt",
        caption="MaxSAT against MinDT with equal warm start: instances on which the tree of MaxSAT is smaller, equal, "
        "larger; how much smaller, in percent of ITI's nodes, as the mean over data sets; p-value of the Wilcoxon "
        "signed-rank test over data sets.",
        header=("Sample size", "instances", "Solver", "against", "smaller", "equal", "larger", "difference", "p"),
        rows=tuple(rows),
        rules=tuple(range(len(pairs), len(rows), len(pairs))),
        digits=3,
    )


def _pair_row(label: str, histories: Histories, maxsat: str, mindt: str) -> tuple[Value, ...]:
    from ..statistics import paired_difference  # loads scipy, which measurements do not need

    differences: dict[str, list[float]] = {}
    for (dataset, _, _), of_instance in histories.items():
        difference = _relative_size(of_instance, mindt) - _relative_size(of_instance, maxsat)
        differences.setdefault(dataset, []).append(100 * difference)
    signs = Counter((value > 0) - (value < 0) for values in differences.values() for value in values)
    summary = paired_difference(differences)
    assert summary is not None  # there is an instance
    return (label, len(histories), maxsat, mindt, signs[1], signs[0], signs[-1], summary.mean.mean, summary.p)
