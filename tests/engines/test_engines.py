"""One suite for all engines: every engine in the registry, and every variant of one, must be listed here."""

from collections.abc import Callable, Collection, Iterable
from functools import cache
from importlib.util import find_spec
from itertools import count
from math import inf
from pathlib import Path
from typing import Any

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
    LocalImprovement,
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
    "maxsat, cold": lambda: MaxSat(isolated=False, warm_start=False),
    "maxsat, totaliser": lambda: MaxSat(isolated=False, objective="totaliser"),
    "maxsat, cold, totaliser": lambda: MaxSat(isolated=False, warm_start=False, objective="totaliser"),
    "maxsat, cold, totaliser, lazy": lambda: MaxSat(isolated=False, warm_start=False, objective="totaliser", lazy=True),
    "mindt": lambda: MinDt(isolated=False),
    "mindt, warm": lambda: MinDt(isolated=False, warm_start=True),
    "bessiere": lambda: Bessiere(isolated=False, upper_bound="heuristic"),  # with CP-SAT: test_bessiere
    "dtfinder": lambda: DtFinder(isolated=False),
    "dtfinder, nodes": lambda: DtFinder(isolated=False, encoding="nodes"),
    "local-search-c": lambda: Anytime("c", max_steps=2000, isolated=False),
    "local-search-ck": lambda: Anytime("ck", isolated=False),
}
"""Engines that prove a minimum size."""

OTHERS: dict[str, Callable[[], Engine]] = {
    "infer-depth": lambda: InferDepth(isolated=False),
    "infer-depth, up": lambda: InferDepth(isolated=False, direction="up"),
    "infer-size": lambda: InferSize(isolated=False),
    "infer-size, up": lambda: InferSize(isolated=False, direction="up"),
    "dtmax": lambda: DtMax(depth=2, isolated=False),
    "dtmax, layout": lambda: DtMax(depth=2, isolated=False, encoding="layout"),
    "local-search": lambda: Anytime("none", max_steps=2000),
    "local-improvement": lambda: LocalImprovement(max_steps=200),
    "psk": Psk,
    "psk, 3 seeds": lambda: Psk(n_seeds=3),
    "lsk": Lsk,
    "lsk, 5 nodes": lambda: Lsk(n_nodes=5),
    "ask": Ask,
}
"""Engines with another objective or without proofs."""

PEERS: dict[str, Callable[[], Engine]] = {"dl85": Dl85, "streed": Streed}
"""Engines that need a third-party package; each run starts a process, so most of their tests are in test_peers."""

CONSTRAINABLE = [
    *("search", "search, no memory", "auto", "maxsat", "maxsat, lazy", "maxsat, cold, totaliser"),
    *("mindt", "mindt, warm"),
    *("bessiere", "dtfinder", "dtfinder, nodes", "local-search-c", "local-search-ck"),
]
OPTIONS = [
    *("maxsat, cold", "maxsat, totaliser", "maxsat, cold, totaliser", "maxsat, cold, totaliser, lazy"),
    "mindt, warm",
]
"""Combinations of options; most of their tests are slow."""
SLOW = ["bessiere", "dtfinder", "dtfinder, nodes", "local-search-c"]  # tested on fewer problems
N_RANDOM = 300
N_RANDOM_OTHERS = 30
N_SLICES = 10  # of the random problems, to distribute them over test processes


def marked(variants: Iterable[str], slow: Collection[str]) -> list[Any]:
    """Return the variants as parameters of a test, some of them marked as slow."""
    return [pytest.param(variant, marks=pytest.mark.slow if variant in slow else ()) for variant in variants]


def test_suite_contains_every_engine() -> None:
    """Every engine of the registry is tested here."""
    assert {make().name for make in ENGINES.values()} == {
        make().name for variants in (VARIANTS, OTHERS, PEERS) for make in variants.values()
    }
    assert all(make().guarantees.is_minimum for make in VARIANTS.values())
    assert not any(make().guarantees.is_minimum for make in (OTHERS | PEERS).values())


@cache
def minimum_size(seed: int) -> int:
    """Return the size of a minimum tree of a random problem, by brute force."""
    problem = random_problem(seed)
    return 2 * minimum_inner_nodes(rows_of(problem), problem.labels.tolist()) + 1


