"""Tests for all binarisers."""

import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.strategies import fitted_binarizer, pairs_of_tables, tables
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from puretree import InputError
from puretree.binarize import BINARIZERS, Binarizer, make_binarizer
from puretree.binarize.guessed import GuessedThresholdBinarizer
from puretree.binarize.thresholds import ThresholdBinarizer
from puretree.binarize.value_codes import BitsBinarizer, OneHotBinarizer

every_binarizer = pytest.mark.parametrize("name", sorted(BINARIZERS))

MIXED = pd.DataFrame(
    {
        "income": [2100.0, None, 3400.0, 5200.0, 1800.0],
        "housing": ["rent", "own", None, "own", "free"],
        "smoker": [True, False, False, True, True],
        "size": pd.Categorical(["S", "L", "M", "S", "L"], ["S", "M", "L"], ordered=True),
        "constant": 1,
    }
)


# scikit-learn skips check_array_api_input unless SCIPY_ARRAY_API is set; no binariser supports array-API arrays.
@parametrize_with_checks(
    [
        BitsBinarizer(),
        BitsBinarizer(strategy="quantile", edges="tolerant"),
        OneHotBinarizer(),
        ThresholdBinarizer(),
        ThresholdBinarizer(cuts="separating"),
        ThresholdBinarizer(max_cuts=3),
        GuessedThresholdBinarizer(n_estimators=5, guess_above=0),
    ]
)
@pytest.mark.filterwarnings("default")  # the checks warn on purpose
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    """Every check of scikit-learn for a transformer passes."""
    check(estimator)


@given(tables(), st.sampled_from(sorted(BINARIZERS)))
def test_features_equal_their_predicates(rows: list[list[Any]], name: str) -> None:
    """Each cell of the output is the value of the predicate for the raw cell."""
    binarizer = fitted_binarizer(name, rows)
    binary = binarizer.transform(rows)
    assert binary.shape == (len(rows), len(binarizer.features_))
    for row, cells in enumerate(rows):
        for feature, predicate in enumerate(binarizer.features_):
            assert binary[row, feature] == predicate(cells[predicate.column.index])


@given(tables(max_columns=3), st.sampled_from(["bits", "onehot"]))
def test_codes_distinguish_all_values(rows: list[list[Any]], name: str) -> None:
    """Different values of a category differ in a feature; equal values do not."""
    binarizer = fitted_binarizer(name, rows, categorical_features="all")
    binary = binarizer.transform(rows)
    distinct_cells = {tuple((type(cell), cell) for cell in row) for row in rows}
    distinct_rows = {tuple(row) for row in binary.tolist()}
    as_equal = {tuple(cell for _, cell in row) for row in distinct_cells}
    assert len(distinct_rows) == len(as_equal)


@given(tables(max_columns=3))
def test_thresholds_distinguish_all_values(rows: list[list[Any]]) -> None:
    """With all midpoints, different rows differ in a feature."""
    binarizer = ThresholdBinarizer().fit(rows)
    distinct_rows = {tuple(row) for row in binarizer.transform(rows).tolist()}
    assert len(distinct_rows) == len({tuple(row) for row in rows})


@given(pairs_of_tables(), st.sampled_from(sorted(BINARIZERS)))
def test_any_table_with_the_same_types_can_be_transformed(pair: tuple[Any, Any], name: str) -> None:
    """Unseen values of any kind are transformed without an error."""
    train, other = pair
    binarizer = fitted_binarizer(name, train)
    assert binarizer.transform(other).shape == (len(other), len(binarizer.features_))


@every_binarizer
def test_frames_of_pandas_and_polars_agree(name: str) -> None:
    """The same table gives the same features in pandas and in polars."""
    polars_frame = pl.DataFrame(
        {
            "income": MIXED["income"].tolist(),
            "housing": ["rent", "own", None, "own", "free"],
            "smoker": MIXED["smoker"].tolist(),
            "size": pl.Series(MIXED["size"].tolist(), dtype=pl.Enum(["S", "M", "L"])),
            "constant": [1] * 5,
        }
    ).with_columns(pl.col("income").fill_nan(None))
    a, b = fitted_binarizer(name, MIXED), fitted_binarizer(name, polars_frame)
    assert a.get_feature_names_out().tolist() == b.get_feature_names_out().tolist()
    np.testing.assert_array_equal(a.transform(MIXED), b.transform(polars_frame))
    assert a.feature_names_in_.tolist() == list(MIXED.columns)


