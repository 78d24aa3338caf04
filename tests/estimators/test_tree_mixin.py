"""scikit-learn's methods of tree classifiers, and its tools that use them."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.tree import DecisionTreeClassifier

from puretree import DtMaxClassifier, InputError, PureTreeClassifier
from puretree.errors import NotKeptError
from puretree.maxsat import Linear

IRIS, SPECIES = load_iris(return_X_y=True, as_frame=True)
PURE = PureTreeClassifier(n_trees=1)
DTMAX = DtMaxClassifier(backend=Linear(isolated=False))
BOOSTED = DtMaxClassifier(depth=1, n_estimators=3, backend=Linear(isolated=False), random_state=0)
CLASSIFIERS = {"pure": PURE, "dtmax": DTMAX, "boosted": BOOSTED}


@pytest.fixture(scope="module", params=CLASSIFIERS)
def fitted(request: pytest.FixtureRequest) -> Any:
    """Return each classifier, fitted to the iris data."""
    return CLASSIFIERS[request.param].fit(IRIS, SPECIES)


def test_nodes_are_those_of_the_tree() -> None:
    """Depth, leaves, the leaf of each row and its path agree with each other and with the predictions."""
    for model in (PURE.fit(IRIS, SPECIES), DTMAX.fit(IRIS, SPECIES)):
        leaves, path = model.apply(IRIS), model.decision_path(IRIS)
        assert leaves.dtype == np.int64
        assert (model.tree_.left[leaves] < 0).all()
        np.testing.assert_array_equal(model.classes_[model.tree_.label[leaves]], model.predict(IRIS))
        assert issparse(path)
        assert path.shape == (len(IRIS), model.tree_.n_nodes)
        assert (path[:, [0]].toarray() == 1).all()
        assert (path[np.arange(len(IRIS)), leaves] == 1).all()
        assert path.sum(axis=1).max() == model.get_depth() + 1
        assert model.get_n_leaves() == len(np.unique(leaves))


def test_nodes_as_in_scikit_learn() -> None:
    """The equivalent scikit-learn tree has the same depth, leaves and importances, and groups the rows alike."""
    model = PURE.fit(IRIS, SPECIES)
    theirs = model.to_sklearn()
    assert isinstance(theirs, DecisionTreeClassifier)
    assert (model.get_depth(), model.get_n_leaves()) == (theirs.get_depth(), theirs.get_n_leaves())
    assert len({*zip(model.apply(IRIS), theirs.apply(IRIS), strict=True)}) == model.get_n_leaves()
    np.testing.assert_allclose(model.feature_importances_, theirs.feature_importances_)
    assert type(model.decision_path(IRIS)) is type(theirs.decision_path(IRIS))


def test_importances_and_log_probabilities(fitted: Any) -> None:
    """Importances are one nonnegative number per column with the sum 1; zero probabilities have logarithm -inf."""
    importances = fitted.feature_importances_
    assert importances.shape == (fitted.n_features_in_,)
    assert importances.min() >= 0
    assert importances.sum() == pytest.approx(1)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(fitted.predict_log_proba(IRIS), np.log(fitted.predict_proba(IRIS)))
    assert fitted.n_classes_ == 3


def test_importances_are_those_of_scikit_learn() -> None:
    """With sample weights and with boosting, importances are those of scikit-learn's stumps and of its AdaBoost."""
    X, y = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]] * 2), np.array([0, 0, 1, 1] * 2)
    weights = np.array([1.0, 2.0, 3.0, 1.0, 1.0, 2.0, 3.0, 1.0])
    stump = DecisionTreeClassifier(max_depth=1).fit(X, y, weights)
    ours = DtMaxClassifier(depth=1, backend=Linear(isolated=False)).fit(X, y, weights)
    np.testing.assert_allclose(ours.feature_importances_, stump.feature_importances_)
    X = np.array(np.meshgrid(*[[0, 1]] * 3)).reshape(3, -1).T
    majority = (X.sum(axis=1) > 1).astype(int)
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=3).fit(X, majority)
    boosted = DtMaxClassifier(depth=1, n_estimators=3, backend=Linear(isolated=False)).fit(X, majority)
    # Which column comes first is arbitrary: all three are alike.
    np.testing.assert_allclose(sorted(boosted.feature_importances_), sorted(theirs.feature_importances_))


def test_importances_of_categories_and_of_a_leaf() -> None:
    """Each raw column has one importance, whatever features are made of it; a single leaf has none."""
    table = pd.DataFrame({"colour": ["red", "blue", "green", "red"], "constant": [1, 1, 1, 1]})
    assert PURE.fit(table, ["a", "b", "c", "a"]).feature_importances_.tolist() == [1.0, 0.0]
    assert PURE.fit(table, ["a", "a", "a", "a"]).feature_importances_.tolist() == [0.0, 0.0]


