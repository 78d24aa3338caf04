"""Sequences of calls to a classifier: its invariants hold after every call, and a failed call changes nothing.

scikit-learn does not specify the state of an estimator after a failed ``fit``. Here the state is unchanged: the
estimator stays fitted to the previous data, or unfitted.
"""

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import InvalidParameterError

from puretree import ConflictError, InfeasibleError, InputError, PureTreeClassifier, PuretreeError, UnfinishedError

COLUMNS = {
    "number": st.sampled_from([0.0, 1.0, 2.5, -3.0]) | st.none(),
    "category": st.sampled_from(["a", "b", "<i>"]) | st.none(),
    "flag": st.booleans(),
    "constant": st.just(7.0),
}
LABELS = [["no", "yes"], [0, 1, 2], [False, True], ["only"]]


@st.composite
def data_sets(draw: st.DrawFn) -> tuple[pd.DataFrame, list[Any]]:
    """Draw a table with missing values, categories, constant columns and contradictory rows, and its labels."""
    kinds = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=3))
    n_rows = draw(st.integers(1, 9))
    cells = {
        f"{kind} {i}": draw(st.lists(COLUMNS[kind], min_size=n_rows, max_size=n_rows)) for i, kind in enumerate(kinds)
    }
    for name in cells:  # a column of missing values alone has no kind, and is rejected
        cells[name][0] = {"n": 1.0, "c": "a", "f": True}[name[0]] if cells[name][0] is None else cells[name][0]
    classes = draw(st.sampled_from(LABELS))
    return pd.DataFrame(cells), draw(st.lists(st.sampled_from(classes), min_size=n_rows, max_size=n_rows))


PARAMETERS: dict[str, list[Any]] = {
    "on_conflict": ["majority", "drop", "raise", "warn"],
    "n_trees": ["all", 1, 2],
    "selection": ["consensus", "first", "holdout"],
    "binarize": ["thresholds", "onehot", "bits"],
    "max_depth": [None, 1, 3],
    "probabilities": ["leaf", "trees"],
    "max_leaf_nodes": [None, 1, 3, 9],
    "min_samples_leaf": [1, 2],
    "root": [None, 0, "unknown"],
    "random_state": [0, 1],
    "delta": [0.0, 0.5, 2.0],
}
FITTED = ("tree_", "n_nodes_", "lower_bound_", "upper_bound_", "status_", "classes_", "selection_scores_", "outcome_")