@pytest.mark.parametrize(
    ("variant", "part"),
    [
        pytest.param(variant, part, marks=pytest.mark.slow if part and variant in OPTIONS else ())
        for variant in VARIANTS
        for part in range(N_SLICES)
    ],
)
def test_optimum_equals_brute_force(variant: str, part: int) -> None:
    """On 300 random problems of 2, 3 and 4 classes (100 if slow), the size is the true minimum, with a proof."""
    engine = VARIANTS[variant]()
    for seed in range(part, N_RANDOM // 3 if variant in SLOW else N_RANDOM, N_SLICES):
        problem = random_problem(seed)
        outcome = solve(problem, engine)
        assert outcome.status == "optimal"
        assert outcome.lower_bound == outcome.upper_bound == outcome.n_nodes == minimum_size(seed), seed
        assert outcome.tree is not None
        assert outcome.tree.predict_codes(problem.examples).tolist() == problem.labels.tolist()


def best_objective(problem: BinaryProblem, guarantees: Guarantees) -> float:
    """Return the optimum of an engine's first objective, by brute force."""
    rows, labels, ones = rows_of(problem), problem.labels.tolist(), [1] * problem.n_features
    if guarantees.aim == "nodes":
        return 2 * minimum_inner_nodes(rows, labels) + 1
    if guarantees.aim == "errors":
        max_depth = problem.n_features if guarantees.max_depth is None else guarantees.max_depth
        return fewest_errors(rows, labels, max_depth, problem.weights.tolist())
    return next(depth for depth in count() if minimum_cost(rows, labels, ones, max_depth=depth) < inf)


@pytest.mark.parametrize("variant", OTHERS)
def test_other_objectives_agree_with_brute_force(variant: str) -> None:
    """Bounds are valid for the engine's own objective, proofs are correct, and guaranteed purity holds.

    No outcome claims a minimum size unless the size equals its lower bound.
    """
    engine = OTHERS[variant]()
    for seed in range(N_RANDOM_OTHERS):
        problem = random_problem(seed)
        outcome = solve(problem, engine)
        best = best_objective(problem, engine.guarantees)
        assert outcome.upper_bound is not None
        assert outcome.lower_bound <= best <= outcome.upper_bound, seed
        bounds_meet = outcome.lower_bound == outcome.upper_bound
        assert outcome.status == ("optimal" if engine.guarantees.proves or bounds_meet else "unproved")
        assert outcome.status != "optimal" or outcome.lower_bound == outcome.upper_bound == best
        assert not outcome.is_minimum or (outcome.minimised == "nodes" and outcome.n_nodes == best)
        assert outcome.tree is not None
        assert problem.n_errors(outcome.tree) == outcome.n_errors
        assert outcome.n_errors == 0 or not engine.guarantees.is_pure


@pytest.mark.parametrize("engine", [make() for make in ENGINES.values()], ids=list(ENGINES))
def test_engines_with_default_options(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """With default options, such as the solver in its own process, every engine meets its guarantees."""
    monkeypatch.setattr("puretree.maxsat.local_search.C_SECONDS", 0.2)  # otherwise the walk takes most of the time
    if find_spec(getattr(engine, "package", "puretree")) is None:
        pytest.skip(f"{engine.name} is not installed")
    for seed in range(3 if engine.name not in PEERS else 1):
        problem = random_problem(seed)
        outcome = solve(problem, engine, clock=Clock(30 if engine.guarantees.proves else 0.5))
        if engine.guarantees.proves:
            assert (outcome.status, outcome.upper_bound) == ("optimal", best_objective(problem, engine.guarantees))
        assert outcome.tree is not None
        assert not engine.guarantees.is_pure or problem.is_pure(outcome.tree)


@pytest.mark.parametrize("variant", marked(VARIANTS, OPTIONS))
def test_mux6_needs_fifteen_nodes(variant: str) -> None:
    """The minimum size of mux6 is known."""
    outcome = solve(formula("mux6"), VARIANTS[variant]())
    assert (outcome.status, outcome.n_nodes) == ("optimal", 15)


@pytest.mark.parametrize("variant", marked(VARIANTS, SLOW + OPTIONS))
def test_monks_1_needs_twenty_nine_nodes(variant: str) -> None:
    """The minimum size is known for all 432 rows in the binarisation ``bits``."""
    outcome = solve(formula("monks-1"), VARIANTS[variant]())
    assert (outcome.status, outcome.n_nodes) == ("optimal", 29)


@pytest.mark.parametrize("variant", VARIANTS)
def test_xor_needs_seven_nodes(variant: str) -> None:
    """The minimum size of xor is 7; the encoding as printed in the paper gives 3."""
    outcome = solve(xor(), VARIANTS[variant]())
    assert (outcome.status, outcome.n_nodes) == ("optimal", 7)


@pytest.mark.data
@pytest.mark.parametrize("variant", VARIANTS)
def test_irish_needs_nine_nodes(variant: str, paper_folder: Path) -> None:
    """The size on all rows of irish is that of the paper."""
    dataset = load_paper("irish", paper_folder)
    bits = paper_binarizer("irish").fit(dataset.table).transform_bits(dataset.table)
    problem = BinaryProblem.from_bits(bits, dataset.target, on_conflict="majority")
    outcome = solve(problem, VARIANTS[variant]())
    assert (outcome.status, outcome.n_nodes) == ("optimal", 9)


@pytest.mark.parametrize("variant", marked(CONSTRAINABLE, OPTIONS))
def test_constraints_are_satisfied(variant: str) -> None:
    """With max_depth, root and max_nodes the tree is the smallest that satisfies them, or infeasibility is proved."""
    n_infeasible = 0
    for seed in range(40):
        problem = random_problem(seed)
        rng = np.random.default_rng(seed)
        depth = int(rng.integers(1, 5))
        root = rng.choice(problem.n_features, size=2).tolist()
        max_nodes = int(rng.integers(5, 20))
        constraints = Constraints(max_depth=depth, root=root, max_nodes=max_nodes)
        ones = [1] * problem.n_features
        best = minimum_cost(rows_of(problem), problem.labels.tolist(), ones, max_depth=depth, root=root)
        if 2 * best + 1 > max_nodes:
            n_infeasible += 1
            with pytest.raises(InfeasibleError, match="no pure tree with the required root column"):
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
    """A problem with one class has a single leaf as its minimum tree, proved without a solver."""
    problem = BinaryProblem.from_rows([[0, 1], [1, 1]], ["a", "a"])
    outcome = solve(problem, (VARIANTS | OTHERS | PEERS)[variant]())
    assert (outcome.status, outcome.n_nodes) == ("optimal", 1)
    assert outcome.lower_bound == outcome.upper_bound == (1 if outcome.minimised == "nodes" else 0)


@pytest.mark.parametrize("variant", OTHERS)
def test_tree_without_time_from_other_engines(variant: str) -> None:
    """Without time there is a tree, and it is proved optimal only if the bounds are equal."""
    outcome = solve(formula("mux6"), OTHERS[variant](), clock=Clock(0))
    assert (outcome.status == "optimal") == (outcome.lower_bound == outcome.upper_bound)
    assert outcome.tree is not None


@pytest.mark.parametrize("variant", VARIANTS)
def test_tree_without_time(variant: str) -> None:
    """Without time there are a pure tree and valid bounds."""
    outcome = solve(formula("mux6"), VARIANTS[variant](), clock=Clock(0))
    assert outcome.status == "time_limit"
    assert outcome.tree is not None
    assert 3 == outcome.lower_bound < 15 <= outcome.upper_bound == outcome.n_nodes  # type: ignore[operator]


@pytest.mark.parametrize("variant", marked(VARIANTS, OPTIONS))
def test_history_only_improves(variant: str) -> None:
    """on_progress gets both bounds and the time whenever a bound improves, finally when they are equal."""
    history: list[Bounds] = []
    outcome = solve(formula("mux6"), VARIANTS[variant](), on_progress=history.append)
    assert tuple(history) == outcome.history
    assert (history[-1].lower, history[-1].upper) == (15, 15)
    uppers = [bounds.upper for bounds in history if bounds.upper is not None]
    assert uppers == sorted(uppers, reverse=True)
    assert [bounds.lower for bounds in history] == sorted(bounds.lower for bounds in history)
    assert [bounds.seconds for bounds in history] == sorted(bounds.seconds for bounds in history)


@pytest.mark.parametrize("variant", VARIANTS | OTHERS)
def test_engines_are_deterministic(variant: str) -> None:
    """The same problem gives the same tree."""
    problem = random_problem(17)
    first, second = (solve(problem, (VARIANTS | OTHERS)[variant]()).tree for _ in range(2))
    assert isinstance(first, Tree)
    assert first == second
