"""The class fractions over all trees, against the predictions of each tree."""

from typing import Any

import numpy as np
import pytest
from helpers.small_forests import small_forest

from puretree import InputError, UnfinishedError
from puretree.forest import predictions


@pytest.mark.parametrize("extra", [0, 1, "band"])
@pytest.mark.parametrize("seed", range(25))
def test_fractions_are_those_of_all_trees(seed: int, extra: Any) -> None:
    """On rows not in training, the fraction of each class is that among the predictions of all trees."""
    small = small_forest(seed, extra)
    fractions = small.forest.predict_distribution(small.X)
    predicted = small.predictions()
    expected = np.stack([(predicted == label).mean(axis=0) for label in small.forest.classes], axis=1)
    np.testing.assert_allclose(fractions, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(fractions.sum(axis=1), 1, rtol=0, atol=1e-15)


def test_the_block_size_does_not_change_the_fractions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows processed one at a time get the same fractions as rows processed at once."""
    small = small_forest(7)
    fractions = small.forest.predict_distribution(small.X)
    monkeypatch.setattr(predictions, "CELLS_PER_BLOCK", 1)
    np.testing.assert_array_equal(small.forest.predict_distribution(small.X), fractions)


def test_all_trees_agree_on_training_rows() -> None:
    """The fraction of the correct class of a training row is 1."""
    prepared = small_forest(7).forest.prepared
    kept = prepared.problem.kept_rows
    fractions = small_forest(7).forest.predict_distribution(prepared.table.take(kept))
    np.testing.assert_array_equal(fractions[np.arange(len(kept)), prepared.labels.codes[kept]], 1)


def test_an_empty_table_is_rejected() -> None:
    """A table without rows raises an error."""
    forest = small_forest(7).forest
    with pytest.raises(InputError, match="at least one row"):
        forest.predict_distribution(forest.prepared.table.take([]))


def test_the_time_limit_raises_an_error() -> None:
    """The error states what was interrupted and what to do."""
    small = small_forest(7)
    with pytest.raises(UnfinishedError, match=r"time limit reached while predicting .* raise time_limit"):
        small.forest.predict_distribution(small.X, time_limit=0)
