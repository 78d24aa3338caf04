"""The scikit-learn face of puretree: parameters in, a smallest pure tree with its proof out.

>>> from puretree.datasets import load
>>> iris = load("sklearn:iris")
>>> model = PureTreeClassifier(random_state=0).fit(iris.table, iris.target)
>>> model.n_nodes_, model.status_, model.n_optimal_trees_
(15, 'optimal', 5616)
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from .._support.clock import Clock
from ..binarize import Binarizer
from ..engines import Engine
from ..errors import ConflictWarning, NotKeptError, UnfinishedWarning
from ..export import export_tree, plot, to_sklearn
from ..export.notebook import html_card
from ..forest import Forest, TreeList
from ..outcome import Bounds
from ..pipeline import choose_tree
from ..problem import BinaryProblem, OnConflict, describe_conflicts
from ..proof.claim import certificate
from ..selection import Holdout, Rows, SelectionRule, make_rule
from ..selection.candidates import Diversity, Limits, Number
from ..selection.fit_result import FitResult
from ..table import Labels, Table, label_array, read_columns_of, read_labels, unchanged_by_failure
from ..tree import Explanation, Rule, Tree, explain
from .persistence import SavedModel, Saving

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PureTreeClassifier(Saving, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """A smallest decision tree that is right on every training row, proved to be so.

    Parameters
    ----------
    engine : str or Engine, default="auto"
        How the minimum is found and proved: ``auto``, ``search``, ``maxsat``, ``mindt``, ``bessiere``, ``dtfinder`` or
        ``local-search-ck``; ``local-search``, ``local-search-c`` and ``psk`` find small trees and prove nothing.
    binarize : {"thresholds", "onehot", "bits"} or Binarizer, default="thresholds"
        Which questions may be asked of the table; ``bits`` are the paper's.
    n_trees : int or "all", default="all"
        How many smallest trees to choose from; 1 takes the first that is proved.
    diversity : {"none", "mdsol", "max-min", "layouts", "layouts-mdsol"}, default="none"
        How they are to differ, if ``n_trees`` is a number.
    selection : str or SelectionRule, default="consensus"
        How one is chosen. ``consensus``: the one nearest to the vote of all. ``teacher``, ``teacher-extra-trees``: the
        one nearest to a random forest or to extra-trees. ``holdout``: the best on rows kept back, ``holdout-teacher``
        with ties broken by a teacher. ``first``: no choice.
    selection_size : float, default=0.2
        The share of rows kept back by ``holdout``.
    delta : float, default=0.0
        How much less accuracy than the best is good enough for ``holdout``.
    on_conflict : {"warn", "majority", "drop", "raise"}, default="warn"
        What to do with rows that are equal in every feature but not in their label: keep those of the most frequent
        label, with a warning or without; leave them all out; or refuse them.
    max_depth : int, optional
        The most tests on any path.
    root : str or int, optional
        The column that the first test is about.
    forbidden : list of str or int, optional
        Columns that no test may be about.
    feature_costs : mapping of str or int to int, optional
        What a test on a column costs, 1 if not named: of the smallest trees only the cheapest count.
    probabilities : {"leaf", "trees"}, default="leaf"
        What ``predict_proba`` tells: the frequencies at the leaf, or the share of all smallest trees that say a class
        (of those found, if a limit was reached before all were).
    time_limit : float, optional
        Seconds. When they are over, the best tree so far is kept, with a warning; so does Ctrl-C.
    memory_limit : float, optional
        Bytes that the process may take; half of the machine's by default.
    n_jobs : int, optional
        Of a teacher. Never changes the tree.
    random_state : int, RandomState or None
        Of the rows kept back, mixed rows, teachers, and choices left to chance.
    verbose : int, default=0
        1 prints both bounds whenever one improves.

    Attributes
    ----------
    tree_ : Tree
        The chosen tree.
    trees_ : Forest or TreeList
        All smallest trees, found when asked for, if that was not needed before; the trees found so far if the minimum
        is not proved.
    n_nodes_, lower_bound_, upper_bound_ : int
        The size of the tree, and between which numbers the minimum lies.
    status_ : {"optimal", "time_limit", "memory_limit", "interrupted", "unproved"}
        ``optimal`` only if proved; ``unproved`` of engines that prove nothing.
    n_optimal_trees_ : int or None
        How many smallest trees there are; None if that is not known.
    selection_scores_ : dict
        The rule, its score per row, how many trees are as good, of how many, and whether all were looked at.
    outcome_ : Outcome
        The proof and its history.
    certificate_ : dict
        What is claimed, of which data: hashes, bounds, versions.
    classes_, n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    :meth:`save` and skops keep what it takes to predict and what was proved, without the training rows: a classifier
    that was read back predicts alike, and says so where it is asked for more (``trees_``, ``select``).
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "engine": "no_validation",  # these two and selection are looked up by name, with errors of their own
        "binarize": "no_validation",
        "n_trees": [Interval(Integral, 1, None, closed="left"), StrOptions({"all"})],
        "diversity": [StrOptions({"none", "mdsol", "max-min", "layouts", "layouts-mdsol"})],
        "selection": "no_validation",
        "selection_size": [Interval(Real, 0, 1, closed="neither")],
        "delta": [Interval(Real, 0, 1, closed="both")],
        "on_conflict": [StrOptions({"warn", "majority", "drop", "raise"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
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

    def __init__(
        self,
        *,
        engine: str | Engine = "auto",
        binarize: str | Binarizer = "thresholds",
        n_trees: Number = "all",
        diversity: Diversity = "none",
        selection: str | SelectionRule = "consensus",
        selection_size: float = 0.2,
        delta: float = 0.0,
        on_conflict: OnConflict | Literal["warn"] = "warn",
        max_depth: int | None = None,
        root: str | int | None = None,
        forbidden: Any = None,
        feature_costs: dict[str | int, int] | None = None,
        probabilities: str = "leaf",
        time_limit: float | None = None,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.engine = engine
        self.binarize = binarize
        self.n_trees = n_trees
        self.diversity = diversity
        self.selection = selection
        self.selection_size = selection_size
        self.delta = delta
        self.on_conflict = on_conflict
        self.max_depth = max_depth
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
        """Find the smallest trees, and choose one.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
            The raw table: names, numbers, categories, gaps.
        y : array-like of shape (n_rows,)
            The labels.

        Returns
        -------
        self

        Notes
        -----
        If it fails, the classifier is as it was before: fitted to the older data, or not at all.
        """
        self._validate_params()
        with unchanged_by_failure(self):
            table = read_columns_of(self, X, reset=True)
            labels = read_labels(y, table.n_rows)
            chosen = self._choose(table, labels)
        self.classes_ = label_array(labels.classes)
        self._take(chosen)
        if self.on_conflict == "warn" and chosen.prepared.problem.conflicts:
            warnings.warn(_contradictions(chosen.prepared.problem), ConflictWarning, stacklevel=2)
        if chosen.found.ending == "limit" or self.status_ != "optimal":
            warnings.warn(_unfinished(chosen), UnfinishedWarning, stacklevel=2)
        return self

    def _choose(self, table: Table, labels: Labels) -> FitResult:
        return choose_tree(
            table,
            labels,
            engine=self.engine,
            n_trees=self.n_trees if self.n_trees == "all" else int(self.n_trees),  # NumPy's integers, too
            diversity=self.diversity,
            selection=make_rule(self.selection, self.delta),
            selection_size=self.selection_size,
            binarize=self.binarize,
            on_conflict="majority" if self.on_conflict == "warn" else self.on_conflict,
            max_depth=self.max_depth,
            root=self.root,
            forbidden=() if self.forbidden is None else self.forbidden,
            costs=self.feature_costs,
            time_limit=self.time_limit,
            memory_limit=self.memory_limit,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            on_progress=_print_bounds if self.verbose else None,
        )

    def select(self, X: Any, y: Any) -> Self:
        """Choose again, by accuracy on other rows, among the trees that were found: nothing is solved again.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
            Rows that played no part in training.
        y : array-like of shape (n_rows,)
            Their labels.

        Returns
        -------
        self
            With another ``tree_`` if one is better; ``delta`` counts here as well.
        """
        check_is_fitted(self)
        table = read_columns_of(self, X, reset=False)
        limits = Limits(Clock.of(self.time_limit), self.memory_limit)
        self._take(self._chosen.reselect(Holdout(self.delta), Rows.read(table, y), limits, self.random_state))
        return self

    def _take(self, chosen: FitResult) -> None:
        self._fit = chosen
        self._tell(chosen.outcome, chosen.tree, chosen.scores)

    @property
    def _chosen(self) -> FitResult:
        """The fit with its training rows."""
        if isinstance(self._fit, SavedModel):
            raise NotKeptError(
                "this needs the training rows, and the classifier was read from a file that does not hold them; fit it "
                "again, or pickle it to keep everything"
            )
        return self._fit

    # What was found

    @property
    def trees_(self) -> Forest | TreeList:
        """All smallest trees, found when they are first asked for; those that were extracted if the proof is open."""
        check_is_fitted(self)
        if self.status_ != "optimal":
            return self._chosen.found.candidates
        self._fit = found = self._chosen.with_all_trees(self.time_limit, self.memory_limit)
        assert found.found.forest is not None
        return found.found.forest

    @property
    def n_optimal_trees_(self) -> int | None:
        """How many smallest trees there are; None if not all are known."""
        check_is_fitted(self)
        return self._fit.run.n_trees if isinstance(self._fit, SavedModel) else self._fit.found.n_smallest

    @property
    def certificate_(self) -> dict[str, Any]:
        """What is claimed, of which data."""
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
        """Return how likely each class is, in the order of ``classes_``; see ``probabilities``."""
        check_is_fitted(self)
        table = read_columns_of(self, X, reset=False)
        if self.probabilities == "trees":
            found = self._chosen.found
            voters = found.candidates if found.ending == "limit" else self.trees_
            return voters.predict_distribution(table)
        leaves = self.tree_.apply(table)
        if isinstance(self._fit, SavedModel):
            return self._fit.run.shares_at(leaves)
        return self._fit.leaf_shares(with_conflicts=self.on_conflict != "drop")[leaves]

    # What it says

    def rules(self) -> list[Rule]:
        """Return a rule for each leaf: "IF petal width ≤ 0.8 THEN setosa (50)"."""
        check_is_fitted(self)
        return self.tree_.rules()

    def explain(self, x: Any) -> Explanation:
        """Tell the way of one row through the tree, and the smallest change that gets another answer.

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

        What predicts is checked on the training rows first, if they are there.
        """
        check_is_fitted(self)
        rows = () if isinstance(self._fit, SavedModel) else self._fit.training
        return export_tree(self.tree_, format, *rows)

    def to_sklearn(self) -> Any:
        """Return a scikit-learn tree that says the same; behind an encoder if columns are categories.

        It knows the columns by name if this classifier does: a tree then refuses other names and another order, an
        encoder finds its columns by name and takes data frames only.
        """
        check_is_fitted(self)
        return to_sklearn(self.tree_, *self._chosen.training, by_position=not hasattr(self, "feature_names_in_"))

    def _html_repr(self) -> str:
        """Show a fitted tree in a notebook, then what scikit-learn shows of every estimator."""
        parameters = str(super()._html_repr())
        if not hasattr(self, "tree_"):
            return parameters
        return html_card(self.tree_, self.outcome_, self.n_optimal_trees_) + parameters

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _print_bounds(bounds: Bounds) -> None:
    print(f"nodes {bounds}")


def _contradictions(problem: BinaryProblem) -> str:
    n_left_out = len(problem.example_of_row) - len(problem.kept_rows)
    return (
        f"{describe_conflicts(problem.conflicts)}. The most frequent label of each group counts, and {n_left_out} of "
        "the rows are left out; on_conflict='majority' does so without a warning, 'raise' refuses such tables"
    )


def _unfinished(chosen: FitResult) -> str:
    outcome, n_trees = chosen.outcome, chosen.found.candidates.count
    if outcome.status == "optimal":
        found = "none beside it was found" if n_trees == 1 else f"{n_trees} were found to choose from"
        return f"the tree is proved to be smallest, but a limit was reached before all trees of its size: {found}"
    reason = {
        "time_limit": "the time was over",
        "memory_limit": "the memory was not enough",
        "interrupted": "Ctrl-C came",
        "unproved": "the engine was done",
    }
    return (
        f"{reason[outcome.status]} before the minimum was proved: the tree is right on every training row and has "
        f"{outcome.n_nodes} nodes, the minimum lies between {outcome.lower_bound} and {outcome.upper_bound}"
    )
