"""The MaxSAT engine: costs, and all kinds of MaxSAT solvers."""

import sys
import time
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.oracles.brute_force import minimum_cost, minimum_trees, walk
from helpers.random_problems import formula, noise, random_problem, rows_of

from puretree import BinaryProblem, InputError, MaxSat, MinDt, SolverError
from puretree._support.clock import Clock
from puretree._support.resources import resident_bytes
from puretree.bounds.upper import greedy_tree, iti_tree
from puretree.encoding import TreeEncoding
from puretree.engines import DtMax, OpenFormula, maxsat, solve
from puretree.formula import as_block
from puretree.maxsat import External, Hermax, Linear, Rc2
from puretree.problem import Constraints
from puretree.sat import LocalOracle


def with_costs(seed: int, largest: int) -> BinaryProblem:
    """Make a random problem whose features cost 0 to ``largest``."""
    problem = random_problem(seed)
    costs = np.random.default_rng(seed).integers(0, largest + 1, problem.n_features)
    return BinaryProblem.from_rows(rows_of(problem), problem.labels, costs=costs)


COLD = MaxSat(isolated=False, warm_start=False, objective="totaliser", lazy=False, upper_bound="iti")
"""The paper's system."""


class RecordingOracle(LocalOracle):
    """A solver in this process that records what it is asked to do."""

    def __init__(self) -> None:
        super().__init__()
        self.phases: list[list[int]] = []
        self.assumed: list[list[int]] = []
        self.is_closed = False

    def solve(self, *arguments: Any) -> bool | None:
        """Record the assumptions."""
        self.assumed.append(list(arguments[0]))
        return super().solve(*arguments)

    def set_phases(self, *arguments: Any) -> None:
        """Record the phases."""
        self.phases.append(list(arguments[0]))
        super().set_phases(*arguments)

    def close(self) -> None:
        """Record the call."""
        self.is_closed = True
        super().close()


@pytest.fixture
def oracles(monkeypatch: pytest.MonkeyPatch) -> list[RecordingOracle]:
    """Record the solvers that the engine starts."""
    recording: list[RecordingOracle] = []

    def make_oracle(*_: Any, **__: Any) -> RecordingOracle:
        recording.append(RecordingOracle())
        return recording[-1]

    monkeypatch.setattr(maxsat, "make_oracle", make_oracle)
    return recording


def nested_cost(nested: object, costs: list[int]) -> int:
    """Return the cost of a tree of nested triples."""
    if not isinstance(nested, tuple):
        return 0
    feature, no, yes = nested
    return costs[feature] + nested_cost(no, costs) + nested_cost(yes, costs)


@pytest.mark.parametrize("largest", [1, 3, pytest.param(1000, marks=pytest.mark.slow)])
def test_minimum_cost_equals_brute_force(largest: int) -> None:
    """If only the cost is minimised, no pure tree of any size is cheaper."""
    for seed in range(20):
        problem = with_costs(seed, largest)
        minimum = minimum_cost(rows_of(problem), problem.labels.tolist(), problem.costs.tolist())
        outcome = solve(problem, MaxSat(isolated=False), constraints=Constraints(minimise="cost"))
        assert outcome.status == "optimal"
        assert outcome.cost == outcome.lower_bound == outcome.upper_bound == minimum, seed


@pytest.mark.parametrize("backend", ["linear", "rc2"])
def test_nodes_are_minimised_before_cost(backend: str) -> None:
    """The cheapest of the trees with fewest nodes is returned."""
    for seed in range(20 if backend == "linear" else 4):
        problem = with_costs(seed, 9)
        trees = minimum_trees(rows_of(problem), problem.labels.tolist())
        minimum = min(nested_cost(tree, problem.costs.tolist()) for tree in trees)
        outcome = solve(problem, MaxSat(backend, isolated=False), constraints=Constraints(minimise="nodes-then-cost"))
        assert outcome.status == "optimal"
        assert outcome.cost == minimum, seed
        assert outcome.tree is not None
        nested = outcome.tree.to_nested()
        assert [walk(nested, row) for row in rows_of(problem)] == problem.labels.tolist()
        assert outcome.n_nodes == min(str(tree).count("(") for tree in trees) * 2 + 1


