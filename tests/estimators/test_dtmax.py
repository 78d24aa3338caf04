"""DT(max) as a classifier: one tree with the fewest errors, or boosted trees."""

from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
from helpers.oracles.best_accuracy import fewest_errors
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from puretree import InputError, UnfinishedWarning
from puretree.datasets import load
from puretree.engines.dtmax import EncodingName
from puretree.estimators.dtmax import DtMaxClassifier, integer_weights, weighted_problem
from puretree.maxsat import Linear

IRIS = load("sklearn:iris")
IN_PROCESS = Linear(isolated=False)  # faster: no process is started for each tree


@pytest.mark.filterwarnings("default")  # the checks warn on purpose
@parametrize_with_checks([DtMaxClassifier(backend=IN_PROCESS)])
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    """Every scikit-learn check of a classifier passes; none is expected to fail."""
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@parametrize_with_checks([DtMaxClassifier(depth=1, n_estimators=3, backend=IN_PROCESS)])
def test_scikit_learn_checks_with_boosting(estimator: Any, check: Any) -> None:
    """Every scikit-learn check passes for boosted trees."""
    check(estimator)


def random_rows(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return binary features, classes and weights; contradictory rows are likely."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (25, 4)), rng.integers(0, 3, 25), rng.integers(0, 5, 25)


@pytest.mark.parametrize("depth", [1, 2])
def test_the_weighted_error_is_minimum(depth: int) -> None:
    """No tree of the depth has a smaller weighted error; contradictory rows count with their own labels."""
    for seed in range(15):
        X, y, weights = random_rows(seed)
        model = DtMaxClassifier(depth=depth, backend=IN_PROCESS).fit(X, y, weights)
        wrong = int(weights[model.predict(X) != y].sum())
        assert wrong == model.outcome_.n_errors == fewest_errors(X.tolist(), y.tolist(), depth, weights.tolist())
        assert model.tree_.depth <= depth
        assert not model.outcome_.is_minimum


def test_raw_tables() -> None:
    """Categories and missing values need no preparation, and the tree tests the columns."""
    table = pd.DataFrame({"income": [1.0, 2.0, None, 4.0], "home": ["rent", "own", None, "own"]})
    model = DtMaxClassifier().fit(table, ["no", "yes", "no", "yes"])
    assert model.predict(table).tolist() == ["no", "yes", "no", "yes"]
    assert "income" in str(model.tree_) or "home" in str(model.tree_)
    assert model.feature_names_in_.tolist() == ["income", "home"]


@pytest.mark.slow
def test_boosting_equals_that_of_scikit_learn() -> None:
    """Trees, weights and predictions equal those of scikit-learn's AdaBoost over the single tree."""
    X, y = IRIS.table, IRIS.target
    model = DtMaxClassifier(depth=1, n_estimators=3, binarize="bits", backend=IN_PROCESS).fit(X, y)
    reference = AdaBoostClassifier(DtMaxClassifier(depth=1, binarize="bits", backend=IN_PROCESS), n_estimators=3)
    numbers = np.column_stack([column.values for column in X.columns])
    reference.fit(numbers, y)
    assert len(model.trees_) == len(reference.estimators_) == 3
    assert model.estimator_weights_ == pytest.approx(reference.estimator_weights_)
    assert (model.predict(X) == reference.predict(numbers)).all()
    assert model.predict_proba(X) == pytest.approx(reference.predict_proba(numbers))
    assert model.score(X, y) > DtMaxClassifier(depth=1, binarize="bits").fit(X, y).score(X, y)


@pytest.mark.parametrize("column", [[0, 0, 0, 0], [0, 0, 1, 1]])
def test_boosting_no_better_than_chance_is_one_leaf(column: list[int]) -> None:
    """If no tree is better than chance, the result is a single leaf, boosted or not."""
    X, y = [[value] for value in column], [0, 1, 0, 1]
    model = DtMaxClassifier(n_estimators=5).fit(X, y)
    assert len(model.trees_) == 1
    assert model.tree_.n_nodes == 1
    assert model.outcome_.n_errors == 2
    assert model.predict_proba([[0]]).tolist() == [[0.5, 0.5]]


def test_a_time_limit_gives_a_tree_and_a_warning() -> None:
    """Without any time the tree is a leaf with the most frequent class, with a warning."""
    with pytest.warns(UnfinishedWarning, match="before the tree was proved"):
        model = DtMaxClassifier(depth=3, time_limit=0).fit(IRIS.table, IRIS.target)
    assert model.outcome_.status == "time_limit"
    assert model.tree_.n_nodes == 1


def test_weights_become_integers() -> None:
    """Integers are unchanged, equal weights become 1, others tenths of the mean; all weights 0 are rejected."""
    assert integer_weights(np.array([3.0, 6.0])).tolist() == [3, 6]
    assert integer_weights(np.full(7, 1 / 7)).tolist() == [1] * 7
    assert integer_weights(np.array([0.1, 0.2, 0.33])).tolist() == [5, 10, 16]
    with pytest.raises(InputError, match="at least one non-zero"):
        DtMaxClassifier().fit([[0], [1]], [0, 1], [0.0, 0.0])


def test_the_order_of_rows_makes_no_difference() -> None:
    """The same rows in another order, or repeated instead of weighted, give the same problem."""
    X, y, weights = random_rows(0)
    order = np.random.default_rng(1).permutation(np.repeat(np.arange(len(X)), weights))
    first = weighted_problem(X.astype(bool), y.astype(np.int32), weights, 3)
    ones = np.ones(len(order), dtype=np.int64)
    second = weighted_problem(X[order].astype(bool), y[order].astype(np.int32), ones, 3)
    assert (first.weights == second.weights).all()
    assert (first.labels == second.labels).all()
    assert (first.features.unpack() == second.features.unpack()).all()


def test_cloning_keeps_the_parameters() -> None:
    """A clone has the same parameters; invalid parameters are rejected by fit."""
    model = DtMaxClassifier(depth=3, n_estimators=7, backend="rc2")
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(ValueError, match="depth"):
        DtMaxClassifier(depth=0).fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match="'encoding' parameter"):
        DtMaxClassifier(encoding="shape").fit([[0], [1]], [0, 1])  # type: ignore[arg-type]


