"""Trees that are too small are refuted, by files that hold; a tree that is there is not refuted."""

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
from puretree.proof import refutation
from puretree.proof.checkers import lrat
from puretree.proof.proof_checking import check_proof
from puretree.proof.refutation import WRITES_BYTES, Refutation, refute


def write(
    problem: BinaryProblem, n_nodes: int, folder: Path, constraints: Constraints | None = None, **options: object
) -> Refutation | None:
    """Refute into a folder."""
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
    """Check the files of a folder."""
    checked = check_proof(folder / "formula.cnf", folder / f"proof.{form}", form, clock=NO_LIMIT)  # type: ignore[arg-type]
    return bool(checked.verdict)


@pytest.mark.parametrize("form", ["drat", "lrat"])
@pytest.mark.parametrize("solver", WRITES_BYTES)
def test_xor_needs_seven_nodes(tmp_path: Path, solver: str, form: str) -> None:
    """Five are refuted, whoever solves, and seven are not."""
    found = write(xor(), 5, tmp_path, solver=solver, form=form)
    assert found is not None
    assert (found.n_nodes, found.form, found.solver) == (5, form, solver)
    assert holds(tmp_path, form)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["formula.cnf", f"proof.{form}"]
    read = read_wcnf(tmp_path / "formula.cnf")
    assert (read.n_vars, read.n_hard) == (found.n_vars, found.n_clauses)
    assert "eta[5]" in read.names.values()
    even = write(xor(), 6, tmp_path, solver=solver, form=form)  # trees have odd numbers of nodes
    assert even is not None
    assert even.n_nodes == 5


