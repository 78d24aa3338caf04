"""The whole path, one call per stage: raw table → binary problem → bounds → engine → all smallest trees → one of them.

:func:`choose_tree` goes all the way; :func:`minimum_tree` and :func:`minimum_trees` get off earlier.

This is the page to read first. Every stage is a module of its own, takes what the stage before made, and imports
only earlier stages; a test keeps it so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sklearn.utils import check_random_state

from ._support.clock import Clock
from ._support.resources import free_bytes
from .binarize import Binarizer
from .engines import Engine, make_engine, solve
from .forest import Forest
from .outcome import OnProgress, Outcome
from .problem import Constraints, Minimise, OnConflict, prepare
from .selection import Evidence, Rows, SelectionRule, choose, make_rule, split_rows
from .selection.candidates import Diversity, Limits, Number, Plan, Source, find_candidates, find_forest
from .selection.fit_result import FitResult


def minimum_tree(
    X: Any,
    y: Any,
    *,
    engine: str | Engine = "auto",
    time_limit: float | None = 60.0,
    binarize: str | Binarizer = "thresholds",
    on_conflict: OnConflict = "raise",
    max_depth: int | None = None,
    max_nodes: int | None = None,
    min_samples_leaf: int = 1,
    root: str | int | None = None,
    forbidden: Collection[str | int] = (),
    costs: Mapping[str | int, int] | None = None,
    minimise: Minimise = "nodes",
    pair_cover: bool = False,
    on_progress: OnProgress | None = None,
) -> Outcome:
    """Find a smallest decision tree that is right on every row, and prove that no smaller one is.

    Parameters
    ----------
    X : data frame, 2-D array or list of rows
        The raw table: names, numbers, categories, gaps.
    y : array-like of shape (n_rows,)
        The labels.
    engine : str or Engine, default="auto"
        How to look for it: ``search`` (exact search), ``maxsat`` (the paper's), ``auto`` (what is best), or any other
        name of :data:`puretree.engines.ENGINES`, with options as in ``"maxsat(lazy=True)"``. Some aim at something
        else than the size, which ``Outcome.minimised`` tells.
    time_limit : float or None, default=60
        Seconds. When they are over, the best tree so far is returned, with bounds; so does Ctrl-C. None: no limit.
    binarize : {"thresholds", "onehot", "bits"} or Binarizer, default="thresholds"
        Which questions may be asked of the table: the tree is minimum among trees of these questions.
    on_conflict : {"raise", "majority", "drop"}, default="raise"
        What to do with rows that are equal in every feature but not in their label: refuse them, keep those of the
        most frequent label (a tie goes to the smallest), or leave them all out.
    max_depth : int, optional
        The most tests on any path.
    max_nodes : int, optional
        The most nodes, inner nodes and leaves.
    min_samples_leaf : int, default=1
        The fewest rows at any leaf. Engines ``search`` and ``auto`` only.
    root : str or int, optional
        The column, by name or place, that the first test is about.
    forbidden : list of str or int
        Columns that no test may be about.
    costs : mapping of str or int to int, optional
        What a test on a column costs; 1 for columns not named.
    minimise : {"nodes", "nodes-then-cost", "cost"}, default="nodes"
        Fewest nodes; of the trees with fewest nodes the cheapest; or the cheapest of all.
    pair_cover : bool, default=False
        Spend some of the time on a better lower bound first.
    on_progress : callable, optional
        Gets a :class:`Bounds` whenever a bound improves; ``print`` will do.

    Returns
    -------
    Outcome
        ``status`` is ``optimal`` only if that was proved.

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
    clock = Clock.of(time_limit)
    chosen = make_engine(engine)
    prepared = prepare(X, y, binarize=binarize, on_conflict=on_conflict, root=root, forbidden=forbidden, costs=costs)
    constraints = Constraints(max_depth, prepared.roots, minimise, max_nodes, min_samples_leaf)
    with prepared.decoding_errors():
        outcome = solve(
            prepared.problem,
            chosen,
            constraints=constraints,
            clock=clock,
            pair_cover=pair_cover,
            on_progress=on_progress,
        )
    return prepared.decode(outcome)


def minimum_trees(
    X: Any,
    y: Any,
    *,
    extra: int = 0,
    time_limit: float | None = 60.0,
    memory_limit: float | None = None,
    binarize: str | Binarizer = "thresholds",
    on_conflict: OnConflict = "raise",
    max_depth: int | None = None,
    max_nodes: int | None = None,
    min_samples_leaf: int = 1,
    root: str | int | None = None,
    forbidden: Collection[str | int] = (),
    costs: Mapping[str | int, int] | None = None,
    on_progress: OnProgress | None = None,
) -> Forest:
    """Find all smallest decision trees that are right on every row: counted, listed, compared, drawn.

    Parameters
    ----------
    X, y, time_limit, binarize, on_conflict, max_depth, max_nodes, min_samples_leaf, root, forbidden, on_progress
        As for :func:`minimum_tree`.
    extra : int, default=0
        Also the trees with up to so many inner nodes more than the minimum.
    costs : mapping of str or int to int, optional
        What a test on a column costs; 1 for columns not named. Of the trees of each number of nodes, only the cheapest
        are kept, as ``minimise="nodes-then-cost"`` means it.
    memory_limit : float, optional
        Bytes that the process may take; half of the machine's by default.

    Returns
    -------
    Forest

    Raises
    ------
    UnfinishedError
        If the time or the memory was not enough. Its ``outcome`` is that of :func:`minimum_tree`.

    Examples
    --------
    >>> rows = [["red", 1.0], ["red", 3.0], ["blue", 1.0]]
    >>> forest = minimum_trees(rows, ["stop", "go", "go"])
    >>> forest
    <Forest: 2 trees of 5 nodes>
    >>> forest.best([["blue", 3.0]], ["go"]).accuracy
    1.0
    """
    clock = Clock.of(time_limit)
    prepared = prepare(X, y, binarize=binarize, on_conflict=on_conflict, root=root, forbidden=forbidden, costs=costs)
    aim: Minimise = "nodes-then-cost" if costs else "nodes"
    constraints = Constraints(max_depth, prepared.roots, aim, max_nodes, min_samples_leaf)
    with prepared.decoding_errors():
        return find_forest(prepared, constraints, Limits(clock, memory_limit, on_progress), extra=extra)


def choose_tree(
    X: Any,
    y: Any,
    *,
    engine: str | Engine = "auto",
    n_trees: Number = "all",
    diversity: Diversity = "none",
    source: Source | None = None,
    selection: str | SelectionRule = "consensus",
    selection_size: float = 0.2,
    delta: float = 0.0,
    time_limit: float | None = 60.0,
    memory_limit: float | None = None,
    binarize: str | Binarizer = "thresholds",
    on_conflict: OnConflict = "raise",
    max_depth: int | None = None,
    root: str | int | None = None,
    forbidden: Collection[str | int] = (),
    costs: Mapping[str | int, int] | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    on_progress: OnProgress | None = None,
) -> FitResult:
    """Find the smallest trees that are right on every row, and choose the one that should do best on others.

    Parameters
    ----------
    X, y, engine, time_limit, binarize, on_conflict, max_depth, root, forbidden, on_progress
        As for :func:`minimum_tree`.
    n_trees, diversity, selection, selection_size, delta, memory_limit, n_jobs, random_state
        As for :class:`PureTreeClassifier`.
    source : {"forest", "sat"}, optional
        Where the trees come from: the graph of all of them, or a SAT solver that extracts them one by one. By default
        SAT for some trees of ``engine="maxsat"`` and for layouts, else the forest.
    costs : mapping of str or int to int, optional
        What a test on a column costs; of the smallest trees only the cheapest count.

    Returns
    -------
    FitResult
        The tree, those it was chosen from, and the proof.
    """
    clock, random = Clock.of(time_limit), check_random_state(random_state)
    rule = make_rule(selection, delta)
    # SAT extracts the trees with fewest nodes, whatever they cost.
    source = "forest" if costs and source is None else source
    plan = Plan.of(make_engine(engine, memory_limit), n_trees, diversity, source)
    rows = Rows.read(X, y)
    training, selecting = split_rows(rows, selection_size, random) if rule.needs_selection else (rows, None)
    prepared = prepare(
        training.table,
        training.labels,
        binarize=binarize,
        on_conflict=on_conflict,
        root=root,
        forbidden=forbidden,
        costs=costs,
        row_numbers=training.numbers,
    )
    constraints = Constraints(max_depth, prepared.roots, "nodes-then-cost" if costs else "nodes")
    found = find_candidates(prepared, constraints, plan, Limits(clock, memory_limit, on_progress), random)
    evidence = Evidence(training, selecting, random, clock, n_jobs, free_bytes(memory_limit))
    choice = choose(rule, found.candidates, evidence)
    return FitResult(prepared, constraints, found, choice, rule.name)
