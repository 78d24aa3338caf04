"""The scikit-learn classifier: fits a minimum pure tree with its proof.

>>> from puretree.datasets import load
>>> iris = load("sklearn:iris")
>>> model = PureTreeClassifier(random_state=0).fit(iris.table, iris.target)
>>> model.n_nodes_, model.status_, model.n_optimal_trees_
(15, 'optimal', 5616)
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from .._support.clock import Clock
from ..binarize import Binarizer
from ..engines import Engine
from ..outcome import Bounds
from ..pipeline import choose_tree
from ..problem import OnConflict
from ..selection import SelectionRule, make_rule
from ..selection.candidates import Diversity, Number
from ..selection.fit_result import FitResult
from ..table import Labels, Table, read_columns_of
from .base import BaseTreeClassifier


class PureTreeClassifier(BaseTreeClassifier):
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
        the most frequent label, by total weight if ``fit`` gets a ``sample_weight``, with a warning or without; drop
        them all; or raise an error.
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
    The ``sample_weight`` of :meth:`fit` decides which of contradictory rows are kept, and weighs the class frequencies
    in the leaves. It has no effect on the size of the tree: every row with a weight is classified correctly.

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

    def _choose_tree(self, table: Table, labels: Labels, sample_weight: Any, clock: Clock) -> FitResult:
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
            sample_weight=sample_weight,
            time_limit=clock,
            memory_limit=self.memory_limit,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            on_progress=_print_bounds if self.verbose else None,
        )

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``; see ``probabilities``."""
        check_is_fitted(self)
        self._validate("probabilities")
        if self.probabilities == "leaf":
            return super().predict_proba(X)
        table, candidates = read_columns_of(self, X, reset=False), self._result.candidates
        voters = candidates.trees if candidates.stopped == "limit" else self.trees_
        return voters.predict_distribution(table)


def _print_bounds(bounds: Bounds) -> None:
    print(f"nodes {bounds}")
