"""The pipeline, one call per stage: raw table → binary problem → bounds → engine → all minimum trees → one of them.

:func:`choose_tree` runs all stages; :func:`minimum_tree` and :func:`minimum_trees` stop earlier.

Where errors are allowed: raw table → cost problem → front → one point → all of its trees → one of them.
:func:`choose_optimal_tree` runs all stages; :func:`front` stops earlier.

Read this file first. Every stage is a package of its own, takes the result of the stage before, and imports only
earlier packages; a test enforces this.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal

from sklearn.utils import check_random_state

from ._support.clock import Clock
from ._support.resources import require_n_jobs
from .binarize import Binarizer
from .engines import Engine, make_engine, solve
from .errors import UnfinishedWarning, warn
from .extraction import Pace
from .forest import Forest, grow_forest
from .outcome import OnProgress, Outcome
from .pareto import Front, FrontBounds, OnFront, Request, answer, find_front, warn_if_open
from .problem import Constraints, Minimise, OnConflict, nodes_of, prepare, prepare_costs
from .selection import Evidence, Rows, SelectionRule, Teacher, choose, make_rule, make_training_rule, split_rows
from .selection.candidates import Diversity, Limits, Number, Plan, Source, find_candidates
from .selection.fit_result import FitResult, unfinished, warn_if_unfinished
from .selection.label_noise import warn_if_noisy
from .table import read_labels, read_table
from .tuning import (
    FoldsSolved,
    FrontParameters,
    OptimalFitResult,
    Target,
    Vote,
    check_vote,
    find_voters,
    trees_of_point,
    warn_if_incomplete,
)
from .tuning.cross_validation import Rule


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
    minimise: Minimise | Literal["errors"] = "nodes",
    max_nodes: int | None = None,
    max_errors: int | None = None,
    max_cost: float | None = None,
    alpha: float | None = None,
    class_weight: Mapping[Any, float] | str | None = None,
    sample_weight: Any = None,
    cost_matrix: Any = None,
    pair_cover: bool = False,
    time_limit: float | Clock | None = 60.0,
    memory_limit: float | None = None,
    n_jobs: int | None = None,
    on_progress: OnProgress | None = None,
) -> Outcome:
    """Find a smallest decision tree that classifies every row correctly, and prove that no smaller one does.

    With one of ``max_errors``, ``max_cost``, ``alpha`` and ``minimise="errors"``, errors are allowed, and one tree of
    :func:`front` is found, without the others. Contradictory rows then need no rule, so ``on_conflict`` has no effect.

    Parameters
    ----------
    X : data frame, 2-D array or list of rows
        The raw table: numbers, categories, missing values.
    y : array-like of shape (n_rows,)
        The labels.
    engine : str or Engine, default="auto"
        ``search`` (exact search), ``maxsat`` (the paper's), ``auto`` (the search, then MaxSAT), or any other name in
        :data:`puretree.engines.ENGINES`, with options as in ``"maxsat(lazy=True)"``. Some engines have another
        objective than the size; see ``Outcome.minimised``. Where errors are allowed, use ``search`` or ``maxsat``.
    binarize : {"thresholds", "guessed", "onehot", "bits"} or Binarizer, default="thresholds"
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
        The minimum number of rows in a leaf. Supported by the engines ``search`` and ``auto``, and by ``maxsat`` where
        errors are allowed.
    root : str or int, optional
        The column, by name or index, that the root tests.
    forbidden : list of str or int, optional
        Columns that no node may test.
    feature_costs : mapping of str or int to int, optional
        The cost of a test on a column; 1 for columns that are not in the mapping.
    minimise : {"nodes", "nodes-then-cost", "cost", "errors"}, default="nodes"
        The objective: the number of nodes; the number of nodes, then the cost; the cost, then the number of nodes; or
        the number of errors on the training rows (their cost, with weights), with a limit of the size such as
        ``max_nodes``; if a smaller tree has as few errors, it need not be found, but ``max_errors`` finds it.
    max_nodes : int, optional
        The maximum number of nodes, if errors are allowed.
    max_errors : int, optional
        Find the smallest tree with at most so many errors on the training rows.
    max_cost : float, optional
        Find the smallest tree whose errors cost at most so much, with the weights below.
    alpha : float, optional
        Find the tree that minimises ``cost / total weight + alpha * n_leaves``. That is the scale of scikit-learn's
        ``ccp_alpha`` and of GOSDT's λ: with n rows of weight 1, ``alpha=2 / n`` says that a leaf must save two errors.
    class_weight, sample_weight, cost_matrix
        What errors cost, if they are allowed; as for :func:`front`.
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
        Its ``status`` is ``optimal`` only if the tree is proved optimal; ``minimised`` says in what sense.

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
    InfeasibleError
        If no tree satisfies the constraints, or none has so few errors.

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
    >>> outcome = minimum_tree(rows, ["stop", "go", "go"], max_errors=1)
    >>> outcome.status, outcome.n_nodes, outcome.n_errors
    ('optimal', 1, 1)
    """
    clock, solver = Clock.of(time_limit), make_engine(engine, memory_limit, n_jobs=n_jobs)
    request = Request(max_nodes, max_errors, max_cost, alpha, minimise, class_weight, sample_weight, cost_matrix)
    if request.allows_errors(solver, feature_costs=feature_costs, pair_cover=pair_cover):
        options: Any = {"clock": clock, "memory_limit": memory_limit}
        costs = prepare_costs(X, y, binarize=binarize, root=root, forbidden=forbidden, **request.costs, **options)
        limits = request.constraints(max_depth, costs.roots, max_leaf_nodes, min_samples_leaf)
        return answer(costs, limits, request.question(costs), engine=solver, on_progress=on_progress, **options)
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
    constraints = Constraints(
        max_depth, prepared.roots, request.of_pure_tree, nodes_of(max_leaf_nodes), min_samples_leaf
    )
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


def front(
    X: Any,
    y: Any,
    *,
    binarize: str | Binarizer = "thresholds",
    max_nodes: int | None = None,
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
    root: str | int | None = None,
    forbidden: Collection[str | int] | None = None,
    class_weight: Mapping[Any, float] | str | None = None,
    sample_weight: Any = None,
    cost_matrix: Any = None,
    time_limit: float | Clock | None = 60.0,
    memory_limit: float | None = None,
    on_progress: OnFront | None = None,
) -> Front:
    """Find, for every number of nodes, the tree with the fewest errors on the training rows, and prove it.

    The last point is the smallest tree that makes no avoidable error: without contradictory rows, the minimum pure
    tree. Contradictory rows need no rule: those that cannot be classified are errors.

    Parameters
    ----------
    X, y, binarize, max_depth, min_samples_leaf, root, forbidden, time_limit, memory_limit
        As for :func:`minimum_tree`. The single leaf, the first point, tests nothing, whatever ``root`` is.
    max_nodes : int, optional
        The number of nodes at which the front ends; by default, where no larger tree has fewer errors.
    class_weight : mapping of label to float or "balanced", optional
        What an error on a row of each class costs; 1 for classes that are not in the mapping. "balanced" gives every
        class the same total weight.
    sample_weight : array-like of shape (n_rows,), optional
        What an error on each row costs, times its class weight. Rows of weight 0 are ignored.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
        What it costs to predict class j for a row of class i, times its weights; classes are sorted. 1 for every error
        by default.
    on_progress : callable, optional
        Called with a :class:`FrontBounds` whenever a bound improves, for example ``print``.

    Returns
    -------
    Front
        Its ``status`` is ``optimal`` only if all points are proved. Otherwise each point has its own status.

    Examples
    --------
    >>> rows = [[1], [2], [3], [4], [5], [6]]
    >>> print(front(rows, ["a", "a", "b", "a", "b", "b"]))
    nodes  leaves  errors  accuracy
        1       1       3     50.0%
        3       2       1     83.3%
        7       4       0    100.0%
    <BLANKLINE>
    3 trees of up to 7 nodes, all proved optimal
    """
    clock = Clock.of(time_limit)
    prepared = prepare_costs(
        X,
        y,
        binarize=binarize,
        root=root,
        forbidden=forbidden,
        class_weight=class_weight,
        sample_weight=sample_weight,
        cost_matrix=cost_matrix,
        clock=clock,
        memory_limit=memory_limit,
    )
    constraints = Constraints(max_depth, prepared.roots, max_nodes=max_nodes, min_samples_leaf=min_samples_leaf)
    found = find_front(prepared, constraints, clock=clock, memory_limit=memory_limit, on_progress=on_progress)
    warn_if_open(found)
    return found


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
    sample_weight: Any = None,
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
    sample_weight : array-like of shape (n_rows,), optional
        The weight of each row: of contradictory rows, those of the label with the greatest total weight are kept; leaf
        probabilities and teachers use the weights, too. They have no effect on the size. Rows of weight 0 are left out.

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
    rows = Rows.read(X, y, sample_weight)
    training, held_out = split_rows(rows, selection_size, random) if rule.needs_selection else (rows, None)
    prepared = prepare(
        training.table,
        training.labels,
        binarize=binarize,
        on_conflict=on_conflict,
        root=root,
        forbidden=forbidden,
        feature_costs=feature_costs,
        sample_weight=training.sample_weight,
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


def choose_optimal_tree(
    X: Any,
    y: Any,
    *,
    alpha: float | Literal["cv"] = "cv",
    max_leaf_nodes: int | None = None,
    max_errors: int | None = None,
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
    class_weight: Mapping[Any, float] | str | None = None,
    sample_weight: Any = None,
    cost_matrix: Any = None,
    cv: Any = 5,
    rule: Rule = "best",
    selection: str | SelectionRule = "consensus",
    delta: float = 0.0,
    smoothing: float | Literal["cv"] = "cv",
    vote: Vote = None,
    binarize: str | Binarizer = "guessed",
    root: str | int | None = None,
    forbidden: Collection[str | int] | None = None,
    time_limit: float | Clock | None = 60.0,
    memory_limit: float | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    on_progress: Callable[[FrontBounds | FoldsSolved], None] | None = None,
) -> OptimalFitResult:
    """Find the front of size and errors, choose a point by cross-validation, and one of its trees by a selection rule.

    Parameters
    ----------
    X, y, binarize, max_depth, min_samples_leaf, root, forbidden, class_weight, sample_weight, cost_matrix, \
    memory_limit
        As for :func:`front`.
    alpha, max_leaf_nodes, max_errors, cv, rule, selection, delta, smoothing, vote, time_limit, n_jobs, random_state
        As for :class:`OptimalTreeClassifier`.
    on_progress : callable, optional
        Called with the bounds of the front of all rows whenever one improves, and with the number of folds that are
        solved after each of them.

    Returns
    -------
    OptimalFitResult
        The tree, the trees it was chosen from, the front with the chosen point, and the cross-validation.

    Warns
    -----
    UnfinishedWarning
        If a limit was reached, or after Ctrl-C: the chosen tree is the best one known.

    Examples
    --------
    >>> from puretree.datasets import load
    >>> iris = load("sklearn:iris")
    >>> result = choose_optimal_tree(iris.table, iris.target, binarize="thresholds", random_state=0)
    >>> print(result.point)
    7 nodes, 3 errors (optimal)
    """
    clock, random = Clock.of(time_limit), check_random_state(random_state)
    require_n_jobs(n_jobs)
    target = Target(alpha, max_errors, cv, rule, smoothing, n_jobs)
    chooser = make_training_rule(selection, delta)
    check_vote(vote)
    parameters = FrontParameters(
        binarize, max_depth, min_samples_leaf, root, forbidden, class_weight, cost_matrix, memory_limit
    )
    if isinstance(chooser, Teacher):
        parameters = parameters.taught(chooser, random, n_jobs)
    table = read_table(X)
    labels = read_labels(y, table.n_rows)
    rows, folds = Rows.read(table, labels, sample_weight), target.split(table, labels, random)
    prepared = parameters.prepare(rows, clock)
    constraints = parameters.constraints(prepared, nodes_of(max_leaf_nodes))
    options: Any = {"memory_limit": memory_limit, "on_progress": on_progress}
    found = find_front(prepared, constraints, goal=target.goal(prepared), clock=target.clock(clock), **options)
    if found.status == "interrupted":
        clock.stop()
    tuned = target.choose(found, rows, folds, parameters, clock, on_progress)
    candidates = trees_of_point(found, tuned.point, clock, memory_limit)
    voters = find_voters(vote, tuned.point, candidates, clock, memory_limit)
    evidence = Evidence(Rows.of(prepared), None, random, clock, n_jobs, memory_limit)
    choice = choose(chooser, candidates.trees, evidence, candidates.known)
    chosen = (prepared, constraints, candidates, choice, chooser.name, tuned.smoothing)
    result = OptimalFitResult(*chosen, front=found, tuned=tuned, voters=voters)
    warn_if_incomplete(result, target, vote, clock)
    return result
