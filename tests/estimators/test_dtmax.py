"""DT(max) as a classifier: one tree with fewest errors, or boosted ones."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.oracles.best_accuracy import fewest_errors
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from puretree import InputError, UnfinishedWarning
from puretree.datasets import load
from puretree.estimators.dtmax import DtMaxClassifier, weighted_problem, whole_weights
from puretree.maxsat import Linear

IRIS = load("sklearn:iris")
HERE = Linear(isolated=False)  # saves the start of a process for each tree


@pytest.mark.filterwarnings("default")  # the checks warn on purpose
@parametrize_with_checks([DtMaxClassifier(backend=HERE)])
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    """Every check that scikit-learn has for a classifier passes; none is expected to fail."""
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@parametrize_with_checks([DtMaxClassifier(depth=1, n_estimators=3, backend=HERE)])
def test_scikit_learn_checks_with_boosting(estimator: Any, check: Any) -> None:
    """They pass for boosted trees as well."""
    check(estimator)


def random_rows(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return bits, classes and weights; contradictions are likely."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (25, 4)), rng.integers(0, 3, 25), rng.integers(0, 5, 25)


@pytest.mark.parametrize("depth", [1, 2])
def test_errors_are_the_fewest_with_contradictions(depth: int) -> None:
    """Every row counts by its weight under its own label, and no tree of the depth does better on all of them."""
    for seed in range(15):
        X, y, weights = random_rows(seed)
        model = DtMaxClassifier(depth=depth, backend=HERE).fit(X, y, weights)
        wrong = int(weights[model.predict(X) != y].sum())
        assert wrong == model.outcome_.n_errors == fewest_errors(X.tolist(), y.tolist(), depth, weights.tolist())
        assert model.tree_.depth <= depth
        assert not model.outcome_.is_minimum


def test_raw_tables_go_in() -> None:
    """Categories and gaps need no preparation, and the tree speaks of the columns."""
    table = pd.DataFrame({"income": [1.0, 2.0, None, 4.0], "home": ["rent", "own", None, "own"]})
    model = DtMaxClassifier().fit(table, ["no", "yes", "no", "yes"])
    assert model.predict(table).tolist() == ["no", "yes", "no", "yes"]
    assert "income" in str(model.tree_) or "home" in str(model.tree_)
    assert model.feature_names_in_.tolist() == ["income", "home"]


def test_boosting_is_that_of_scikit_learn() -> None:
    """The votes are AdaBoost's: the same trees and weights as scikit-learn's own over the single tree."""
    X, y = IRIS.table, IRIS.target
    model = DtMaxClassifier(depth=1, n_estimators=3, binarize="bits", backend=HERE).fit(X, y)
    theirs = AdaBoostClassifier(DtMaxClassifier(depth=1, binarize="bits", backend=HERE), n_estimators=3)
    numbers = np.column_stack([column.values for column in X.columns])
    theirs.fit(numbers, y)
    assert len(model.trees_) == len(theirs.estimators_) == 3
    assert model.estimator_weights_ == pytest.approx(theirs.estimator_weights_)
    assert (model.predict(X) == theirs.predict(numbers)).all()
    assert model.predict_proba(X) == pytest.approx(theirs.predict_proba(numbers))
    assert model.score(X, y) > DtMaxClassifier(depth=1, binarize="bits").fit(X, y).score(X, y)


@pytest.mark.parametrize("column", [[0, 0, 0, 0], [0, 0, 1, 1]])
def test_nothing_to_boost_is_one_leaf(column: list[int]) -> None:
    """Where no tree is better than chance, the most frequent class is left, boosted or not."""
    X, y = [[value] for value in column], [0, 1, 0, 1]
    model = DtMaxClassifier(n_estimators=5).fit(X, y)
    assert len(model.trees_) == 1
    assert model.tree_.n_nodes == 1
    assert model.outcome_.n_errors == 2
    assert model.predict_proba([[0]]).tolist() == [[0.5, 0.5]]


def test_the_limit_leaves_a_tree_and_a_warning() -> None:
    """With no time there is the most frequent class, and a warning."""
    with pytest.warns(UnfinishedWarning, match="1 of 1 trees"):
        model = DtMaxClassifier(depth=3, time_limit=0).fit(IRIS.table, IRIS.target)
    assert model.outcome_.status == "time_limit"
    assert model.tree_.n_nodes == 1


def test_weights_become_whole_numbers() -> None:
    """Whole weights stay, equal ones are 1 each, others are tenths of the average; none at all is refused."""
    assert whole_weights(np.array([3.0, 6.0])).tolist() == [3, 6]
    assert whole_weights(np.full(7, 1 / 7)).tolist() == [1] * 7
    assert whole_weights(np.array([0.1, 0.2, 0.33])).tolist() == [5, 10, 16]
    with pytest.raises(InputError, match="at least one non-zero"):
        DtMaxClassifier().fit([[0], [1]], [0, 1], [0.0, 0.0])


def test_the_order_of_rows_makes_no_difference() -> None:
    """The same rows in another order, or repeated instead of weighted, make the same problem."""
    X, y, weights = random_rows(0)
    order = np.random.default_rng(1).permutation(np.repeat(np.arange(len(X)), weights))
    one = weighted_problem(X.astype(bool), y.astype(np.int32), weights, 3)
    ones = np.ones(len(order), dtype=np.int64)
    other = weighted_problem(X[order].astype(bool), y[order].astype(np.int32), ones, 3)
    assert (one.weights == other.weights).all()
    assert (one.labels == other.labels).all()
    assert (one.features.unpack() == other.features.unpack()).all()


def test_cloning_keeps_the_parameters() -> None:
    """It is an estimator like others."""
    model = DtMaxClassifier(depth=3, n_estimators=7, backend="rc2")
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(ValueError, match="depth"):
        DtMaxClassifier(depth=0).fit([[0], [1]], [0, 1])


def test_a_failed_fit_leaves_the_older_one() -> None:
    """What was learnt before still holds, columns included."""
    model = DtMaxClassifier(depth=1, backend=HERE).fit([[0, 1], [1, 1]], ["a", "b"])
    with pytest.raises(InputError):
        model.fit([[0], [1], [2]], ["a", None, "b"])
    assert model.predict([[0, 1], [1, 1]]).tolist() == ["a", "b"]
