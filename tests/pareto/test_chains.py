"""The columns of numbers that scikit-learn gets are the features."""

import numpy as np
import pytest

from puretree.pareto.chains import Chains
from puretree.problem import prepare_costs


@pytest.mark.parametrize("seed", range(6))
def test_every_test_of_a_chain_is_a_feature(seed: int) -> None:
    """Numbers, categories and missing values: every feature is in one chain, and a threshold is its feature."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 6, (40, 2)).astype(object)
    numbers[rng.random(40) < 0.2, 1] = None
    table = [[*row, "abc"[i % 3], bool(i % 2)] for i, row in enumerate(numbers)]
    prepared = prepare_costs(table, rng.integers(0, 2, 40))
    problem = prepared.problem
    chains = Chains.of(problem, prepared.column_of_feature)
    assert sorted(feature for chain in chains.features for feature in chain) == list(range(problem.n_features))
    assert len(chains.features) < problem.n_features
    for index, features in enumerate(chains.features):
        values = chains.values[:, index]
        for threshold in np.unique(values)[:-1]:
            feature, is_flipped = chains.test(index, float(threshold) + 0.5)
            assert feature in features
            assert ((values <= threshold) == (problem.answers(feature) != is_flipped)).all()
