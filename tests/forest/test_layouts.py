"""Counts by shape, against listing all trees."""

from collections import Counter

import pytest
from helpers.oracles.forest import shape_of
from helpers.small_forests import small_forest

from puretree import InputError
from puretree.forest import layouts


@pytest.mark.parametrize("extra", range(2))
@pytest.mark.parametrize("seed", range(25))
def test_layouts_are_those_of_all_trees(seed: int, extra: int) -> None:
    """Every shape has its count, and the most frequent come first."""
    small = small_forest(seed, extra)
    found = small.forest.layouts()
    assert {layout.shape: layout.n_trees for layout in found} == Counter(map(shape_of, small.trees))
    assert [layout.n_trees for layout in found] == sorted((layout.n_trees for layout in found), reverse=True)
    assert sum(layout.share for layout in found) == pytest.approx(1)
    assert str(found[0]).startswith(found[0].shape)


def test_too_many_layouts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shapes can be more than memory holds; then the message says what to do instead."""
    monkeypatch.setattr(layouts, "MOST_SHAPES", 10)
    with pytest.raises(InputError, match="look at a sample"):
        small_forest(3, 1).forest.layouts()