def test_a_loaded_classifier_has_everything() -> None:
    """Importances, leaves and paths need no training rows; without row counts, importances name the reason."""
    model = PURE.fit(IRIS, SPECIES)
    loaded = PureTreeClassifier.from_json(model.to_json())
    np.testing.assert_array_equal(loaded.feature_importances_, model.feature_importances_)
    np.testing.assert_array_equal(loaded.apply(IRIS), model.apply(IRIS))
    assert (loaded.get_depth(), loaded.get_n_leaves()) == (model.get_depth(), model.get_n_leaves())
    loaded.tree_ = type(loaded.tree_)(
        model.tree_.feature, model.tree_.left, model.tree_.label, model.tree_.classes,
        predicates=model.tree_.predicates, n_columns=model.tree_.n_columns,
    )  # fmt: skip
    assert not hasattr(loaded, "feature_importances_")
    with pytest.raises(NotKeptError, match="numbers of training rows"):
        _ = loaded.feature_importances_


@pytest.mark.parametrize("method", ["get_depth", "get_n_leaves", "apply", "decision_path"])
def test_several_trees_have_no_single_answer(method: str) -> None:
    """What is defined for one tree raises an error for boosted trees that names ``trees_``."""
    model = BOOSTED.fit(IRIS, SPECIES)
    with pytest.raises(InputError, match=r"3 trees were boosted; use one of trees_"):
        getattr(model, method)(*[IRIS] * (method in ("apply", "decision_path")))


@pytest.mark.parametrize("make", [PureTreeClassifier, DtMaxClassifier])
def test_methods_require_fit(make: Any) -> None:
    """Before ``fit``, methods raise NotFittedError, and the attributes do not exist."""
    assert not hasattr(make(), "feature_importances_")
    assert not hasattr(make(), "n_classes_")
    for call in (make().get_depth, make().get_n_leaves, lambda: make().apply(IRIS), lambda: make().decision_path(IRIS)):
        with pytest.raises(NotFittedError):
            call()


def test_the_columns_are_checked() -> None:
    """``apply`` and ``decision_path`` reject another number of columns, as ``predict`` does."""
    model = PURE.fit(IRIS.to_numpy(), SPECIES)
    for method in (model.apply, model.decision_path):
        with pytest.raises(ValueError, match="features"):
            method(IRIS.to_numpy()[:, :2])


def test_the_random_state_changes_no_tree() -> None:
    """``random_state`` is accepted as in scikit-learn; the fit is deterministic."""
    trees = [BOOSTED.set_params(random_state=seed).fit(IRIS, SPECIES).trees_ for seed in (0, 1, None)]
    assert trees[0] == trees[1] == trees[2]
    with pytest.raises(ValueError, match="random_state"):
        DtMaxClassifier(random_state="seed").fit(IRIS, SPECIES)


def test_inspection(fitted: Any) -> None:
    """Permutation importance and partial dependence work, on data frames and arrays."""
    result = permutation_importance(fitted, IRIS, SPECIES, n_repeats=2, random_state=0)
    assert result.importances_mean.max() > 0.1
    dependence = partial_dependence(fitted, IRIS, ["petal width (cm)"], grid_resolution=5)
    assert dependence["average"].shape == (3, 5)
    assert np.ptp(dependence["average"]) > 0.1


def test_inspection_displays(fitted: Any) -> None:
    """The displays of partial dependence and of decision boundaries are drawn."""
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot
    from sklearn.inspection import DecisionBoundaryDisplay, PartialDependenceDisplay

    partial = PartialDependenceDisplay.from_estimator(fitted, IRIS, [3], target=1, grid_resolution=5)
    dependence = partial.pd_results[0]["average"][1]  # of versicolor: virginica has wider petals
    assert dependence[-1] < dependence.max()
    two = IRIS.iloc[:, 2:]
    model = clone(fitted)
    if isinstance(model, PureTreeClassifier):
        model.set_params(on_conflict="majority")
    model.fit(two, SPECIES)
    for response in ("predict", "predict_proba"):
        boundary = DecisionBoundaryDisplay.from_estimator(model, two, grid_resolution=20, response_method=response)
        assert len(np.unique(boundary.response)) > 1
    pyplot.close("all")


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_select_from_model(name: str) -> None:
    """SelectFromModel keeps the columns that the tree uses most."""
    selector = SelectFromModel(CLASSIFIERS[name], threshold="mean").fit(IRIS, SPECIES)
    importances = selector.estimator_.feature_importances_
    np.testing.assert_array_equal(selector.get_support(), importances >= importances.mean())
    assert 0 < selector.transform(IRIS).shape[1] < 4
    assert set(selector.get_feature_names_out()) < set(IRIS.columns)
