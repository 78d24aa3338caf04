"""Where trees to choose from come from."""

from typing import Any

import numpy as np
import pytest

from puretree import InputError, MaxSat, Search, UnfinishedError, choose_tree, prepare
from puretree._support.clock import Clock
from puretree.datasets import load
from puretree.engines import make_engine
from puretree.engines.search import OpenSearch
from puretree.problem import Constraints
from puretree.selection.candidates import Diversity, Limits, Plan, find_candidates

MUX = load("formula:mux6")
MONKS = load("formula:monks-1")
NOISE = np.random.default_rng(0).normal(size=(300, 6)), np.random.default_rng(1).integers(0, 2, 300)


def find(plan: Plan, X: Any = MUX.table, y: Any = MUX.target, limit: float = 60, **wishes: Any) -> Any:
    """Find trees of a table."""
    prepared = prepare(X, y)
    return find_candidates(prepared, Constraints(**wishes), plan, Limits(Clock(limit)), np.random.RandomState(0))


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
def test_the_source_fits_the_engine(engine: str, n_trees: Any, diversity: Any, source: str) -> None:
    """What MaxSAT proves is extracted by SAT, and so are layouts; the rest comes from the forest."""
    assert Plan.of(make_engine(engine), n_trees, diversity).source == source


@pytest.mark.parametrize("source", ["forest", "sat"])
@pytest.mark.parametrize(("n_trees", "ending"), [(1, "enough"), (2, "exhausted"), (9, "exhausted")])
def test_the_end_is_told(source: Any, n_trees: int, ending: str) -> None:
    """Mux6 has two smallest trees, wherever they come from."""
    found = find(Plan(Search(), n_trees, "none", source))
    assert found.trees.count == min(n_trees, 2)
    # Extraction that was asked for as many as there are need not look for more.
    assert found.stopped in ({ending, "enough"} if n_trees == 2 else {ending})


@pytest.mark.parametrize("plan", [Plan(Search()), Plan(MaxSat(), 5, "none", "sat"), Plan(MaxSat()), Plan(Search(), 1)])
def test_the_limit_leaves_one_tree(plan: Plan) -> None:
    """When the minimum cannot be proved in time, the best tree so far is the only candidate."""
    found = find(plan, *NOISE, limit=0.5)
    assert found.outcome.status != "optimal"
    assert found.trees.count == 1
    assert found.trees[0] == found.outcome.tree


def test_no_tree_at_all_is_an_error() -> None:
    """Where wishes leave no tree that could be found in time, there is nothing to choose from."""
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
def test_plans_that_make_no_sense_are_refused(arguments: Any, words: str) -> None:
    """The error names the option."""
    with pytest.raises(InputError, match=words):
        Plan(Search(), *arguments)


def test_the_whole_path_in_one_call() -> None:
    """choose_tree goes from the raw table to one tree, with the proof and all that it was chosen from."""
    chosen = choose_tree(MUX.table, MUX.target, random_state=0)
    assert chosen.outcome.status == "optimal"
    assert chosen.candidates.trees.count == 2
    assert chosen.tree in chosen.best
    assert chosen.scores["rule"] == "consensus"


def test_an_interrupt_after_the_proof_keeps_its_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof is kept, whether the user interrupts the collection of all trees or the drawing of some."""

    def interrupt(*arguments: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(OpenSearch, "all_trees", interrupt)
        found = find(Plan(make_engine("auto")))
    assert (found.outcome.status, found.trees.count, found.stopped) == ("optimal", 1, "limit")

    some: list[tuple[str, Diversity]] = [("sample", "none"), ("diverse", "mdsol")]
    for method, diversity in some:
        with monkeypatch.context() as patched:
            patched.setattr(f"puretree.forest.Forest.{method}", interrupt)
            found = find(Plan(make_engine("auto"), 5, diversity), MONKS.table, MONKS.target)
        assert (found.outcome.status, found.trees.count, found.stopped) == ("optimal", 1, "limit")
