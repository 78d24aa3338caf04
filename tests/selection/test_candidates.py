"""The candidates for the choice, and their sources."""

from typing import Any

import numpy as np
import pytest

from puretree import InputError, MaxSat, Search, SolverError, UnfinishedError, choose_tree, minimum_trees, prepare
from puretree._support.clock import Clock, TimeLimitReached
from puretree.datasets import load
from puretree.encoding import layout_of
from puretree.engines import make_engine
from puretree.engines.incumbent import Incumbent
from puretree.engines.search import OpenSearch
from puretree.errors import UnfinishedWarning
from puretree.extraction.tree_oracle import TreeOracle
from puretree.maxsat.mdsol import AnySolution
from puretree.outcome import Status
from puretree.problem import Constraints
from puretree.sat import LocalOracle
from puretree.selection.candidates import Diversity, Limits, Plan, find_candidates

MUX = load("formula:mux6")
MONKS = load("formula:monks-1")
NOISE = np.random.default_rng(0).normal(size=(300, 6)), np.random.default_rng(1).integers(0, 2, 300)


def find(plan: Plan, X: Any = MUX.table, y: Any = MUX.target, limit: float = 60, **constraints: Any) -> Any:
    """Find candidates for a table."""
    prepared = prepare(X, y)
    return find_candidates(prepared, Constraints(**constraints), plan, Limits(Clock(limit)), np.random.RandomState(0))


@pytest.mark.parametrize(
    ("engine", "n_trees", "diversity", "source"),
    [
        ("auto", "all", "none", "forest"),
        ("auto", 5, "mdsol", "forest"),
        ("maxsat", "all", "none", "forest"),
        ("maxsat", 5, "none", "sat"),
        ("maxsat", 1, "none", "forest"),
        ("maxsat", 5, "max-min", "forest"),
        ("auto", 5, "layouts", "sat"),
    ],
)
def test_the_source_depends_on_engine_and_diversity(engine: str, n_trees: Any, diversity: Any, source: str) -> None:
    """SAT extracts layouts, and trees of a minimum that MaxSAT proves; the forest is the source otherwise."""
    assert Plan.of(make_engine(engine), n_trees, diversity).source == source


@pytest.mark.parametrize("source", ["forest", "sat"])
@pytest.mark.parametrize(("n_trees", "stopped"), [(1, "enough"), (2, "exhausted"), (9, "exhausted")])
def test_stopped_says_why(source: Any, n_trees: int, stopped: str) -> None:
    """Mux6 has two minimum trees, from either source."""
    candidates = find(Plan(Search(), n_trees, "none", source))
    assert candidates.trees.count == min(n_trees, 2)
    # With n_trees equal to the number of trees, extraction need not prove that there are no more.
    assert candidates.stopped in ({stopped, "enough"} if n_trees == 2 else {stopped})


@pytest.mark.parametrize("plan", [Plan(Search()), Plan(MaxSat(), 5, "none", "sat"), Plan(MaxSat()), Plan(Search(), 1)])
def test_the_time_limit_leaves_one_candidate(plan: Plan) -> None:
    """If the minimum is not proved within the limit, the incumbent is the only candidate."""
    candidates = find(plan, *NOISE, limit=0.5)
    assert candidates.outcome.status != "optimal"
    assert (candidates.trees.count, candidates.stopped) == (1, "limit")
    assert candidates.trees[0] == candidates.outcome.tree


def test_one_requested_tree_leaves_no_choice_open() -> None:
    """At the time limit, other trees are lacking only if they were requested: else the choice is exact."""
    for n_trees, is_exact in ((1, True), (2, False)):
        with pytest.warns(UnfinishedWarning, match="before optimality was proved"):
            result = choose_tree(MONKS.table, MONKS.target, n_trees=n_trees, selection="first", time_limit=0)
        assert (result.candidates.stopped, result.scores["is_exact"]) == ("limit", is_exact)


def test_no_tree_at_all_is_an_error() -> None:
    """If no tree that satisfies the constraints is found within the limit, an error is raised."""
    with pytest.raises(UnfinishedError, match="more time"):
        find(Plan(Search()), *NOISE, limit=0.2, max_depth=9)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("all", "nonsense", "forest"), "diversity='nonsense'"),
        ((0, "none", "forest"), "n_trees=0"),
        ((True, "none", "forest"), "n_trees=True"),
        (("all", "none", "sat"), "n_trees=100"),
        ((5, "max-min", "sat"), "mdsol"),
        ((5, "layouts", "forest"), "layouts"),
        (("all", "mdsol", "forest"), "n_trees=100"),
    ],
)
def test_invalid_plans_raise_an_error(arguments: Any, words: str) -> None:
    """The error names the parameter."""
    with pytest.raises(InputError, match=words):
        Plan(Search(), *arguments)


