"""What all binarisers share: reading the table, asking the questions, scikit-learn's conventions.

A binariser only decides which questions to ask of each column (:meth:`Binarizer._regions`). Training learns the
questions, transforming asks them; unseen levels and missing values are answered as in :mod:`puretree.predicate`,
numbers outside the training range like the nearest ones inside.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import _native
from ..bitmatrix import BitMatrix
from ..errors import InputError
from ..labels import Labels, read_labels
from ..predicate import Column, Predicate, Region, columns_of, pack_questions
from ..reading import read_table
from ..table import Table, TableColumn

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
        table = self._read(X, reset=True)
        table.require_finite()
        labels = read_labels(y, table.n_rows) if self._needs_labels() else None
        columns, features = [], []
        for index, values in enumerate(table):
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
        return self.transform_bits(X).unpack().T

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
        table = self._read(X, reset=False)
        columns = columns_of(self.features_)
        values = [np.ascontiguousarray(table.columns[column.index].as_known(column)) for column in columns]
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
        if input_features is not None:
            if len(input_features) != self.n_features_in_:
                raise InputError(
                    f"input_features should have length equal to the number of columns "
                    f"({self.n_features_in_}), got {len(input_features)}"
                )
            if hasattr(self, "feature_names_in_") and list(input_features) != list(self.feature_names_in_):
                raise InputError("input_features is not equal to feature_names_in_")
        return np.array([str(feature) for feature in self.features_], dtype=object)

    @abstractmethod
    def _regions(self, values: TableColumn, labels: Labels | None) -> list[Region]:
        """Choose the questions to ask of a column."""

    def _needs_labels(self) -> bool:
        return False

    def _read(self, X: Any, *, reset: bool) -> Table:
        table = read_table(X, categorical=self._is_categorical)
        if isinstance(X, Table):
            self._check_names(table, reset=reset)
        else:
            validate_data(self, X, reset=reset, skip_check_array=True)
        if reset:
            self._require_known_categorical(table)
        return table

    def _check_names(self, table: Table, *, reset: bool) -> None:
        """Do for a Table what scikit-learn does for a data frame."""
        if reset:
            self.n_features_in_ = len(table.columns)
            if table.has_names:
                self.feature_names_in_ = np.array(table.names, dtype=object)
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
        elif table.names != tuple(column.name for column in self.columns_):
            raise InputError("the columns are not those of the training table, or in another order")

    def _is_categorical(self, index: int, name: str) -> bool:
        given = self.categorical_features
        if isinstance(given, str):
            return given == "all"
        wanted = list(given)
        if wanted and all(isinstance(item, bool | np.bool_) for item in wanted):
            return index < len(wanted) and bool(wanted[index])
        return name in wanted or index in wanted

    def _require_known_categorical(self, table: Table) -> None:
        given = self.categorical_features
        if isinstance(given, str):
            if given not in ("from_dtype", "all"):
                raise InputError(
                    f"categorical_features={given!r} is not known; use 'from_dtype', 'all', or a list of columns"
                )
            return
        for item in given:
            if isinstance(item, str) and item not in table.names:
                raise InputError(f"categorical_features names {item!r}, which is no column of the table")
            if isinstance(item, int) and not -1 < item < len(table.columns):
                raise InputError(f"categorical_features names column {item}, but the table has {len(table.columns)}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags
