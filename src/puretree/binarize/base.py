"""What all binarisers share: reading the table, asking the questions, scikit-learn's conventions.

A binariser only decides which questions to ask of each column (:meth:`Binarizer._regions`). Training learns the
questions, transforming asks them; unseen levels and missing values are answered as in :mod:`puretree.binarize.predicate`,
numbers outside the training range like the nearest ones inside.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .. import _native
from .._support.resources import MOST_BYTES
from ..errors import InputError, shorten
from ..table import Column, Labels, TableColumn, column_indices, read_columns_of, read_labels
from .bitmatrix import BitMatrix
from .predicate import Predicate, columns_of, pack_questions
from .region import Region

CategoricalFeatures = str | Sequence[int] | Sequence[str] | Sequence[bool]


class Binarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Base of the binarisers; see the subclasses.

    Attributes
    ----------
    columns_ : tuple of Column
        What was learnt of each raw column.
    features_ : tuple of Predicate
        The question behind each binary feature, in the order of the output.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
    """

    categorical_features: CategoricalFeatures
    columns_: tuple[Column, ...]
    features_: tuple[Predicate, ...]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"categorical_features": ["array-like", str]}

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn which questions to ask.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
            The raw table.
        y : array-like of shape (n_rows,), optional
            The labels, for the options that need them.

        Returns
        -------
        self
        """
        self._validate_params()
        table = read_columns_of(self, X, reset=True)
        table.require_finite()
        labels = None
        if option := self._option_that_needs_labels():
            if y is None:
                raise InputError(f"{option} requires y to be passed, but the target y is None; give one label per row")
            labels = read_labels(y, table.n_rows)
        as_categories = categorical_places(self.categorical_features, table.names)
        columns, features = [], []
        for index, given in enumerate(table):
            values = given.as_category() if index in as_categories else given
            column = Column(values.name, index, values.kind, values.levels, values.has_missing)
            columns.append(column)
            features += [Predicate(column, region) for region in self._regions(values, labels)]
        self.columns_, self.features_ = tuple(columns), tuple(features)
        return self

    def transform(self, X: Any) -> NDArray[np.bool_]:
        """Answer every question for every row.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
            A table with the columns of the training table.

        Returns
        -------
        ndarray of bool, shape (n_rows, n_features_out)
        """
        bits = self.transform_bits(X)
        self._require_room(len(self.features_) * bits.n_bits)
        return bits.unpack().T

    def transform_bits(self, X: Any) -> BitMatrix:
        """Answer every question for every row, packed: a row of bits per question.

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
        self._require_room(len(self.features_) * table.n_rows / 8)
        columns = columns_of(self.features_)
        values = [np.ascontiguousarray(table.columns[column.index].encoded_as(column)) for column in columns]
        questions = pack_questions(self.features_, columns)
        words = _native.answers(questions, values, table.n_rows)
        return BitMatrix(words, table.n_rows)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the questions as text.

        Parameters
        ----------
        input_features : array-like of str, optional
            Must be the training names if given.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        questions = self.features_
        if input_features is not None:
            names = self._check_input_features(input_features)
            questions = tuple(
                Predicate(replace(asked.column, name=names[asked.column.index]), asked.region) for asked in questions
            )
        return np.array([str(question) for question in questions], dtype=object)

    def _require_room(self, n_bytes: float) -> None:
        """Refuse what would not fit, and say which columns ask so much, before the machine gives up."""
        if n_bytes <= MOST_BYTES:
            return
        counts = Counter(feature.column.name for feature in self.features_)
        worst = shorten((f"{name!r} ({n})" for name, n in counts.most_common()), limit=3)
        raise InputError(
            f"{len(self.features_)} features would need {n_bytes / 2**30:.0f} GB, more than half of this machine's "
            f"memory; most come from the columns {worst}: limit them with max_cuts (ThresholdBinarizer), bin them "
            "(BitsBinarizer, OneHotBinarizer), or use fewer rows"
        )

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
    def _regions(self, values: TableColumn, labels: Labels | None) -> list[Region]:
        """Choose the questions to ask of a column."""

    def _option_that_needs_labels(self) -> str | None:
        return None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def categorical_places(choice: CategoricalFeatures, names: Sequence[str]) -> set[int]:
    """Return the places of the columns whose numbers are to be read as categories.

    Parameters
    ----------
    choice : "from_dtype", "all" or list of columns
        None, all, or those named, numbered or marked in a mask.
    names : sequence of str
        The names of all columns.
    """
    if isinstance(choice, str):
        if choice not in ("from_dtype", "all"):
            raise InputError(
                f"categorical_features={choice!r} is not known; use 'from_dtype', 'all' or a list of columns"
            )
        return set(range(len(names))) if choice == "all" else set()
    chosen: list[Any] = list(choice)
    if chosen and all(isinstance(item, bool | np.bool_) for item in chosen):
        if len(chosen) != len(names):
            raise InputError(f"categorical_features marks {len(chosen)} columns, but the table has {len(names)}")
        return set(np.flatnonzero(chosen).tolist())
    return set(column_indices("categorical_features", chosen, names))
