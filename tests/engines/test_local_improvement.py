"""Local improvement: trees stay pure and only shrink, whatever interrupts it, and however many jobs do it."""

import pickle
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import joblib
import numpy as np
import pytest
from helpers.mixed_tables import mixed_table, ordinal_problems
from helpers.oracles.brute_force import minimum_inner_nodes
from helpers.random_problems import decision_list, larger_problem, random_problem, rows_of

from puretree import BinaryProblem, InputError, PuretreeError, Tree, UnfinishedWarning, minimum_tree, prepare
from puretree._support.clock import Clock
from puretree.bounds.upper import greedy_tree
from puretree.engines import LocalImprovement, Search, local_improvement, make_engine, solve
from puretree.engines.incumbent import Incumbent
from puretree.errors import SolverError
from puretree.outcome import Outcome
from puretree.problem import CodeTree, Constraints
from puretree.problem.prepared import Prepared

try_part = local_improvement.try_part


@cache
def prepared_table(seed: int = 3, n_rows: int = 200, *, is_ordinal: bool = True) -> Prepared:
    """Prepare a table of mixed columns and random labels, whose trees have about as many nodes as rows."""
    X, y = mixed_table(seed, n_rows, 3)
    if not is_ordinal:
        return prepare(X, y, on_conflict="majority")
    with ordinal_problems():
        return prepare(X, y, on_conflict="majority")


def improve(problem: BinaryProblem, **options: Any) -> Outcome:
    """Run local improvement without a time limit, for 150 steps by default."""
    return solve(problem, LocalImprovement(**{"max_steps": 150} | options))


class Spy:
    """Records the native tree after every part."""

    def __init__(self, problem: BinaryProblem, monkeypatch: pytest.MonkeyPatch) -> None:
        self.trees: list[Tree] = []
        self.sizes: dict[Any, list[int]] = {}  # of the tree that each native object improves
        spy, solve_batch = self, local_improvement.OpenImprovement._solve

        def solve_and_record(improvement: Any, native: Any, n_parts: int, clock: Clock) -> Any:
            for result in solve_batch(improvement, native, n_parts, clock):
                yield result
                spy.trees.append(problem.tree_of_codes(CodeTree(*native.tree())))
                spy.sizes.setdefault(native, []).append(spy.trees[-1].n_nodes)

        monkeypatch.setattr(local_improvement.OpenImprovement, "_solve", solve_and_record)


