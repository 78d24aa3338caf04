"""What all trees say, against asking each."""

import numpy as np
import pytest
from helpers.small_forests import small_forest

from puretree import InputError, UnfinishedError
from puretree.forest import predictions


@pytest.mark.parametrize("extra", range(2))
@pytest.mark.parametrize("seed", range(25))
def test_shares_are_those_of_all_trees(seed: int, extra: int) -> None:
    """On rows not seen in training, the share of each class is that among the predictions of all trees."""
    small = small_forest(seed, extra)
    shares = small.forest.predict_distribution(small.X)
    said = small.predictions()
    expected = np.stack([(said == label).mean(axis=0) for label in small.forest.classes], axis=1)
    np.testing.assert_allclose(shares, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=0, atol=1e-15)


def test_rows_may_come_in_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many rows are looked at in one go, the shares are the same."""
    small = small_forest(7)
    shares = small.forest.predict_distribution(small.X)
    monkeypatch.setattr(predictions, "CELLS_AT_ONCE", 1)
    np.testing.assert_array_equal(small.forest.predict_distribution(small.X), shares)


def test_training_rows_are_beyond_doubt() -> None:
    """All trees are right on the training rows."""
    prepared = small_forest(7).forest.prepared
    kept = prepared.problem.kept_rows
    shares = small_forest(7).forest.predict_distribution(prepared.table.take(kept))
    np.testing.assert_array_equal(shares[np.arange(len(kept)), prepared.labels.codes[kept]], 1)


def test_a_table_without_rows_is_refused() -> None:
    """Nothing can be said of nothing."""
    forest = small_forest(7).forest
    with pytest.raises(InputError, match="at least one row"):
        forest.predict_distribution(forest.prepared.table.take([]))


def test_the_time_limit_is_kept() -> None:
    """When the time is over, an error says what can be done."""
    small = small_forest(7)
    with pytest.raises(UnfinishedError, match=r"no time for asking all trees .* raise time_limit"):
        small.forest.predict_distribution(small.X, time_limit=0)
