"""Base class of the binarisers: reading the table, evaluating the predicates, scikit-learn's conventions.

A subclass only chooses the predicates: of each column by itself (:class:`ColumnBinarizer`), or of all columns together.
``fit`` learns the predicates, ``transform`` evaluates them; for unseen levels and missing values see
:mod:`puretree.binarize.predicate`. Numbers outside the training range are treated like the nearest ones inside.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .. import _native
from .._support.clock import NO_LIMIT, Clock
from .._support.resources import COUNTED, MOST_BYTES, free_bytes, resident_bytes
from ..errors import InputError, shorten
from ..table import Column, Labels, Table, TableColumn, column_indices, read_columns_of, read_labels
from .bitmatrix import BitMatrix
from .features import Features, Thresholds
from .predicate import Predicate, columns_of, pack_predicates
from .region import Region

PREDICATE_BYTES = 400  # of a predicate and its region

CategoricalFeatures = str | Sequence[int] | Sequence[str] | Sequence[bool]


class Binarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Base class of the binarisers; see the subclasses.

    Attributes
    ----------
    columns_ : tuple of Column
        The fitted raw columns.
    features_ : sequence of Predicate
        The predicate of each binary feature, in the order of the output.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    categorical_features: CategoricalFeatures
    columns_: tuple[Column, ...]
    features_: Features

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"categorical_features": ["array-like", str]}

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the predicates.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
            The raw table.
        y : array-like of shape (n_rows,), optional
            The labels; some options need them.

        Returns
        -------
        self
        """
        return self.fit_within(X, y)

    def fit_within(self, X: Any, y: Any = None, *, clock: Clock = NO_LIMIT, memory_limit: float | None = None) -> Self:
        """Learn the predicates as :meth:`fit` does, within limits.

        Parameters
        ----------
        X, y
            As for :meth:`fit`.
        clock : Clock, optional
            Checked after each column.
        memory_limit : float, optional
            Bytes that the process may use for the features; half of the machine's memory by default.

        Raises
        ------
        TimeLimitReached
            If the time limit is reached first.
        InputError
            If the features would exceed the memory limit.
        """
        self._validate_params()
        table = read_columns_of(self, X, reset=True)
        table.require_finite()
        labels = None
        if option := self._option_that_needs_labels():
            if y is None:
                raise InputError(f"{option} requires y to be passed, but the target y is None; pass one label per row")
            labels = read_labels(y, table.n_rows)
        as_categories = categorical_indices(self.categorical_features, table.names)
        columns: list[Column] = []
        regions: list[Sequence[Region]] = []
        max_bytes, n_bytes = free_bytes(memory_limit), 0.0
        read = (raw.as_category() if index in as_categories else raw for index, raw in enumerate(table))
        read_table = replace(table, columns=tuple(read))
        of_columns = self._regions_of_columns(read_table, labels, clock, max_bytes)
        for index, (values, of_column) in enumerate(zip(read_table, of_columns, strict=True)):
            column = Column(values.name, index, values.kind, values.levels, values.has_missing, values.domain)
            columns.append(column)
            regions.append(of_column)
            n_bytes += _n_bytes(of_column)
            if n_bytes > max_bytes:
                n_bytes *= len(table.columns) / len(columns)  # as many features in the columns to come
                raise memory_error(Features(columns, regions), n_bytes, memory_limit)
            clock.require_time()
        self.columns_, self.features_ = tuple(columns), Features(columns, regions)
        return self

    def transform(self, X: Any) -> NDArray[np.bool_]:
        """Evaluate every predicate for every row.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
            A table with the columns of the training table.

        Returns
        -------
        ndarray of bool, shape (n_rows, n_features_out)
        """
        bits = self.transform_bits(X)
        self._require_memory(len(self.features_) * bits.n_bits)
        return bits.unpack().T

    def transform_bits(self, X: Any) -> BitMatrix:
        """Evaluate every predicate for every row, packed into one row of bits per predicate.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
            A table with the columns of the training table.

        Returns
        -------
        BitMatrix of shape (n_features_out, n_rows)
        """
        check_is_fitted(self)
        table = read_columns_of(self, X, reset=False)
        self._require_memory(len(self.features_) * table.n_rows / 8)
        predicates = tuple(self.features_)
        columns = columns_of(predicates)
        values = [np.ascontiguousarray(table.columns[column.index].encoded_as(column)) for column in columns]
        words = _native.answers(pack_predicates(predicates, columns), values, table.n_rows)
        return BitMatrix(words, table.n_rows)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the predicates as text.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names for the columns of an array; for a data frame they must equal its names.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        predicates: Sequence[Predicate] = self.features_
        if input_features is not None:
            names = self._check_input_features(input_features)
            predicates = tuple(
                Predicate(replace(predicate.column, name=names[predicate.column.index]), predicate.region)
                for predicate in predicates
            )
        return np.array([str(predicate) for predicate in predicates], dtype=object)

    def _require_memory(self, n_bytes: float) -> None:
        """Raise InputError if an output would exceed the memory."""
        if n_bytes > MOST_BYTES:
            raise memory_error(self.features_, n_bytes, None)

    def _check_input_features(self, input_features: Any) -> list[str]:
        names = [str(name) for name in input_features]
        if len(names) != self.n_features_in_:
            raise InputError(
                f"input_features should have length equal to the number of columns ({self.n_features_in_}), "
                f"got {len(names)}"
            )
        if hasattr(self, "feature_names_in_") and names != list(self.feature_names_in_):
            raise InputError("input_features is not equal to feature_names_in_")
        return names

    @abstractmethod
    def _regions_of_columns(
        self, table: Table, labels: Labels | None, clock: Clock, max_bytes: float
    ) -> Iterable[Sequence[Region]]:
        """Return the regions of the predicates on each column.

        Parameters
        ----------
        table : Table
            With columns of numbers as categories where ``categorical_features`` says so.
        labels : Labels or None
            The class of each row, if an option needs it.
        clock : Clock
            For long computations; it is checked after each column anyway.
        max_bytes : float
            The memory that may be used.
        """

    def _option_that_needs_labels(self) -> str | None:
        return None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


