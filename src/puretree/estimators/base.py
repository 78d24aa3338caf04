"""What all classifiers of a single tree have in common: prediction, explanation, export, saving and loading.

A subclass declares its parameters and finds the tree, with its proof and the trees it was chosen from.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import validate_parameter_constraints
from sklearn.utils.validation import check_is_fitted

from .._support.clock import Clock
from .._support.strict_json import LONG_INTEGER
from .._support.text import rounded
from ..errors import NotKeptError, UnfinishedError
from ..export import export_tree, find_format, plot, to_sklearn
from ..export.notebook import html_card
from ..forest import Forest, TreeList
from ..proof.claim import certificate
from ..runs import read_favourite
from ..selection import Holdout, Rows
from ..selection.candidates import Limits
from ..selection.fit_result import FitResult
from ..table import Labels, Table, as_frame, label_array, read_columns_of, read_labels, take_rows, unchanged_by_failure
from ..tree import Explanation, Rule, Tree, explain
from .persistence import SavedModel, SavingMixin
from .tree_mixin import TreeMixin

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class BaseTreeClassifier(SavingMixin, TreeMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Base class of the classifiers that choose one tree among equally good ones."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {}

    tree_: Tree
    selection_scores_: dict[str, Any]
    classes_: NDArray[Any]
    _container: Any = None  # the training rows as they were passed, if that matters for exports
    delta: float
    time_limit: float | None
    memory_limit: float | None
    random_state: Any

    # Training

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the trees, and choose one.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
            The raw table: numbers, categories, missing values.
        y : array-like of shape (n_rows,)
            The labels.
        sample_weight : array-like of shape (n_rows,), optional
            The weight of each row; rows of weight 0 are left out.

        Returns
        -------
        self

        Notes
        -----
        If it fails, the classifier stays as it was: fitted to the previous data, or unfitted.
        """
        self._validate_params()
        clock = Clock.of(self.time_limit)
        with unchanged_by_failure(self):
            X = as_frame(X)
            table = read_columns_of(self, X, reset=True)
            labels = read_labels(y, table.n_rows)
            result = self._choose_tree(table, labels, sample_weight, clock)
            self._container = take_rows(X, result.prepared.row_numbers[result.prepared.kept_rows])
        self.classes_ = label_array(labels.classes)
        self._set_result(result)
        return self

    @abstractmethod
    def _choose_tree(self, table: Table, labels: Labels, sample_weight: Any, clock: Clock) -> FitResult:
        """Find the trees, and choose one."""

    def select(self, X: Any, y: Any) -> Self:
        """Choose another tree by its accuracy on other rows, among the trees found by ``fit``.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
            Rows that were not used for training.
        y : array-like of shape (n_rows,)
            Their labels.

        Returns
        -------
        self
            With another ``tree_`` if one is better, within ``delta``.
        """
        check_is_fitted(self)
        self._validate("delta", "time_limit", "memory_limit", "random_state")
        table = read_columns_of(self, X, reset=False)
        limits = Limits(Clock.of(self.time_limit), self.memory_limit)
        result = self._result.reselect(Holdout(self.delta), Rows.read(table, y), limits, self.random_state)
        self._set_result(result)
        return self

    def adopt(self, tree: Tree | str | os.PathLike[str], *, note: str = "") -> Self:
        """Make a tree that somebody chose the fitted tree, if it is as good as the one that was fitted.

        Parameters
        ----------
        tree : Tree or path
            One of ``trees_``, or the path of a JSON file: that of a tree, or favourites of the explorer with one tree.
        note : str, default=""
            Why it was chosen; by default the note in the file. ``selection_scores_`` and saved files contain it.

        Returns
        -------
        self
            With another ``tree_``. Bounds and ``status_`` stay the same, because the tree has the same size and as
            many errors.

        Raises
        ------
        InputError
            If the tree does not belong to the table or violates a constraint, or if it has another size, other
            errors, or other total feature costs than the fitted tree. It is applied to the training rows to find out;
            the message names the first misclassified row, or the figures. The classifier stays as it was.
        """
        result = self._result
        if isinstance(tree, str | os.PathLike):
            favourite = read_favourite(Path(tree))
            tree, note = favourite.tree, note or favourite.note
        self._set_result(result.adopt(tree, note))
        return self

    def _validate(self, *names: str) -> None:
        """Check parameters that are used after ``fit``, since they may have been changed."""
        values = {name: getattr(self, name) for name in names}
        validate_parameter_constraints(self._parameter_constraints, values, type(self).__name__)

    def _set_result(self, result: FitResult) -> None:
        self._fit = result
        self._set_fitted(result.outcome, result.tree, result.scores)

    @property
    def _result(self) -> FitResult:
        """The result of the fit, with its training rows."""
        check_is_fitted(self)
        if isinstance(self._fit, SavedModel):
            raise NotKeptError(
                "this needs the training rows, but the classifier was loaded from a file without them; fit it again, "
                "or pickle it to keep everything"
            )
        return self._fit

    @property
    def _training(self) -> tuple[Any, NDArray[Any]]:
        """The rows that the tree classifies correctly, as they were passed to ``fit``, and their labels."""
        table, labels = self._result.training
        return table if self._container is None else self._container, labels

    # Fitted attributes

    @property
    def trees_(self) -> Forest | TreeList:
        """All minimum trees, computed at the first access; the candidates if the minimum is not proved."""
        check_is_fitted(self)
        self._validate("time_limit", "memory_limit")
        if self.status_ != "optimal":
            return self._result.candidates.trees
        self._fit = result = self._result.with_all_trees(self.time_limit, self.memory_limit)
        assert result.candidates.forest is not None
        return result.candidates.forest

    @property
    def n_optimal_trees_(self) -> int | None:
        """The number of minimum trees; None if unknown."""
        check_is_fitted(self)
        if isinstance(self._fit, SavedModel):
            return self._fit.run.n_trees
        return self._fit.candidates.n_minimum_trees

    @property
    def certificate_(self) -> dict[str, Any]:
        """What is proved, for which data."""
        check_is_fitted(self)
        if isinstance(self._fit, SavedModel):
            return dict(self._fit.run.certificate)
        return certificate(self._fit.prepared, self.outcome_, self.tree_, self._fit.constraints)

    # Prediction

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        check_is_fitted(self)
        return self.classes_[self.tree_.predict_codes(read_columns_of(self, X, reset=False))]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``: the class frequencies in the leaf."""
        check_is_fitted(self)
        leaves = self.tree_.apply(read_columns_of(self, X, reset=False))
        if isinstance(self._fit, SavedModel):
            return self._fit.run.shares_at(leaves)
        return self._fit.leaf_shares()[leaves]

    # Explanation and export

    def rules(self) -> list[Rule]:
        """Return a rule for each leaf: "IF petal width ≤ 0.8 THEN setosa (50)"."""
        check_is_fitted(self)
        return self.tree_.rules()

    def explain(self, x: Any) -> Explanation:
        """Return the path of one row through the tree, and the smallest change that leads to another prediction.

        Parameters
        ----------
        x : list of values, mapping of column to value, or data frame of one row
        """
        check_is_fitted(self)
        fit = self._fit
        ranges = fit.run.data.ranges if isinstance(fit, SavedModel) else fit.prepared.table.ranges()
        return explain(self.tree_, x, ranges)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the tree with matplotlib, which must be installed: ``pip install "puretree[plot]"``."""
        check_is_fitted(self)
        return plot(self.tree_, ax)

    def export(self, format: str = "json") -> str | bytes:
        """Return the tree as ``json``, ``text``, ``dot``, ``svg``, ``png``, ``python``, ``sql`` or ``onnx``.

        Formats that predict are checked on the training rows first, as they were passed to ``fit``. A classifier that
        was loaded from a file does not have them: nothing is checked then, and ``onnx``, which needs them, raises an
        error.
        """
        check_is_fitted(self)
        is_without_rows = isinstance(self._fit, SavedModel) and not find_format(format).needs_rows
        rows = () if is_without_rows else self._training
        return export_tree(self.tree_, format, *rows)

    def explorer(
        self, path: str | os.PathLike[str], *, X_select: Any = None, y_select: Any = None, data: bool = True
    ) -> Path:
        """Write a page in which all trees that the tree was chosen from can be explored; see :meth:`Forest.explorer`.

        Parameters
        ----------
        path : str or path
            The HTML file. It works offline in a browser, and sends nothing.
        X_select, y_select
            Rows that were not used for training, and their labels: the page finds the most accurate tree on them.
        data : bool, default=True
            Whether the page contains the training rows.

        Returns
        -------
        Path
            The path.
        """
        from ..explorer import PageOptions, explore_forest, explore_tree

        result, trees = self._result, self.trees_
        options = PageOptions(X_select, y_select, data)
        if isinstance(trees, Forest):
            return explore_forest(trees, path, options, tree=self.tree_, memory_limit=self.memory_limit)
        note = f"Only one tree is shown: it is not proved that none is smaller ({self.status_})."
        limit = self.memory_limit
        return explore_tree(result.prepared, self.outcome_, self.tree_, path, options, note=note, memory_limit=limit)

    def to_sklearn(self) -> Any:
        """Return an equivalent scikit-learn tree; a pipeline with an encoder if columns are categorical.

        It has feature names if this classifier has: a tree then rejects other names and another order, and an encoder
        selects its columns by name and requires data frames. It is checked on the training rows, as they were passed to
        ``fit``: scikit-learn does not read every type of column.
        """
        check_is_fitted(self)
        rows, labels = self._training
        by_position = isinstance(rows, Table) and not hasattr(self, "feature_names_in_")
        return to_sklearn(self.tree_, rows, labels, by_position=by_position)

    def _html_repr(self) -> str:
        """Show the fitted tree in a notebook, above the usual display of scikit-learn estimators."""
        parameters = str(super()._html_repr())
        if not hasattr(self, "tree_"):
            return parameters
        return html_card(self.tree_, self.outcome_, self.n_optimal_trees_, self._front_svg()) + parameters

    def _front_svg(self) -> str:
        """Return the picture of the front where errors are allowed."""
        return ""

    def _get_fitted_attr_html(self, doc_link: str = "") -> Any:
        """Round numbers of trees in scikit-learn's table of fitted attributes: Python may refuse to print them."""
        try:
            attributes = super()._get_fitted_attr_html(doc_link)
        except UnfinishedError:  # the table contains trees_, and a limit was reached before all trees were found
            return {}
        for attribute in attributes.values():
            attribute["value"] = _printable(attribute["value"])
        return attributes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _printable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _printable(item) for name, item in value.items()}
    return rounded(value) if isinstance(value, int) and value >= LONG_INTEGER else value