def test_choose_tree_runs_all_stages() -> None:
    """The result has the tree, the proof and the candidates."""
    result = choose_tree(MUX.table, MUX.target, random_state=0)
    assert result.outcome.status == "optimal"
    assert result.candidates.trees.count == 2
    assert result.tree in result.best
    assert result.scores["rule"] == "consensus"


def test_an_interrupt_after_the_proof_keeps_its_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof is kept, whether the user interrupts the collection of all trees or the drawing of some."""

    def interrupt(*arguments: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(OpenSearch, "all_trees", interrupt)
        candidates = find(Plan(make_engine("auto")))
    assert (candidates.outcome.status, candidates.trees.count, candidates.stopped) == ("optimal", 1, "limit")

    some: list[tuple[str, Diversity]] = [("sample", "none"), ("diverse", "mdsol")]
    for method, diversity in some:
        with monkeypatch.context() as patched:
            patched.setattr(f"puretree.forest.Forest.{method}", interrupt)
            candidates = find(Plan(make_engine("auto"), 5, diversity), MONKS.table, MONKS.target)
        assert (candidates.outcome.status, candidates.trees.count, candidates.stopped) == ("optimal", 1, "limit")


class InterruptedAtTheProof(Search):
    """The exact search, interrupted just after it has proved the minimum."""

    def search(self, incumbent: Incumbent) -> Status:
        """Run the search, and interrupt."""
        Search.search(self, incumbent)
        raise KeyboardInterrupt


@pytest.mark.parametrize("plan", [Plan(InterruptedAtTheProof()), Plan(InterruptedAtTheProof(), 5, "none", "sat")])
def test_an_interrupt_at_the_instant_of_the_proof_is_not_ignored(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof is kept, but no other tree is searched for."""

    def not_stopped(*arguments: Any, **options: Any) -> Any:
        raise AssertionError("the interrupt was ignored")

    monkeypatch.setattr(OpenSearch, "all_trees", not_stopped)
    monkeypatch.setattr(AnySolution, "next", not_stopped)
    candidates = find(plan)
    assert (candidates.outcome.status, candidates.trees.count, candidates.stopped) == ("optimal", 1, "limit")


def test_options_of_the_extraction_are_checked() -> None:
    """The layout depth and the pace are rejected before anything is solved."""
    for depth in (0, -1, 1.5, True):
        with pytest.raises(InputError, match=f"layout_depth={depth}"):
            Plan(Search(), 5, "layouts", "sat", depth)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="pace='slow'"):
        Plan(Search(), 5, "mdsol", "sat", pace="slow")  # type: ignore[arg-type]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_layout_depth_is_that_of_the_extraction(depth: int) -> None:
    """The first trees have distinct layouts down to the given depth: as many as all minimum trees have."""
    X = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    y = [0, 1, 1, 0, 1, 0, 1]
    n_layouts = len({layout_of(tree, depth) for tree in minimum_trees(X, y)})
    candidates = find(Plan(Search(), 50, "layouts", "sat", depth), X, y)
    layouts = [layout_of(tree, depth) for tree in candidates.trees]
    assert len(set(layouts[:n_layouts])) == len(set(layouts)) == n_layouts


