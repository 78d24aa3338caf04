"""Binary problems: merged features, conflicts, and the mapping to the original features."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puretree import BinaryProblem, ConflictError, InputError, Tree

XOR = [[0, 0], [0, 1], [1, 0], [1, 1]]


@st.composite
def labelled_matrices(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Draw few distinct rows, so that duplicates and conflicts are common."""
    n_rows, n_features = draw(st.integers(1, 25)), draw(st.integers(0, 4))
    cells = st.lists(st.integers(0, 1), min_size=n_features, max_size=n_features)
    rows = draw(st.lists(cells, min_size=n_rows, max_size=n_rows))
    y = draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    return np.array(rows, dtype=bool).reshape(n_rows, n_features), np.array(y)


def labels_by_row(X: np.ndarray, y: np.ndarray) -> dict[tuple[bool, ...], set[int]]:
    """Return the labels of each distinct row."""
    labels_of: dict[tuple[bool, ...], set[int]] = {}
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        labels_of.setdefault(tuple(row), set()).add(label)
    return labels_of


@given(labelled_matrices())
def test_majority_keeps_the_rows_of_the_most_frequent_label(
    data: tuple[np.ndarray, np.ndarray],
) -> None:
    """Each distinct row becomes one example with its most frequent label, weighted by the rows with that label."""
    X, y = data
    problem = BinaryProblem.from_rows(X, y, on_conflict="majority")
    assert problem.n_examples == len(labels_by_row(X, y))
    assert problem.weights.sum() == len(problem.kept_rows)
    for row in range(len(y)):
        same = y[(X[row] == X).all(axis=1)]
        counts = np.bincount(same)
        example = problem.example_of_row[row]
        if counts[y[row]] < counts.max() or y[row] != counts.argmax():
            assert example == -1
        else:
            assert problem.classes[problem.labels[example]] == y[row]
            assert problem.weights[example] == counts.max()


@given(labelled_matrices())
def test_drop_removes_all_contradictory_rows(data: tuple[np.ndarray, np.ndarray]) -> None:
    """With "drop", exactly the rows without a conflict are kept."""
    X, y = data
    labels_of = labels_by_row(X, y)
    expected = [row for row in range(len(y)) if len(labels_of[tuple(X[row].tolist())]) == 1]
    if not expected:
        with pytest.raises(InputError, match="leaves none"):
            BinaryProblem.from_rows(X, y, on_conflict="drop")
    else:
        problem = BinaryProblem.from_rows(X, y, on_conflict="drop")
        assert problem.kept_rows.tolist() == expected


@given(labelled_matrices())
def test_all_conflicts_are_reported_with_their_rows(data: tuple[np.ndarray, np.ndarray]) -> None:
    """The conflicts are exactly the groups of equal rows with more than one label."""
    X, y = data
    expected = set()
    for row, labels in labels_by_row(X, y).items():
        if len(labels) > 1:
            expected.add(tuple(np.flatnonzero((row == X).all(axis=1)).tolist()))
    problem = BinaryProblem.from_rows(X, y, on_conflict="majority")
    assert {conflict.rows for conflict in problem.conflicts} == expected
    for conflict in problem.conflicts:
        assert list(conflict.labels) == y[list(conflict.rows)].tolist()


@given(labelled_matrices())
def test_features_are_merged_without_loss(data: tuple[np.ndarray, np.ndarray]) -> None:
    """Every original feature is constant, or equal or complementary to its merged feature."""
    X, y = data
    problem = BinaryProblem.from_rows(X, y, on_conflict="majority")
    rows = problem.kept_rows
    features = problem.features.unpack()[:, problem.example_of_row[rows]]
    for original in range(X.shape[1]):
        values = X[rows, original]
        feature = problem.merge.feature_of_original[original]
        if feature < 0:
            assert len(set(values.tolist())) == 1
        else:
            flipped = problem.merge.flipped[original]
            np.testing.assert_array_equal(values, features[feature] ^ flipped)
            assert (original, bool(flipped)) in problem.merge.alternatives(feature)
    for feature, original in enumerate(problem.merge.original_of_feature):
        np.testing.assert_array_equal(X[rows, original], features[feature])
    distinct = {min(tuple(f), tuple(~f)) for f in features}
    assert len(distinct) == problem.n_features


@given(labelled_matrices())
def test_classes_partition_the_examples(data: tuple[np.ndarray, np.ndarray]) -> None:
    """In the bits by class, every example is in exactly the row of its label."""
    problem = BinaryProblem.from_rows(*data, on_conflict="majority")
    dense = problem.class_bits.unpack()
    assert dense.shape == (len(problem.classes), problem.n_examples)
    assert (dense.sum(axis=0) == 1).all()
    np.testing.assert_array_equal(dense.argmax(axis=0), problem.labels)


