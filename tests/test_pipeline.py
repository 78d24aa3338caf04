"""The whole path: raw table → binary problem → tree → raw table."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.strategies import tables
from hypothesis import given
from hypothesis import strategies as st

from puretree import BitsBinarizer, ConflictError, Tree, minimum_tree, prepare
from puretree.binarize import BINARIZERS
from puretree.datasets import load
from puretree.datasets.files import read_manifest


def small_tree(X: Any, y: Any, **options: Any) -> Tree:
    """Return the tree that is there before any engine starts."""
    tree = minimum_tree(X, y, time_limit=0, **options).tree
    assert tree is not None
    return tree


@given(tables(), st.sampled_from(sorted(BINARIZERS)), st.data())
def test_the_tree_is_right_on_every_kept_row(rows: list[list[Any]], name: str, data: st.DataObject) -> None:
    """Whatever the table, the tree predicts the label of every raw row that no conflict removed."""
    y = data.draw(st.lists(st.sampled_from("abc"), min_size=len(rows), max_size=len(rows)))
    tree = small_tree(rows, y, binarize=name, on_conflict="majority")
    kept = prepare(rows, y, binarize=name, on_conflict="majority").problem.kept_rows
    predicted = tree.predict([rows[row] for row in kept])
    assert predicted.tolist() == [y[row] for row in kept]
    assert tree.counts is not None
    assert tree.counts[0].sum() == len(kept)


@pytest.mark.parametrize("name", sorted(BINARIZERS))
@pytest.mark.parametrize("source", ["sklearn:iris", "sklearn:wine", "formula:monks-3", "formula:mux6"])
def test_data_sets_that_need_no_file(source: str, name: str) -> None:
    """The twin of the test below for machines without the paper's data."""
    dataset = load(source)
    tree = small_tree(dataset.table, dataset.target, binarize=name, on_conflict="majority")
    assert tree.n_nodes >= 2 * len(tree.classes) - 1


@pytest.mark.data
def test_every_data_set_of_the_paper(paper_folder: Path) -> None:
    """All tables of the paper go the whole way, in bits and in thresholds, and come back pure."""
    for name in sorted(read_manifest(paper_folder)):
        if name == "letter":
            continue  # 26 classes, 20,000 rows: a minute on its own, and nothing new
        dataset = load(f"file:{name}", folder=paper_folder)
        for binarize in ("bits", "thresholds"):
            tree = small_tree(dataset.table, dataset.target, binarize=binarize, on_conflict="majority")
            assert tree.counts is not None
            assert np.count_nonzero(tree.counts[tree.left < 0], axis=1).max() == 1, name


def test_contradictions_are_reported_with_the_rows_of_the_table() -> None:
    """Equal raw rows with different labels are named by their row numbers."""
    X = pd.DataFrame({"a": [1, 2, 1], "b": ["x", "y", "x"]})
    with pytest.raises(ConflictError, match=r"row 0 \(no\), row 2 \(yes\)"):
        prepare(X, ["no", "no", "yes"])


def test_bins_can_make_rows_contradict() -> None:
    """Rows that differ only within a bin contradict in bits but not in thresholds."""
    X = [[0.0], [0.1], [10.0]]
    with pytest.raises(ConflictError, match="finer features"):
        prepare(X, [0, 1, 1], binarize="bits")
    assert prepare(X, [0, 1, 1], binarize="thresholds").problem.n_examples == 3


def test_a_single_class_is_a_single_leaf() -> None:
    """With nothing to tell apart the tree is one leaf."""
    tree = small_tree([[1.0], [2.0]], ["same", "same"])
    assert tree.n_nodes == 1
    assert tree.to_text() == "same (2)"


def test_a_binariser_given_stays_as_it_is() -> None:
    """The pipeline fits a copy."""
    binarizer = BitsBinarizer(n_bins=4)
    prepared = prepare([[1.0], [2.0]], [0, 1], binarize=binarizer)
    assert not hasattr(binarizer, "features_")
    assert prepared.binarizer.get_params() == binarizer.get_params()
    assert not hasattr(prepared.binarizer, "feature_names_in_")