class Classifier(RuleBasedStateMachine):
    """A classifier, and the data, the parameters and the tree of its last fit."""

    @initialize()
    def begin(self) -> None:
        """Start with an unfitted classifier."""
        self.model = PureTreeClassifier(random_state=0)
        self.X: pd.DataFrame | None = None
        self.y: list[Any] = []
        self.fitted_with: dict[str, Any] = {}
        self.fitted_tree = ""

    @property
    def is_fitted(self) -> bool:
        """Whether a fit has succeeded."""
        return self.X is not None

    # Calls

    @rule(data=data_sets())
    def fit(self, data: tuple[pd.DataFrame, list[Any]]) -> None:
        """Fit, also again with other data; a failure changes nothing."""
        before = dict(vars(self.model))
        try:
            quiet_fit(self.model, *data)
        except (PuretreeError, ValueError) as error:
            if not is_expected(error, self.model):
                raise
            assert vars(self.model).keys() == before.keys()
            assert all(vars(self.model)[name] is value for name, value in before.items())
        else:
            self.X, self.y = data
            self.fitted_with = self.model.get_params()
            self.fitted_tree = self.model.tree_.to_json()

    @rule(data=st.data(), name=st.sampled_from(sorted(PARAMETERS)))
    def set_a_parameter(self, data: st.DataObject, name: str) -> None:
        """Set a parameter, valid or not: no fitted attribute changes."""
        value = data.draw(st.sampled_from(PARAMETERS[name]))
        before = {attribute: getattr(self.model, attribute, None) for attribute in FITTED}
        self.model.set_params(**{name: value})
        assert self.model.get_params()[name] == value
        assert all(getattr(self.model, attribute, None) is value for attribute, value in before.items())

    @rule()
    def clone_it(self) -> None:
        """Clone: the copy has the parameters, and is not fitted."""
        copy = clone(self.model)
        assert copy.get_params() == self.model.get_params()
        assert not hasattr(copy, "tree_")

    @precondition(lambda self: not self.is_fitted)
    @rule(method=st.sampled_from(["predict", "predict_proba", "rules", "export", "to_json", "select", "score"]))
    def use_it_unfitted(self, method: str) -> None:
        """Call a method before fit: NotFittedError."""
        table = pd.DataFrame({"number 0": [1.0]})
        arguments: dict[str, tuple[Any, ...]] = {"select": (table, [0]), "score": (table, [0])}
        with pytest.raises(NotFittedError):
            getattr(self.model, method)(*arguments.get(method, (table,) if method.startswith("predict") else ()))

    @precondition(lambda self: self.is_fitted)
    @rule(data=data_sets())
    def select_again(self, data: tuple[pd.DataFrame, list[Any]]) -> None:
        """Select by other rows: the size does not change; rows with other columns change nothing."""
        before, size = self.model.tree_, self.model.n_nodes_
        try:
            self.model.select(*data)
        except (PuretreeError, ValueError):
            assert self.model.tree_ is before
        assert self.model.n_nodes_ == size

    @precondition(lambda self: self.is_fitted)
    @rule()
    def get_all_trees(self) -> None:
        """Get all trees: they have the size of the chosen tree, which is one of them."""
        trees = self.model.trees_
        assert self.model.tree_ in trees
        assert trees.count == self.model.n_optimal_trees_
        assert all(tree.n_nodes == self.model.n_nodes_ for tree, _ in zip(trees, range(5), strict=False))

    @precondition(lambda self: self.is_fitted)
    @rule()
    def store_it(self) -> None:
        """Save and load with JSON and pickle: predictions are equal, and the unpickled classifier replaces this one.

        With a parameter that was set to an invalid value since the fit, there is no JSON, which could not be loaded.
        """
        copy = pickle.loads(pickle.dumps(self.model))
        try:
            loaded = PureTreeClassifier.from_json(self.model.to_json())
        except InvalidParameterError:
            assert self.model.get_params() != self.fitted_with
            loaded = copy
        for other in (loaded, copy):
            assert other.tree_ == self.model.tree_
            assert other.predict(self.X).tolist() == self.model.predict(self.X).tolist()
            assert other.certificate_ == self.model.certificate_
        self.model = copy

    @precondition(lambda self: self.is_fitted)
    @rule()
    def fit_a_twin(self) -> None:
        """Fit another classifier with the same data, parameters and seed: its JSON is equal, byte for byte."""
        twin = quiet_fit(PureTreeClassifier(**self.fitted_with), self.X, self.y)
        assert twin.tree_.to_json() == self.fitted_tree

    # Invariants

    @invariant()
    def bounds_are_those_of_the_tree(self) -> None:
        """Compare the size and the bounds with the tree: the status is optimal if and only if the bounds are equal."""
        if not self.is_fitted:
            assert not hasattr(self.model, "tree_")
            return
        model = self.model
        assert model.n_nodes_ == model.tree_.n_nodes
        assert model.lower_bound_ <= model.upper_bound_ == model.n_nodes_
        assert (model.status_ == "optimal") == (model.lower_bound_ == model.upper_bound_)

    @invariant()
    def it_classifies_the_training_rows_correctly(self) -> None:
        """Check that kept training rows are classified correctly, and that probabilities sum to 1."""
        if self.X is None:
            return
        model = self.model
        table, labels = model._result.training
        assert model.tree_.predict(table).tolist() == labels.tolist()
        predicted = model.predict(self.X)
        assert set(predicted.tolist()) <= set(self.y)
        if model.probabilities == "leaf":
            probabilities = model.predict_proba(self.X)
            assert np.allclose(probabilities.sum(axis=1), 1)
            assert probabilities.shape == (len(self.X), len(model.classes_))
        assert model.score(self.X, self.y) == np.mean([a == b for a, b in zip(predicted, self.y, strict=True)])


def quiet_fit(model: PureTreeClassifier, X: Any, y: Any) -> PureTreeClassifier:
    """Fit without warnings about contradictory rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


def is_expected(error: Exception, model: PureTreeClassifier) -> bool:
    """Whether a fit may raise this error: contradictory rows, infeasible constraints, or an invalid parameter."""
    if isinstance(error, ConflictError):
        return model.on_conflict == "raise"
    if isinstance(error, InfeasibleError):
        constraints = (model.max_depth, model.max_leaf_nodes, model.root)
        return model.min_samples_leaf > 1 or any(value is not None for value in constraints)
    return isinstance(error, InputError | UnfinishedError) or "parameter of PureTreeClassifier" in str(error)


def test_a_failed_fit_changes_nothing() -> None:
    """After a failed fit, the tree and the feature names are those of the previous data."""
    X = pd.DataFrame({"a": [0, 1], "b": [1, 1]})
    model = PureTreeClassifier(on_conflict="raise").fit(X, ["no", "yes"])
    with pytest.raises(ConflictError):
        model.fit(pd.DataFrame({"c": [0, 0]}), ["no", "yes"])
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.predict(X).tolist() == ["no", "yes"]


quick = settings(max_examples=20, stateful_step_count=10, deadline=None, suppress_health_check=list(HealthCheck))
TestClassifier = Classifier.TestCase
TestClassifier.settings = quick


@pytest.mark.slow
def test_longer_sequences() -> None:
    """The invariants hold in more and longer sequences of calls."""
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(Classifier, settings=settings(quick, max_examples=60, stateful_step_count=30))
