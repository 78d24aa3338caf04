"""Claims that hold for every binariser."""

import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.strategies import pairs_of_tables, tables
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from puretree import InputError
from puretree.binarize import BINARIZERS, Binarizer, make_binarizer
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


# check_array_api_input is skipped by scikit-learn itself unless SCIPY_ARRAY_API is set; no binariser claims to
# compute on array-API arrays.
@parametrize_with_checks(
    [
        BitsBinarizer(),
        BitsBinarizer(strategy="quantile", edges="tolerant"),
        OneHotBinarizer(),
        ThresholdBinarizer(),
        ThresholdBinarizer(cuts="separating"),
        ThresholdBinarizer(max_cuts=3),
    ]
)
@pytest.mark.filterwarnings("default")  # the checks warn on purpose
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    """Every check scikit-learn has for a transformer passes."""
    check(estimator)


@given(tables(), st.sampled_from(sorted(BINARIZERS)))
def test_a_feature_is_its_predicate(rows: list[list[Any]], name: str) -> None:
    """Binarise → predicate → raw value: each cell of the output is the predicate's answer to the raw cell."""
    binarizer = BINARIZERS[name]().fit(rows)
    answers = binarizer.transform(rows)
    assert answers.shape == (len(rows), len(binarizer.features_))
    for row, cells in enumerate(rows):
        for feature, predicate in enumerate(binarizer.features_):
            assert answers[row, feature] == predicate(cells[predicate.column.index])


@given(tables(max_columns=3), st.sampled_from(["bits", "onehot"]))
def test_codes_tell_all_listed_values_apart(rows: list[list[Any]], name: str) -> None:
    """Two cells of a category with different values differ in a feature; equal values never do."""
    binarizer = BINARIZERS[name](categorical_features="all").fit(rows)
    answers = binarizer.transform(rows)
    distinct_cells = {tuple((type(cell), cell) for cell in row) for row in rows}
    distinct_answers = {tuple(row) for row in answers.tolist()}
    as_equal = {tuple(cell for _, cell in row) for row in distinct_cells}
    assert len(distinct_answers) == len(as_equal)


@given(tables(max_columns=3))
def test_thresholds_tell_all_values_apart(rows: list[list[Any]]) -> None:
    """With all midpoints nothing is lost: different rows stay different."""
    binarizer = ThresholdBinarizer().fit(rows)
    distinct_answers = {tuple(row) for row in binarizer.transform(rows).tolist()}
    assert len(distinct_answers) == len({tuple(row) for row in rows})


@given(pairs_of_tables(), st.sampled_from(sorted(BINARIZERS)))
def test_any_table_of_the_same_kinds_can_be_transformed(pair: tuple[Any, Any], name: str) -> None:
    """Whatever values come later, they get answers: never a crash."""
    train, other = pair
    binarizer = BINARIZERS[name]().fit(train)
    assert binarizer.transform(other).shape == (len(other), len(binarizer.features_))


@every_binarizer
def test_frames_of_pandas_and_polars_agree(name: str) -> None:
    """The same table gives the same features and answers whatever holds it."""
    polars_frame = pl.DataFrame(
        {
            "income": MIXED["income"].tolist(),
            "housing": ["rent", "own", None, "own", "free"],
            "smoker": MIXED["smoker"].tolist(),
            "size": pl.Series(MIXED["size"].tolist(), dtype=pl.Enum(["S", "M", "L"])),
            "constant": [1] * 5,
        }
    ).with_columns(pl.col("income").fill_nan(None))
    a, b = BINARIZERS[name]().fit(MIXED), BINARIZERS[name]().fit(polars_frame)
    assert a.get_feature_names_out().tolist() == b.get_feature_names_out().tolist()
    np.testing.assert_array_equal(a.transform(MIXED), b.transform(polars_frame))
    assert a.feature_names_in_.tolist() == list(MIXED.columns)


