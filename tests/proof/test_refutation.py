"""Refutations: trees below the minimum are refuted with valid proofs, existing trees are not."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.oracles.brute_force import minimum_cost, minimum_inner_nodes
from helpers.random_problems import formula as problem_of
from helpers.random_problems import noise, random_problem, rows_of, xor

from puretree import BinaryProblem, InputError
from puretree._support import resources
from puretree._support.clock import NO_LIMIT, Clock
from puretree.errors import SolverError, UnfinishedError
from puretree.formula import read_wcnf
from puretree.problem import Constraints
from puretree.proof import refutation as refutation_module
from puretree.proof.checkers import lrat
from puretree.proof.proof_checking import check_proof
from puretree.proof.refutation import WRITES_BINARY, Refutation, refute


def write(
    problem: BinaryProblem, n_nodes: int, folder: Path, constraints: Constraints | None = None, **options: object
) -> Refutation | None:
    """Write a refutation into a folder."""
    form = options.get("form", "drat")
    return refute(
        problem,
        constraints or Constraints(),
        n_nodes,
        formula=folder / "formula.cnf",
        proof=folder / f"proof.{form}",
        **({"clock": NO_LIMIT} | options),  # type: ignore[arg-type]
    )


def holds(folder: Path, form: str = "drat") -> bool:
    """Return whether the refutation in a folder holds."""
    checked = check_proof(folder / "formula.cnf", folder / f"proof.{form}", form, clock=NO_LIMIT)  # type: ignore[arg-type]
    return bool(checked.verdict)


@pytest.mark.parametrize("form", ["drat", "lrat"])
@pytest.mark.parametrize("solver", WRITES_BINARY)
def test_xor_needs_seven_nodes(tmp_path: Path, solver: str, form: str) -> None:
    """Every solver refutes trees of five nodes for xor."""
    refutation = write(xor(), 5, tmp_path, solver=solver, form=form)
    assert refutation is not None
    assert (refutation.n_nodes, refutation.form, refutation.solver) == (5, form, solver)
    assert holds(tmp_path, form)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["formula.cnf", f"proof.{form}"]
    wcnf = read_wcnf(tmp_path / "formula.cnf")
    assert (wcnf.n_vars, wcnf.n_hard) == (refutation.n_vars, refutation.n_clauses)
    assert "eta[5]" in wcnf.names.values()
    even = write(xor(), 6, tmp_path, solver=solver, form=form)  # trees have odd numbers of nodes
    assert even is not None
    assert even.n_nodes == 5


def test_an_existing_tree_is_not_refuted(tmp_path: Path) -> None:
    """If a tree of the size exists, the error says so, and no file is left."""
    with pytest.raises(SolverError, match=r"the claim is wrong: cadical195 found a pure tree of 7 nodes .* at most 9"):
        write(xor(), 9, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_leaf_needs_no_formula(tmp_path: Path) -> None:
    """Below three nodes no formula is written."""
    assert write(xor(), 1, tmp_path) is None
    assert write(xor(), 2, tmp_path) is None
    assert not list(tmp_path.iterdir())


def test_random_problems_are_refuted_just_below_their_minimum(tmp_path: Path) -> None:
    """The size below the minimum of brute force is refuted; at the minimum a tree is found."""
    for seed in range(5):
        problem = random_problem(seed)
        size = 2 * minimum_inner_nodes(rows_of(problem), problem.labels.tolist()) + 1
        if write(problem, size - 2, tmp_path, form="lrat") is not None:
            assert lrat.main([str(tmp_path)]) == 0
        with pytest.raises(SolverError, match="the claim is wrong"):
            write(problem, size, tmp_path)


def test_constraints_are_part_of_the_formula(tmp_path: Path) -> None:
    """With a root or depth constraint that needs more nodes, more nodes are refuted, and the file states it."""
    n_larger = 0
    for seed in range(12):
        problem = random_problem(seed)
        rows, labels, ones = rows_of(problem), problem.labels.tolist(), [1] * problem.n_features
        unconstrained = minimum_inner_nodes(rows, labels)
        for root in range(problem.n_features):
            tests = minimum_cost(rows, labels, ones, root=[root])
            if tests == unconstrained or n_larger == 4:
                continue
            n_larger += 1
            assert write(problem, 2 * int(tests) - 1, tmp_path, Constraints(root=[root], minimise="cost"))
            assert holds(tmp_path)
            assert b"Its root splits on one of the features %d." % root in (tmp_path / "formula.cnf").read_bytes()
    assert n_larger == 4
    assert write(xor(), 9, tmp_path, Constraints(max_depth=1))  # there is no tree at all
    assert b"Its depth is at most 1." in (tmp_path / "formula.cnf").read_bytes()


def test_files_are_reproducible(tmp_path: Path) -> None:
    """The formula and the proof are the same bytes every time."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write(problem_of("monks-1"), 21, tmp_path / name)
    for name in ("formula.cnf", "proof.drat"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert holds(tmp_path / "a")


def test_limits_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the time limit no file is left; a formula that is too large raises an error before it is built."""
    clock = Clock(1)
    with pytest.raises(UnfinishedError, match=r"time limit reached before trees of at most 29 nodes were refuted"):
        write(noise(60, 12), 29, tmp_path, clock=clock)
    assert clock.seconds < 3
    assert not list(tmp_path.iterdir())
    with pytest.raises(UnfinishedError, match="time limit reached"):
        write(xor(), 5, tmp_path, clock=Clock(0))
    monkeypatch.setattr(resources, "MOST_BYTES", 1000)
    with pytest.raises(UnfinishedError, match="needs more than half of the memory"):
        write(xor(), 5, tmp_path)


def test_invalid_arguments(tmp_path: Path) -> None:
    """Constraints that the formula does not encode, unknown solvers and unknown proof formats are errors."""
    for options, message in [
        ({"constraints": Constraints(min_samples_leaf=2)}, "min_samples_leaf=2 is not part of the formula"),
        ({"solver": "minisat22"}, "solver='minisat22' is unknown to write proofs; use one of cadical153"),
        ({"form": "drup"}, "form='drup' is unknown; use 'drat' or 'lrat'"),
    ]:
        with pytest.raises(InputError, match=message):
            write(xor(), 5, tmp_path, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("damage", [lambda raw: raw[:-1], lambda raw: b"x" + raw])
def test_an_incomplete_proof_is_detected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: object) -> None:
    """A solver does not notice a full disk; the truncated proof is detected when it is read."""
    solve = refutation_module._RefutationWriter._solve

    def solve_and_damage(self: refutation_module._RefutationWriter, raw: Path, n_clauses: int) -> None:
        solve(self, raw, n_clauses)
        raw.write_bytes(damage(raw.read_bytes()))  # type: ignore[operator]

    monkeypatch.setattr(refutation_module._RefutationWriter, "_solve", solve_and_damage)
    with pytest.raises(
        SolverError, match=r"ends in the middle of a step; check whether the disk is full|cannot be read"
    ):
        write(xor(), 5, tmp_path)
    assert not list(tmp_path.iterdir())


KILLED = """
import os, signal, sys, threading, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from helpers.random_problems import noise
from puretree._support import processes
from puretree._support.clock import NO_LIMIT
from puretree.proof.refutation import refute
from puretree.problem import Constraints

def die():
    folder = Path(sys.argv[1])
    while not (solvers := processes.descendants(os.getpid())) or not (folder / "formula.cnf").exists():
        time.sleep(0.05)
    time.sleep(1)
    print(*solvers, flush=True)
    os.kill(os.getpid(), getattr(signal, sys.argv[3]))

threading.Thread(target=die, daemon=True).start()
folder = Path(sys.argv[1])
refute(noise(60, 12), Constraints(), 29, formula=folder / "formula.cnf", proof=folder / "proof.drat", clock=NO_LIMIT)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_no_solver_outlives_its_parent(tmp_path: Path, how: str) -> None:
    """After SIGKILL or Ctrl-C no solver keeps running, and after Ctrl-C no file is left."""
    command = [sys.executable, "-c", KILLED, str(tmp_path), str(Path(__file__).parents[1]), how]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    solvers = [int(word) for word in done.stdout.split()]
    assert solvers, done.stderr
    limit = Clock(10)
    while any(is_running(solver) for solver in solvers) and not limit.is_over:
        time.sleep(0.1)
    assert not any(is_running(solver) for solver in solvers)
    if how == "SIGINT":
        assert "KeyboardInterrupt" in done.stderr
        assert not list(tmp_path.iterdir())


def is_running(process: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.slow
def test_monks_1_needs_29_nodes(tmp_path: Path) -> None:
    """27 nodes are refuted with a proof of thirty thousand steps, in both formats."""
    for form in ("drat", "lrat"):
        assert write(problem_of("monks-1"), 27, tmp_path, form=form)
        assert holds(tmp_path, form)


@pytest.mark.data
def test_data_sets_of_the_paper(tmp_path: Path, paper_folder: Path) -> None:
    """The paper's sizes of irish (9 nodes) and corral (13 nodes) are minimum."""
    from puretree.datasets.paper_parts import binary_table

    for name, size in (("irish", 9), ("corral", 13)):
        assert write(binary_table(name, paper_folder).problem(), size - 2, tmp_path)
        assert holds(tmp_path)
