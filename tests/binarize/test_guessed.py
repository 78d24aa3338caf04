"""Guessed cuts."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.oracles.front import BruteForceFront
from helpers.strategies import tables
from hypothesis import given
from hypothesis import strategies as st

from puretree import GuessedThresholdBinarizer, InputError, ThresholdBinarizer, minimum_tree
from puretree._support.clock import Clock, TimeLimitReached
from puretree.datasets import load
from puretree.table import read_table


def names_of(binarizer: Any) -> list[str]:
    """Return the predicates as text."""
    names: list[str] = binarizer.get_feature_names_out().tolist()
    return names


@given(tables(), st.data())
def test_guessed_features_are_some_of_all_thresholds(rows: list[list[Any]], data: st.DataObject) -> None:
    """The features are those of the thresholds, without some cuts of numeric columns and without anything else."""
    y = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    guessed = GuessedThresholdBinarizer(guess_above=0, n_estimators=3).fit(rows, y)
    every = ThresholdBinarizer().fit(rows)
    assert set(guessed.features_) <= set(every.features_)
    left_out = set(every.features_) - set(guessed.features_)
    assert all(item.column.kind == "number" and item.region.edges for item in left_out)
    assert guessed.columns_ == every.columns_


def test_cuts_that_matter_are_guessed() -> None:
    """Of a thousand cuts, those that determine the labels are kept, although they matter only together."""
    rng = np.random.default_rng(0)
    X = rng.random((400, 3)).round(3)
    y = (X[:, 0] <= 0.3) ^ (X[:, 1] <= 0.6)
    guessed = GuessedThresholdBinarizer(guess_above=0).fit(X, y)
    assert len(guessed.features_) < 20
    edges = {(item.column.index, round(item.region.edges[0], 2)) for item in guessed.features_}
    assert edges >= {(0, 0.3), (1, 0.6)}
    assert minimum_tree(X, y, binarize="guessed", on_conflict="majority").n_nodes == 7


def test_few_cuts_are_all_kept() -> None:
    """Cuts are guessed only if there are more than `guess_above`, those of all numeric columns together."""
    X = np.random.default_rng(1).integers(0, 21, (300, 2)).astype(float)
    y = X[:, 0] <= 3
    assert len(GuessedThresholdBinarizer(guess_above=40).fit(X, y).features_) == 40
    assert len(GuessedThresholdBinarizer(guess_above=39).fit(X, y).features_) == 1


def test_large_tables_are_sampled() -> None:
    """Cuts are guessed from so many rows, times the number of classes, and from rows of every class."""
    X = np.arange(6000.0)[:, None] % 1000
    y = np.select([X[:, 0] <= 499, X[:, 0] == 999], ["low", "rare"], "high")
    binarizer = GuessedThresholdBinarizer(subsample=1500).fit(X, y)
    edges = sorted(item.region.edges[0] for item in binarizer.features_)
    assert 2 <= len(edges) < 60
    assert min(abs(edge - 499) for edge in edges) < 20  # near: the sample need not have the rows beside the cut
    assert max(edges) > 980
    assert [item.region.edges[0] for item in GuessedThresholdBinarizer(subsample=1500).fit(X, y).features_] == [
        item.region.edges[0] for item in binarizer.features_
    ]


def test_useless_cuts_are_removed() -> None:
    """A column that the labels do not depend on has no cut, and a duplicate needs none."""
    X = [[age, age * 10, noise] for age in range(20, 60) for noise in range(3)]
    assert len(names_of(GuessedThresholdBinarizer(guess_above=0).fit(X, [row[0] > 41 for row in X]))) == 1


def test_other_columns_keep_their_features() -> None:
    """Categories, ordered levels and missing values have all their features, whether boosted trees use them or not."""
    X = pd.DataFrame(
        {
            "age": [30.0, 40.0, None, 50.0] * 5,
            "colour": ["red", "blue", "green", None] * 5,
            "size": pd.Categorical(["S", "L", "M", "S"] * 5, ["S", "M", "L"], ordered=True),
            "code": [1, 2, 3, 4] * 5,
        }
    )
    binarizer = GuessedThresholdBinarizer(guess_above=0, categorical_features=["code"]).fit(X, [0, 0, 0, 1] * 5)
    names = names_of(binarizer)
    assert [name for name in names if not name.startswith("age ≤")] == [
        *("age is missing", "colour is blue", "colour is green", "colour is red", "colour is missing"),
        *("size ≤ S", "size ≤ M", "code is 1", "code is 2", "code is 3", "code is 4"),
    ]
    constant = GuessedThresholdBinarizer(guess_above=0).fit(X, [0] * 20)
    assert "age is missing" in names_of(constant)
    assert not any(name.startswith(("age ≤", "code")) for name in names_of(constant))


def test_missing_values_are_on_no_side_of_a_cut() -> None:
    """The boosted trees treat a missing value as the predicates do: it is not ≤ any number."""
    X = [[1.0], [2.0], [3.0], [math.nan]] * 5
    assert names_of(GuessedThresholdBinarizer(guess_above=0).fit(X, [0, 1, 1, 1] * 5)) == ["x0 ≤ 1", "x0 is missing"]
    assert names_of(GuessedThresholdBinarizer(guess_above=0).fit(X, [0, 0, 0, 1] * 5)) == ["x0 is missing"]


def test_rows_count_with_their_weights() -> None:
    """A table with weights has the cuts of the table with repeated rows, and so has a table in another order."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 12, (60, 3)).astype(float)
    y = rng.integers(0, 2, 60)
    weights = rng.integers(1, 4, 60)
    table = read_table(X)
    weighted = type(table)(table.columns, table.n_rows, table.has_names, weights)
    expected = names_of(
        GuessedThresholdBinarizer(guess_above=0, n_estimators=10).fit(weighted.repeated(), np.repeat(y, weights))
    )
    assert names_of(GuessedThresholdBinarizer(guess_above=0, n_estimators=10).fit(weighted, y)) == expected


