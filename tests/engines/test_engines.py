"""One suite for all engines: an engine that joins the registry, or a variant of one, joins it here."""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from itertools import count
from math import inf
from pathlib import Path

import numpy as np
import pytest
from helpers.oracles.best_accuracy import fewest_errors
from helpers.oracles.brute_force import minimum_cost, minimum_inner_nodes
from helpers.random_problems import formula, random_problem, rows_of, xor

from puretree import Auto, BinaryProblem, InfeasibleError, MaxSat, MinDt, Search, Tree
from puretree._support.clock import Clock
from puretree.datasets.paper import load_paper, paper_binarizer
from puretree.engines import (
    ENGINES,
    Anytime,
    Ask,
    Bessiere,
    Dl85,
    DtFinder,
    DtMax,
    Engine,
    Guarantees,
    InferDepth,
    InferSize,
    Lsk,
    Psk,
    Streed,
    solve,
)
from puretree.outcome import Bounds
from puretree.problem import Constraints

VARIANTS: dict[str, Callable[[], Engine]] = {
    "search": Search,
    "search, no memory": lambda: Search(memory_limit=1),
    "auto": Auto,
    "maxsat": lambda: MaxSat(isolated=False, lazy=False),
    "maxsat, lazy": lambda: MaxSat(isolated=False, lazy=True),
    "maxsat, glucose": lambda: MaxSat(isolated=False, solver="glucose4"),
    "mindt": lambda: MinDt(isolated=False),
    "bessiere": lambda: Bessiere(isolated=False),
    "dtfinder": lambda: DtFinder(isolated=False),
    "dtfinder, paths": lambda: DtFinder(isolated=False, encoding="paths"),
    "local-search-ck": lambda: Anytime("ck", isolated=False),
}
"""Those that prove a minimum size."""

OTHERS: dict[str, Callable[[], Engine]] = {
    "infer-depth": lambda: InferDepth(isolated=False),
    "infer-size": lambda: InferSize(isolated=False),
    "dtmax": lambda: DtMax(depth=2, isolated=False),
    "local-search": lambda: Anytime("none", most_steps=2000),
    "local-search-c": lambda: Anytime("c", most_steps=2000, isolated=False),
    "psk": Psk,
    "psk, 3 seeds": lambda: Psk(n_seeds=3),
    "lsk": Lsk,
    "lsk, 5 nodes": lambda: Lsk(n_nodes=5),
    "ask": Ask,
}
"""Those that aim at something else, or prove nothing."""

PEERS: dict[str, Callable[[], Engine]] = {"dl85": Dl85, "streed": Streed}
"""Those that need a package of others; each question starts a child, so theirs are few, and in files of their own."""

STEERABLE = [
    *("search", "search, no memory", "auto", "maxsat", "maxsat, lazy", "mindt"),
    *("bessiere", "dtfinder", "dtfinder, paths", "local-search-ck"),
]
SLOW = ["bessiere", "dtfinder", "dtfinder, paths"]  # their questions are fewer
N_RANDOM = 300
N_RANDOM_OTHERS = 30
N_SLICES = 10  # of the random problems, so that they are shared out among test processes


def test_every_engine_is_in_the_suite() -> None:
    """No engine of the registry is left out here."""
    assert {make().name for make in ENGINES.values()} == {
        make().name for variants in (VARIANTS, OTHERS, PEERS) for make in variants.values()
    }
    assert all(make().guarantees.is_minimum for make in VARIANTS.values())
    assert not any(make().guarantees.is_minimum for make in (OTHERS | PEERS).values())


@cache
def truth(seed: int) -> int:
    """Return the size of a minimum tree of a random problem, by brute force."""
    problem = random_problem(seed)
    return 2 * minimum_inner_nodes(rows_of(problem), problem.labels.tolist()) + 1