@pytest.mark.parametrize("is_ordinal", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_every_intermediate_tree_is_pure_and_no_larger(
    seed: int, is_ordinal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After every part the tree is pure and not larger than before, and every tree that is offered is smaller.

    After a restart, another tree is improved; the best one of all is returned.
    """
    problem = prepared_table(seed, is_ordinal=is_ordinal).problem
    spy, offered, offer = Spy(problem, monkeypatch), [], Incumbent.offer

    def record(incumbent: Incumbent, tree: Tree) -> None:
        offered.append((incumbent.source, tree))
        offer(incumbent, tree)

    monkeypatch.setattr(Incumbent, "offer", record)
    outcome = improve(problem, max_steps=400)
    assert len(spy.trees) == 400
    assert all(problem.is_pure(tree) for tree in spy.trees)
    assert all(sizes == sorted(sizes, reverse=True) for sizes in spy.sizes.values())
    assert outcome.n_nodes == min(tree.n_nodes for tree in spy.trees) < spy.trees[0].n_nodes
    assert all(problem.is_pure(tree) for _, tree in offered)
    improved = [tree.n_nodes for source, tree in offered if source == "local-improvement"]
    assert improved == sorted(set(improved), reverse=True)
    uppers = [bounds.upper for bounds in outcome.history if bounds.upper is not None]
    assert uppers == sorted(set(uppers), reverse=True)
    assert outcome.history[-1].by == "local-improvement"


def test_shrunk_trees_are_much_smaller() -> None:
    """The tree after 400 parts is smaller than all first trees, by 5 percent at least."""
    first, last = (improve(prepared_table(seed=5).problem, max_steps=n) for n in (1, 400))
    assert last.n_nodes < 0.95 * first.n_nodes  # type: ignore[operator]


@pytest.mark.parametrize("n_seconds", [0, 1000])
def test_other_trees_are_improved_in_a_part_of_the_time(n_seconds: int) -> None:
    """A tree as small as the incumbent's is improved after a while; the incumbent then has the result."""
    problem, clock = prepared_table().problem, Clock()
    clock.start -= n_seconds
    incumbent = Incumbent(problem, Constraints(), clock)
    incumbent.offer(greedy_tree(problem))
    opened = local_improvement.OpenImprovement(incumbent)
    opened.run(Clock(0))
    before = incumbent.tree
    assert before is not None
    assert opened.improve(before) is (n_seconds > 0)
    assert incumbent.tree is not None
    assert problem.is_pure(incumbent.tree)
    assert (incumbent.tree.n_nodes < before.n_nodes) is (n_seconds > 0)


@pytest.mark.parametrize("seed", range(3))
def test_number_of_jobs_does_not_change_the_result(seed: int) -> None:
    """The tree for a seed and a number of steps is the same with 1, 2 and 3 jobs, and the same twice."""
    problem = prepared_table(seed).problem
    first, *others = (improve(problem, seed=seed, n_jobs=n_jobs).tree for n_jobs in (1, 2, 3, 2, 1))
    assert first is not None
    assert all(tree == first for tree in others)


@pytest.mark.parametrize("max_depth", [None, 12, 10**9])
def test_restarts_from_other_trees(max_depth: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other first trees are improved in turn, pure and as deep as allowed; the result does not depend on the jobs."""
    monkeypatch.setattr(local_improvement, "MIN_IDLE_WORK", 0)
    problem, constraints = prepared_table(n_rows=80).problem, Constraints(max_depth=max_depth)
    spy = Spy(problem, monkeypatch)
    outcomes = [
        solve(problem, LocalImprovement(max_steps=300, n_jobs=n_jobs), constraints=constraints) for n_jobs in (1, 2)
    ]
    assert len(spy.sizes) > 4
    assert all(problem.is_pure(tree) and constraints.allows(tree, problem) for tree in spy.trees)
    assert all(sizes == sorted(sizes, reverse=True) for sizes in spy.sizes.values())
    assert outcomes[0].n_nodes == min(tree.n_nodes for tree in spy.trees)
    assert outcomes[0].tree == outcomes[1].tree


def test_jobs_of_the_active_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without n_jobs, parts are solved here; with that of the active configuration, in several threads."""
    problem, threads = prepared_table().problem, set()

    def record(arguments: Any) -> Any:
        threads.add(threading.current_thread())
        return try_part(arguments)

    monkeypatch.setattr(local_improvement, "try_part", record)
    alone = improve(problem)
    assert threads == {threading.current_thread()}
    with joblib.parallel_config(n_jobs=3):
        assert improve(problem).tree == alone.tree
    assert len(threads) > 2


def test_seeds_give_different_trees() -> None:
    """Trees are grown with other random columns for another seed."""
    trees = {improve(prepared_table().problem, seed=seed, max_steps=600).tree for seed in range(4)}
    assert len(trees) > 1


def fail_at(k: int, error: BaseException, calls: list[int]) -> Callable[[Any], Any]:
    """Return a function that solves parts, and raises the error for the k-th."""

    def fail(arguments: Any) -> Any:
        calls.append(len(calls))
        if len(calls) > k:
            raise error
        return try_part(arguments)

    return fail


@pytest.mark.filterwarnings("ignore::puretree.errors.NoisyLabelsWarning")
@pytest.mark.parametrize("k", [0, 1, 7, 40, 123])
def test_an_interrupt_returns_the_best_tree(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C during any part returns the tree with all parts before, with the status interrupted and a warning."""
    X, y = mixed_table(3, 200, 3)
    spy = Spy(prepared_table().problem, monkeypatch)
    monkeypatch.setattr(local_improvement, "try_part", fail_at(k, KeyboardInterrupt(), []))
    with ordinal_problems(), pytest.warns(UnfinishedWarning, match="interrupt"):
        outcome = minimum_tree(X, y, engine="local-improvement", on_conflict="majority")
    assert outcome.status == "interrupted"
    assert outcome.tree is not None
    assert len(spy.trees) == k
    assert k == 0 or outcome.n_nodes == min(tree.n_nodes for tree in spy.trees)


@pytest.mark.filterwarnings("ignore::puretree.errors.NoisyLabelsWarning")
@pytest.mark.parametrize("engine", ["search", "auto"])
def test_an_interrupt_within_the_exact_search(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while the exact search has handed over to local improvement returns the best tree, too."""
    calls: list[int] = []
    monkeypatch.setattr(local_improvement, "try_part", fail_at(20, KeyboardInterrupt(), calls))
    X, y = mixed_table(3, 400, 3)
    with ordinal_problems(), pytest.warns(UnfinishedWarning, match="interrupt"):
        outcome = minimum_tree(X, y, engine=engine, on_conflict="majority")
    assert (outcome.status, len(calls)) == ("interrupted", 21)
    assert outcome.lower_bound < outcome.upper_bound == outcome.n_nodes  # type: ignore[operator]


def test_a_part_that_fails_is_an_error_with_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected error becomes a SolverError, which carries the best tree so far, over the raw columns."""
    X, y = mixed_table(3, 200, 3)
    monkeypatch.setattr(local_improvement, "try_part", fail_at(60, ZeroDivisionError("of a part"), []))
    with ordinal_problems(), pytest.raises(SolverError, match="ZeroDivisionError: of a part") as error:
        minimum_tree(X, y, engine="local-improvement", on_conflict="majority")
    outcome = error.value.outcome
    assert (outcome.status, outcome.history[-1].by) == ("failed", "local-improvement")
    assert outcome.tree.predicates is not None


def test_a_part_without_memory_ends_the_run_with_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best tree so far is returned with the status memory_limit."""
    monkeypatch.setattr(local_improvement, "try_part", fail_at(60, MemoryError(), []))
    outcome = improve(prepared_table().problem)
    assert (outcome.status, outcome.history[-1].by) == ("memory_limit", "local-improvement")


def test_parts_are_solved_here_if_a_backend_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that joblib does not solve are solved in this process: a warning, and the same tree."""
    problem, main = prepared_table().problem, threading.current_thread()
    expected = improve(problem).tree

    def fail_elsewhere(arguments: Any) -> Any:
        if threading.current_thread() is not main:
            raise OSError("no connection")
        return try_part(arguments)

    monkeypatch.setattr(local_improvement, "try_part", fail_elsewhere)
    with pytest.warns(RuntimeWarning, match=r"joblib failed \(OSError: no connection\)"):
        assert improve(problem, n_jobs=2).tree == expected


def test_parts_are_solved_here_if_a_backend_does_not_respond(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result that takes too long is computed in this process instead."""
    problem, main, end = prepared_table().problem, threading.current_thread(), threading.Event()
    expected = improve(problem).tree

    def hang_elsewhere(arguments: Any) -> Any:
        if threading.current_thread() is not main:
            end.wait(3)
        return try_part(arguments)

    monkeypatch.setattr(local_improvement, "try_part", hang_elsewhere)
    monkeypatch.setattr(local_improvement, "MAX_RESULT_SECONDS", 0.1)
    with pytest.warns(RuntimeWarning, match=r"joblib failed \(TimeoutError"):
        tree = improve(problem, n_jobs=2).tree
    end.set()
    assert tree == expected


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_time_limit(n_jobs: int) -> None:
    """The run ends soon after the time limit, with a tree."""
    problem, start = prepared_table(n_rows=1500).problem, time.monotonic()
    outcome = solve(problem, LocalImprovement(n_jobs=n_jobs), clock=Clock(1.0))
    assert time.monotonic() - start < 3
    assert outcome.status == "time_limit"
    assert outcome.tree is not None


@pytest.mark.parametrize("n_steps", [1, 2, 77])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_max_steps(n_steps: int, n_jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many parts are tried as asked for."""
    calls: list[int] = []
    monkeypatch.setattr(local_improvement, "try_part", fail_at(10**9, ZeroDivisionError(), calls))
    outcome = improve(prepared_table().problem, max_steps=n_steps, n_jobs=n_jobs)
    assert (outcome.status, len(calls)) == ("unproved", n_steps)


def test_it_ends_when_nothing_improves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without limits the run ends after many parts without an improvement."""
    monkeypatch.setattr(local_improvement, "PATIENCE", 100)
    assert solve(prepared_table(n_rows=60).problem, LocalImprovement()).status == "unproved"


@pytest.mark.parametrize("seed", range(3))
def test_constraints_are_satisfied(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tree satisfies max_depth and max_nodes and tests a required column at the root."""
    prepared = prepared_table(seed)
    problem = prepared.problem
    free = greedy_tree(problem)
    first = int(free.feature[0])
    roots = next(range(*prepared.binarizer.features_.starts[c : c + 2].tolist()) for c in (0, 1))
    for constraints in (
        Constraints(max_depth=free.depth),
        Constraints(root=roots),
        Constraints(root=[first]),
        Constraints(max_nodes=free.n_nodes),
        Constraints(max_depth=free.depth + 8, root=[first], max_nodes=free.n_nodes + 10),
    ):
        spy = Spy(problem, monkeypatch)
        outcome = solve(problem, LocalImprovement(max_steps=200), constraints=constraints)
        assert outcome.tree is not None
        assert constraints.allows(outcome.tree, problem)
        assert all(constraints.allows(tree, problem) and problem.is_pure(tree) for tree in spy.trees)
        assert outcome.n_nodes == min(tree.n_nodes for tree in spy.trees)


@pytest.mark.parametrize("options", [{"min_samples_leaf": 2}, {"minimise": "cost"}, {"minimise": "nodes-then-cost"}])
def test_unsupported_constraints_are_rejected(options: dict[str, Any]) -> None:
    """The message names the constraint and another engine."""
    X, y = mixed_table(1)
    with pytest.raises(InputError, match=r"engine='local-improvement' does not support .*use engine='auto'"):
        minimum_tree(X, y, engine="local-improvement", on_conflict="majority", **options)


def test_small_problems_are_solved_almost_always() -> None:
    """On 200 random problems the tree is never smaller than the minimum, and it is the minimum for 95 percent."""
    n_minimum = 0
    for seed in range(200):
        problem = random_problem(seed)
        least = 2 * minimum_inner_nodes(rows_of(problem), problem.labels.tolist()) + 1
        outcome = improve(problem, max_steps=100)
        assert outcome.n_nodes is not None
        assert outcome.lower_bound <= least <= outcome.n_nodes, seed
        n_minimum += outcome.n_nodes == least
    assert n_minimum >= 190


@pytest.mark.parametrize("make", [larger_problem, decision_list])
def test_larger_problems_are_solved_almost_always(make: Callable[[int], BinaryProblem]) -> None:
    """On 30 larger problems the tree is never smaller than the proved minimum, and equals it for 80 percent."""
    n_minimum = 0
    for seed in range(30):
        problem = make(seed)
        exact, outcome = solve(problem, Search()), improve(problem, max_steps=300)
        assert exact.status == "optimal"
        assert outcome.n_nodes >= exact.n_nodes  # type: ignore[operator]
        n_minimum += outcome.n_nodes == exact.n_nodes
    assert n_minimum >= 24


def test_memory_limit_is_no_reason_for_no_tree() -> None:
    """With almost no memory for the parts there is still a pure tree."""
    problem = prepared_table().problem
    outcome = improve(problem, memory_limit=1.0)
    assert outcome.tree is not None
    assert problem.is_pure(outcome.tree)


def test_the_exact_search_ends_if_neither_memory_nor_parts_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a time limit, a search without memory ends when local improvement does."""
    monkeypatch.setattr(local_improvement, "PATIENCE", 100)

    def no_memory(*arguments: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("puretree.engines.search.OpenSearch._run", no_memory)
    assert solve(prepared_table().problem, Search()).status == "memory_limit"


@pytest.mark.parametrize(
    "options",
    [
        "seed=-1",
        "seed=0.5",
        "seed=True",
        f"seed={2**63}",
        "max_steps=0",
        "max_steps='a'",
        "n_jobs=0",
        "memory_limit=-1",
    ],
)
def test_invalid_options(options: str) -> None:
    """The message names the option."""
    with pytest.raises(InputError, match=options.partition("=")[0]):
        make_engine(f"local-improvement({options})")


@pytest.mark.parametrize("is_ordinal", [True, False])
def test_rows_of_a_part_travel_not_the_table(is_ordinal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sent for a part is proportional to its rows, plus 2 kB at most."""
    problem, parts = prepared_table(n_rows=600, is_ordinal=is_ordinal).problem, []

    def record(arguments: Any) -> Any:
        parts.append(arguments)
        return try_part(arguments)

    monkeypatch.setattr(local_improvement, "try_part", record)
    improve(problem, max_steps=50)
    monkeypatch.undo()
    n_columns = len(problem.codes.values)
    n_rows = [len(part[2]) for part in parts]
    assert np.median(n_rows) < problem.n_examples / 5
    for part, n in zip(parts, n_rows, strict=True):
        assert part[1].shape == (n_columns, n)
        assert len(pickle.dumps((try_part, part))) <= 4 * n * (n_columns + 1) + 2000


def test_a_wrong_result_of_a_part_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part whose tree is not pure cannot make the incumbent impure."""

    def lie(arguments: Any) -> Any:
        leaf = [np.array([value], dtype=np.int32) for value in (-1, -1, -1, 0)]
        return tuple(leaf), 1.0, False

    monkeypatch.setattr(local_improvement, "try_part", lie)
    with pytest.raises((PuretreeError, SolverError)):
        improve(prepared_table().problem)