@pytest.mark.parametrize("pace", ["prove", "share"])
def test_unproved_trees_are_counted(pace: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of trees that are not proved farthest reaches the candidates; with a proof of each it is 0."""

    def never_proved(self: TreeOracle, assumptions: Any = (), time_slice: Clock | None = None) -> Any:
        if time_slice is not None and len(assumptions):
            if pace == "prove":
                self.budget.clock.stop()
            raise TimeLimitReached
        return solve(self, assumptions, time_slice)

    solve = TreeOracle.solve
    monkeypatch.setattr(TreeOracle, "solve", never_proved)
    candidates = find(Plan(Search(), 4, "mdsol", "sat", pace=pace), MONKS.table, MONKS.target)
    n_trees, n_unproved, stopped = (4, 3, "enough") if pace == "share" else (1, 0, "limit")
    assert (candidates.trees.count, candidates.n_unproved, candidates.stopped) == (n_trees, n_unproved, stopped)


LINEAR = MaxSat(isolated=False)


def no_second_solver(*_: Any, **__: Any) -> Any:
    """Fail where the extraction starts a solver of its own."""
    raise AssertionError("a second solver was started")


@pytest.mark.parametrize("diversity", ["none", "mdsol", "layouts", "layouts-mdsol"])
def test_the_solver_of_the_proof_extracts_the_trees(diversity: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the linear search the whole chain starts one solver and closes it; the trees are those of the forest."""
    started, closed = [], []

    class Counted(LocalOracle):
        def close(self) -> None:
            closed.append(self)
            super().close()

    def start(*_: Any, **__: Any) -> LocalOracle:
        started.append(1)
        return Counted()

    monkeypatch.setattr("puretree.engines.maxsat.make_oracle", start)
    monkeypatch.setattr("puretree.extraction.extract.make_oracle", no_second_solver)
    candidates = find(Plan(LINEAR, 10**6, diversity, "sat"), *PARITY)
    assert (len(started), len(closed), candidates.stopped) == (1, 1, "exhausted")
    assert set(candidates.trees) == set(minimum_trees(*PARITY))


@pytest.mark.parametrize("warm_start", [False, True])
def test_without_a_warm_start_no_phases_are_set(warm_start: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The paper's chain sets no phases, neither for the proof nor for the extraction; ours sets those of each tree."""
    phases: list[Any] = []
    monkeypatch.setattr(LocalOracle, "set_phases", lambda oracle, literals, clock: phases.append(literals))
    engine = MaxSat(isolated=False, warm_start=warm_start)
    candidates = find(Plan(engine, 10**6, "mdsol", "sat"), *PARITY)
    assert set(candidates.trees) == set(minimum_trees(*PARITY))
    assert len(phases) >= candidates.trees.count if warm_start else not phases


# Parity of two columns, with a copy of the first, a complement of the second, and a useless column; and three classes.
PARITY = [[a, b, a, 1 - b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)], [0, 0, 1, 1, 1, 1, 0, 0]
CLASSES = [[a, b, a, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)], [0, 1, 2, 2, 1, 0, 0, 2]


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("warm_start", [False, True])
@pytest.mark.parametrize("objective", ["chain", "totaliser"])
@pytest.mark.parametrize("constraints", [{}, {"max_depth": 3}, {"root": "x2"}], ids=str)
@pytest.mark.parametrize("data", [PARITY, CLASSES], ids=["two classes", "three classes"])
def test_the_chain_of_the_paper_finds_all_trees(
    data: Any, constraints: Any, objective: Any, warm_start: bool, lazy: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trees from the formula of the proof are those of the forest: with equal columns, constraints and any options."""
    monkeypatch.setattr("puretree.extraction.extract.make_oracle", no_second_solver)
    engine = MaxSat(isolated=False, objective=objective, warm_start=warm_start, lazy=lazy)
    result = choose_tree(*data, engine=engine, n_trees=10**6, source="sat", selection="first", **constraints)
    forest = minimum_trees(*data, **constraints)
    assert (result.outcome.n_nodes, result.candidates.stopped) == (forest.n_nodes, "exhausted")
    assert result.candidates.trees.count == forest.count
    assert set(result.candidates.trees) == set(forest)


def test_an_error_of_the_chain_carries_a_tree_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the solver fails during the proof, the tree so far has the predicates of the table."""

    def fail(*_: Any) -> Any:
        raise SolverError("broken")

    monkeypatch.setattr(LocalOracle, "solve", fail)
    with pytest.raises(SolverError, match="broken") as caught:
        find(Plan(LINEAR, 5, "none", "sat"), *PARITY)
    assert caught.value.outcome.tree.predict(PARITY[0]).tolist() == PARITY[1]


@pytest.mark.parametrize("backend", ["linear", "rc2"])
def test_other_backends_leave_no_formula(backend: str) -> None:
    """Only the linear search is continued; after another backend the trees come from a new formula."""
    plan = Plan(MaxSat(backend=backend), 10**6, "none", "sat")
    assert plan.continues_proof == (backend == "linear")
    assert not Plan(MaxSat(backend=backend), 5, "none", "forest").continues_proof
    assert set(find(plan, *PARITY).trees) == set(minimum_trees(*PARITY))