@every_binarizer
@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_set_output(name: str, container: str) -> None:
    """scikit-learn's set_output gives frames whose columns are the questions."""
    binarizer = BINARIZERS[name]().set_output(transform=container)
    frame = binarizer.fit_transform(MIXED)
    assert list(frame.columns) == binarizer.get_feature_names_out().tolist()
    assert frame.shape[0] == len(MIXED)


@every_binarizer
def test_names_of_an_array_come_from_outside(name: str) -> None:
    """Fitted on an array, the questions take the names that a pipeline hands on; a frame's own names stay."""
    X = np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 5.0]])
    binarizer = BINARIZERS[name]().fit(X)
    assert all(question.startswith(("x0", "x1", "1", "2")) for question in binarizer.get_feature_names_out())
    renamed = binarizer.get_feature_names_out(["age", "height"])
    assert all("age" in question or "height" in question for question in renamed)
    with pytest.raises(InputError, match="length equal"):
        binarizer.get_feature_names_out(["age"])
    named = BINARIZERS[name]().fit(pd.DataFrame(X, columns=["age", "height"]))
    with pytest.raises(InputError, match="not equal to feature_names_in_"):
        named.get_feature_names_out(["height", "age"])


@every_binarizer
def test_names_are_unique_and_constants_are_left_out(name: str) -> None:
    """Every question is asked once, and none about a column that never changes."""
    binarizer = BINARIZERS[name]().fit(MIXED)
    names = binarizer.get_feature_names_out().tolist()
    assert len(set(names)) == len(names)
    assert not any("constant" in question for question in names)


@every_binarizer
def test_all_constant_columns_give_no_features(name: str) -> None:
    """A table without differences has nothing to ask: an empty matrix, not an error."""
    binarizer = BINARIZERS[name]().fit([[1.0, "a", None]] * 3)
    assert binarizer.transform([[2.0, "b", None]]).shape == (1, 0)


@every_binarizer
def test_one_row_and_two_thousand_columns(name: str) -> None:
    """The extremes of shape work."""
    assert BINARIZERS[name]().fit_transform([[1.0, "a"]]).shape == (1, 0)
    wide = np.random.default_rng(0).integers(0, 2, size=(4, 2_000)).astype(float)
    answers = BINARIZERS[name]().fit_transform(wide)
    varies = (wide != wide[0]).any(axis=0)
    assert answers.shape == (4, varies.sum())


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
def test_bad_tables_are_refused(name: str, X: Any, match: str) -> None:
    """What cannot be binarised is refused with the column and the row."""
    with pytest.raises((ValueError, TypeError), match=match):
        BINARIZERS[name]().fit(X)


@every_binarizer
def test_outside_the_training_range(name: str) -> None:
    """Numbers beyond the range, infinite ones included, count as the nearest ones inside."""
    X = [[float(i)] for i in range(20)]
    binarizer = BINARIZERS[name]().fit(X)
    low, high, far_low, far_high, lowest, highest = binarizer.transform(
        [[0.0], [19.0], [-1e300], [1e300], [-math.inf], [math.inf]]
    ).tolist()
    assert low == far_low == lowest
    assert high == far_high == highest


@every_binarizer
def test_an_unseen_level_is_in_no_listed_set(name: str) -> None:
    """A level that was not there answers no to every question about its column."""
    binarizer = BINARIZERS[name]().fit([["a"], ["b"], ["c"]])
    assert not binarizer.transform([["z"]]).any()


@every_binarizer
def test_a_gap_where_training_had_none_is_in_no_set(name: str) -> None:
    """A missing value answers no to every question of a column that had none."""
    binarizer = BINARIZERS[name]().fit([["a", 1.0], ["b", 2.0], ["c", 3.0]])
    positive = [feature for feature in binarizer.features_ if not feature.region.holds_missing]
    assert len(positive) == len(binarizer.features_)
    assert not binarizer.transform([[None, math.nan]]).any()


@every_binarizer
def test_missing_is_a_value_of_its_own(name: str) -> None:
    """Rows that differ only by a gap are told apart."""
    X = [[1.0, "a"], [None, "a"], [1.0, None], [2.0, "b"]]
    assert len({tuple(row) for row in BINARIZERS[name]().fit_transform(X).tolist()}) == 4