@pytest.mark.parametrize("minimise", ["cost", "nodes-then-cost"])
def test_costs_without_a_warm_start(minimise: str) -> None:
    """From the size or cost of the upper-bound tree alone, the optimum of both objectives is the same."""
    for seed in range(3):
        problem, constraints = with_costs(seed, 3), Constraints(minimise=minimise)  # type: ignore[arg-type]
        warm = solve(problem, MaxSat(isolated=False), constraints=constraints)
        cold = solve(problem, COLD, constraints=constraints)
        assert (cold.status, cold.cost, cold.n_nodes) == (warm.status, warm.cost, warm.n_nodes) != (None, None, None)
        assert cold.status == "optimal"


def test_outcome_without_a_tree() -> None:
    """If no tree is shallow enough and time is too short for a proof, there is no tree but a lower bound."""
    X = np.array([[number >> bit & 1 for bit in range(8)] for number in range(256)])
    problem = BinaryProblem.from_rows(X, X.sum(axis=1) % 2)
    outcome = solve(problem, MaxSat(), constraints=Constraints(max_depth=7), clock=Clock(3), pair_cover=True)
    assert (outcome.status, outcome.tree, outcome.n_nodes, outcome.upper_bound) == ("time_limit", None, None, None)
    assert outcome.lower_bound >= 17  # from the pair-cover bound; more depends on the machine


def test_mindt_rejects_costs() -> None:
    """MinDT minimises only nodes, and raises an error otherwise."""
    with pytest.raises(InputError, match="engine='mindt' does not support minimise='cost'"):
        solve(random_problem(1), MinDt(isolated=False), constraints=Constraints(minimise="cost"))


def faulty_solver(fault: str) -> MaxSat:
    """Return the engine with a program that finds a model and then misbehaves."""
    program = (sys.executable, str(Path(__file__).parents[1] / "helpers" / "faulty_solver.py"), fault)
    return MaxSat(External(program, name="faulty"))


@pytest.mark.parametrize("backend", ["linear", "rc2", Linear(solver="glucose4"), Rc2("cadical195")])
def test_backends_by_name_and_by_object(backend: object) -> None:
    """Every backend proves the same size."""
    outcome = solve(formula("mux6"), MaxSat(backend))  # type: ignore[arg-type]
    assert (outcome.status, outcome.n_nodes) == ("optimal", 15)


@pytest.mark.skipif(find_spec("hermax") is None, reason="hermax is not installed")
@pytest.mark.parametrize("solver", ["UWrMaxSAT", "EvalMaxSAT"])
def test_hermax_finds_the_same_size(solver: str) -> None:
    """The solvers of hermax prove the same size."""
    outcome = solve(formula("mux6"), MaxSat(Hermax(solver)))
    assert (outcome.status, outcome.n_nodes) == ("optimal", 15)


def test_false_optimum_of_an_untrusted_program_is_corrected() -> None:
    """If a program reports any model as optimal, the linear search continues from it and proves the true optimum."""
    outcome = solve(formula("mux6"), faulty_solver("false-optimum"))
    assert (outcome.status, outcome.n_nodes) == ("optimal", 15)


GIVES_UP = External((sys.executable, "-c", "print('s UNKNOWN')"), name="gives-up")


def test_improvements_after_a_takeover_are_those_of_the_linear_search() -> None:
    """A program that gives up at once is credited with nothing: the linear search that continues is."""
    outcome = solve(formula("mux6"), MaxSat(GIVES_UP, isolated=False))
    assert (outcome.status, outcome.n_nodes, outcome.found_by) == ("optimal", 15, "linear")
    assert "gives-up" not in {bounds.by for bounds in outcome.history}


