"""The candidates for the choice, and their sources."""

from typing import Any

import numpy as np
import pytest

from puretree import InputError, MaxSat, Search, UnfinishedError, choose_tree, prepare
from puretree._support.clock import Clock
from puretree.datasets import load
from puretree.engines import make_engine
from puretree.engines.incumbent import Incumbent
from puretree.engines.search import OpenSearch
from puretree.outcome import Status
from puretree.problem import Constraints
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
    assert candidates.trees.count == 1
    assert candidates.trees[0] == candidates.outcome.tree


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
    monkeypatch.setattr("puretree.extraction.mdsol.AnyTree.next_tree", not_stopped)
    candidates = find(plan)
    assert (candidates.outcome.status, candidates.trees.count, candidates.stopped) == ("optimal", 1, "limit")
