"""The classifier for noisy tables: of the trees with the fewest training errors for their size, the best size.

>>> from puretree.datasets import load
>>> iris = load("sklearn:iris")
>>> model = OptimalTreeClassifier(binarize="thresholds", random_state=0).fit(iris.table, iris.target)
>>> print(model.point_)
7 nodes, 3 errors (optimal)
>>> model.cv_results_["mean_test_score"].round(2).tolist()
[0.33, 0.67, 0.93, 0.94, 0.94, 0.93, 0.93]
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from .._support.clock import Clock
from ..binarize import Binarizer
from ..errors import InputError
from ..forest import ExplainedVote, Forest
from ..pareto import Front, FrontPoint
from ..pipeline import choose_optimal_tree
from ..selection import SelectionRule
from ..table import Labels, Table, read_columns_of
from ..tuning import FrontRecord, OptimalFitResult
from ..tuning.chart import to_svg
from ..tuning.plot import plot_fit
from .base import BaseTreeClassifier
from .persistence import SavedModel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROUNDING = 1e-12  # of shares
CARD_SIZE = (480.0, 220.0)  # of the picture of the front in a notebook


class OptimalTreeClassifier(BaseTreeClassifier):
    """A decision tree with the fewest training errors for its size, and the size chosen by cross-validation.

    Parameters
    ----------
    alpha : float or "cv", default="cv"
        The price of a leaf: the tree minimises ``cost / total weight + alpha * n_leaves``, as scikit-learn's
        ``ccp_alpha``. "cv": the size is chosen by cross-validation over the points of the front.
    max_leaf_nodes : int, optional
        The maximum number of leaves: the front ends there.
    max_errors : int, optional
        Find the smallest tree with at most so many errors on the training rows, without cross-validation.
    max_depth : int, optional
        The maximum number of tests on a path.
    min_samples_leaf : int, default=1
        The minimum number of training rows in a leaf. With a teacher and 1, a leaf may have mixed rows only.
    class_weight : mapping of label to float or "balanced", optional
        What an error on a row of each class costs; 1 for classes that are not in the mapping.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
        What it costs to predict class j for a row of class i; classes are sorted. 1 for every error by default.
    cv : int, splitter or iterable, default=5
        The folds, as in scikit-learn. A number of folds is stratified, at most the number of rows of the largest class,
        and shuffled by ``random_state``, since many tables are sorted.
    rule : {"best", "one-se"}, default="best"
        How the size is chosen: the highest mean score on the validation rows, or the smallest tree within one standard
        error of it; of equal scores the smallest tree.
    selection : str or SelectionRule, default="consensus"
        The rule that chooses among all trees of this size and cost: ``consensus``, ``teacher``,
        ``teacher-extra-trees`` or ``first``, as for :class:`PureTreeClassifier`. A teacher also says what labels cost:
        one minus the probability of the class by a random forest, out of bag for training rows, and as many mixed rows
        count, too. The front is then that of least cost under the teacher, and not of fewest errors.
    binarize : {"thresholds", "guessed", "onehot", "bits"} or Binarizer, default="guessed"
        The features that are made of the columns. Each fold makes its own.
    root : str or int, optional
        The column that the root tests.
    forbidden : list of str or int, optional
        Columns that no node may test.
    vote : "point", float or None, default=None
        Which trees predict: None for the chosen one alone; "point" for all trees of this size and cost; a number such
        as 0.05 also for those of at most this size that have up to 5 % more errors (cost so much more). Each row gets
        the class that most of them predict; see :meth:`explain_vote`.
    smoothing : float or "cv", default="cv"
        The m of the m-estimate ``(n_c + m * prior_c) / (n + m)`` of the probabilities in a leaf, where the prior is
        that of the training rows; 0 for the class frequencies. "cv": of 0, 0.5, 1, 2, 4 and 8 the one with the least
        log loss on the validation rows; 1 without cross-validation.
    delta : float, default=0.0
        The tolerance of :meth:`select` below the best accuracy.
    time_limit : float or None, default=60
        Seconds for everything together: a third for the front of all rows, half for the folds, and the rest for the
        trees of the chosen point, the vote and the choice. Before that, a tenth is for a teacher, also in each fold.
        When the limit is reached, or after Ctrl-C, the best tree so far is kept, and a warning is issued. None: no
        limit.
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default.
    n_jobs : int, optional
        The number of folds that are solved at the same time, and the number of jobs of a teacher; -1 for all
        processors. With an active :func:`joblib.parallel_config`, its backend does it, which may be a cluster.
    random_state : int, RandomState or None
        Controls the folds, synthetic rows, teachers, and random choices.
    verbose : int, default=0
        1 prints the bounds of the front whenever one improves, and each fold that is solved.

    Attributes
    ----------
    front_ : Front
        The front of all training rows.
    point_ : FrontPoint
        The chosen point.
    cv_results_ : dict or None
        The scores with the names of ``GridSearchCV``: ``param_max_nodes``, ``split0_test_score``, ...,
        ``mean_test_score``, ``std_test_score``, ``rank_test_score``, and ``n_proved``, the number of folds in which the
        tree of that size is proved optimal. The score is the accuracy, weighted by ``sample_weight``; with
        ``class_weight`` or ``cost_matrix``, it is minus the mean cost. None if there was no cross-validation.
    best_index_ : int or None
        The index of the chosen size in ``cv_results_``.
    smoothing_ : float
        The strength of smoothing that was used.
    tree_ : Tree
        The chosen tree.
    trees_ : Forest or TreeList
        All trees of the point, computed at the first access if necessary; the candidates if the point is not proved.
    n_nodes_ : int
        The size of the tree.
    lower_bound_, upper_bound_ : float
        Bounds of the least number of errors, or cost, of a tree of this size.
    status_ : {"optimal", "time_limit", "memory_limit", "interrupted", "unproved"}
        ``optimal`` only if it is proved that no tree of this size has fewer errors (costs less, by the labels or under
        the teacher), and no smaller one as few. ``outcome_`` says which.
    n_optimal_trees_ : int or None
        The number of trees of this size with as few errors (of that cost); None if unknown.
    selection_scores_, outcome_, certificate_, feature_importances_, classes_, n_classes_, n_features_in_, \
    feature_names_in_
        As for :class:`PureTreeClassifier`.

    Notes
    -----
    The ``sample_weight`` of :meth:`fit` weighs errors, scores and probabilities. A weight of 2 has the effect of a
    repeated row, whose copies are in the same fold. Rows of weight 0 are left out.

    :meth:`predict` returns the class of the leaf, which costs least on its training rows, or the class that most trees
    predict. Smoothing does not change it, so the class of the greatest probability may be another one.

    :meth:`save` and skops store what the chosen tree needs for predictions, what was proved, and the numbers of the
    front, without its trees, the training rows, and the trees that vote: with ``vote=None``, a classifier that was
    loaded predicts by its tree.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, None, closed="left"), StrOptions({"cv"})],
        "max_leaf_nodes": [Interval(Integral, 1, None, closed="left"), None],
        "max_errors": [Interval(Integral, 0, None, closed="left"), None],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "cost_matrix": "no_validation",  # this, binarize and selection have their own errors
        "cv": ["cv_object"],
        "rule": [StrOptions({"best", "one-se"})],
        "selection": "no_validation",
        "binarize": "no_validation",
        "root": [str, Integral, None],
        "forbidden": "no_validation",
        "vote": [Interval(Real, 0, None, closed="left"), StrOptions({"point"}), None],
        "smoothing": [Interval(Real, 0, None, closed="left"), StrOptions({"cv"})],
        "delta": [Interval(Real, 0, 1, closed="both")],
        "time_limit": [Interval(Real, 0, None, closed="left"), None],
        "memory_limit": [Interval(Real, 0, None, closed="neither"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        alpha: float | Literal["cv"] = "cv",
        max_leaf_nodes: int | None = None,
        max_errors: int | None = None,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        class_weight: Mapping[Any, float] | str | None = None,
        cost_matrix: Any = None,
        cv: Any = 5,
        rule: Literal["best", "one-se"] = "best",
        selection: str | SelectionRule = "consensus",
        binarize: str | Binarizer = "guessed",
        root: str | int | None = None,
        forbidden: Any = None,
        vote: Literal["point"] | float | None = None,
        smoothing: float | Literal["cv"] = "cv",
        delta: float = 0.0,
        time_limit: float | None = 60.0,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.max_leaf_nodes = max_leaf_nodes
        self.max_errors = max_errors
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.cv = cv
        self.rule = rule
        self.selection = selection
        self.binarize = binarize
        self.root = root
        self.forbidden = forbidden
        self.vote = vote
        self.smoothing = smoothing
        self.delta = delta
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _choose_tree(self, table: Table, labels: Labels, sample_weight: Any, clock: Clock) -> OptimalFitResult:
        return choose_optimal_tree(
            table,
            labels,
            alpha=self.alpha,
            max_leaf_nodes=self.max_leaf_nodes,
            max_errors=self.max_errors,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            class_weight=self.class_weight,
            sample_weight=sample_weight,
            cost_matrix=self.cost_matrix,
            cv=self.cv,
            rule=self.rule,
            selection=self.selection,
            delta=self.delta,
            smoothing=self.smoothing,
            vote=self.vote,
            binarize=self.binarize,
            root=self.root,
            forbidden=self.forbidden,
            time_limit=clock,
            memory_limit=self.memory_limit,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            on_progress=print if self.verbose else None,
        )

    # Prediction

    @property
    def _voters(self) -> Forest | None:
        """The trees that vote; None if the chosen tree predicts alone."""
        check_is_fitted(self)
        if isinstance(self._fit, SavedModel) and self.vote is None:
            return None
        voters = self._result.voters
        return None if voters is None else voters.forest

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row: that of the leaf, or the one that most trees vote for.

        If several labels have as many votes, it is that of the chosen tree if it is among them, else the first one.
        """
        voters = self._voters
        if voters is None:
            return super().predict(X)
        table = read_columns_of(self, X, reset=False)
        shares, codes = voters.predict_distribution(table), self.tree_.predict_codes(table)
        is_most = shares >= shares.max(axis=1, keepdims=True) - ROUNDING
        is_chosen = is_most[np.arange(len(codes)), codes]
        return self.classes_[np.where(is_chosen, codes, is_most.argmax(axis=1))]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``.

        It is the smoothed class frequency in the leaf; with ``vote``, the mean of it over all trees that vote.
        """
        voters = self._voters
        if voters is None:
            return super().predict_proba(X)
        return voters.predict_proba(read_columns_of(self, X, reset=False), smoothing=self.smoothing_)

    def explain_vote(self, X: Any) -> list[ExplainedVote]:
        """Return for each row what share of the trees predicts each class, and which columns they test on its path.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows

        Returns
        -------
        list of ExplainedVote
            One for each row: its ``shares`` of the classes, and its ``columns`` with the share of the trees that test
            each one; the largest first. It formats as two lines of text.

        Raises
        ------
        InputError
            If no trees vote.
        """
        voters = self._voters
        if voters is None:
            raise InputError("no trees vote here: fit the classifier with vote='point', or with a number such as 0.05")
        return voters.explain_vote(read_columns_of(self, X, reset=False))

    # Fitted attributes

    @property
    def _result(self) -> OptimalFitResult:
        result = super()._result
        assert isinstance(result, OptimalFitResult)
        return result

    @property
    def front_(self) -> Front:
        """The front of all training rows."""
        return self._result.front

    @property
    def point_(self) -> FrontPoint:
        """The chosen point."""
        return self._result.point

    @property
    def cv_results_(self) -> dict[str, Any] | None:
        """The scores of the cross-validation; None if there was none."""
        validated = self._result.tuned.validated
        return None if validated is None else validated.to_dict()

    @property
    def best_index_(self) -> int | None:
        """The index of the chosen size in ``cv_results_``; None if there was no cross-validation."""
        return self._result.tuned.index

    def plot_front(self, ax: Axes | None = None) -> Axes:
        """Draw the front, CART's pruning path, the cross-validation and the chosen point with matplotlib.

        The errors on validation rows are drawn for as many rows as the training rows, with their standard error.
        matplotlib must be installed: ``pip install "puretree[plot]"``.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default those of a new figure.

        Returns
        -------
        Axes
        """
        return plot_fit(self._result, ax)

    def explorer(
        self, path: str | os.PathLike[str], *, X_select: Any = None, y_select: Any = None, data: bool = True
    ) -> Path:
        """Write a page with the front and all trees of its points; see :meth:`Front.explorer`.

        It opens at the chosen point, with the chosen tree.

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
        from ..explorer import PageOptions, explore_front

        trees = self.trees_
        return explore_front(
            self.front_,
            path,
            PageOptions(X_select, y_select, data),
            chosen=self.point_,
            tree=self.tree_,
            known={self.n_nodes_: trees} if isinstance(trees, Forest) else None,
            time_limit=self.time_limit,
            memory_limit=self.memory_limit,
        )

    def _front_svg(self) -> str:
        record = self._fit.run.front if isinstance(self._fit, SavedModel) else FrontRecord.of(self._result)
        return "" if record is None else to_svg(record, *CARD_SIZE)

    @property
    def smoothing_(self) -> float:
        """The strength of smoothing that was used."""
        return self._result.smoothing
