"""Explained votes, against the paths of each tree."""

from collections import Counter
from typing import Any

import pytest
from helpers.small_forests import small_forest

from puretree import UnfinishedError
from puretree.forest import ExplainedVote, votes
from puretree.tree import Tree


def columns_on_path(tree: Tree, row: Any) -> set[str]:
    """Return the columns that a tree tests on the path of a row."""
    columns, node = set(), 0
    leaf = int(tree.apply(row)[0])
    parent = {int(child) + side: at for at, child in enumerate(tree.left) if child >= 0 for side in (0, 1)}
    node = leaf
    while node in parent:
        node = parent[node]
        columns.add(tree.predicate(int(tree.feature[node])).column.name)
    return columns


@pytest.mark.parametrize("extra", [0, 1, "band"])
@pytest.mark.parametrize("seed", range(10))
def test_a_vote_is_that_of_all_trees(seed: int, extra: Any) -> None:
    """The shares of classes and of tested columns are those that listing all trees gives, the largest first."""
    small = small_forest(seed, extra)
    trees, explained = list(small.forest), small.forest.explain_vote(small.X)
    assert len(explained) == len(small.X)
    for index, vote in enumerate(explained):
        row = small.X[index : index + 1]
        classes = Counter(tree.predict(row)[0] for tree in trees)
        columns = Counter(name for tree in trees for name in columns_on_path(tree, row))
        assert vote.n_trees == len(trees)
        assert dict(vote.shares) == pytest.approx({label: n / len(trees) for label, n in classes.items()})
        assert dict(vote.columns) == pytest.approx({name: n / len(trees) for name, n in columns.items()})
        for shares in (vote.shares, vote.columns):
            assert list(shares.values()) == sorted(shares.values(), reverse=True)


def test_few_columns_may_be_counted_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is the same."""
    small = small_forest(4, "band")
    explained = small.forest.explain_vote(small.X)
    monkeypatch.setattr(votes, "CELLS_PER_BLOCK", 1)
    assert list(map(str, small.forest.explain_vote(small.X))) == list(map(str, explained))


def test_a_vote_is_readable() -> None:
    """A line about the classes, and one about the columns."""
    vote = ExplainedVote(1200, {"yes": 0.75, "no": 0.25}, {"age": 1.0, "pulse": 0.125})
    assert str(vote) == "1,200 trees: yes by 75.0%, no by 25.0%\ntested on the path: age by 100.0%, pulse by 12.5%"
    assert repr(vote) == (
        "<ExplainedVote: 1,200 trees: yes by 75.0%, no by 25.0%; tested on the path: age by 100.0%, pulse by 12.5%>"
    )
    assert str(ExplainedVote(1, {"yes": 1.0}, {})) == "1 tree: yes by 100.0%\ntested on the path: nothing"


def test_the_time_limit_raises_an_error() -> None:
    """The error says what took too long."""
    small = small_forest(7)
    with pytest.raises(UnfinishedError, match="explaining the vote of all trees"):
        small.forest.explain_vote(small.X, time_limit=0)
