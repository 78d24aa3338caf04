"""Exports are checked on the training rows in the container that the user passed."""

from collections.abc import Iterator
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from puretree import InputError, PureTreeClassifier
from puretree.table import as_frame

TEXTS = ["red", "blue", None, "red", "blue", None, "green", "red"]
NEW_TEXTS = ["pink", None, "green", "red", None, "pink", "blue", "pink"]  # with an unseen level
NUMBERS = [1, 2, None, 1, 2, None, 5, 7]
BOOLEANS = [True, False, None, True, False, None, False, True]
Y = ["a", "b", "c", "a", "b", "c", "b", "a"]


def spelled(cells: list[Any], *missing: Any) -> list[Any]:
    """Return cells with missing values of these kinds, in turn."""
    kinds = [missing[i % len(missing)] for i in range(len(cells))]
    return [kind if cell is None else cell for cell, kind in zip(cells, kinds, strict=True)]


def pandas_text(cells: list[Any]) -> Iterator[Any]:
    """Yield a column of text in every type of pandas that has missing values."""
    yield from (pd.Series(spelled(cells, *kinds), dtype=object) for kinds in ([None], [np.nan], [pd.NA]))
    yield pd.Series(spelled(cells, pd.NA, None), dtype=object)
    yield pd.Series(cells, dtype="str")
    yield pd.Series(cells, dtype="string[python]")
    yield pd.Series(cells, dtype="category")
    yield pd.Series(cells, dtype="string[python]").astype("category")
    yield pd.Series(pd.Categorical(cells, ["red", "blue", "green", "pink"], ordered=True))
    if nw.dependencies.get_pyarrow():
        import pyarrow as pa

        yield pd.Series(cells, dtype="string[pyarrow]")
        yield pd.Series(cells, dtype=pd.ArrowDtype(pa.string()))


def tables(texts: list[Any]) -> Iterator[Any]:
    """Yield tables of text, and of text with numbers, in every container."""
    nullable = {"n": pd.array(NUMBERS, dtype="Int64"), "f": pd.array(NUMBERS, dtype="Float64")}
    for column in pandas_text(texts):
        yield pd.DataFrame({"t": column})
        yield pd.DataFrame({"b": pd.array(BOOLEANS, dtype="boolean"), "t": column, **nullable})
    columns = {"n": NUMBERS, "t": texts, "b": BOOLEANS}
    yield pl.DataFrame(columns)
    yield pl.DataFrame(columns, schema_overrides={"t": pl.Categorical})
    yield pl.DataFrame(columns, schema_overrides={"t": pl.Enum(["red", "blue", "green", "pink"])})
    if nw.dependencies.get_pyarrow():
        import pyarrow as pa

        yield pa.table(columns)
        yield pa.table(columns).to_batches()[0]
    yield np.array([texts, NUMBERS], dtype=object).T
    yield np.array([spelled(texts, pd.NA, None), NUMBERS], dtype=object).T
    yield [list(row) for row in zip(texts, NUMBERS, strict=True)]


@pytest.fixture(autouse=True)
def _with_pyarrow() -> None:
    """Import pyarrow if it is installed, so that its containers are tested."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return


@pytest.mark.parametrize("binarize", ["thresholds", "bits"])
def test_scikit_learn_predicts_the_same_in_every_container(binarize: str) -> None:
    """Missing values and unseen levels take the same branches as in the tree, in the container that the user passed."""
    for X, new in zip(tables(TEXTS), tables(NEW_TEXTS), strict=True):
        options = {"forbidden": [1]} if isinstance(X, list | np.ndarray) else {"root": "t"}
        classifier = PureTreeClassifier(binarize=binarize, random_state=0, on_conflict="majority", **options).fit(X, Y)
        model = classifier.to_sklearn()
        for rows in (X, new):
            passed = np.array(rows, dtype=object) if isinstance(rows, list) else as_frame(rows)
            assert model.predict(passed).tolist() == classifier.predict(rows).tolist(), X


@pytest.mark.parametrize("format", ["json", "python", "sql", "onnx"])
def test_every_format_is_checked_in_every_container(format: str) -> None:
    """Every format that can be executed passes its check on a table with missing values."""
    if format == "onnx":
        pytest.importorskip("skl2onnx")
    for X in tables([text or "pink" for text in TEXTS] if format == "onnx" else TEXTS):
        assert PureTreeClassifier(random_state=0).fit(X, Y).export(format)


def test_columns_that_scikit_learn_cannot_read_are_rejected() -> None:
    """Where scikit-learn reads the training rows differently or not at all, the error names the remedy."""
    intervals = pd.DataFrame({"t": pd.cut(np.array([1.0, 5, np.nan, 9]), [0, 3, 6, 10])})
    masked = np.ma.array([[1.0], [2.0], [1.0], [3.0]], mask=[[0], [0], [1], [0]])
    objects = pd.DataFrame({"n": pd.Series([1, 2, pd.NA, 3], dtype=object)})
    for X, message in (
        (intervals, "reads .* in another way"),
        (masked, "reads 1 rows"),
        (objects, "rejects this table"),
    ):
        classifier = PureTreeClassifier(random_state=0).fit(X, ["a", "b", "c", "a"])
        assert classifier.predict(X).tolist() == ["a", "b", "c", "a"]
        with pytest.raises(InputError, match=message + ".*; convert it before fitting"):
            classifier.to_sklearn()
        assert classifier.export("python")


def test_python_compares_numpy_numbers_in_double_precision() -> None:
    """A row of single precision takes the branch of the tree, also next to a threshold."""
    low = np.float32(0.1)
    X = np.array([[low], [np.nextafter(low, np.float32(1))]])
    classifier = PureTreeClassifier(random_state=0).fit(X, ["a", "b"])
    module: dict[str, Any] = {}
    exec(classifier.export("python"), module)
    assert [module["predict"](row) for row in X] == ["a", "b"]
    assert module["predict"]([np.ma.masked]) == classifier.predict([[None]])[0]
    with pytest.raises(TypeError, match="x0: pass intervals as text"):
        module["predict"]([pd.Interval(0, 1)])


def test_the_check_is_not_affected_by_later_changes() -> None:
    """The classifier keeps a copy of the training rows: the user may change them after fit."""
    X = pd.DataFrame({"t": pd.Series(TEXTS, dtype="string[python]"), "n": NUMBERS})
    classifier = PureTreeClassifier(random_state=0).fit(X, Y)
    before = X.copy()
    X["prediction"] = classifier.predict(X)
    X.loc[0, "t"] = "blue"
    assert classifier.to_sklearn().predict(before).tolist() == Y


def test_the_check_runs_on_the_training_rows_only() -> None:
    """Rows that were held out or dropped as contradictory are not part of the check."""
    texts = [*TEXTS, "red", *TEXTS, None]
    X = pd.DataFrame({"t": pd.Series(texts, dtype="string[python]"), "n": range(len(texts))})
    y = [*Y, "b", *Y, "a"]
    for options in ({"on_conflict": "drop", "forbidden": ["n"]}, {"selection": "holdout", "selection_size": 0.3}):
        classifier = PureTreeClassifier(random_state=0, **options).fit(X, y)
        assert classifier.to_sklearn().predict(X).tolist() == classifier.predict(X).tolist()
        assert classifier.export("sql")
