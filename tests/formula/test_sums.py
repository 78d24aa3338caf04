"""Each way to bound a sum, exhausted: at most k holds for exactly the assignments that weigh at most k."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from puretree.formula import Block, Objective, Soft, VarPool
from puretree.formula.sums import Adder, Chain, GeneralisedTotaliser, Sum, Totaliser, make_sum
from puretree.formula.sums.totaliser import GrowingSum
from puretree.sat import LocalOracle

Maker = Callable[[list[int], list[int], VarPool, LocalOracle, int], Sum]


def totaliser(literals: list[int], weights: list[int], pool: VarPool, oracle: LocalOracle, most: int) -> Sum:
    """Make a totaliser of equal weights."""
    return Totaliser(literals, pool, oracle, most=most, weight=weights[0])


def generalised(literals: list[int], weights: list[int], pool: VarPool, oracle: LocalOracle, most: int) -> Sum:
    """Make a generalised totaliser of chains of one literal."""
    chains = [{weight: literal} for literal, weight in zip(literals, weights, strict=True)]
    return GeneralisedTotaliser(chains, pool, oracle, most=most)


def adder(literals: list[int], weights: list[int], pool: VarPool, oracle: LocalOracle, most: int) -> Sum:
    """Make an adder."""
    return Adder(list(zip(literals, weights, strict=True)), pool, oracle)


CASES: list[tuple[Maker, list[int]]] = [
    *((totaliser, [weight] * n) for n in range(1, 6) for weight in (1, 3)),
    *(
        (make, weights)
        for make in (generalised, adder)
        for weights in ([1, 2], [5, 3, 3], [1, 2, 4, 8], [7, 1, 1, 9, 2])
    ),
    (adder, [6]),
    (adder, [10**12, 1, 10**12 + 1]),
]


@pytest.mark.parametrize(("make", "weights"), CASES)
def test_at_most_k_is_at_most_k(make: Maker, weights: list[int]) -> None:
    """For every k below the bound and every assignment of the literals, falling k and signs included."""
    pool, oracle = VarPool(), LocalOracle()
    literals = [int(var) * (-1) ** place for place, var in enumerate(pool.array("x", len(weights)))]
    most = sum(weights)
    bounded = make(literals, weights, pool, oracle, most)
    interesting = sorted({sum(part) for part in product(*((0, weight) for weight in weights))} - {most})
    for k in reversed([k + shift for k in interesting for shift in (0, 1) if k + shift < most]):
        assume = bounded.at_most(k)
        for values in product((False, True), repeat=len(weights)):
            chosen = [literal if value else -literal for literal, value in zip(literals, values, strict=True)]
            total = sum(weight for weight, value in zip(weights, values, strict=True) if value)
            assert oracle.solve([*chosen, *assume]) == (total <= k)
        assert oracle.solve([])  # nothing was added that holds without being assumed


def test_sums_above_the_bound_share_an_output() -> None:
    """With a bound, larger sums are not told apart, and smaller ones are still right."""
    pool, oracle = VarPool(), LocalOracle()
    literals = pool.array("x", 4).tolist()
    bounded = generalised(literals, [3, 5, 7, 9], pool, oracle, 9)
    assert not oracle.solve([literals[3], *bounded.at_most(8)])
    assert not oracle.solve([literals[0], literals[2], *bounded.at_most(8)])
    assert oracle.solve([literals[0], literals[1], *bounded.at_most(8)])
    assert not oracle.solve([literals[0], literals[1], *bounded.at_most(7)])


class Ignored:
    """A sink for tests that look at the choice only."""

    def add(self, block: Block) -> None:
        """Forget a block."""


@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        (Objective((tuple(Soft(1, (-var,)) for var in range(1, 9)),)), Chain),
        (Objective.of(Soft(2, (-var,)) for var in range(1, 9)), Totaliser),
        (Objective.of(Soft(var, (-var,)) for var in range(1, 9)), GeneralisedTotaliser),
        (Objective.of(Soft(3**var, (-var,)) for var in range(1, 41)), Adder),
        (Objective(()), Totaliser),
    ],
)
def test_the_way_fits_the_weights(objective: Objective, expected: type) -> None:
    """A chain needs nothing, equal weights a totaliser, few sums a generalised one, and many sums an adder."""
    pool = VarPool()
    pool.array("x", 40)
    assert isinstance(make_sum(objective, pool, Ignored(), most=10**15), expected)


def test_chains_are_summed_as_chains() -> None:
    """Chains of different lengths and weights: the sum of what each reaches."""
    pool, oracle = VarPool(), LocalOracle()
    x = pool.array("x", 5).tolist()
    oracle.add(np.array([[-x[1], x[0]], [-x[2], x[1]], [-x[4], x[3]]], dtype=np.int32))
    objective = Objective(
        (
            tuple(Soft(weight, (-var,)) for weight, var in zip((2, 1, 4), x, strict=False)),
            (Soft(3, (-x[3],)), Soft(5, (-x[4],))),
        )
    )
    bounded = make_sum(objective, pool, oracle, most=16)
    assert isinstance(bounded, GeneralisedTotaliser)
    for one, other in product(range(4), range(3)):
        total = sum((2, 1, 4)[:one]) + sum((3, 5)[:other])
        chosen = [var if place < one else -var for place, var in enumerate(x[:3])]
        chosen += [var if place < other else -var for place, var in enumerate(x[3:])]
        for k in range(16):
            assert oracle.solve([*chosen, *bounded.at_most(k)]) == (total <= k)


@pytest.mark.parametrize("n_chains", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_a_sum_may_grow_and_its_bound_rise(n_chains: int, seed: int) -> None:
    """However chains and bounds follow each other, at most k holds for exactly the lengths that add up to it."""
    rng = np.random.default_rng(seed)
    pool, oracle = VarPool(), LocalOracle()
    total = GrowingSum(n_chains, pool, oracle)
    chains: list[list[int]] = [[] for _ in range(n_chains)]
    for _ in range(6):
        for chain in rng.integers(0, n_chains, 2).tolist():
            if len(chains[chain]) < 3:
                chains[chain].append(total.extend(chain))
        most = sum(map(len, chains))
        for k in rng.integers(0, most + 2, 3).tolist():
            assume = total.at_most(k)
            for lengths in product(*(range(len(chain) + 1) for chain in chains)):
                reached = [
                    literal if t < length else -literal
                    for chain, length in zip(chains, lengths, strict=True)
                    for t, literal in enumerate(chain)
                ]
                assert oracle.solve([*reached, *assume]) == (sum(lengths) <= k)
        assert oracle.solve([literal for chain in chains for literal in chain])
