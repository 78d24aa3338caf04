"""The methods by name: our classifiers with their options, and optional packages."""

from types import ModuleType
from typing import Any, Self

import numpy as np
import pytest

from puretree import PureTreeClassifier
from puretree.bench.classifiers import methods as module
from puretree.bench.classifiers.folds import LabelledRows
from puretree.bench.classifiers.method import Run
from puretree.bench.classifiers.methods import METHODS, NOT_A_TREE, REFERENCE, installed_methods, why_missing

MONKS = LabelledRows.load("formula:monks-1", None)
RUN = Run(seconds=7.0, memory=1e9, seed=5)


class Stub(PureTreeClassifier):
    """A pure tree with the interface of OptimalTreeClassifier."""

    def __init__(self, **options: Any) -> None:
        self.options = options
        super().__init__()

    def fit(self, X: Any, y: Any) -> Self:
        """Fit a pure tree."""
        pure = PureTreeClassifier().fit(X, y)
        self.__dict__ |= pure.__dict__
        return self

    def predict(self, X: Any) -> Any:
        """Predict class 0."""
        return np.zeros(len(X), dtype=int)


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace OptimalTreeClassifier."""
    monkeypatch.setattr(module, "OptimalTreeClassifier", Stub)


@pytest.mark.usefixtures("stub")
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("front-cv", {}),
        ("front-1se", {"rule": "one-se"}),
        ("front-teacher", {"selection": "teacher"}),
        ("front-vote", {"vote": 0.05}),
    ],
)
def test_methods_of_the_front_differ_in_their_options(name: str, options: dict[str, Any]) -> None:
    """Limits and the random state are those of the run."""
    trained = METHODS[name].train(MONKS, RUN)
    limits = {name: trained.model.options.pop(name) for name in ("memory_limit", "random_state")}
    assert limits == {"memory_limit": 1e9, "random_state": 5}
    assert 6 < trained.model.options.pop("time_limit") <= 7
    assert trained.model.options == options
    assert not trained.predict(MONKS.table).any()
    assert (trained.status, trained.n_nodes) == ("optimal", trained.model.tree_.n_nodes)


def test_pure_trees_have_no_errors() -> None:
    """The tree classifies every training row correctly, and is a minimum."""
    trained = METHODS["pure"].train(MONKS, RUN)
    assert (trained.predict(MONKS.table) == MONKS.codes).all()
    assert trained.status == "optimal"


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A method whose package is missing is left out; the message says how to install it."""
    monkeypatch.setattr(module, "find_spec", lambda name: None if name == "imodels" else ModuleType(name))
    assert set(METHODS) - set(installed_methods()) == {"fst-cv", "figs"}
    assert why_missing("cart") is None
    assert why_missing("figs") == 'needs imodels; run: pip install "puretree[front-peers]"'


def test_special_methods_exist() -> None:
    """The method that others are compared with is a tree, and needs no optional package."""
    assert REFERENCE in installed_methods()
    assert {REFERENCE, *NOT_A_TREE} <= set(METHODS)
    assert REFERENCE not in NOT_A_TREE