def test_restore_maps_a_tree_to_the_original_features() -> None:
    """A tree over merged features becomes a tree over original features with the same predictions."""
    X = np.array([[1, row[0], 1 - row[0], row[1]] for row in XOR])
    problem = BinaryProblem.from_rows(X, ["a", "b", "b", "a"])
    assert problem.merge.feature_of_original.tolist() == [-1, 0, 0, 1]
    assert problem.merge.alternatives(0) == [(1, False), (2, True)]
    tree = Tree.from_nested((0, (1, "a", "b"), (1, "b", "a")))
    assert problem.is_pure(tree)
    assert not problem.is_pure(Tree.from_nested((0, "a", "b")))
    restored = problem.restore(tree)
    assert restored.features == (1, 3)
    assert restored.predict(X).tolist() == ["a", "b", "b", "a"]


def test_the_conflict_error_names_rows_labels_and_the_remedy() -> None:
    """By default conflicts raise an error that lists the row numbers and labels and says what to do."""
    X = [[0], [1], [0], [1], [0]]
    with pytest.raises(ConflictError, match=r"row 0 \(a\), row 2 \(b\), row 4 \(a\)") as caught:
        BinaryProblem.from_rows(X, ["a", "c", "b", "c", "a"], on_conflict="raise")
    assert "on_conflict='majority'" in str(caught.value)
    assert caught.value.conflicts[0].rows == (0, 2, 4)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    assert copy.conflicts == caught.value.conflicts


def test_a_conflict_shows_a_row_of_each_label() -> None:
    """A row of each label is listed first, even if many rows have the same label."""
    with pytest.raises(ConflictError, match=r"row 0 \(a\), row 20 \(b\), row 1 \(a\)"):
        BinaryProblem.from_rows([[0]] * 21, ["a"] * 20 + ["b"], on_conflict="raise")


def test_many_classes_take_little_memory() -> None:
    """Twenty thousand rows and classes are counted without a matrix of rows by classes."""
    X = [[int(bit) for bit in f"{i:015b}"] for i in range(20_000)]
    problem = BinaryProblem.from_rows(X, list(range(20_000)))
    assert problem.n_classes == 20_000
    assert (problem.weights == 1).all()


def test_many_conflicts_give_a_short_message() -> None:
    """The message is short however many conflicts there are."""
    X = [[int(bit) for bit in f"{i:06b}"] for i in range(64)] * 2
    with pytest.raises(ConflictError) as caught:
        BinaryProblem.from_rows(X, [0] * 64 + [1] * 64, on_conflict="raise")
    assert len(caught.value.conflicts) == 64
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    ("X", "y", "match"),
    [
        (np.zeros((0, 2)), [], "empty"),
        ([[0, 1]], [0, 1], "1 row but y has 2"),
        ([[0, 2]], [0], "row 0, column 1"),
        ([0, 1], [0, 1], "2-D"),
        ([[0]], [np.nan], "NaN"),
    ],
)
def test_invalid_matrices_raise(X: object, y: object, match: str) -> None:
    """Invalid shapes and values raise InputError with their position."""
    with pytest.raises(InputError, match=match):
        BinaryProblem.from_rows(X, y)


def test_an_unknown_on_conflict_raises() -> None:
    """The message lists the valid values of on_conflict."""
    with pytest.raises(InputError, match="warn, majority, drop, raise"):
        BinaryProblem.from_rows([[0]], [0], on_conflict="keep")


def test_the_smallest_problems() -> None:
    """One row, one class and no features are valid."""
    one_row = BinaryProblem.from_rows([[0, 1]], ["a"])
    assert (one_row.n_examples, one_row.n_features, one_row.n_classes) == (1, 0, 1)
    no_features = BinaryProblem.from_rows(np.zeros((3, 0)), ["a", "a", "a"])
    assert (no_features.n_examples, no_features.weights.tolist()) == (1, [3])
    with pytest.raises(ConflictError):
        BinaryProblem.from_rows(np.zeros((2, 0)), ["a", "b"], on_conflict="raise")


def test_ten_thousand_features() -> None:
    """In a problem with many features, complements are merged."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(60, 10_000))
    X[:, 5000:] = 1 - X[:, :5000]
    problem = BinaryProblem.from_rows(X, rng.integers(0, 2, size=60))
    assert problem.n_features == 5000
    assert problem.merge.flipped[5000:].all()