def test_a_guess_is_deterministic() -> None:
    """Two fits give the same cuts; more rounds or deeper trees may use more."""
    wine = load("sklearn:wine")
    first = names_of(GuessedThresholdBinarizer(guess_above=0, n_estimators=10).fit(wine.table, wine.target))
    assert names_of(GuessedThresholdBinarizer(guess_above=0, n_estimators=10).fit(wine.table, wine.target)) == first
    assert 0 < len(first) < len(ThresholdBinarizer().fit(wine.table).features_) / 20


def test_a_guess_may_miss_the_best_tree() -> None:
    """With guessed cuts, the fewest errors of a number of tests are never fewer than with all cuts."""
    rng = np.random.default_rng(2)
    for _ in range(5):
        X, y = rng.integers(0, 5, (14, 2)).astype(float), rng.integers(0, 2, 14)
        costs = (1 - np.eye(2, dtype=int))[y].tolist()
        of_every, of_guessed = (
            BruteForceFront(binarizer.fit(X, y).transform(X).astype(int).tolist(), costs)
            for binarizer in (ThresholdBinarizer(), GuessedThresholdBinarizer(guess_above=0, n_estimators=4))
        )
        if of_guessed.rows[0]:
            assert all(of_every.least_cost(k) <= of_guessed.least_cost(k) for k in range(4))


def test_a_guess_ends_with_its_part_of_the_time() -> None:
    """Boosting stops after a part of the time, and the cuts of the rounds so far are the guess."""
    X = np.random.default_rng(0).random((2000, 20))
    y = X[:, 0] > X[:, 1]
    binarizer, clock = GuessedThresholdBinarizer(guess_above=0, n_estimators=10_000), Clock(3.0)
    assert 0 < len(binarizer.fit_within(X, y, clock=clock).features_) < 19_000
    assert not clock.is_over
    assert minimum_tree(X, y, binarize=binarizer, max_nodes=3, minimise="errors", time_limit=3.0).n_nodes == 3


def test_no_time_is_an_error() -> None:
    """Without time, nothing is guessed."""
    X = np.random.default_rng(0).random((2000, 20))
    with pytest.raises(TimeLimitReached):
        GuessedThresholdBinarizer(guess_above=0).fit_within(X, X[:, 0] > X[:, 1], clock=Clock(0))


def test_the_memory_limit_holds() -> None:
    """Many levels of many rows do not fit into memory one by one; the message names the column."""
    X = pd.DataFrame({"city": [str(i) for i in range(3000)], "age": np.arange(3000.0)})
    with pytest.raises(
        InputError, match=r"guessing cuts needs more than 0.1 GB for 3,000 rows and the levels of 'city'"
    ):
        GuessedThresholdBinarizer(guess_above=0).fit_within(X, X["age"] > 5, memory_limit=1e6)
