"""Problems of large tables: the same as explicit ones, without a matrix of features."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.mixed_tables import GRADES, allowed_features, mixed_table, ordinal_problems, random_tree

from puretree import BinaryProblem, ConflictError, ConflictWarning, InputError, Tree, prepare
from puretree.binarize import ThresholdBinarizer
from puretree.errors import FeaturesTooLargeError
from puretree.problem import OrdinalProblem
from puretree.problem.prepared import Prepared
from puretree.table import Table, read_table

N_TABLES = 60


def both(X: Any, y: Any, **options: Any) -> tuple[Prepared, Prepared]:
    """Prepare a table as an explicit problem, and as an ordinal one."""
    explicit = prepare(X, y, **options)
    with ordinal_problems():
        ordinal = prepare(X, y, **options)
    assert type(explicit.problem) is BinaryProblem
    assert type(ordinal.problem) is OrdinalProblem
    return explicit, ordinal


def options_of(seed: int, columns: list[str]) -> dict[str, Any]:
    """Return random options about columns and conflicts."""
    rng = np.random.default_rng([seed, 3])
    options: dict[str, Any] = {"on_conflict": ["majority", "drop"][seed % 2]}
    if seed % 3 == 0:
        options["forbidden"] = rng.choice(columns, 2, replace=False).tolist()
    if seed % 4 == 0:
        options["root"] = str(rng.choice([name for name in columns if name not in options.get("forbidden", ())]))
    if seed % 5 == 0:
        options["binarize"] = ThresholdBinarizer(max_cuts=2)
    return options


@pytest.mark.parametrize("seed", range(N_TABLES))
def test_examples_equal_the_explicit_ones(seed: int) -> None:
    """Examples, labels, weights and conflicts are the same, in the same order, also if rows have sample weights."""
    X, y = mixed_table(seed)
    options = options_of(seed, list(X.columns))
    if seed % 4 < 2:
        options["sample_weight"] = np.random.default_rng([seed, 4]).integers(0, 4, len(y)) / 3
    explicit, ordinal = (prepared.problem for prepared in both(X, y, **options))
    assert ordinal.labels.tolist() == explicit.labels.tolist()
    assert ordinal.weights.tolist() == explicit.weights.tolist()
    assert ordinal.example_of_row.tolist() == explicit.example_of_row.tolist()
    assert ordinal.kept_rows.tolist() == explicit.kept_rows.tolist()
    assert (ordinal.classes, ordinal.conflicts) == (explicit.classes, explicit.conflicts)
    assert (ordinal.n_examples, ordinal.n_classes) == (explicit.n_examples, explicit.n_classes)


@pytest.mark.parametrize("seed", range(N_TABLES))
def test_features_equal_those_of_the_binariser(seed: int) -> None:
    """The matrix made on demand, and a single feature, have the bits of the binariser; forbidden columns have zeros."""
    X, y = mixed_table(seed)
    explicit, prepared = both(X, y, **options_of(seed, list(X.columns)))
    problem, allowed = prepared.problem, allowed_features(prepared)
    bits = explicit.binarizer.transform_bits(explicit.table).unpack()
    assert problem.n_features == len(bits) == len(problem.costs)
    kept = problem.kept_rows
    expected = np.zeros((len(bits), problem.n_examples), dtype=bool)
    expected[:, problem.example_of_row[kept]] = bits[:, kept]
    expected[np.setdiff1d(np.arange(len(bits)), allowed)] = False
    np.testing.assert_array_equal(problem.features.unpack(), expected)
    np.testing.assert_array_equal(problem.examples.unpack(), expected.T)
    for feature in allowed:
        np.testing.assert_array_equal(problem.answers(feature), expected[feature])


@pytest.mark.parametrize("seed", range(N_TABLES))
def test_trees_are_applied_as_to_the_features(seed: int) -> None:
    """Leaves, purity and errors from codes are those from the bits of the binariser, and those of the decoded tree."""
    X, y = mixed_table(seed)
    _, prepared = both(X, y, **options_of(seed, list(X.columns)))
    problem, allowed = prepared.problem, allowed_features(prepared)
    rng = np.random.default_rng(seed)
    for _ in range(20 if allowed else 0):
        tree = random_tree(problem.classes, allowed, rng)
        leaves = tree.apply(problem.examples)
        assert problem.apply(tree).tolist() == leaves.tolist()
        is_wrong = tree.label[leaves] != problem.labels
        assert problem.is_pure(tree) == (not is_wrong.any())
        assert problem.n_errors(tree) == problem.weights[is_wrong].sum()
        assert problem.restore(tree) == tree
        decoded = prepared.decode_tree(tree, problem.n_errors(tree))  # checks the errors on the rows
        kept = problem.kept_rows
        assert decoded.apply(X.iloc[kept]).tolist() == leaves[problem.example_of_row[kept]].tolist()


@pytest.mark.parametrize("seed", range(N_TABLES))
def test_roots_are_the_features_of_the_column(seed: int) -> None:
    """The root may test the same features of the binariser as in the explicit problem, merged ones included."""
    X, y = mixed_table(seed)
    column = str(X.columns[seed % X.shape[1]])
    explicit, ordinal = both(X, y, on_conflict="majority", root=column)
    assert ordinal.roots is not None
    assert explicit.roots is not None
    merge = explicit.problem.merge
    merged = {int(merge.feature_of_original[feature]) for feature in ordinal.roots} - {-1}
    assert merged == set(explicit.roots)
    assert {ordinal.binarizer.features_[feature].column.name for feature in ordinal.roots} == {column}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_ordered_categories_of_both_libraries(make: Any) -> None:
    """Ordered categories of pandas and polars have thresholds, in the order of their levels."""
    grades = ["high", "low", "mid", "low", "top", None]
    dtype = pl.Enum(GRADES) if make is pl.DataFrame else pd.CategoricalDtype(GRADES, ordered=True)
    column = pl.Series(grades, dtype=dtype) if make is pl.DataFrame else pd.Series(grades, dtype=dtype)
    _, prepared = both(make({"grade": column}), ["b", "a", "a", "a", "b", "c"])
    codes = prepared.problem.codes
    assert codes.is_ordered.tolist() == [1]
    assert codes.values.tolist() == [[2, 0, 1, 3, 4]]  # of the distinct rows; a missing value comes last
    assert [str(feature) for feature in prepared.binarizer.features_][-1] == "grade is missing"


def test_conflicts_are_reported_as_for_small_tables() -> None:
    """The warning, the error and the row numbers of contradictory rows are the same."""
    X, y = [[1.0, "a"], [1.0, "a"], [2.0, "b"], [1.0, "a"]], [0, 1, 1, 0]
    messages = []
    for context in (pytest.MonkeyPatch.context, ordinal_problems):
        with context():
            with pytest.warns(ConflictWarning) as warnings:
                prepare(X, y)
            with pytest.raises(ConflictError) as error:
                prepare(X, y, on_conflict="raise")
            messages.append((str(warnings[0].message), str(error.value), error.value.conflicts))
    assert messages[0] == messages[1]
    assert "row 0 (0), row 1 (1), row 3 (0)" in messages[0][0]


def test_rows_of_a_merged_table_have_weights() -> None:
    """Rows that stand for several rows of the source count as often."""
    table = read_table([[1.0], [2.0], [2.0], [3.0]])
    weighted = Table(table.columns, table.n_rows, weights=np.array([5, 1, 3, 2]))
    explicit, ordinal = (prepared.problem for prepared in both(weighted, ["a", "a", "b", "a"], on_conflict="majority"))
    assert ordinal.weights.tolist() == explicit.weights.tolist() == [5, 3, 2]
    assert ordinal.labels.tolist() == explicit.labels.tolist()


def test_a_table_of_equal_rows_is_a_leaf() -> None:
    """Without any feature, or with all columns forbidden, the only tree is a leaf."""
    X, y = [[1.0, 2.0], [1.0, 3.0]], ["a", "a"]
    with ordinal_problems():
        assert prepare(X, y, forbidden=[0, 1]).problem.n_examples == 1
        assert prepare([[1.0], [1.0]], y).problem.n_examples == 1


def test_features_beyond_the_memory_limit_are_an_error() -> None:
    """The error is an InputError and a MemoryError, and names the size, the engine that needs none, and max_cuts."""
    rng = np.random.default_rng(0)
    X, y = rng.random((20_000, 10)), rng.integers(0, 2, 20_000)
    problem = prepare(X, y, memory_limit=4e8).problem
    assert isinstance(problem, OrdinalProblem)
    assert "features" not in vars(problem)
    with pytest.raises(FeaturesTooLargeError, match=r"199,9.. features of 20,000 examples would take 1.0 GB.*max_cuts"):
        _ = problem.features
    with pytest.raises(InputError):
        _ = problem.examples
    with pytest.raises(MemoryError):
        problem.class_bits, problem.examples  # noqa: B018


def test_no_matrix_of_features_is_made() -> None:
    """Preparing a table, applying a tree and decoding it make no matrix of features."""
    rng = np.random.default_rng(1)
    X, y = rng.random((500, 5)), rng.integers(0, 2, 500)
    with ordinal_problems(), pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("puretree.binarize.Binarizer.transform_bits", None)
        prepared = prepare(X, y)
        tree = Tree.from_nested((3, 0, (700, 1, 0)))
        prepared.decode_tree(tree, prepared.problem.n_errors(tree))
    assert not {"features", "examples", "merge"} & vars(prepared.problem).keys()


def test_ordinal_problems_can_be_pickled() -> None:
    """A problem that was pickled has the same codes, labels and features."""
    X, y = mixed_table(4)
    with ordinal_problems():
        problem = prepare(X, y, on_conflict="majority").problem
    copy = pickle.loads(pickle.dumps(problem))
    assert isinstance(copy, OrdinalProblem)
    assert copy.labels.tolist() == problem.labels.tolist()
    np.testing.assert_array_equal(copy.codes.values, problem.codes.values)
    np.testing.assert_array_equal(copy.features.words, problem.features.words)
    assert repr(copy) == repr(problem)
