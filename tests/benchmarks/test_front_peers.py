"""Each peer of the benchmark of the front answers the question that puretree is asked."""

import warnings

import front_peers
import numpy as np
import pytest
from front_peers import CONTREE, DL85, SMALL_TREE, STREED, Answer
from front_tables import FrontTable
from helpers.oracles.fewest_errors import fewest_errors, least_objective
from stopwatch import Stopwatch

LIMIT = 60.0


def random_table(seed: int, *, numeric: bool = False) -> FrontTable:
    """Make a small table of two or three classes, often with contradictory rows."""
    rng = np.random.default_rng([seed, numeric])
    rows = rng.integers(0, 5 if numeric else 2, (12, 2 if numeric else 4)).astype(np.float64)
    labels = np.concatenate([np.arange(n_classes := 2 + seed % 2), rng.integers(0, n_classes, 12 - n_classes)])
    return FrontTable("random", rows, labels.astype(np.intc))


def require(peer: str) -> None:
    """Skip a test whose peer is not installed; import it without its own warnings."""
    if not front_peers.is_installed(peer):
        pytest.skip(f"{peer} is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        front_peers.prepare([peer])


def test_pystreed_finds_the_fewest_errors_of_every_size() -> None:
    """It proves for k = 1, 2, … what brute force finds."""
    require(STREED)
    for seed in range(10):
        table = random_table(seed)
        for k in range(1, 6):
            expected = fewest_errors(table.rows.tolist(), table.labels.tolist(), k)
            assert front_peers.streed(table, k, LIMIT)(Stopwatch()) == Answer(True, expected)


def test_small_trees_minimise_the_errors_and_the_price_of_leaves() -> None:
    """FastSmallTreeClassifier proves the objective value that brute force finds, at every price."""
    require(SMALL_TREE)
    for seed in range(6):
        table = random_table(seed)
        for price in (2.0, 1.0, 0.5):
            answer = front_peers.small_tree(table, price, LIMIT)(Stopwatch())
            assert answer.proved
            assert answer.objective(price) == least_objective(table.rows.tolist(), table.labels.tolist(), price)


@pytest.mark.parametrize("peer", [CONTREE, DL85])
def test_peers_with_a_depth_find_the_fewest_errors_of_all_thresholds(peer: str) -> None:
    """ConTree and pydl8.5 prove what brute force finds up to a depth."""
    require(peer)
    question = {CONTREE: front_peers.contree, DL85: front_peers.dl85}[peer]
    for seed in range(10):
        table = random_table(seed, numeric=True)
        for depth in (1, 2, 3):
            expected = fewest_errors(table.rows.tolist(), table.labels.tolist(), 2**depth - 1, depth)
            assert question(table, depth, LIMIT)(Stopwatch()) == Answer(True, expected)


@pytest.mark.parametrize("n_tests", [0, 21])
def test_pystreed_has_a_most_number_of_tests(n_tests: int) -> None:
    """More tests than its depth limit would be another question."""
    with pytest.raises(ValueError, match="from 1 to 20"):
        front_peers.streed(random_table(0), n_tests, LIMIT)
