"""Teachers: what they say about rows that they have not seen, and about mixed rows."""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from puretree import InputError
from puretree._support.clock import Clock
from puretree.problem import prepare_costs
from puretree.selection import Rows, Teacher
from puretree.selection.teacher import as_numbers
from puretree.table import read_table

RANDOM = np.random.default_rng(0)
X, Y = RANDOM.normal(size=(60, 3)), RANDOM.integers(0, 3, 60)
FINE = 10**6  # levels


class Recorder(ClassifierMixin, BaseEstimator):
    """Predicts the first class, and knows which rows it has seen."""

    seen: ClassVar[list[set[float]]] = []
    asked: ClassVar[list[set[float]]] = []

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Recorder":
        """Remember the rows."""
        self.classes_ = np.unique(y)
        self.seen.append(set(X[:, 0].tolist()))
        return self

    def predict_proba(self, X: Any) -> Any:
        """Predict the first class."""
        self.asked.append(set(X[:, 0].tolist()))
        return np.eye(len(self.classes_))[np.zeros(len(X), dtype=int)]


@pytest.mark.parametrize(
    ("name", "model"), [("random-forest", RandomForestClassifier), ("extra-trees", ExtraTreesClassifier)]
)
def test_training_rows_have_out_of_bag_probabilities(name: str, model: Any) -> None:
    """They are those of scikit-learn's forest with oob_score; mixed rows have those of the whole forest."""
    soft = Teacher(name, n_levels=FINE).teach(Rows.read(X, Y), Clock(), np.random.RandomState(3))
    seed = np.random.RandomState(3).randint(np.iinfo(np.int32).max)
    forest = model(random_state=seed, bootstrap=True, oob_score=True).fit(X, Y)
    assert soft.of_rows == pytest.approx(forest.oob_decision_function_, abs=2 / FINE)
    assert soft.of_synthetic == pytest.approx(forest.predict_proba(as_numbers(soft.synthetic)), abs=2 / FINE)


def test_a_row_that_all_trees_have_seen_has_their_prediction() -> None:
    """A forest that had time for few trees has such rows; the probabilities of every row sum to 1."""
    clock = Clock(0.0)
    soft = Teacher().teach(Rows.read(X, Y), clock, np.random.RandomState(0))
    assert (soft.of_rows.sum(axis=1) == 1).all()
    alone = Teacher().teach(Rows.read([[0.0]], ["a"]), clock, np.random.RandomState(0))
    assert alone.of_rows.tolist() == alone.of_synthetic.tolist() == [[1]]


def test_other_teachers_are_fitted_to_the_other_parts() -> None:
    """A classifier without bootstrap predicts every row once without having seen it."""
    Recorder.seen.clear()
    Recorder.asked.clear()
    soft = Teacher(Recorder(), mixed_multiple=0).teach(Rows.read(X, Y), Clock(), np.random.RandomState(0))
    assert soft.synthetic.n_rows == len(soft.of_synthetic) == 0
    assert len(Recorder.asked) == 5
    assert set.union(*Recorder.asked) == set(X[:, 0].tolist())
    assert all(not seen & asked for seen, asked in zip(Recorder.seen[1:], Recorder.asked, strict=True))


def test_the_number_of_mixed_rows_is_a_multiple() -> None:
    """Of the number of training rows; each value of a mixed row is that of a training row."""
    soft = Teacher(mixed_multiple=2.5).teach(Rows.read(X, Y), Clock(), np.random.RandomState(0))
    assert soft.synthetic.n_rows == 150
    assert set(soft.synthetic.columns[1].values) <= set(X[:, 1])


def test_mixed_rows_of_a_merged_table_stand_for_several_rows() -> None:
    """There are as many rows of the source, and no more rows than in the merged table."""
    merged = replace(read_table(X), weights=np.full(60, 50))
    soft = Teacher().teach(Rows.read(merged, Y), Clock(), np.random.RandomState(0))
    assert (soft.synthetic.n_rows, soft.synthetic.total_weight) == (60, 3000)
    costs = prepare_costs(merged, Y, soft_labels=soft).solved_costs
    assert (costs.n_rows.tolist(), costs.total_weight) == ([50] * 120, 6000)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_same_seed_gives_the_same_labels(n_jobs: int) -> None:
    """Whatever the number of threads."""
    first, again = (
        Teacher().teach(Rows.read(X, Y), Clock(), np.random.RandomState(5), jobs) for jobs in (None, n_jobs)
    )
    assert (first.of_rows == again.of_rows).all()
    assert (first.of_synthetic == again.of_synthetic).all()


@pytest.mark.parametrize("options", [{"mixed_multiple": -1.0}, {"mixed_multiple": True}, {"n_levels": 0}])
def test_wrong_parameters_are_named(options: dict[str, Any]) -> None:
    """The message names the parameter and its value."""
    with pytest.raises(InputError, match="=".join(map(str, next(iter(options.items()))))):
        Teacher(**options)
