"""Cross-validation: scores, results and rules."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import accuracy_score
from sklearn.model_selection import StratifiedKFold

from puretree import InputError, front
from puretree._support.clock import Clock
from puretree.selection import Rows
from puretree.table import read_labels, read_table
from puretree.tuning.cross_validation import CrossValidation, cross_validate
from puretree.tuning.folds import FrontParameters, solve_fold, split_folds

X = np.random.default_rng(0).integers(0, 4, (90, 3))
Y = np.where(np.random.default_rng(1).random(90) < 0.2, 1 - (X[:, 0] > 1), X[:, 0] > 1).astype(int)
SIZES = (1, 3, 7, 9)


def validate(sample_weight: Any = None, cv: Any = 3, clock: Clock | None = None, **options: Any) -> Any:
    """Score the trees of some sizes."""
    table, labels = read_table(X), read_labels(Y, len(Y))
    rows, parameters = Rows.read(table, labels, sample_weight), FrontParameters(**options)
    prepared = parameters.prepare(rows, Clock())
    folds = split_folds(table, labels, cv)
    return cross_validate(rows, prepared, SIZES, folds, parameters, clock=clock or Clock())


@pytest.mark.parametrize("has_weights", [False, True])
def test_scores_are_accuracies(has_weights: bool) -> None:
    """Those of scikit-learn, of the trees that ``front`` finds for the training rows, named as by GridSearchCV."""
    weights = np.random.default_rng(2).integers(0, 4, 90) / 4 if has_weights else np.ones(90)
    results = validate(weights if has_weights else None).to_dict()
    expected = np.zeros((3, len(SIZES)))
    for index, (training, validation) in enumerate(StratifiedKFold(3, shuffle=True, random_state=0).split(X, Y)):
        whole = front(X[training], Y[training], sample_weight=weights[training], max_nodes=SIZES[-1])
        for column, size in enumerate(SIZES):
            predicted = whole.at(max_nodes=size).tree.predict(X[validation])
            expected[index, column] = accuracy_score(Y[validation], predicted, sample_weight=weights[validation])
    found = np.array([results[f"split{index}_test_score"] for index in range(3)])
    assert found == pytest.approx(expected)
    assert results["mean_test_score"] == pytest.approx(expected.mean(axis=0))
    assert results["std_test_score"] == pytest.approx(expected.std(axis=0))
    assert results["param_max_nodes"].tolist() == list(SIZES)
    assert results["params"] == [{"max_nodes": size} for size in SIZES]
    assert results["rank_test_score"][results["mean_test_score"].argmax()] == 1
    assert results["n_proved"].shape == (len(SIZES),)


@pytest.mark.parametrize(
    "options", [{"class_weight": {1: 3.0}}, {"class_weight": "balanced"}, {"cost_matrix": [[0, 2], [5, 0]]}]
)
def test_scores_are_minus_the_mean_cost(options: dict[str, Any]) -> None:
    """Where errors do not all cost the same; the weights of classes are those of all rows, the fronts' their own."""
    class_weight, matrix = options.get("class_weight"), np.array(options.get("cost_matrix", [[0, 1], [1, 0]]))
    of_class = {None: [1.0, 1.0], "balanced": list(90 / (2 * np.bincount(Y)))}
    per_row = np.array([1.0, 3.0] if isinstance(class_weight, dict) else of_class[class_weight])[Y]
    results = validate(**options).to_dict()
    for index, (training, validation) in enumerate(StratifiedKFold(3, shuffle=True, random_state=0).split(X, Y)):
        whole = front(X[training], Y[training], max_nodes=SIZES[-1], **options)
        for column, size in enumerate(SIZES):
            predicted = whole.at(max_nodes=size).tree.predict(X[validation])
            costs = per_row[validation] * matrix[Y[validation], predicted]
            score = -costs.sum() / per_row[validation].sum()
            assert results[f"split{index}_test_score"][column] == pytest.approx(score)


def scored(scores: list[list[float]]) -> CrossValidation:
    """Return a cross-validation with some scores."""
    return CrossValidation(tuple(2 * i + 1 for i in range(len(scores[0]))), (), (), np.array(scores), 0)


def test_the_best_size_is_the_smallest_of_the_best() -> None:
    """Means that differ by rounding errors are equal."""
    assert scored([[0.5, 0.9, 0.9], [0.5, 0.7, 0.7]]).best("best") == 1
    assert scored([[0.1, 0.2, 0.3], [0.1, 0.3, 0.1], [0.1, 0.1, 0.2]]).best("best") == 1  # sums of other orders
    assert scored([[-3.0, -1.0, -2.0]]).best("best") == 1


def test_one_standard_error() -> None:
    """The smallest size whose mean is within one standard error of the best mean."""
    scores = [[0.70, 0.78, 0.80, 0.79], [0.72, 0.84, 0.90, 0.90]]
    validated = scored(scores)
    error = np.std([0.80, 0.90], ddof=1) / np.sqrt(2)
    assert validated.best("best") == 2
    assert 0.85 - error == pytest.approx(0.80)
    assert validated.best("one-se") == 1
    assert scored([[0.5, 0.9, 0.91]]).best("one-se") == 2  # one fold has no standard error
    assert scored([[0.5, 0.9], [0.5, 0.9]]).best("one-se") == 1


def test_an_interrupt_keeps_the_folds_that_are_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it comes while a fold is searched, which ends the search, or at another time."""
    calls: list[Any] = []

    def second_is_interrupted(task: Any) -> Any:
        calls.append(task)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return solve_fold(task)

    monkeypatch.setattr("puretree.tuning.cross_validation.solve_fold", second_is_interrupted)
    clock = Clock()
    validated = validate(clock=clock)
    assert clock.is_stopped
    assert (len(validated.fronts), validated.n_missing, validated.is_complete) == (1, 2, False)
    calls.append(None)  # the next call is the first of none
    monkeypatch.setattr("puretree.tuning.cross_validation.solve_fold", lambda task: None)
    assert validate() is None


def test_sizes_without_time_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sizes are compared for which every fold had time, and the results say that there are others."""
    n_trees = iter((2, 3, 4, 0, 3, 4))

    def shorter(task: Any) -> Any:
        found = solve_fold(task)
        assert found is not None
        return replace(found, trees=dict(list(found.trees.items())[: next(n_trees)]))

    monkeypatch.setattr("puretree.tuning.cross_validation.solve_fold", shorter)
    validated = validate()
    assert (validated.sizes, validated.n_skipped, validated.is_complete) == ((3, 9), 2, False)
    assert validated.to_dict()["mean_test_score"].shape == validated.n_proved.shape == (2,)
    validated = validate()  # the first fold had no time
    assert (validated.sizes, validated.n_missing, validated.n_skipped) == ((1, 3, 9), 1, 1)


def test_folds_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each gets an equal part of the time that is left; what one does not use is for the others."""
    seconds = []

    def note(task: Any) -> Any:
        seconds.append(task[-1])
        return solve_fold(task)

    monkeypatch.setattr("puretree.tuning.cross_validation.solve_fold", note)
    validate(clock=Clock(90))
    assert seconds == pytest.approx([30, 45, 90], rel=0.1)


def test_without_validation_rows_there_is_no_score() -> None:
    """The message says which fold."""
    weights = np.where(np.arange(90) < 45, 1.0, 0.0)
    with pytest.raises(InputError, match="fold 0 of cv has no validation row with a weight"):
        validate(weights, cv=[(np.arange(45), np.arange(45, 90))])
