"""The front and its cross-validation as plain values."""

import json
from typing import Any

import numpy as np
import pytest

from puretree.datasets import load
from puretree.errors import FormatError
from puretree.pipeline import choose_optimal_tree
from puretree.tuning import FrontRecord


def record_of_iris(**parameters: Any) -> FrontRecord:
    """Return the record of a fit of iris."""
    iris = load("sklearn:iris")
    options: dict[str, Any] = {"binarize": "thresholds", "selection": "first", "random_state": 0}
    return FrontRecord.of(choose_optimal_tree(iris.table, iris.target, **options | parameters))


def test_a_record_survives_json() -> None:
    """It is read back as it was written, with and without cross-validation."""
    for parameters in ({}, {"max_errors": 3}, {"class_weight": "balanced"}, {"root": "petal width", "alpha": 0.01}):
        record = record_of_iris(**parameters)
        assert FrontRecord.from_dict(json.loads(json.dumps(record.to_dict()))) == record
        assert record.point.n_nodes == record.chosen


def test_costs_on_validation_rows_have_the_scale_of_training_errors() -> None:
    """They are those of as many rows as the training rows; the standard error is that of the mean of the folds."""
    iris = load("sklearn:iris")
    result = choose_optimal_tree(iris.table, iris.target, binarize="thresholds", selection="first", random_state=0)
    record, validated = FrontRecord.of(result), result.tuned.validated
    assert validated is not None
    n_wrong = 150 * (1 - validated.scores.mean(axis=0))
    errors = 150 * validated.scores.std(axis=0, ddof=1) / 5**0.5
    expected = np.column_stack([validated.sizes, n_wrong, errors])
    assert np.allclose(record.validation_costs(), expected)
    balanced = record_of_iris(class_weight="balanced")
    assert np.allclose(balanced.validation_costs(), expected)  # the classes of iris have equal weights


@pytest.mark.parametrize(
    "change",
    [
        {"points": [{}]},
        {"points": []},
        {"chosen": 4},
        {"chosen": "7"},
        {"status": "?"},
        {"total_weight": 0},
        {"counts_errors": 1},
        {"scores": [{"max_nodes": -1, "mean": 0.0, "std": 0.0, "n_proved": 1}]},
        {"lower": [[1]]},
        {"lower": []},
        {"upper": [[3, 5]]},
        {"upper": [[1, 5], [1, 4]]},
        {"pruning_path": [[1, None]]},
        {"n_folds": -1},
    ],
)
def test_invalid_records_are_rejected(change: dict[str, Any]) -> None:
    """Every field is checked."""
    with pytest.raises(FormatError):
        FrontRecord.from_dict({**record_of_iris(max_errors=10).to_dict(), **change})