def test_a_tree_that_is_there_is_not_refuted(tmp_path: Path) -> None:
    """It is said, as an error of ours, and no file stays."""
    with pytest.raises(SolverError, match=r"the claim is wrong: cadical195 found a pure tree of 7 nodes .* at most 9"):
        write(xor(), 9, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_leaf_needs_no_formula(tmp_path: Path) -> None:
    """Below three nodes there is nothing to write."""
    assert write(xor(), 1, tmp_path) is None
    assert write(xor(), 2, tmp_path) is None
    assert not list(tmp_path.iterdir())


def test_random_problems_are_refuted_just_below_their_optimum(tmp_path: Path) -> None:
    """As brute force knows it; at the optimum there is a tree."""
    for seed in range(5):
        problem = random_problem(seed)
        size = 2 * minimum_inner_nodes(rows_of(problem), problem.labels.tolist()) + 1
        if write(problem, size - 2, tmp_path, form="lrat") is not None:
            assert lrat.main([str(tmp_path)]) == 0
        with pytest.raises(SolverError, match="the claim is wrong"):
            write(problem, size, tmp_path)


def test_wishes_are_part_of_the_formula(tmp_path: Path) -> None:
    """With a root or a depth that costs nodes, more nodes are refuted than without, and the file says why."""
    n_dearer = 0
    for seed in range(12):
        problem = random_problem(seed)
        rows, labels, ones = rows_of(problem), problem.labels.tolist(), [1] * problem.n_features
        free = minimum_inner_nodes(rows, labels)
        for root in range(problem.n_features):
            tests = minimum_cost(rows, labels, ones, root=[root])
            if tests == free or n_dearer == 4:
                continue
            n_dearer += 1
            assert write(problem, 2 * int(tests) - 1, tmp_path, Constraints(root=[root], minimise="cost"))
            assert holds(tmp_path)
            assert b"Its root asks one of the questions %d." % root in (tmp_path / "formula.cnf").read_bytes()
    assert n_dearer == 4
    assert write(xor(), 9, tmp_path, Constraints(max_depth=1))  # there is no tree at all
    assert b"at most 1 questions on a path" in (tmp_path / "formula.cnf").read_bytes()


def test_files_are_the_same_every_time(tmp_path: Path) -> None:
    """Byte by byte, the formula and the proof."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write(problem_of("monks-1"), 21, tmp_path / name)
    for name in ("formula.cnf", "proof.drat"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert holds(tmp_path / "a")


def test_limits_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is kept and nothing is left behind; a formula that is too large is refused before it is made."""
    clock = Clock(1)
    with pytest.raises(UnfinishedError, match=r"the time was over before trees of at most 29 nodes were refuted"):
        write(noise(60, 12), 29, tmp_path, clock=clock)
    assert clock.seconds < 3
    assert not list(tmp_path.iterdir())
    with pytest.raises(UnfinishedError, match="time was over"):
        write(xor(), 5, tmp_path, clock=Clock(0))
    monkeypatch.setattr(resources, "MOST_BYTES", 1000)
    with pytest.raises(UnfinishedError, match="needs more than half of the memory"):
        write(xor(), 5, tmp_path)


def test_what_cannot_be_refuted_is_refused(tmp_path: Path) -> None:
    """Wishes that are not in the formula, solvers and forms that are not known."""
    for options, words in [
        ({"constraints": Constraints(min_samples_leaf=2)}, "min_samples_leaf=2 is not part of the formula"),
        ({"solver": "minisat22"}, "solver='minisat22' is not known to write proofs; use one of cadical153"),
        ({"form": "drup"}, "form='drup' is not known; use 'drat' or 'lrat'"),
    ]:
        with pytest.raises(InputError, match=words):
            write(xor(), 5, tmp_path, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("damage", [lambda raw: raw[:-1], lambda raw: b"x" + raw])
def test_a_proof_that_the_disk_did_not_take_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: object
) -> None:
    """A solver does not notice when it cannot write; whoever reads its proof does."""
    solve = refutation._Work._solve

    def solve_and_damage(self: refutation._Work, raw: Path, n_clauses: int) -> None:
        solve(self, raw, n_clauses)
        raw.write_bytes(damage(raw.read_bytes()))  # type: ignore[operator]

    monkeypatch.setattr(refutation._Work, "_solve", solve_and_damage)
    with pytest.raises(SolverError, match=r"ends in the middle of a step; see whether the disk is full|cannot be read"):
        write(xor(), 5, tmp_path)
    assert not list(tmp_path.iterdir())


KILLED = """
import os, signal, sys, threading, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from helpers.random_problems import noise
from puretree import children
from puretree._support.clock import NO_LIMIT
from puretree.proof.refutation import refute
from puretree.problem import Constraints

def die():
    folder = Path(sys.argv[1])
    while not (found := children.descendants(os.getpid())) or not (folder / "formula.cnf").exists():
        time.sleep(0.05)
    time.sleep(1)
    print(*found, flush=True)
    os.kill(os.getpid(), getattr(signal, sys.argv[3]))

threading.Thread(target=die, daemon=True).start()
folder = Path(sys.argv[1])
refute(noise(60, 12), Constraints(), 29, formula=folder / "formula.cnf", proof=folder / "proof.drat", clock=NO_LIMIT)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_nobody_goes_on_when_the_parent_is_gone(tmp_path: Path, how: str) -> None:
    """Killed or stopped by Ctrl-C: no solver stays, and after Ctrl-C no file either."""
    command = [sys.executable, "-c", KILLED, str(tmp_path), str(Path(__file__).parents[1]), how]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    solvers = [int(word) for word in done.stdout.split()]
    assert solvers, done.stderr
    limit = Clock(10)
    while any(is_running(each) for each in solvers) and not limit.is_over:
        time.sleep(0.1)
    assert not any(is_running(each) for each in solvers)
    if how == "SIGINT":
        assert "KeyboardInterrupt" in done.stderr
        assert not list(tmp_path.iterdir())


def is_running(process: int) -> bool:
    """Whether a process does anything: a zombie does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.slow
def test_monks_1_needs_29_nodes(tmp_path: Path) -> None:
    """A proof of thirty thousand steps, both forms."""
    for form in ("drat", "lrat"):
        assert write(problem_of("monks-1"), 27, tmp_path, form=form)
        assert holds(tmp_path, form)


@pytest.mark.data
def test_data_of_the_paper(tmp_path: Path, paper_folder: Path) -> None:
    """The sizes of the paper for irish and corral: 9 and 13 nodes."""
    from puretree.datasets.paper_parts import binary_table

    for name, size in (("irish", 9), ("corral", 13)):
        assert write(binary_table(name, paper_folder).problem(), size - 2, tmp_path)
        assert holds(tmp_path)
