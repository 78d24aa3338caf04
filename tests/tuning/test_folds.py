"""Folds: how rows are split, and the front of each training part."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, StratifiedKFold

from puretree import InputError, front
from puretree._support.clock import Clock
from puretree.selection import Rows, Teacher
from puretree.table import read_labels, read_table
from puretree.tuning.folds import FrontParameters, solve_fold, split_folds, training_rows

X = np.random.default_rng(0).integers(0, 5, (60, 3))
Y = np.random.default_rng(1).integers(0, 3, 60)
TABLE, LABELS = read_table(X), read_labels(Y, 60)


SPLITTER = StratifiedKFold(3, shuffle=True, random_state=7)


@pytest.mark.parametrize("cv", [3, SPLITTER, list(SPLITTER.split(X, Y))])
def test_folds_are_those_of_scikit_learn(cv: object) -> None:
    """A number, which is shuffled, a splitter and its splits give the same folds."""
    for fold, (training, validation) in zip(split_folds(TABLE, LABELS, cv, 7), SPLITTER.split(X, Y), strict=True):
        assert np.flatnonzero(fold.training).tolist() == training.tolist()
        assert np.flatnonzero(fold.validation).tolist() == validation.tolist()


def test_the_default_is_five_folds() -> None:
    """As in scikit-learn."""
    assert len(split_folds(TABLE, LABELS, None)) == len(split_folds(TABLE, LABELS)) == 5


def test_groups_are_given_as_splits() -> None:
    """A row may be in no fold, or in several."""
    groups = np.arange(60) % 4
    folds = split_folds(TABLE, LABELS, list(GroupKFold(4).split(X, Y, groups)))
    assert all(len(set(groups[fold.validation > 0])) == 1 for fold in folds)
    (twice,) = split_folds(TABLE, LABELS, [([0, 0, 1], [2])])
    assert twice.training[:3].tolist() == [2, 1, 0]


def test_the_largest_class_limits_the_number_of_folds() -> None:
    """No fold is empty, and a class of a single row is an error with a remedy."""
    table, labels = read_table([[0], [1], [2]]), read_labels(["a", "a", "b"], 3)
    with pytest.warns(UserWarning, match="least populated class"):
        assert len(split_folds(table, labels, 5)) == 2
    with pytest.raises(InputError, match="pass a price for each leaf"):
        split_folds(read_table([[0], [1]]), read_labels(["a", "b"], 2), 5)


def test_equal_rows_of_a_weighted_table_are_assigned_one_by_one() -> None:
    """The folds of a merged table are those of its rows repeated."""
    weights = np.random.default_rng(2).integers(1, 9, 60)
    merged = replace(TABLE, weights=weights)
    repeated = merged.repeated()
    codes = np.repeat(LABELS.codes, weights)
    folds = split_folds(merged, LABELS, StratifiedKFold(4))
    source = np.repeat(np.arange(60), weights)
    for fold, (training, _) in zip(folds, StratifiedKFold(4).split(np.zeros(len(codes)), codes), strict=True):
        assert fold.training.tolist() == np.bincount(source[training], minlength=60).tolist()
        assert (fold.training + fold.validation == weights).all()
    assert repeated.n_rows == sum(fold.validation.sum() for fold in folds)


def test_a_fold_is_a_function_of_plain_data() -> None:
    """A task and its result can be pickled; the trees are those of the front of the same rows."""
    (fold, *_) = split_folds(TABLE, LABELS, 3)
    rows = training_rows(Rows.read(TABLE, LABELS), fold, 0)
    task = pickle.loads(pickle.dumps((rows, FrontParameters(), (1, 3, 6, 9), 30.0)))
    found = pickle.loads(pickle.dumps(solve_fold(task)))
    training = np.flatnonzero(fold.training)
    expected = front(X[training], Y[training], max_nodes=9)
    assert {size: found.trees[size].tree for size in (1, 3, 6, 9)} == {
        size: expected.at(max_nodes=size).tree for size in (1, 3, 6, 9)
    }
    assert all(tree.is_proved for tree in found.trees.values())
    assert found.status == "optimal"
    for tree in found.trees.values():
        assert (tree.weights == tree.tree.counts).all()


def test_weights_in_the_leaves_include_class_weights() -> None:
    """As scikit-learn's trees count."""
    (fold, *_) = split_folds(TABLE, LABELS, 3)
    sample_weight = np.linspace(0.1, 1, 60)
    rows = training_rows(Rows.read(TABLE, LABELS, sample_weight), fold, 0)
    found = solve_fold((rows, FrontParameters(class_weight={1: 2.0}), (3,), 30.0))
    assert found is not None
    weights = sample_weight * np.where(Y == 1, 2, 1) * fold.training
    assert found.trees[3].weights[0] == pytest.approx(np.bincount(Y, weights))


def test_a_fold_without_time_has_no_front(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the features are not made in time, there is no tree; if they are, there is one of some size at least."""
    rows = Rows.read(TABLE, LABELS)
    found = solve_fold((rows, FrontParameters(), (9, 11), 0.0))
    assert found is not None
    assert list(found.trees) == [11]
    assert not found.trees[11].is_proved
    monkeypatch.setattr("puretree.problem.prepared.GRACE", -1.0)
    assert solve_fold((rows, FrontParameters(), (1, 9), 0.0)) is None


def test_a_fold_without_rows_is_an_error() -> None:
    """The message says which fold."""
    weights = np.where(np.arange(60) < 20, 1.0, 0.0)
    (fold,) = split_folds(TABLE, LABELS, [(np.arange(30, 60), np.arange(30))])
    with pytest.raises(InputError, match="fold 4 of cv has no training row with a weight"):
        training_rows(Rows.read(TABLE, LABELS, weights), fold, 4)


def test_parameters_hold_in_the_front() -> None:
    """Constraints and limits are those of ``front``."""
    parameters = FrontParameters(max_depth=2, min_samples_leaf=4, root=1, forbidden=[2])
    prepared = parameters.prepare(Rows.read(TABLE, LABELS), Clock())
    constraints = parameters.constraints(prepared, 7)
    assert (constraints.max_depth, constraints.min_samples_leaf, constraints.max_nodes) == (2, 4, 7)
    assert constraints.root == prepared.roots
    assert set(prepared.column_of_feature.tolist()) == {0, 1}


def test_the_teacher_of_a_fold_sees_its_training_rows_only() -> None:
    """Its soft labels are those of these rows, and mixed rows are made of them."""
    fold = split_folds(TABLE, LABELS, 3)[0]
    parameters = FrontParameters(max_depth=3).taught(Teacher(), np.random.RandomState(0), None)
    part = training_rows(Rows.read(TABLE, LABELS), fold, 0)
    prepared = parameters.prepare(part, Clock())
    assert prepared.table.n_rows == part.table.n_rows == 40
    assert prepared.solved_table.n_rows == 80
    solved = solve_fold((part, parameters, [1, 3, 5], 60.0))
    assert solved is not None
    assert all(tree.tree.counts[0].sum() == 40 for tree in solved.trees.values())
    others = X[fold.validation > 0]
    rare = [value for value in range(5) if not (part.table.columns[0].values == value).any()]
    assert not np.isin(prepared.solved_table.columns[0].values, rare).any()
    assert len(others) == 20