def test_without_a_takeover_the_tree_is_that_of_the_heuristics() -> None:
    """Without a takeover, a program that gives up leaves the tree of the heuristics, and proves nothing."""
    problem = formula("mux6")
    engine = MaxSat(GIVES_UP, takeover=False)
    outcome = solve(problem, engine)
    heuristics = min(greedy_tree(problem).n_nodes, iti_tree(problem).n_nodes)  # type: ignore[union-attr]
    assert (outcome.status, outcome.n_nodes) == ("unproved", heuristics)
    assert heuristics > 15
    assert outcome.found_by in ("greedy", "iti")
    assert {bounds.by for bounds in outcome.history} <= {"trivial bound", "greedy", "iti"}
    assert not engine.guarantees.proves


def test_without_a_takeover_the_claim_of_an_untrusted_program_is_not_a_proof() -> None:
    """A program that reports its model as optimal gets the status unproved, whether or not the claim is true."""
    outcome = solve(formula("mux6"), replace(faulty_solver("false-optimum"), takeover=False))
    assert outcome.status == "unproved"
    assert outcome.lower_bound == 3


def test_improvements_of_a_backend_have_its_name() -> None:
    """A trusted MaxSAT solver finds and proves the tree, also without a takeover."""
    outcome = solve(formula("mux6"), MaxSat("rc2", takeover=False))
    assert (outcome.status, outcome.found_by, outcome.history[-1].by) == ("optimal", "RC2 (glucose4)", "RC2 (glucose4)")


@pytest.mark.parametrize("warm_start", [True, False])
def test_warm_start_gives_the_solver_model_and_phases(oracles: list[RecordingOracle], warm_start: bool) -> None:
    """With a warm start the first call completes the tree, and phases follow the best tree; else it asks for less."""
    problem = formula("mux6")
    start = min((greedy_tree(problem), iti_tree(problem)), key=lambda tree: tree.n_nodes)  # type: ignore[union-attr]
    assert start is not None
    encoding = TreeEncoding(problem, start.n_nodes)
    outcome = solve(problem, MaxSat(isolated=False, warm_start=warm_start))
    (oracle,) = oracles
    assert outcome.tree is not None
    n_trees = len({bounds.upper for bounds in outcome.history if bounds.by == "linear"} | {start.n_nodes})
    assert len(oracle.phases) == (n_trees if warm_start else 0)
    if warm_start:
        assert n_trees > 1
        assert set(encoding.literals(start)) <= set(oracle.phases[0])
        assert set(encoding.literals(outcome.tree)) <= set(oracle.phases[-1])
    assert oracle.assumed[0] == (encoding.literals(start) if warm_start else encoding.at_most(start.n_nodes - 2))


def test_minimum_tree_of_the_heuristics_is_proved_without_a_warm_start(oracles: list[RecordingOracle]) -> None:
    """If no tree is smaller than the heuristics' tree, one unsatisfiable call proves it, and it is returned."""
    outcome = solve(random_problem(3), MaxSat(isolated=False, warm_start=False))
    assert (outcome.status, outcome.found_by, outcome.history[-1].by) == ("optimal", "greedy", "linear")
    assert [len(oracle.assumed) for oracle in oracles] == [1]


@pytest.mark.parametrize(
    "engine",
    [MaxSat(isolated=False), MaxSat(isolated=False, warm_start=False), COLD, replace(COLD, lazy=True)],
    ids=["default", "cold", "cold, totaliser", "cold, totaliser, lazy"],
)
def test_all_minimum_trees_are_in_the_open_formula(engine: MaxSat) -> None:
    """After the proof, the live solver has under the assumptions exactly the minimum trees, as by brute force."""
    n_open = 0
    for seed in range(8):
        problem = random_problem(seed)
        with OpenFormula() as open_formula:
            outcome = solve(problem, engine, formula=open_formula)
            assert outcome.status == "optimal"
            if open_formula.search is None:
                assert "linear" not in {bounds.by for bounds in outcome.history}  # the bounds met without a search
                continue
            n_open += 1
            expected = minimum_trees(rows_of(problem), problem.labels.tolist())
            assert trees_of(open_formula) == {str(tree) for tree in expected}, seed
        assert open_formula.search is None
    assert n_open > 4