def test_both_encodings_have_the_same_errors() -> None:
    """The encoding changes the formula, not the fewest errors."""
    X, y, weights = random_rows(3)
    outcomes = [
        DtMaxClassifier(backend=IN_PROCESS, encoding=encoding).fit(X, y, weights).outcome_
        for encoding in get_args(EncodingName)
    ]
    assert [outcome.status for outcome in outcomes] == ["optimal", "optimal"]
    assert outcomes[0].n_errors == outcomes[1].n_errors


def test_a_failed_fit_changes_nothing() -> None:
    """After a failed fit the classifier predicts as before, with the previous columns."""
    model = DtMaxClassifier(depth=1, backend=IN_PROCESS).fit([[0, 1], [1, 1]], ["a", "b"])
    with pytest.raises(InputError):
        model.fit([[0], [1], [2]], ["a", None, "b"])
    assert model.predict([[0, 1], [1, 1]]).tolist() == ["a", "b"]


def test_grid_search_over_depths() -> None:
    """Every depth has a score, also those without a pure tree."""
    parity = np.array(np.meshgrid(*[[0, 1]] * 4)).reshape(4, -1).T
    X = np.tile(parity, (4, 1))
    search = GridSearchCV(DtMaxClassifier(backend=IN_PROCESS), {"depth": [1, 2, 3, 4]}, cv=2)
    search.fit(X, X.sum(axis=1) % 2)
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert (search.best_params_, scores[-1]) == ({"depth": 4}, 1.0)
