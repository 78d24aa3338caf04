"""The pipeline: raw table → binary problem → tree → raw table, with the same parameters everywhere."""

import time
import warnings
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.strategies import quick_binarizer, tables
from hypothesis import given
from hypothesis import strategies as st

from puretree import (
    BitsBinarizer,
    ConflictError,
    ConflictWarning,
    PureTreeClassifier,
    Tree,
    UnfinishedWarning,
    choose_tree,
    compare,
    minimum_tree,
    minimum_trees,
    mpdt,
    prepare,
)
from puretree.binarize import BINARIZERS
from puretree.cli.fit import fit
from puretree.datasets import load
from puretree.datasets.files import read_manifest
from puretree.table import read_table


def small_tree(X: Any, y: Any, **options: Any) -> Tree:
    """Return the heuristic tree that exists before any engine starts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnfinishedWarning)
        tree = minimum_tree(X, y, time_limit=0, **options).tree
    assert tree is not None
    return tree


@given(tables(), st.sampled_from(sorted(BINARIZERS)), st.data())
def test_the_tree_is_pure_on_every_kept_row(rows: list[list[Any]], name: str, data: st.DataObject) -> None:
    """Whatever the table, the tree predicts the label of every raw row that was not dropped as contradictory."""
    y = data.draw(st.lists(st.sampled_from("abc"), min_size=len(rows), max_size=len(rows)))
    options: Any = {"binarize": quick_binarizer(name), "on_conflict": "majority"}
    tree = small_tree(rows, y, **options)
    kept = prepare(rows, y, **options).problem.kept_rows
    predicted = tree.predict([rows[row] for row in kept])
    assert predicted.tolist() == [y[row] for row in kept]
    assert tree.counts is not None
    assert tree.counts[0].sum() == len(kept)


@pytest.mark.parametrize("name", sorted(BINARIZERS))
@pytest.mark.parametrize("source", ["sklearn:iris", "sklearn:wine", "formula:monks-3", "formula:mux6"])
def test_data_sets_that_need_no_file(source: str, name: str) -> None:
    """The twin of the test below for machines without the paper's data."""
    dataset = load(source)
    tree = small_tree(dataset.table, dataset.target, binarize=quick_binarizer(name), on_conflict="majority")
    assert tree.n_nodes >= 2 * len(tree.classes) - 1


@pytest.mark.data
@pytest.mark.filterwarnings("ignore:the labels look")
def test_every_data_set_of_the_paper(paper_folder: Path) -> None:
    """The pipeline returns a pure tree for every table of the paper, in bits and in thresholds."""
    for name in sorted(read_manifest(paper_folder)):
        if name == "letter":
            continue  # 26 classes, 20,000 rows: takes a minute
        dataset = load(f"file:{name}", folder=paper_folder)
        for binarize in ("bits", "thresholds"):
            tree = small_tree(dataset.table, dataset.target, binarize=binarize, on_conflict="majority")
            assert tree.counts is not None
            assert np.count_nonzero(tree.counts[tree.left < 0], axis=1).max() == 1, name


@pytest.mark.parametrize("function", [prepare, minimum_tree, minimum_trees, choose_tree, mpdt, compare])
def test_contradictory_rows_warn_everywhere(function: Any) -> None:
    """By default every function warns, names the rows of the table, and points to the caller."""
    X = pd.DataFrame({"a": [1, 2, 1, 3] * 10, "b": ["x", "y", "x", "y"] * 10})
    with pytest.warns(ConflictWarning, match=r"rows contradict each other.*row \d+ \(no\), row \d+ \(yes\)") as caught:
        function(X, ["no", "no", "yes", "yes"] * 10, **{"engines": ["search"]} if function is compare else {})
    assert {warning.filename for warning in caught} == {__file__}


def test_contradictory_rows_raise_an_error_on_request() -> None:
    """The error names the rows of the table."""
    X = pd.DataFrame({"a": [1, 2, 1], "b": ["x", "y", "x"]})
    with pytest.raises(ConflictError, match=r"row 0 \(no\), row 2 \(yes\)"):
        prepare(X, ["no", "no", "yes"], on_conflict="raise")


PARAMETERS = [
    *("engine", "binarize", "on_conflict", "max_depth", "max_leaf_nodes", "min_samples_leaf", "root", "forbidden"),
    *("feature_costs", "time_limit", "memory_limit"),
]


def test_parameters_have_one_name_and_one_default_everywhere() -> None:
    """Functions, classifier and command line agree on every parameter that they share."""
    functions = [minimum_tree, minimum_trees, choose_tree, PureTreeClassifier.__init__]
    defaults = [{name: p.default for name, p in signature(f).parameters.items()} for f in functions]
    for name in PARAMETERS:
        assert len({repr(of[name]) for of in defaults}) == 1, name
    shared = set(defaults[-2]) & set(defaults[-1])
    assert {"selection", "selection_size", "delta", "n_trees", "diversity", "layout_depth"} <= shared
    assert {"n_jobs", "random_state"} <= shared
    assert all(defaults[-2][name] == defaults[-1][name] for name in shared - {"self"})
    options = {name: p.default for name, p in signature(fit).parameters.items()}
    assert set(PARAMETERS) | shared - {"self", "verbose"} <= set(options)
    same = {name for name in shared & set(options) if options[name] == defaults[-1][name]}
    # The command line writes the limit as text, and has a fixed seed, since it has no global random state.
    assert shared & set(options) - same == {"time_limit", "random_state"}
    assert (options["time_limit"], options["random_state"]) == ("60", 0)


def test_the_clock_starts_with_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time that reading the table takes counts: for functions, and for the classifier."""

    def slow(X: Any) -> Any:
        time.sleep(0.3)
        return read_table(X)

    for module in ("problem.prepared", "selection.rules", "table.estimator_columns"):
        monkeypatch.setattr(f"puretree.{module}.read_table", slow)
    mux = load("formula:mux6")
    X = mux.table.to_dict()
    assert minimum_tree(pd.DataFrame(X), mux.target).seconds > 0.3
    assert PureTreeClassifier().fit(pd.DataFrame(X), mux.target).outcome_.seconds > 0.3


def test_a_table_that_was_read_is_not_read_again() -> None:
    """A Table is used as it is: the values of a prepared problem are those of the table that was given."""
    mux = load("formula:mux6")
    assert read_table(mux.table) is mux.table
    assert prepare(mux.table, mux.target).table is mux.table
    with pytest.raises(ValueError, match="read-only"):  # so a fitted model cannot change with it
        mux.table.columns[0].values[0] = 7.0


def test_bins_can_make_rows_contradictory() -> None:
    """Rows that differ only within a bin contradict in bits but not in thresholds."""
    X = [[0.0], [0.1], [10.0]]
    with pytest.raises(ConflictError, match="finer features"):
        prepare(X, [0, 1, 1], binarize="bits", on_conflict="raise")
    assert prepare(X, [0, 1, 1], binarize="thresholds").problem.n_examples == 3


def test_a_single_class_is_a_single_leaf() -> None:
    """With one class the tree is one leaf."""
    tree = small_tree([[1.0], [2.0]], ["same", "same"])
    assert tree.n_nodes == 1
    assert tree.to_text() == "same (2)"


def test_the_caller_s_binariser_is_unchanged() -> None:
    """The pipeline fits a copy."""
    binarizer = BitsBinarizer(n_bins=4)
    prepared = prepare([[1.0], [2.0]], [0, 1], binarize=binarizer)
    assert not hasattr(binarizer, "features_")
    assert prepared.binarizer.get_params() == binarizer.get_params()
    assert not hasattr(prepared.binarizer, "feature_names_in_")
