"""The scikit-learn classifier: fits a minimum pure tree with its proof.

>>> from puretree.datasets import load
>>> iris = load("sklearn:iris")
>>> model = PureTreeClassifier(random_state=0).fit(iris.table, iris.target)
>>> model.n_nodes_, model.status_, model.n_optimal_trees_
(15, 'optimal', 5616)
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions, validate_parameter_constraints
from sklearn.utils.validation import check_is_fitted

from .._support.clock import Clock
from .._support.strict_json import LONG_INTEGER
from .._support.text import rounded
from ..binarize import Binarizer
from ..engines import Engine
from ..errors import NotKeptError, UnfinishedError
from ..export import export_tree, find_format, plot, to_sklearn
from ..export.notebook import html_card
from ..forest import Forest, TreeList
from ..outcome import Bounds
from ..pipeline import choose_tree
from ..problem import OnConflict
from ..proof.claim import certificate
from ..selection import Holdout, Rows, SelectionRule, make_rule
from ..selection.candidates import Diversity, Limits, Number
from ..selection.fit_result import FitResult
from ..table import Labels, Table, as_frame, label_array, read_columns_of, read_labels, take_rows, unchanged_by_failure
from ..tree import Explanation, Rule, Tree, explain
from .persistence import SavedModel, SavingMixin
from .tree_mixin import TreeMixin

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PureTreeClassifier(SavingMixin, TreeMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """A smallest decision tree that classifies every training row correctly, with a proof of minimality.

    Parameters
    ----------
    engine : str or Engine, default="auto"
        The method that proves the minimum: ``auto``, ``search``, ``maxsat``, ``mindt``, ``bessiere``, ``dtfinder``,
        ``local-search-c`` or ``local-search-ck``; ``local-search`` and ``psk`` find small trees without a proof.
    binarize : {"thresholds", "guessed", "onehot", "bits"} or Binarizer, default="thresholds"
        The features that are made of the columns; ``bits`` are the paper's.
    n_trees : int or "all", default="all"
        The number of minimum trees to choose from; 1 takes the first one found.
    diversity : {"none", "mdsol", "max-min", "layouts", "layouts-mdsol"}, default="none"
        How they are spread, if ``n_trees`` is a number.
    layout_depth : int, default=2
        The depth down to which ``layouts`` and ``layouts-mdsol`` distinguish the shapes of trees; no effect otherwise.
    selection : str or SelectionRule, default="consensus"
        The rule that chooses one of them. ``consensus``: the tree that agrees most with the vote of all trees.
        ``teacher``, ``teacher-extra-trees``: the tree that agrees most with a random forest or extra-trees.
        ``holdout``: the most accurate tree on held-out rows, ``holdout-teacher`` with ties broken by a teacher.
        ``first``: the first tree.
    selection_size : float, default=0.2
        The fraction of rows that ``holdout`` holds out.
    delta : float, default=0.0
        The tolerance of ``holdout`` below the best accuracy.
    on_conflict : {"warn", "majority", "drop", "raise"}, default="warn"
        What to do with contradictory rows, which are equal in all features and have different labels: keep the rows of
        the most frequent label, with a warning or without; drop them all; or raise an error.
    max_depth : int, optional
        The maximum number of tests on a path.
    max_leaf_nodes : int, optional
        The maximum number of leaves. A tree with n leaves has 2n - 1 nodes.
    min_samples_leaf : int, default=1
        The minimum number of training rows in a leaf.
    root : str or int, optional
        The column that the root tests.
    forbidden : list of str or int, optional
        Columns that no node may test.
    feature_costs : mapping of str or int to int, optional
        The cost of a test on a column, 1 by default: of the minimum trees only the cheapest are candidates.
    probabilities : {"leaf", "trees"}, default="leaf"
        What ``predict_proba`` returns: the class frequencies in the leaf, or the fraction of all minimum trees that
        predict each class (of those found, if a limit was reached before all were).
    time_limit : float or None, default=60
        Seconds. When the limit is reached, or after Ctrl-C, the best tree so far is kept, and a warning is issued.
        None: no limit.
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default.
    n_jobs : int, optional
        The number of jobs of a teacher, and of the local improvement of a large tree; -1 for all processors.
    random_state : int, RandomState or None
        Controls the held-out rows, synthetic rows, teachers, and random choices.
    verbose : int, default=0
        1 prints both bounds whenever one improves.

    Attributes
    ----------
    tree_ : Tree
        The chosen tree.
    trees_ : Forest or TreeList
        All minimum trees, computed at the first access if necessary; the candidates if the minimum is not proved.
    n_nodes_, lower_bound_, upper_bound_ : int
        The size of the tree, and the bounds of the minimum size.
    status_ : {"optimal", "time_limit", "memory_limit", "interrupted", "unproved"}
        ``optimal`` only if proved; ``unproved`` for engines without proofs.
    n_optimal_trees_ : int or None
        The number of minimum trees; None if unknown.
    selection_scores_ : dict
        The rule, its score per row, the number of trees with that score, the number of candidates, how many diverse
        ones are not proved to be the farthest, and whether all candidates were evaluated.
    outcome_ : Outcome
        The engine's proof, bounds and history.
    certificate_ : dict
        What is proved, for which data: hashes, bounds, versions.
    feature_importances_ : ndarray of shape (n_features_in_,)
        The share of each column in the decrease of the Gini impurity.
    classes_, n_classes_, n_features_in_, feature_names_in_
        As in all scikit-learn classifiers.

    Notes
    -----
    :meth:`save` and skops store what prediction needs and what was proved, without the training rows. A loaded
    classifier predicts the same, and raises an error where the rows are needed (``trees_``, ``select``).

    A pure tree fits wrong labels, too. :meth:`fit` issues a ``NoisyLabelsWarning`` if the tree has far more leaves than
    the rows justify; :class:`DtMaxClassifier` allows errors.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "engine": "no_validation",  # this, binarize and selection are looked up by name, with their own errors
        "binarize": "no_validation",
        "n_trees": [Interval(Integral, 1, None, closed="left"), StrOptions({"all"})],
        "diversity": [StrOptions({"none", "mdsol", "max-min", "layouts", "layouts-mdsol"})],
        "layout_depth": [Interval(Integral, 1, None, closed="left")],
        "selection": "no_validation",
        "selection_size": [Interval(Real, 0, 1, closed="neither")],
        "delta": [Interval(Real, 0, 1, closed="both")],
        "on_conflict": [StrOptions({"warn", "majority", "drop", "raise"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "max_leaf_nodes": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "root": [str, Integral, None],
        "forbidden": ["array-like", None],
        "feature_costs": [dict, None],
        "probabilities": [StrOptions({"leaf", "trees"})],
        "time_limit": [Interval(Real, 0, None, closed="left"), None],
        "memory_limit": [Interval(Real, 0, None, closed="neither"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    tree_: Tree
    selection_scores_: dict[str, Any]
    classes_: NDArray[Any]
    _container: Any = None  # the training rows as they were passed, if that matters for exports

    def __init__(
        self,
        *,
        engine: str | Engine = "auto",
        binarize: str | Binarizer = "thresholds",
        n_trees: Number = "all",
        diversity: Diversity = "none",
        layout_depth: int = 2,
        selection: str | SelectionRule = "consensus",
        selection_size: float = 0.2,
        delta: float = 0.0,
        on_conflict: OnConflict = "warn",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int = 1,
        root: str | int | None = None,
        forbidden: Any = None,
        feature_costs: dict[str | int, int] | None = None,
        probabilities: str = "leaf",
        time_limit: float | None = 60.0,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.engine = engine
        self.binarize = binarize
        self.n_trees = n_trees
        self.diversity = diversity
        self.layout_depth = layout_depth
        self.selection = selection
        self.selection_size = selection_size
        self.delta = delta
        self.on_conflict = on_conflict
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.root = root
        self.forbidden = forbidden
        self.feature_costs = feature_costs
        self.probabilities = probabilities
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # Training

    def fit(self, X: Any, y: Any) -> Self:
        """Find the minimum trees, and choose one.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
            The raw table: numbers, categories, missing values.
        y : array-like of shape (n_rows,)
            The labels.

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
            result = self._choose_tree(table, labels, clock)
            self._container = take_rows(X, result.prepared.row_numbers[result.prepared.problem.kept_rows])
        self.classes_ = label_array(labels.classes)
        self._set_result(result)
        return self

    def _choose_tree(self, table: Table, labels: Labels, clock: Clock) -> FitResult:
        return choose_tree(
            table,
            labels,
            engine=self.engine,
            n_trees=self.n_trees if self.n_trees == "all" else int(self.n_trees),  # also NumPy integers
            diversity=self.diversity,
            layout_depth=int(self.layout_depth),
            selection=make_rule(self.selection, self.delta),
            selection_size=self.selection_size,
            binarize=self.binarize,
            on_conflict=self.on_conflict,
            max_depth=self.max_depth,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
            root=self.root,
            forbidden=self.forbidden,
            feature_costs=self.feature_costs,
            time_limit=clock,
            memory_limit=self.memory_limit,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            on_progress=_print_bounds if self.verbose else None,
        )

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
        """Return the probability of each class, in the order of ``classes_``; see ``probabilities``."""
        check_is_fitted(self)
        self._validate("probabilities")
        table = read_columns_of(self, X, reset=False)
        if self.probabilities == "trees":
            candidates = self._result.candidates
            voters = candidates.trees if candidates.stopped == "limit" else self.trees_
            return voters.predict_distribution(table)
        leaves = self.tree_.apply(table)
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
        return html_card(self.tree_, self.outcome_, self.n_optimal_trees_) + parameters

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


def _print_bounds(bounds: Bounds) -> None:
    print(f"nodes {bounds}")