class ColumnBinarizer(Binarizer):
    """Base class of the binarisers whose predicates on a column do not depend on other columns."""

    def _regions_of_columns(
        self, table: Table, labels: Labels | None, clock: Clock, max_bytes: float
    ) -> Iterable[Sequence[Region]]:
        return (self._regions(values, labels) for values in table)

    @abstractmethod
    def _regions(self, values: TableColumn, labels: Labels | None) -> Sequence[Region]:
        """Return the regions of the predicates on a column."""


def bytes_per_feature(n_rows: int) -> float:
    """Return the bytes that a feature takes in a binary problem, which has two matrices: by feature and by example."""
    return PREDICATE_BYTES + 2 * 8 * math.ceil(n_rows / 64)


def _n_bytes(regions: Sequence[Region]) -> int:
    """Return the bytes of the features of a column."""
    return 2 * regions.low.nbytes if isinstance(regions, Thresholds) else PREDICATE_BYTES * len(regions)


def require_memory(features: Features, n_rows: int, memory_limit: float | None) -> None:
    """Raise InputError if the features of some rows would exceed the memory limit."""
    n_bytes = len(features) * bytes_per_feature(n_rows)
    if n_bytes > free_bytes(memory_limit):
        raise memory_error(features, n_bytes, memory_limit)


def memory_error(features: Features, n_bytes: float, memory_limit: float | None) -> InputError:
    """Return an error that states how much memory is needed, and names the columns with the most features."""
    counts = Counter(
        {column.name: len(regions) for column, regions in zip(features.columns, features.regions, strict=True)}
    )
    largest = shorten((f"{name!r} ({n})" for name, n in counts.most_common()), limit=3)
    remedy = (
        f"most features come from the columns {largest}: limit them with max_cuts (ThresholdBinarizer), guess cuts "
        "(GuessedThresholdBinarizer), bin them (BitsBinarizer, OneHotBinarizer), or use fewer rows"
    )
    if memory_limit is None:
        return InputError(
            f"the features would need {n_bytes / 1e9:.1f} GB, more than half of this machine's memory; {remedy}"
        )
    needed = (resident_bytes() + n_bytes) / COUNTED
    return InputError(
        f"is too small: the features would need {n_bytes / 1e9:.1f} GB, and the process {needed / 1e9:.1f} GB in all; "
        f"raise the limit, or reduce the features; {remedy}",
        parameter="memory_limit",
        value=memory_limit,
    )


def categorical_indices(choice: CategoricalFeatures, names: Sequence[str]) -> set[int]:
    """Return the indices of the columns whose numbers are read as categories.

    Parameters
    ----------
    choice : "from_dtype", "all" or list of columns
        No columns, all, or a list of names, indices or a boolean mask.
    names : sequence of str
        The names of all columns, in order.
    """
    if isinstance(choice, str):
        if choice not in ("from_dtype", "all"):
            raise InputError(
                "is unknown; use 'from_dtype', 'all' or a list of columns",
                parameter="categorical_features",
                value=choice,
            )
        return set(range(len(names))) if choice == "all" else set()
    chosen: list[Any] = list(choice)
    if chosen and all(isinstance(item, bool | np.bool_) for item in chosen):
        if len(chosen) != len(names):
            raise InputError(f"categorical_features marks {len(chosen)} columns, but the table has {len(names)}")
        return set(np.flatnonzero(chosen).tolist())
    return set(column_indices("categorical_features", chosen, names))
