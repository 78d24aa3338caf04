"""Generated problems have the requested shape, and a minimum tree that is at most as large as the planted one."""

import numpy as np
import pytest

from puretree._support.clock import Clock
from puretree.bench.scale.families import FAMILIES, N_COLUMNS, make_planted_problem
from puretree.engines import make_engine, solve


@pytest.mark.parametrize("name", FAMILIES)
def test_only_one_number_grows_in_a_family(name: str) -> None:
    """The number of rows, columns or classes equals the size; the others are fixed."""
    small, large = (FAMILIES[name].make(size, 0) for size in FAMILIES[name].sizes[:4:3])
    before, after = ((problem.n_examples, problem.n_features, problem.n_classes) for problem in (small, large))
    growing = {"rows": 0, "columns": 1, "classes": 2, "nodes": None}[name]
    for index in range(3):
        if index == growing:
            assert (before[index], after[index]) == FAMILIES[name].sizes[:4:3]
        else:
            assert before[index] == after[index]


@pytest.mark.parametrize("name", FAMILIES)
def test_sizes_grow_roughly_geometrically(name: str) -> None:
    """There are at least six sizes, each at most four times the one before."""
    sizes = np.array(FAMILIES[name].sizes)
    assert len(sizes) >= 6
    assert ((sizes[1:] / sizes[:-1] > 1) & (sizes[1:] / sizes[:-1] <= 4)).all()


@pytest.mark.parametrize(("n_classes", "n_inner"), [(2, 2), (2, 6), (3, 7), (5, 8)])
def test_the_planted_tree_is_an_upper_bound(n_classes: int, n_inner: int) -> None:
    """The exact search proves a minimum that is at most as large, and every class has examples."""
    for seed in range(5):
        problem = make_planted_problem(150, 10, n_classes, n_inner, [seed])
        outcome = solve(problem, make_engine("search"), clock=Clock(10))
        assert outcome.status == "optimal"
        assert outcome.n_nodes is not None
        assert 2 * n_classes - 1 <= outcome.n_nodes <= 2 * n_inner + 1
        assert problem.n_classes == n_classes


@pytest.mark.parametrize("name", FAMILIES)
def test_the_minimum_is_the_planted_tree(name: str) -> None:
    """So the size of the minimum is fixed while rows, columns or classes grow, and grows with the nodes."""
    family = FAMILIES[name]
    n_inner = {"rows": 7, "columns": 4, "classes": 11}
    for size in family.sizes[1:5]:
        n_nodes = solve(family.make(size, 0), make_engine("search"), clock=Clock(10)).n_nodes
        assert n_nodes == 2 * n_inner.get(name, size) + 1, size


def test_the_same_seed_gives_the_same_problem() -> None:
    """Other seeds and sizes give other problems."""
    make = FAMILIES["rows"].make

    def bits(size: int, seed: int) -> bytes:
        problem = make(size, seed)
        return problem.features.words.tobytes() + problem.labels.tobytes()

    assert bits(100, 0) == bits(100, 0)
    assert len({bits(100, 0), bits(100, 1), bits(300, 0)}) == 3


def test_rows_are_distinct() -> None:
    """200 of the 256 rows of 8 bits are drawn without replacement; rows of many columns are distinct, too."""
    assert make_planted_problem(200, 8, 2, 3, [0]).n_examples == 200
    assert make_planted_problem(300, N_COLUMNS + 1, 2, 3, [0]).n_examples == 300
