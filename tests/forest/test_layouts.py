"""Counts by shape, against listing all trees."""

from collections import Counter
from typing import Any

import pytest
from helpers.oracles.forest import shape_of
from helpers.small_forests import small_forest

from puretree import InputError
from puretree.forest import layouts


@pytest.mark.parametrize("extra", [0, 1, "band"])
@pytest.mark.parametrize("seed", range(25))
def test_layouts_are_those_of_all_trees(seed: int, extra: Any) -> None:
    """Every shape has the count found by listing, and the most frequent shapes come first."""
    small = small_forest(seed, extra)
    counted = small.forest.layouts()
    assert {layout.shape: layout.n_trees for layout in counted} == Counter(map(shape_of, small.trees))
    assert [layout.n_trees for layout in counted] == sorted((layout.n_trees for layout in counted), reverse=True)
    assert sum(layout.share for layout in counted) == pytest.approx(1)
    assert str(counted[0]).startswith(counted[0].shape)


def test_too_many_layouts_raise_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the shapes would not fit into memory, the message suggests a sample."""
    monkeypatch.setattr(layouts, "MAX_SHAPES", 10)
    with pytest.raises(InputError, match="a sample of the trees instead"):
        small_forest(3, 1).forest.layouts()
