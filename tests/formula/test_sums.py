"""Test every encoding exhaustively: "at most k" holds for exactly the assignments of weight at most k."""

from collections.abc import Callable
from itertools import product
from operator import ge

import numpy as np
import pytest

from puretree.formula import Block, Objective, Soft, VarPool
from puretree.formula.sums import Adder, GeneralisedTotaliser, Sum, Totaliser, UnaryCounter, make_sum
from puretree.formula.sums.totaliser import IncrementalTotaliser
from puretree.sat import LocalOracle

Maker = Callable[[list[int], list[int], VarPool, LocalOracle, int], Sum]


def totaliser(literals: list[int], weights: list[int], pool: VarPool, oracle: LocalOracle, upper: int) -> Sum:
    """Return a totaliser of equal weights."""
    return Totaliser(literals, pool, oracle, upper=upper, weight=weights[0])


def generalised(literals: list[int], weights: list[int], pool: VarPool, oracle: LocalOracle, upper: int) -> Sum:
    """Return a generalised totaliser of chains of one literal."""
    chains = [{weight: literal} for literal, weight in zip(literals, weights, strict=True)]
    return GeneralisedTotaliser(chains, pool, oracle, upper=upper)


def adder(literals: list[int], weights: list[int], pool: VarPool, oracle: LocalOracle, upper: int) -> Sum:
    """Return an adder."""
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
def test_at_most_k_holds_for_sums_up_to_k(make: Maker, weights: list[int]) -> None:
    """For every k below the upper bound, in decreasing order, and all assignments of literals of both signs."""
    pool, oracle = VarPool(), LocalOracle()
    literals = [int(var) * (-1) ** i for i, var in enumerate(pool.array("x", len(weights)))]
    upper = sum(weights)
    bounded = make(literals, weights, pool, oracle, upper)
    interesting = sorted({sum(part) for part in product(*((0, weight) for weight in weights))} - {upper})
    for k in reversed([k + shift for k in interesting for shift in (0, 1) if k + shift < upper]):
        assumptions = bounded.at_most(k)
        for values in product((False, True), repeat=len(weights)):
            chosen = [literal if value else -literal for literal, value in zip(literals, values, strict=True)]
            total = sum(weight for weight, value in zip(weights, values, strict=True) if value)
            assert oracle.solve([*chosen, *assumptions]) == (total <= k)
        assert oracle.solve([])  # without assumptions, nothing is constrained


def test_sums_above_the_bound_share_an_output() -> None:
    """Sums from the upper bound on are not distinguished; smaller ones are still correct."""
    pool, oracle = VarPool(), LocalOracle()
    literals = pool.array("x", 4).tolist()
    bounded = generalised(literals, [3, 5, 7, 9], pool, oracle, 9)
    assert not oracle.solve([literals[3], *bounded.at_most(8)])
    assert not oracle.solve([literals[0], literals[2], *bounded.at_most(8)])
    assert oracle.solve([literals[0], literals[1], *bounded.at_most(8)])
    assert not oracle.solve([literals[0], literals[1], *bounded.at_most(7)])


class NullSink:
    """A sink for tests that check only which encoding is chosen."""

    def add(self, block: Block) -> None:
        """Ignore a block."""


@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        (Objective((tuple(Soft(1, (-var,)) for var in range(1, 9)),)), UnaryCounter),
        (Objective.of(Soft(2, (-var,)) for var in range(1, 9)), Totaliser),
        (Objective.of(Soft(var, (-var,)) for var in range(1, 9)), GeneralisedTotaliser),
        (Objective.of(Soft(3**var, (-var,)) for var in range(1, 41)), Adder),
        (Objective(()), Totaliser),
    ],
)
def test_the_encoding_suits_the_weights(objective: Objective, expected: type) -> None:
    """One chain gives a unary counter, equal weights a totaliser, few sums a generalised one, many sums an adder."""
    pool = VarPool()
    pool.array("x", 40)
    assert isinstance(make_sum(objective, pool, NullSink(), upper=10**15), expected)


def test_chains_are_summed_as_chains() -> None:
    """For chains of different lengths and weights, the sum is that of the values of the chains."""
    pool, oracle = VarPool(), LocalOracle()
    x = pool.array("x", 5).tolist()
    oracle.add(np.array([[-x[1], x[0]], [-x[2], x[1]], [-x[4], x[3]]], dtype=np.int32))
    objective = Objective(
        (
            tuple(Soft(weight, (-var,)) for weight, var in zip((2, 1, 4), x, strict=False)),
            (Soft(3, (-x[3],)), Soft(5, (-x[4],))),
        )
    )
    bounded = make_sum(objective, pool, oracle, upper=16)
    assert isinstance(bounded, GeneralisedTotaliser)
    for first, second in product(range(4), range(3)):
        total = sum((2, 1, 4)[:first]) + sum((3, 5)[:second])
        chosen = [var if i < first else -var for i, var in enumerate(x[:3])]
        chosen += [var if i < second else -var for i, var in enumerate(x[3:])]
        for k in range(16):
            assert oracle.solve([*chosen, *bounded.at_most(k)]) == (total <= k)


@pytest.mark.parametrize("n_chains", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("is_fixing", [False, True])
def test_incremental_totaliser_allows_new_inputs_and_larger_bounds(n_chains: int, seed: int, is_fixing: bool) -> None:
    """For any sequence of extensions, bounds and fixed literals, "at most k" holds for the lengths of sum at most k."""
    rng = np.random.default_rng(seed)
    pool, oracle = VarPool(), LocalOracle()
    total = IncrementalTotaliser(n_chains, pool, oracle)
    chains: list[list[int]] = [[] for _ in range(n_chains)]
    n_true = [0] * n_chains
    for _ in range(6):
        for chain in rng.integers(0, n_chains, 2).tolist():
            if len(chains[chain]) < 3:
                chains[chain].append(total.extend(chain))
            if is_fixing:
                n_true[chain] = int(rng.integers(n_true[chain], len(chains[chain]) + 1))
                total.fix(chain, n_true[chain])
        assert total.least == sum(n_true)
        n_inputs = sum(map(len, chains))
        for k in rng.integers(0, n_inputs + 2, 3).tolist():
            assumptions = total.at_most(k)
            for lengths in product(*(range(len(chain) + 1) for chain in chains)):
                assignment = [
                    literal if t < length else -literal
                    for chain, length in zip(chains, lengths, strict=True)
                    for t, literal in enumerate(chain)
                ]
                is_possible = all(map(ge, lengths, n_true))
                assert oracle.solve([*assignment, *assumptions]) == (is_possible and sum(lengths) <= k)
        assert oracle.solve([literal for chain in chains for literal in chain])