@pytest.mark.parametrize("part", range(N_SLICES))
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_optimum_is_that_of_brute_force(variant: str, part: int) -> None:
    """On 300 random problems of 2, 3 and 4 classes, or 100, the size is the true minimum, and said to be proved."""
    engine = VARIANTS[variant]()
    for seed in range(part, N_RANDOM // 3 if variant in SLOW else N_RANDOM, N_SLICES):
        problem = random_problem(seed)
        outcome = solve(problem, engine)
        assert outcome.status == "optimal"
        assert outcome.lower_bound == outcome.upper_bound == outcome.n_nodes == truth(seed), seed
        assert outcome.tree is not None
        assert outcome.tree.predict_codes(problem.examples).tolist() == problem.labels.tolist()


def least(problem: BinaryProblem, guarantees: Guarantees) -> float:
    """Return by brute force how good a tree can be in what an engine aims at first."""
    rows, labels, ones = rows_of(problem), problem.labels.tolist(), [1] * problem.n_features
    if guarantees.aim == "nodes":
        return 2 * minimum_inner_nodes(rows, labels) + 1
    if guarantees.aim == "errors":
        deepest = problem.n_features if guarantees.max_depth is None else guarantees.max_depth
        return fewest_errors(rows, labels, deepest, problem.weights.tolist())
    return next(depth for depth in count() if minimum_cost(rows, labels, ones, max_depth=depth) < inf)


@pytest.mark.parametrize("variant", OTHERS)
def test_other_aims_are_those_of_brute_force(variant: str) -> None:
    """Bounds hold in the engine's own units, what is proved is true, and what is promised pure is.

    No outcome of theirs says that the size is minimum, unless it met a lower bound of the size.
    """
    engine = OTHERS[variant]()
    for seed in range(N_RANDOM_OTHERS):
        problem = random_problem(seed)
        outcome = solve(problem, engine)
        best = least(problem, engine.guarantees)
        assert outcome.upper_bound is not None
        assert outcome.lower_bound <= best <= outcome.upper_bound, seed
        is_met = outcome.lower_bound == outcome.upper_bound
        assert outcome.status == ("optimal" if engine.guarantees.proves or is_met else "unproved")
        assert outcome.status != "optimal" or outcome.lower_bound == outcome.upper_bound == best
        assert not outcome.is_minimum or (outcome.minimised == "nodes" and outcome.n_nodes == best)
        assert outcome.tree is not None
        assert problem.n_errors(outcome.tree) == outcome.n_errors
        assert outcome.n_errors == 0 or not engine.guarantees.is_pure


@pytest.mark.parametrize("engine", [make() for make in ENGINES.values()], ids=list(ENGINES))
def test_engines_as_they_come(engine: Engine) -> None:
    """With their defaults, solver in a process of its own, the engines keep their guarantees."""
    if find_spec(getattr(engine, "package", "puretree")) is None:
        pytest.skip(f"{engine.name} is not installed")
    for seed in range(6 if engine.name not in PEERS else 1):
        problem = random_problem(seed)
        outcome = solve(problem, engine, clock=Clock(30 if engine.guarantees.proves else 0.5))
        if engine.guarantees.proves:
            assert (outcome.status, outcome.upper_bound) == ("optimal", least(problem, engine.guarantees))
        assert outcome.tree is not None
        assert not engine.guarantees.is_pure or problem.is_pure(outcome.tree)


@pytest.mark.parametrize("variant", VARIANTS)
def test_mux6_takes_fifteen_nodes(variant: str) -> None:
    """A size that is known."""
    outcome = solve(formula("mux6"), VARIANTS[variant]())
    assert (outcome.status, outcome.n_nodes) == ("optimal", 15)


@pytest.mark.parametrize(
    "variant",
    [pytest.param(variant, marks=pytest.mark.slow if variant in SLOW else ()) for variant in VARIANTS],
)
def test_monks_1_takes_twenty_nine_nodes(variant: str) -> None:
    """The size that is known of all 432 rows in bits."""
    outcome = solve(formula("monks-1"), VARIANTS[variant]())
    assert (outcome.status, outcome.n_nodes) == ("optimal", 29)


@pytest.mark.parametrize("variant", VARIANTS)
def test_xor_takes_seven_nodes(variant: str) -> None:
    """The problem on which the printed encoding says 3."""
    outcome = solve(xor(), VARIANTS[variant]())
    assert (outcome.status, outcome.n_nodes) == ("optimal", 7)


@pytest.mark.data
@pytest.mark.parametrize("variant", VARIANTS)
def test_irish_takes_nine_nodes(variant: str, paper_folder: Path) -> None:
    """The paper's size for irish, on all of its rows."""
    dataset = load_paper("irish", paper_folder)
    bits = paper_binarizer("irish").fit(dataset.table).transform_bits(dataset.table)
    problem = BinaryProblem.from_bits(bits, dataset.target, on_conflict="majority")
    outcome = solve(problem, VARIANTS[variant]())
    assert (outcome.status, outcome.n_nodes) == ("optimal", 9)


@pytest.mark.parametrize("variant", STEERABLE)
def test_wishes_are_kept(variant: str) -> None:
    """With depth, root and nodes asked for, the tree is the smallest that keeps to them, or none is promised."""
    n_infeasible = 0
    for seed in range(40):
        problem = random_problem(seed)
        rng = np.random.default_rng(seed)
        depth = int(rng.integers(1, 5))
        root = rng.choice(problem.n_features, size=2).tolist()
        most = int(rng.integers(5, 20))
        constraints = Constraints(max_depth=depth, root=root, max_nodes=most)
        ones = [1] * problem.n_features
        best = minimum_cost(rows_of(problem), problem.labels.tolist(), ones, max_depth=depth, root=root)
        if 2 * best + 1 > most:
            n_infeasible += 1
            with pytest.raises(InfeasibleError, match="no pure tree with the root asked for"):
                solve(problem, VARIANTS[variant](), constraints=constraints)
            continue
        outcome = solve(problem, VARIANTS[variant](), constraints=constraints)
        assert (outcome.status, outcome.n_nodes) == ("optimal", 2 * best + 1), seed
        assert outcome.tree is not None
        assert outcome.tree.depth <= depth
        assert outcome.tree.feature[0] in root
    assert 5 < n_infeasible < 35


@pytest.mark.parametrize("variant", VARIANTS | OTHERS | PEERS)
def test_one_class_is_one_leaf(variant: str) -> None:
    """Nothing to tell apart: a single leaf, proved without a solver."""
    problem = BinaryProblem.from_rows([[0, 1], [1, 1]], ["a", "a"])
    outcome = solve(problem, (VARIANTS | OTHERS | PEERS)[variant]())
    assert (outcome.status, outcome.n_nodes) == ("optimal", 1)
    assert outcome.lower_bound == outcome.upper_bound == (1 if outcome.minimised == "nodes" else 0)


@pytest.mark.parametrize("variant", OTHERS)
def test_no_time_still_gives_a_tree_of_any_engine(variant: str) -> None:
    """With no time at all there is a tree, and nothing is proved but what bounds prove that meet."""
    outcome = solve(formula("mux6"), OTHERS[variant](), clock=Clock(0))
    assert (outcome.status == "optimal") == (outcome.lower_bound == outcome.upper_bound)
    assert outcome.tree is not None


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_time_still_gives_a_tree(variant: str) -> None:
    """With no time at all there is a pure tree and honest bounds."""
    outcome = solve(formula("mux6"), VARIANTS[variant](), clock=Clock(0))
    assert outcome.status == "time_limit"
    assert outcome.tree is not None
    assert 3 == outcome.lower_bound < 15 <= outcome.upper_bound == outcome.n_nodes  # type: ignore[operator]


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_history_only_improves(variant: str) -> None:
    """Both bounds and the time are told whenever one improves, the last time when they meet."""
    heard: list[Bounds] = []
    outcome = solve(formula("mux6"), VARIANTS[variant](), on_progress=heard.append)
    assert tuple(heard) == outcome.history
    assert (heard[-1].lower, heard[-1].upper) == (15, 15)
    uppers = [bounds.upper for bounds in heard if bounds.upper is not None]
    assert uppers == sorted(uppers, reverse=True)
    assert [bounds.lower for bounds in heard] == sorted(bounds.lower for bounds in heard)
    assert [bounds.seconds for bounds in heard] == sorted(bounds.seconds for bounds in heard)


@pytest.mark.parametrize("variant", VARIANTS | OTHERS)
def test_an_engine_answers_the_same_twice(variant: str) -> None:
    """The same problem gives the same tree."""
    problem = random_problem(17)
    first, second = (solve(problem, (VARIANTS | OTHERS)[variant]()).tree for _ in range(2))
    assert isinstance(first, Tree)
    assert first == second
