"""The comparison of MaxSAT with MinDT, by hand."""

import pytest

from puretree.bench.runtime.maxsat_mindt import warm_start_tables
from puretree.bench.runtime.scores import History
from puretree.bench.runtime.tables import Histories

MAXSAT, MAXSAT_COLD = "maxsat(warm_start=True)", "maxsat(warm_start=False)"
MINDT, MINDT_COLD = "mindt(warm_start=True)", "mindt(warm_start=False)"
TOTALISER = "maxsat(objective='totaliser', warm_start=False)"
ENGINES = (MAXSAT, MAXSAT_COLD, MINDT, MINDT_COLD, TOTALISER, "search")


def histories(sizes: dict[tuple[str, float], tuple[int, ...]], start: int = 20) -> Histories:
    """Return histories of ENGINES with the given final sizes, one sample of each data set and fraction."""
    return {
        (dataset, fraction, 0): {
            engine: History(((0.0, 3, None), (0.0, 3, start), (1.0, 3, size)))
            for engine, size in zip(ENGINES, of_engine, strict=True)
        }
        for (dataset, fraction), of_engine in sizes.items()
    }


def test_scores_and_pairs_by_hand() -> None:
    """MaxSAT is ahead with a warm start, behind without one; a tie does not count in the test."""
    sizes = {
        ("a", 0.4): (10, 20, 16, 18, 20, 9),
        ("a", 0.6): (12, 18, 12, 20, 20, 9),
        ("b", 0.4): (10, 14, 20, 10, 14, 9),
    }
    scores, pairs = warm_start_tables(histories(sizes), (0.4, 0.6, 0.8), ENGINES, 5.0)
    of_all = {line[2]: line[3:] for line in scores.rows if line[0] == "all"}
    assert of_all[MAXSAT] == (3, 3, 0, pytest.approx(100 * 32 / 60))
    assert of_all[MINDT] == (1, 2, 0, pytest.approx(100 * 48 / 60))
    assert of_all[MINDT_COLD] == (1, 2, 0, pytest.approx(100 * 48 / 60))
    assert list(of_all) == list(ENGINES[:5])
    assert {line[:2] for line in scores.rows} == {("40%", 2), ("60%", 1), ("all", 3)}
    by_pair = {(line[0], *line[2:4]): line[4:] for line in pairs.rows}
    assert set(by_pair) == {
        (size, *pair)
        for size in ("40%", "60%", "all")
        for pair in ((MAXSAT, MINDT), (MAXSAT_COLD, MINDT_COLD), (TOTALISER, MINDT_COLD))
    }
    assert by_pair["all", MAXSAT, MINDT] == (2, 1, 0, pytest.approx((15 + 50) / 2), pytest.approx(0.5))
    assert by_pair["all", MAXSAT_COLD, MINDT_COLD] == (1, 0, 2, pytest.approx((0 - 20) / 2), pytest.approx(1.0))
    assert by_pair["60%", TOTALISER, MINDT_COLD] == (0, 1, 0, 0.0, None)
    assert (scores.rules, pairs.rules) == ((5, 10), (3, 6))


def test_six_data_sets_can_be_significant() -> None:
    """With a smaller tree on each of six data sets the exact p-value is 2 / 2^6."""
    sizes = {(name, 0.4): (10, 12 + index, 20, 20, 20, 9) for index, name in enumerate("abcdef")}
    _, pairs = warm_start_tables(histories(sizes), (0.4,), ENGINES, 5.0)
    assert pairs.rows[1][2:7] == (MAXSAT_COLD, MINDT_COLD, 6, 0, 0)
    assert pairs.rows[1][8] == pytest.approx(2 / 64)


def test_an_engine_without_a_tree_has_that_of_iti() -> None:
    """A lost measurement neither improves nor loses the starting tree."""
    of_instance = dict(histories({("a", 0.4): (10, 10, 20, 20, 10, 9)}).popitem()[1])
    of_instance[MAXSAT] = History((), has_failed=True)
    scores, pairs = warm_start_tables({("a", 0.4, 0): of_instance}, (0.4,), ENGINES, 5.0)
    assert scores.rows[0][2:] == (MAXSAT, 0, 0, 0, 100.0)
    assert pairs.rows[0][2:7] == (MAXSAT, MINDT, 0, 1, 0)


@pytest.mark.parametrize(
    ("engines", "names"),
    [
        (("search", "local-search-c", "maxsat(backend='rc2')"), []),
        ((MAXSAT, "search"), []),
        ((MAXSAT, MINDT_COLD), ["warm-start"]),
        ((MAXSAT, "mindt(warm_start=True, solver='glucose4')"), ["warm-start"]),
        (("maxsat(warm_start=False, lazy=True)", MINDT_COLD), ["warm-start"]),
        (("maxsat(warm_start=False, lazy=None)", MINDT_COLD), ["warm-start"]),
        (("maxsat(warm_start=False, takeover=True)", MINDT_COLD), ["warm-start"]),
        ((MINDT, MAXSAT), ["warm-start", "maxsat-mindt"]),
    ],
)
def test_tables_need_engines_to_compare(engines: tuple[str, ...], names: list[str]) -> None:
    """Only the linear search and MinDT are compared, in pairs with the same warm start, SAT solver and examples."""
    assert [table.name for table in warm_start_tables({}, (0.4,), engines, 5.0)] == names