def trees_of(open_formula: OpenFormula) -> set[str]:
    """Enumerate the trees of an open formula; add the examples that a tree misclassifies if it was lazy."""
    search, encoding = open_formula.search, open_formula.encoding
    assert search is not None
    assert encoding is not None
    trees = set()
    n_vars = TreeEncoding(encoding.problem, encoding.n_nodes).pool.n_vars
    while search.oracle.solve(search.assumptions):
        model = search.oracle.model(n_vars)
        tree = encoding.tree(model)
        wrong = np.flatnonzero(tree.predict_codes(encoding.problem.examples) != encoding.problem.labels)
        for block in encoding.purity(wrong):
            search.oracle.add(block)
        if not len(wrong):
            trees.add(str(tree.to_nested()))
            search.oracle.add(as_block([[-literal for literal in encoding.literals(tree)]]))
    return trees


def test_totaliser_counts_what_the_chain_knows() -> None:
    """The chain needs no variables but those of the formula; the totaliser counts the soft clauses with its own."""
    for objective in ("chain", "totaliser"):
        with OpenFormula() as open_formula:
            solve(formula("mux6"), MaxSat(isolated=False, objective=objective), formula=open_formula)  # type: ignore[arg-type]
            encoding = open_formula.encoding
            assert encoding is not None
            n_counters = encoding.pool.n_vars - TreeEncoding(encoding.problem, encoding.n_nodes).pool.n_vars
            assert (n_counters > 0) == (objective == "totaliser")


def test_open_formula_needs_a_proof(oracles: list[RecordingOracle], monkeypatch: pytest.MonkeyPatch) -> None:
    """If the proof is not reached, the engine closes the solver, and the formula is empty."""
    monkeypatch.setattr(RecordingOracle, "solve", lambda *_: None)
    with OpenFormula() as open_formula:
        outcome = solve(formula("mux6"), MaxSat(isolated=False), formula=open_formula)
        assert (outcome.status, open_formula.search) == ("time_limit", None)
        assert [oracle.is_closed for oracle in oracles] == [True]


def test_open_formula_is_closed_by_the_caller(oracles: list[RecordingOracle]) -> None:
    """After the proof the solver is open until the caller closes the formula."""
    open_formula = OpenFormula()
    solve(formula("mux6"), MaxSat(isolated=False), formula=open_formula)
    assert [oracle.is_closed for oracle in oracles] == [False]
    open_formula.close()
    assert [oracle.is_closed for oracle in oracles] == [True]


def test_open_formula_remains_empty_for_costs_and_other_solvers(oracles: list[RecordingOracle]) -> None:
    """A minimum cost may need several formulas, and other MaxSAT solvers keep no solver open."""
    with OpenFormula() as open_formula:
        solve(with_costs(1, 3), MaxSat(isolated=False), constraints=Constraints(minimise="cost"), formula=open_formula)
        assert open_formula.search is None
        assert oracles
        assert all(oracle.is_closed for oracle in oracles)
        solve(formula("mux6"), MaxSat("rc2"), formula=open_formula)
        assert open_formula.search is None


