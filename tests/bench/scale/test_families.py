"""Generated problems have the shape they are asked for, and a tree inside that is not larger than planted."""

import numpy as np
import pytest

from puretree._support.clock import Clock
from puretree.bench.scale.families import FAMILIES, N_COLUMNS, planted
from puretree.engines import make_engine, solve


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_grows_in_its_own_number_only(name: str) -> None:
    """Rows, columns or classes are as many as asked for; the others stay."""
    small, large = (FAMILIES[name].make(size, 0) for size in FAMILIES[name].sizes[:4:3])
    before, after = ((each.n_examples, each.n_features, each.n_classes) for each in (small, large))
    place = {"rows": 0, "columns": 1, "classes": 2, "nodes": None}[name]
    for at in range(3):
        if at == place:
            assert (before[at], after[at]) == FAMILIES[name].sizes[:4:3]
        else:
            assert before[at] == after[at]


@pytest.mark.parametrize("name", FAMILIES)
def test_sizes_are_many_and_grow_roughly_geometrically(name: str) -> None:
    """Enough points for a line, none more than four times the one before."""
    sizes = np.array(FAMILIES[name].sizes)
    assert len(sizes) >= 6
    assert ((sizes[1:] / sizes[:-1] > 1) & (sizes[1:] / sizes[:-1] <= 4)).all()


@pytest.mark.parametrize(("n_classes", "n_inner"), [(2, 2), (2, 6), (3, 7), (5, 8)])
def test_the_planted_tree_is_an_upper_bound(n_classes: int, n_inner: int) -> None:
    """The exact search proves a minimum that is no larger, and every class has examples."""
    for seed in range(5):
        problem = planted(150, 10, n_classes, n_inner, [seed])
        outcome = solve(problem, make_engine("search"), clock=Clock(10))
        assert outcome.status == "optimal"
        assert outcome.n_nodes is not None
        assert 2 * n_classes - 1 <= outcome.n_nodes <= 2 * n_inner + 1
        assert problem.n_classes == n_classes


@pytest.mark.parametrize("name", FAMILIES)
def test_the_minimum_is_the_planted_tree(name: str) -> None:
    """So that with rows, columns and classes the size of the minimum does not change, and with nodes it does."""
    family = FAMILIES[name]
    n_inner = {"rows": 7, "columns": 4, "classes": 11}
    for size in family.sizes[1:5]:
        found = solve(family.make(size, 0), make_engine("search"), clock=Clock(10)).n_nodes
        assert found == 2 * n_inner.get(name, size) + 1, size


def test_the_same_seed_gives_the_same_problem() -> None:
    """And another seed, size or family another one."""
    make = FAMILIES["rows"].make

    def bits(size: int, seed: int) -> bytes:
        problem = make(size, seed)
        return problem.features.words.tobytes() + problem.labels.tobytes()

    assert bits(100, 0) == bits(100, 0)
    assert len({bits(100, 0), bits(100, 1), bits(300, 0)}) == 3


def test_rows_are_distinct_even_where_they_nearly_run_out() -> None:
    """200 of the 256 rows of 8 bits are drawn without replacement; more columns than fit in a number work as well."""
    assert planted(200, 8, 2, 3, [0]).n_examples == 200
    assert planted(300, N_COLUMNS + 1, 2, 3, [0]).n_examples == 300