@every_binarizer
def test_numbers_can_be_categories(name: str) -> None:
    """Columns named, numbered, masked or "all" are read as categories."""
    X = pd.DataFrame({"code": [10, 20, 30], "age": [1.0, 2.0, 3.0]})
    for choice in (["code"], [0], [True, False]):
        binarizer = BINARIZERS[name](categorical_features=choice).fit(X)
        assert [column.kind for column in binarizer.columns_] == ["category", "number"]
        assert "code is 20" in binarizer.get_feature_names_out().tolist()
    assert {column.kind for column in BINARIZERS[name](categorical_features="all").fit(X).columns_} == {"category"}


@pytest.mark.parametrize(
    ("choice", "match"),
    [
        (["kode"], "names 'kode', which the table does not have"),
        ([7], "names 7, which"),
        ([True, False], "marks 2 columns, but the table has 1"),
        ("some", "'some' is not known"),
    ],
)
def test_unknown_categorical_columns_are_refused(choice: Any, match: str) -> None:
    """A typo in categorical_features is named."""
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
        BitsBinarizer(categorical_features=3),
    ],
)
def test_parameters_out_of_range_are_refused(binarizer: Binarizer) -> None:
    """scikit-learn's parameter validation names the parameter and its range."""
    with pytest.raises(ValueError, match=r"parameter of .*Binarizer must be"):
        binarizer.fit([[1.0], [2.0]], [0, 1])


def test_options_that_need_labels_say_so() -> None:
    """Without y the supervised options are refused by name, the default is not."""
    ThresholdBinarizer().fit([[1.0], [2.0]])
    with pytest.raises(InputError, match="cuts='separating' requires y"):
        ThresholdBinarizer(cuts="separating").fit([[1.0], [2.0]])
    with pytest.raises(InputError, match="max_cuts=2 requires y"):
        ThresholdBinarizer(max_cuts=2).fit([[1.0], [2.0]])


def test_what_would_not_fit_is_refused_before_it_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many features for the machine are an error that names the columns and the remedy."""
    monkeypatch.setattr("puretree.binarize.base.MOST_BYTES", 1000)
    X = pd.DataFrame({"id": np.arange(100.0), "flag": np.arange(100) % 2})
    binarizer = ThresholdBinarizer().fit(X)
    with pytest.raises(InputError, match=r"columns 'id' \(99\), 'flag' \(1\): limit them with max_cuts"):
        binarizer.transform_bits(X)
    few = ThresholdBinarizer(max_cuts=3).fit(X, np.arange(100) > 50)
    assert few.transform_bits(X).shape[0] <= 4


def test_few_rows_are_clustered_into_few_bins() -> None:
    """With fewer values than bins, kmeans makes as many bins as there are values."""
    assert BitsBinarizer(strategy="kmeans").fit_transform([[1.0], [2.0], [9.0]]).shape == (3, 2)


@every_binarizer
def test_in_a_pipeline_pickled_and_cloned(name: str) -> None:
    """A binariser is an ordinary citizen of scikit-learn."""
    y = [0, 1, 0, 1, 0]
    pipeline = make_pipeline(BINARIZERS[name](), DecisionTreeClassifier(random_state=0)).fit(MIXED, y)
    assert pipeline.predict(MIXED).tolist() == y
    binarizer = pickle.loads(pickle.dumps(pipeline[0]))
    np.testing.assert_array_equal(binarizer.transform(MIXED), pipeline[0].transform(MIXED))
    assert not hasattr(clone(binarizer), "features_")


def test_binarizers_by_name_or_as_given() -> None:
    """A name makes a new binariser, a binariser is copied unfitted, a typo is refused with the choices."""
    assert isinstance(make_binarizer("bits"), BitsBinarizer)
    given_one = ThresholdBinarizer(max_cuts=4)
    made = make_binarizer(given_one)
    assert made is not given_one
    assert made.get_params() == given_one.get_params()
    with pytest.raises(InputError, match="bits, onehot, thresholds"):
        make_binarizer("bitz")