@pytest.mark.parametrize("objective", ["adder", None, 1])
def test_unknown_objective_is_rejected(objective: object) -> None:
    """An objective other than chain and totaliser raises an error when the engine is made."""
    with pytest.raises(InputError, match=r"objective=.* is unknown; use 'chain' or 'totaliser'"):
        MaxSat(objective=objective)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("die", r"faulty was killed by signal 9"),
        ("invalid-model", r"faulty .*hard clause"),
        ("garbage", r"the output of faulty is invalid"),
        ("false-unsatisfiable", r"faulty"),
    ],
)
def test_failure_of_a_program_keeps_the_best_tree(fault: str, message: str) -> None:
    """A program that dies or returns an invalid answer raises SolverError, which carries the best known tree."""
    problem = formula("mux6")
    with pytest.raises(SolverError, match=message) as caught:
        solve(problem, faulty_solver(fault))
    outcome = caught.value.outcome
    assert outcome.status == "failed"
    assert problem.is_pure(outcome.tree)
    assert 3 == outcome.lower_bound < 15 <= outcome.upper_bound == outcome.n_nodes


def test_program_that_hangs_is_stopped_in_time() -> None:
    """The time limit is enforced, and the program's best tree is kept."""
    problem = formula("mux6")
    start = time.monotonic()
    outcome = solve(problem, faulty_solver("hang"), clock=Clock(3))
    assert time.monotonic() - start < 4
    assert outcome.status == "time_limit"
    assert outcome.n_nodes is not None
    assert 15 <= outcome.n_nodes <= greedy_tree(problem).n_nodes


def test_formula_too_large_for_the_memory_limit_is_not_built() -> None:
    """The limit covers the process and the solver; a formula that does not fit gives memory_limit immediately."""
    outcome = solve(noise(250, 40), MaxSat(memory_limit=resident_bytes() + 1e8), clock=Clock(30))
    assert outcome.status == "memory_limit"
    assert outcome.tree is not None
    assert outcome.seconds < 10


@pytest.mark.parametrize("memory_limit", [0, -1, "2 GB", True])
def test_invalid_memory_limit_is_rejected(memory_limit: object) -> None:
    """A limit that is not a positive number of bytes raises an error when the engine is made."""
    with pytest.raises(InputError, match="is not a number of bytes"):
        MaxSat(memory_limit=memory_limit)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "engine", [MaxSat(upper_bound="iti", isolated=False), MinDt(upper_bound="iti", isolated=False)]
)
def test_the_papers_systems_start_from_the_tree_of_iti_only(engine: MaxSat | MinDt) -> None:
    """The greedy tree is used by default only: with the paper's upper bound, ITI's larger tree comes first."""
    problem = next(problem for problem in map(random_problem, range(100)) if _is_greedy_smaller(problem))
    sizes = {}
    for upper_bound in ("best", "iti"):
        history = solve(problem, replace(engine, upper_bound=upper_bound)).history
        sizes[upper_bound] = [(bounds.by, bounds.upper) for bounds in history if bounds.by in ("greedy", "iti")]
    assert sizes == {
        "best": [("greedy", greedy_tree(problem).n_nodes)],
        "iti": [("iti", iti_tree(problem).n_nodes)],  # type: ignore[union-attr]
    }


def _is_greedy_smaller(problem: BinaryProblem) -> bool:
    tree = iti_tree(problem)
    assert tree is not None
    return greedy_tree(problem).n_nodes < tree.n_nodes


@pytest.mark.parametrize("engine", [MaxSat, DtMax])
def test_guarantees_without_a_takeover_are_those_of_the_solver(engine: type[MaxSat | DtMax]) -> None:
    """A trusted solver that cannot prove an optimum, such as local search alone, guarantees none."""
    backends = {"linear": True, "rc2": True, "local-search": False, "local-search-c": True, "external:loandra": False}
    if find_spec("hermax") is not None:
        backends |= {"hermax:Loandra": False, "hermax:UWrMaxSAT": True}
    for backend, proves in backends.items():
        assert engine(backend=backend, takeover=False).guarantees.proves is proves, backend
        assert engine(backend=backend).guarantees.proves, backend