@every_binarizer
@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_set_output(name: str, container: str) -> None:
    """scikit-learn's set_output gives frames whose columns are named by the predicates."""
    binarizer = BINARIZERS[name]().set_output(transform=container)
    frame = binarizer.fit_transform(MIXED, [0, 1, 0, 1, 0])
    assert list(frame.columns) == binarizer.get_feature_names_out().tolist()
    assert frame.shape[0] == len(MIXED)


@every_binarizer
def test_feature_names_take_input_features(name: str) -> None:
    """Fitted to an array, the predicates use the names passed; fitted to a frame, other names raise InputError."""
    X = np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 5.0]])
    binarizer = fitted_binarizer(name, X)
    assert all(text.startswith(("x0", "x1", "1", "2")) for text in binarizer.get_feature_names_out())
    renamed = binarizer.get_feature_names_out(["age", "height"])
    assert all("age" in text or "height" in text for text in renamed)
    with pytest.raises(InputError, match="length equal"):
        binarizer.get_feature_names_out(["age"])
    named = fitted_binarizer(name, pd.DataFrame(X, columns=["age", "height"]))
    with pytest.raises(InputError, match="not equal to feature_names_in_"):
        named.get_feature_names_out(["height", "age"])


@every_binarizer
def test_names_are_unique_and_constants_have_no_feature(name: str) -> None:
    """No predicate occurs twice, and constant columns have none."""
    binarizer = fitted_binarizer(name, MIXED)
    names = binarizer.get_feature_names_out().tolist()
    assert len(set(names)) == len(names)
    assert not any("constant" in text for text in names)


@every_binarizer
def test_all_constant_columns_give_no_features(name: str) -> None:
    """A table of constant columns gives a matrix without columns, not an error."""
    binarizer = fitted_binarizer(name, [[1.0, "a", None]] * 3)
    assert binarizer.transform([[2.0, "b", None]]).shape == (1, 0)


@every_binarizer
def test_one_row_and_two_thousand_columns(name: str) -> None:
    """Tables of one row, and of many columns, are transformed."""
    assert fitted_binarizer(name, [[1.0, "a"]]).transform([[1.0, "a"]]).shape == (1, 0)
    wide = np.random.default_rng(0).integers(0, 2, size=(4, 2_000)).astype(float)
    binary = fitted_binarizer(name, wide).transform(wide)
    varies = (wide != wide[0]).any(axis=0)
    assert binary.shape == (4, varies.sum() if name != "guessed" else 1)  # one cut separates the labels


@every_binarizer
@pytest.mark.parametrize(
    ("X", "match"),
    [
        ([[1.0], [math.inf]], r"'x0' holds infinite values \(rows 1\)"),
        ([["a"], [1]], "'x0' holds str"),
        ([[1.0], [1.0, 2.0]], "differ in length"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "duplicated column names"),
        ([], "2D array"),
    ],
)
def test_invalid_tables_raise(name: str, X: Any, match: str) -> None:
    """The message names the column and the row."""
    with pytest.raises((ValueError, TypeError), match=match):
        fitted_binarizer(name, X)


@every_binarizer
def test_numbers_outside_the_training_range(name: str) -> None:
    """Numbers outside the range, including infinite ones, are treated like the nearest ones inside."""
    X = [[float(i)] for i in range(20)]
    binarizer = fitted_binarizer(name, X)
    low, high, far_low, far_high, lowest, highest = binarizer.transform(
        [[0.0], [19.0], [-1e300], [1e300], [-math.inf], [math.inf]]
    ).tolist()
    assert low == far_low == lowest
    assert high == far_high == highest


@every_binarizer
def test_unseen_levels_satisfy_no_predicate(name: str) -> None:
    """All features of a column are 0 for a level that training did not contain."""
    binarizer = fitted_binarizer(name, [["a"], ["b"], ["c"]])
    assert not binarizer.transform([["z"]]).any()


@every_binarizer
def test_missing_values_absent_from_training_satisfy_no_predicate(name: str) -> None:
    """All features of a column without missing values in training are 0 for a missing value."""
    binarizer = fitted_binarizer(name, [["a", 1.0], ["b", 2.0], ["c", 3.0]])
    assert not any(feature.region.holds_missing for feature in binarizer.features_)
    assert not binarizer.transform([[None, math.nan]]).any()


@every_binarizer
def test_missing_is_a_separate_value(name: str) -> None:
    """Rows that differ only in a missing value differ in a feature."""
    X = [[1.0, "a"], [None, "a"], [1.0, None], [2.0, "b"]]
    assert len({tuple(row) for row in fitted_binarizer(name, X).transform(X).tolist()}) == 4


