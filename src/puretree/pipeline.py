"""The pipeline, one call per stage: raw table → binary problem → bounds → engine → all minimum trees → one of them.

:func:`choose_tree` runs all stages; :func:`minimum_tree` and :func:`minimum_trees` stop earlier.

Read this file first. Every stage is a package of its own, takes the result of the stage before, and imports only
earlier packages; a test enforces this.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sklearn.utils import check_random_state

from ._support.clock import Clock
from ._support.resources import require_n_jobs
from .binarize import Binarizer
from .engines import Engine, make_engine, solve
from .errors import UnfinishedWarning, warn
from .extraction import Pace
from .forest import Forest, grow_forest
from .outcome import OnProgress, Outcome
from .problem import Constraints, Minimise, OnConflict, nodes_of, prepare
from .selection import Evidence, Rows, SelectionRule, choose, make_rule, split_rows
from .selection.candidates import Diversity, Limits, Number, Plan, Source, find_candidates
from .selection.fit_result import FitResult, unfinished, warn_if_unfinished
from .selection.label_noise import warn_if_noisy


def minimum_tree(
    X: Any,
    y: Any,
    *,
    engine: str | Engine = "auto",
    binarize: str | Binarizer = "thresholds",
    on_conflict: OnConflict = "warn",
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int = 1,
    root: str | int | None = None,
    forbidden: Collection[str | int] | None = None,
    feature_costs: Mapping[str | int, int] | None = None,
    minimise: Minimise = "nodes",
    pair_cover: bool = False,
    time_limit: float | Clock | None = 60.0,
    memory_limit: float | None = None,
    n_jobs: int | None = None,
    on_progress: OnProgress | None = None,
) -> Outcome:
    """Find a smallest decision tree that classifies every row correctly, and prove that no smaller one does.

    Parameters
    ----------
    X : data frame, 2-D array or list of rows
        The raw table: numbers, categories, missing values.
    y : array-like of shape (n_rows,)
        The labels.
    engine : str or Engine, default="auto"
        ``search`` (exact search), ``maxsat`` (the paper's), ``auto`` (the search, then MaxSAT), or any other name in
        :data:`puretree.engines.ENGINES`, with options as in ``"maxsat(lazy=True)"``. Some engines have another
        objective than the size; see ``Outcome.minimised``.
    binarize : {"thresholds", "onehot", "bits"} or Binarizer, default="thresholds"
        The features that are made of the columns: the tree is minimum among trees that test these features.
    on_conflict : {"warn", "majority", "drop", "raise"}, default="warn"
        What to do with contradictory rows, which are equal in all features and have different labels: keep the rows of
        the most frequent label (ties go to the smallest label) with a warning, keep them without one, drop them all,
        or raise an error.
    max_depth : int, optional
        The maximum number of tests on a path.
    max_leaf_nodes : int, optional
        The maximum number of leaves. A tree with n leaves has 2n - 1 nodes.
    min_samples_leaf : int, default=1
        The minimum number of rows in a leaf. Supported by the engines ``search`` and ``auto``.
    root : str or int, optional
        The column, by name or index, that the root tests.
    forbidden : list of str or int, optional
        Columns that no node may test.
    feature_costs : mapping of str or int to int, optional
        The cost of a test on a column; 1 for columns that are not in the mapping.
    minimise : {"nodes", "nodes-then-cost", "cost"}, default="nodes"
        The objective: the number of nodes; the number of nodes, then the cost; or the cost, then the number of nodes.
    pair_cover : bool, default=False
        Spend part of the time on a better lower bound first.
    time_limit : float or None, default=60
        Seconds. When the limit is reached, or after Ctrl-C, the best tree so far is returned with both bounds, and a
        warning is issued. None: no limit.
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default.
    n_jobs : int, optional
        The number of parts of a large tree that are improved at the same time; -1 for all processors. With an active
        :func:`joblib.parallel_config`, its backend does it, which may be a cluster.
    on_progress : callable, optional
        Called with a :class:`Bounds` whenever a bound improves, for example ``print``.

    Returns
    -------
    Outcome
        Its ``status`` is ``optimal`` only if the tree is proved optimal.

    Warns
    -----
    NoisyLabelsWarning
        If the tree has far more leaves than the rows justify, so that some labels are probably wrong.

    Raises
    ------
    UnfinishedError
        If the time limit is reached before the table is turned into binary features: then there is no tree.
    InputError
        If the features would exceed the memory limit; the message says how much memory they take.

    Examples
    --------
    >>> rows = [["red", 1.0], ["red", 3.0], ["blue", 1.0]]
    >>> outcome = minimum_tree(rows, ["stop", "go", "go"])
    >>> outcome.status, outcome.n_nodes
    ('optimal', 5)
    >>> print(outcome.tree)
    x0 is red?
    ├─ yes: x1 ≤ 2?
    │  ├─ yes: stop (1)
    │  └─ no: go (1)
    └─ no: go (1)
    """
    clock, solver = Clock.of(time_limit), make_engine(engine, memory_limit, n_jobs=n_jobs)
    prepared = prepare(
        X,
        y,
        binarize=binarize,
        on_conflict=on_conflict,
        root=root,
        forbidden=forbidden,
        feature_costs=feature_costs,
        clock=clock,
        memory_limit=memory_limit,
    )
    constraints = Constraints(max_depth, prepared.roots, minimise, nodes_of(max_leaf_nodes), min_samples_leaf)
    with prepared.decoding_errors():
        outcome = solve(
            prepared.problem,
            solver,
            constraints=constraints,
            clock=clock,
            pair_cover=pair_cover,
            on_progress=on_progress,
            memory_limit=memory_limit,
        )
    if outcome.status not in ("optimal", "unproved"):
        warn(UnfinishedWarning(unfinished(outcome)))
    decoded = prepared.decode_result(outcome)
    warn_if_noisy(prepared, decoded, decoded.tree)
    return decoded


def minimum_trees(
    X: Any,
    y: Any,
    *,
    extra: int = 0,
    engine: str | Engine = "auto",
    binarize: str | Binarizer = "thresholds",
    on_conflict: OnConflict = "warn",
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int = 1,
    root: str | int | None = None,
    forbidden: Collection[str | int] | None = None,
    feature_costs: Mapping[str | int, int] | None = None,
    time_limit: float | Clock | None = 60.0,
    memory_limit: float | None = None,
    on_progress: OnProgress | None = None,
) -> Forest:
    """Find all smallest decision trees that classify every row correctly.

    Parameters
    ----------
    X, y, engine, binarize, on_conflict, max_depth, max_leaf_nodes, min_samples_leaf, root, forbidden, time_limit, \
    memory_limit, on_progress
        As for :func:`minimum_tree`. The engine proves the minimum; the exact search collects the trees.
    extra : int, default=0
        Include trees with up to this many inner nodes more than the minimum.
    feature_costs : mapping of str or int to int, optional
        The cost of a test on a column; 1 for columns that are not in the mapping. Of the trees of each size only the
        cheapest are kept, as with ``minimise="nodes-then-cost"``.

    Returns
    -------
    Forest

    Raises
    ------
    UnfinishedError
        If a limit was reached. Its ``outcome`` is that of :func:`minimum_tree`.

    Examples
    --------
    >>> rows = [["red", 1.0], ["red", 3.0], ["blue", 1.0]]
    >>> forest = minimum_trees(rows, ["stop", "go", "go"])
    >>> forest
    <Forest: 2 trees of 5 nodes>
    >>> forest.best([["blue", 3.0]], ["go"]).accuracy
    1.0
    """
    clock, solver = Clock.of(time_limit), make_engine(engine, memory_limit)
    prepared = prepare(
        X,
        y,
        binarize=binarize,
        on_conflict=on_conflict,
        root=root,
        forbidden=forbidden,
        feature_costs=feature_costs,
        clock=clock,
        memory_limit=memory_limit,
    )
    aim: Minimise = "nodes-then-cost" if feature_costs else "nodes"
    constraints = Constraints(max_depth, prepared.roots, aim, nodes_of(max_leaf_nodes), min_samples_leaf)
    with prepared.decoding_errors():
        return grow_forest(
            prepared,
            constraints,
            solver,
            extra=extra,
            clock=clock,
            memory_limit=memory_limit,
            on_progress=on_progress,
        )


def choose_tree(
    X: Any,
    y: Any,
    *,
    engine: str | Engine = "auto",
    n_trees: Number = "all",
    diversity: Diversity = "none",
    layout_depth: int = 2,
    pace: Pace = "prove",
    source: Source | None = None,
    selection: str | SelectionRule = "consensus",
    selection_size: float = 0.2,
    delta: float = 0.0,
    binarize: str | Binarizer = "thresholds",
    on_conflict: OnConflict = "warn",
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int = 1,
    root: str | int | None = None,
    forbidden: Collection[str | int] | None = None,
    feature_costs: Mapping[str | int, int] | None = None,
    time_limit: float | Clock | None = 60.0,
    memory_limit: float | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    on_progress: OnProgress | None = None,
) -> FitResult:
    """Find the smallest trees that classify every row correctly, and choose the one expected to generalise best.

    Parameters
    ----------
    X, y, engine, binarize, on_conflict, max_depth, max_leaf_nodes, min_samples_leaf, root, forbidden, time_limit, \
    memory_limit, on_progress
        As for :func:`minimum_tree`.
    n_trees, diversity, layout_depth, selection, selection_size, delta, n_jobs, random_state
        As for :class:`PureTreeClassifier`.
    pace : {"prove", "share"}, default="prove"
        How SAT extraction spends the time on diverse trees: it proves that each is the farthest from those before, and
        returns fewer trees at the time limit; or it shares the time among them, and ``candidates.n_unproved`` counts
        those without a proof.
    source : {"forest", "sat"}, optional
        Whether the trees are drawn from the forest of all minimum trees, or extracted one by one by a SAT solver. By
        default SAT extracts layouts, and a number of trees with ``engine="maxsat"``; they then come from the formula
        and the solver of the proof.
    feature_costs : mapping of str or int to int, optional
        The cost of a test on a column; of the minimum trees only the cheapest are candidates.

    Returns
    -------
    FitResult
        The tree, the trees it was chosen from, and the proof.

    Warns
    -----
    NoisyLabelsWarning
        As :func:`minimum_tree`.
    """
    clock, random = Clock.of(time_limit), check_random_state(random_state)
    require_n_jobs(n_jobs)
    rule = make_rule(selection, delta)
    # SAT extracts trees with the fewest nodes, whatever their cost.
    source = "forest" if feature_costs and source is None else source
    prover = make_engine(engine, memory_limit, n_jobs=n_jobs)
    plan = Plan.of(prover, n_trees, diversity, source, layout_depth=layout_depth, pace=pace)
    rows = Rows.read(X, y)
    training, held_out = split_rows(rows, selection_size, random) if rule.needs_selection else (rows, None)
    prepared = prepare(
        training.table,
        training.labels,
        binarize=binarize,
        on_conflict=on_conflict,
        root=root,
        forbidden=forbidden,
        feature_costs=feature_costs,
        row_numbers=training.numbers,
        clock=clock,
        memory_limit=memory_limit,
    )
    aim: Minimise = "nodes-then-cost" if feature_costs else "nodes"
    constraints = Constraints(max_depth, prepared.roots, aim, nodes_of(max_leaf_nodes), min_samples_leaf)
    evidence = Evidence(training, held_out, random, clock, n_jobs, memory_limit)
    candidates = find_candidates(prepared, constraints, plan, Limits(clock, memory_limit, on_progress), random)
    choice = choose(rule, candidates.trees, evidence, candidates.known)
    result = FitResult(prepared, constraints, candidates, choice, rule.name)
    warn_if_unfinished(result, clock)
    warn_if_noisy(prepared, result.outcome, result.tree)
    return result