@every_binarizer
def test_categorical_features(name: str) -> None:
    """Columns selected by name, index, mask or "all" are read as categories."""
    X = pd.DataFrame({"code": [10, 20, 30], "age": [1.0, 2.0, 3.0]})
    for choice in (["code"], [0], [True, False]):
        binarizer = fitted_binarizer(name, X, categorical_features=choice)
        assert [column.kind for column in binarizer.columns_] == ["category", "number"]
        assert "code is 20" in binarizer.get_feature_names_out().tolist()
    assert {column.kind for column in fitted_binarizer(name, X, categorical_features="all").columns_} == {"category"}


@pytest.mark.parametrize(
    ("choice", "match"),
    [
        (["kode"], "categorical_features='kode' is not a column"),
        ([7], "categorical_features=7 is not a column"),
        ([True, False], "marks 2 columns, but the table has 1"),
        ("some", "'some' is unknown"),
    ],
)
def test_unknown_categorical_features_raise(choice: Any, match: str) -> None:
    """The message names the unknown entry of categorical_features."""
    with pytest.raises(InputError, match=match):
        BitsBinarizer(categorical_features=choice).fit([[1.0], [2.0]])


@pytest.mark.parametrize(
    "binarizer",
    [
        BitsBinarizer(n_bins=1),
        BitsBinarizer(n_bins="many"),
        OneHotBinarizer(strategy="log"),
        OneHotBinarizer(edges="sharp"),
        ThresholdBinarizer(cuts="some"),
        ThresholdBinarizer(max_cuts=0),
        GuessedThresholdBinarizer(n_estimators=0),
        GuessedThresholdBinarizer(max_depth=None),  # type: ignore[arg-type]
        GuessedThresholdBinarizer(random_state=None),  # type: ignore[arg-type]
        BitsBinarizer(categorical_features=3),
    ],
)
def test_parameters_out_of_range_raise(binarizer: Binarizer) -> None:
    """scikit-learn's parameter validation names the parameter and its range."""
    with pytest.raises(ValueError, match=r"parameter of .*Binarizer must be"):
        binarizer.fit([[1.0], [2.0]], [0, 1])


def test_supervised_options_require_labels() -> None:
    """Without y, the supervised options raise an error that names them; the default does not."""
    ThresholdBinarizer().fit([[1.0], [2.0]])
    with pytest.raises(InputError, match="cuts='separating' requires y"):
        ThresholdBinarizer(cuts="separating").fit([[1.0], [2.0]])
    with pytest.raises(InputError, match="max_cuts=2 requires y"):
        ThresholdBinarizer(max_cuts=2).fit([[1.0], [2.0]])
    with pytest.raises(InputError, match="GuessedThresholdBinarizer requires y"):
        GuessedThresholdBinarizer().fit([[1.0], [2.0]])


def test_outputs_beyond_the_memory_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the columns with the most features and says how to limit them."""
    monkeypatch.setattr("puretree.binarize.base.MOST_BYTES", 1000)
    X = pd.DataFrame({"id": np.arange(100.0), "flag": np.arange(100) % 2})
    binarizer = ThresholdBinarizer().fit(X)
    with pytest.raises(InputError, match=r"columns 'id' \(99\), 'flag' \(1\): limit them with max_cuts"):
        binarizer.transform_bits(X)
    few = ThresholdBinarizer(max_cuts=3).fit(X, np.arange(100) > 50)
    assert few.transform_bits(X).shape[0] <= 4


def test_kmeans_makes_at_most_one_bin_per_value() -> None:
    """With fewer values than bins, kmeans makes as many bins as there are values."""
    assert BitsBinarizer(strategy="kmeans").fit_transform([[1.0], [2.0], [9.0]]).shape == (3, 2)


@every_binarizer
def test_pipelines_pickling_and_cloning(name: str) -> None:
    """A binariser works in a pipeline, and can be pickled and cloned."""
    y = [0, 1, 0, 1, 0]
    pipeline = make_pipeline(BINARIZERS[name](), DecisionTreeClassifier(random_state=0)).fit(MIXED, y)
    assert pipeline.predict(MIXED).tolist() == y
    binarizer = pickle.loads(pickle.dumps(pipeline[0]))
    np.testing.assert_array_equal(binarizer.transform(MIXED), pipeline[0].transform(MIXED))
    assert not hasattr(clone(binarizer), "features_")


def test_make_binarizer() -> None:
    """A name makes a new binariser, a binariser is cloned, an unknown name raises an error that lists the names."""
    assert isinstance(make_binarizer("bits"), BitsBinarizer)
    original = ThresholdBinarizer(max_cuts=4)
    made = make_binarizer(original)
    assert made is not original
    assert made.get_params() == original.get_params()
    with pytest.raises(InputError, match="bits, guessed, onehot, thresholds"):
        make_binarizer("bitz")
