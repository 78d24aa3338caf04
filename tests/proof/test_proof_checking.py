"""Checking proofs with programs and the built-in check: only an unambiguous verdict counts."""

import sys
import time
from pathlib import Path

import pytest
from helpers.random_proofs import dimacs

from puretree import InputError
from puretree._support import resources
from puretree._support.clock import NO_LIMIT, Clock
from puretree.proof.proof_checking import CheckedProof, check_proof
from puretree.proof.refutation import Form

FORMULA = dimacs(2, [[1, 2], [1, -2], [-1, 2], [-1, -2]])
DRAT, WRONG_DRAT = b"1 0\n0\n", b"0\n"
LRAT = b"5 1 0 1 2 0\n6 2 0 5 3 0\n7 0 5 6 4 0\n"

HONEST = """
assert sys.argv[1].endswith("formula.cnf") and open(sys.argv[2], "rb").read().strip()
sys.stdout.write("c looks good\\n\\rs VERIFIED\\nc verification time: 0.1 seconds\\n")
"""
CAKE = """
assert open(sys.argv[2]).read().split()[0] == "5", "no LRAT"
print("s VERIFIED UNSAT")
"""
NO = 'print("c RAT check failed"); print("s NOT VERIFIED"); sys.exit(1)'


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set PATH to a folder without checkers."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def program(path: Path, source: str) -> Path:
    """Write an executable Python program."""
    path.write_text(f"#!{sys.executable}\nimport os, signal, sys, time\n{source}\n")
    path.chmod(0o755)
    return path


def check(
    folder: Path,
    proof: bytes = DRAT,
    form: Form = "drat",
    *,
    checker: str | None = None,
    clock: Clock = NO_LIMIT,
    small: int = 10**6,
) -> CheckedProof:
    """Check a proof for the formula of all four clauses over two variables."""
    (folder / "formula.cnf").write_bytes(FORMULA)
    (folder / "proof").write_bytes(proof)
    return check_proof(folder / "formula.cnf", folder / "proof", form, checker=checker, clock=clock, small=small)


@pytest.mark.parametrize(("form", "proof", "by"), [("drat", DRAT, "RUP"), ("lrat", LRAT, "LRAT")])
def test_without_programs_the_built_in_check_is_made(tmp_path: Path, form: Form, proof: bytes, by: str) -> None:
    """Without a program the built-in check runs, for proofs of any size."""
    checked = check(tmp_path, proof, form, small=0)
    assert (checked.verdict, checked.accepted_by, checked.reasons) == (True, f"built-in {by} check", ())
    broken = check(tmp_path, proof[: len(proof) // 2 - 2], form)
    assert broken.verdict is False
    assert broken.accepted_by == ""
    assert broken.reasons[0]


def test_a_program_on_the_path_is_used(tmp_path: Path, path: Path) -> None:
    """A small proof is checked by both, a large one by the program alone."""
    program(path / "drat-trim", HONEST)
    assert check(tmp_path).accepted_by == "built-in RUP check, drat-trim"
    assert check(tmp_path, small=0).accepted_by == "drat-trim"
    assert check(tmp_path, LRAT, "lrat").accepted_by == "built-in LRAT check"  # drat-trim does not read LRAT
    program(path / "cake_lpr", CAKE)
    assert check(tmp_path, LRAT, "lrat").accepted_by == "built-in LRAT check, cake_lpr"


def test_drat_is_converted_to_lrat_for_cake_lpr(tmp_path: Path, path: Path) -> None:
    """A DRAT proof is converted for cake_lpr; an invalid one fails the conversion."""
    program(path / "cake_lpr", CAKE)
    assert check(tmp_path, small=0).accepted_by == "cake_lpr"
    assert check(tmp_path, WRONG_DRAT).verdict is False


def test_a_checker_can_be_chosen(tmp_path: Path) -> None:
    """A checker is given by a path that ends in its name, or as name:path; no shell is involved."""
    named = program(tmp_path / "drat-trim", HONEST)
    other = program(tmp_path / "a checker; exit 1", HONEST)
    for checker in (str(named), f"drat-trim:{other}"):
        assert check(tmp_path, checker=checker, small=0).accepted_by == "drat-trim"


@pytest.mark.parametrize(
    ("checker", "form", "message"),
    [
        ("/nowhere/drat-trim", "drat", "was not found or is not executable; give its full path"),
        ("cake_lpr:/nowhere", "drat", "was not found"),
        ("/bin/true", "drat", "not a known checker; write it as drat-trim:PATH or cake_lpr:PATH"),
        ("drat-trim:/bin/sh", "lrat", "does not read LRAT proofs; use cake_lpr"),
    ],
)
def test_a_checker_that_cannot_be_used_is_an_error(tmp_path: Path, checker: str, form: Form, message: str) -> None:
    """A requested checker that is missing, unknown or unsuitable raises InputError; it is not ignored."""
    with pytest.raises(InputError) as caught:
        check(tmp_path, checker=checker, form=form)
    assert message in str(caught.value)


def test_a_rejection_by_a_program_counts(tmp_path: Path, path: Path) -> None:
    """If a program rejects the proof, it is not verified, even if the built-in check accepts it."""
    program(path / "drat-trim", NO)
    checked = check(tmp_path)
    assert checked.verdict is False
    assert "drat-trim rejects the proof: c RAT check failed | s NOT VERIFIED" in checked.reasons[0]


def test_an_unsound_checker_does_not_save_an_invalid_proof(tmp_path: Path, path: Path) -> None:
    """If a program accepts an invalid proof, the built-in check still rejects it."""
    program(path / "drat-trim", HONEST)
    checked = check(tmp_path, WRONG_DRAT)
    assert checked.verdict is False
    assert "not a RUP step" in checked.reasons[0]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("pass", "gives no verdict (exit code 0)"),
        ('print("s VERIFIED"); sys.exit(1)', "contradicts itself"),
        ('print("s VERIFIED"); print("s NOT VERIFIED")', "contradicts itself"),
        ('print("c s VERIFIED")', "gives no verdict"),
        ('print("s VERIFIED UNSAT?")', "gives no verdict"),
        ('print("s TIMEOUT"); sys.exit(1)', "gives no verdict (exit code 1). End of its output: s TIMEOUT"),
        ('print("s VERIFIED", flush=True); os.kill(os.getpid(), signal.SIGSEGV)', "ended by signal 11 (SIGSEGV)"),
        ('sys.exit("\\x1b[31mout of memory")', "�[31mout of memory"),
        ('while True: print("c" * 100000)', "printed more than"),
    ],
)
def test_ambiguous_output_is_no_verdict(tmp_path: Path, path: Path, source: str, message: str) -> None:
    """Ambiguous output is reported, and the built-in check decides, for proofs of any size."""
    program(path / "drat-trim", source)
    checked = check(tmp_path, small=0)
    assert [result.verdict for result in checked.results] == [None, True]
    assert checked.accepted_by == "built-in RUP check"
    assert message in checked.reasons[0]
    assert check(tmp_path, WRONG_DRAT, small=0).verdict is False


def test_a_program_that_cannot_be_started_is_reported(tmp_path: Path, path: Path) -> None:
    """A script whose interpreter does not exist is reported."""
    (path / "drat-trim").write_text("#!/nowhere/python\n")
    (path / "drat-trim").chmod(0o755)
    assert "drat-trim cannot be started" in check(tmp_path).reasons[0]


def test_a_checker_that_hangs_is_stopped(tmp_path: Path, path: Path) -> None:
    """A checker that hangs is stopped with its child processes; the built-in check still has its time."""
    mark = tmp_path / "mark"
    program(path / "drat-trim", f"if os.fork() == 0: time.sleep(2); open({str(mark)!r}, 'w')\ntime.sleep(60)")
    for small in (10**6, 0):
        clock = Clock(0.6)
        checked = check(tmp_path, clock=clock, small=small)
        assert clock.seconds < 1.5
        assert (checked.verdict, checked.accepted_by) == (True, "built-in RUP check")
        assert "did not finish within the time limit" in checked.reasons[0]
    time.sleep(max(0, 2 - clock.seconds))
    assert not mark.exists()


def test_a_limit_is_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the time or memory limit is reached, there is no verdict."""
    chain = dimacs(80_000, [[1], *([-i, i + 1] for i in range(1, 80_000)), [-80_000]])
    (tmp_path / "f").write_bytes(chain)
    (tmp_path / "p").write_bytes(b"c\n" * 10_000)
    for form in ("drat", "lrat"):
        checked = check_proof(tmp_path / "f", tmp_path / "p", form, clock=Clock(0))  # type: ignore[arg-type]
        assert (checked.verdict, checked.accepted_by) == (None, "")
        assert "time limit reached before the proof was checked" in checked.reasons[0]
    for n_bytes in (1000, len(chain) + 30_000):  # too few for the files, and for the clauses
        monkeypatch.setattr(resources, "free_bytes", lambda _, n_bytes=n_bytes: n_bytes)
        checked = check_proof(tmp_path / "f", tmp_path / "p", "drat", clock=NO_LIMIT)
        assert checked.verdict is None
        assert "more than half of the memory" in checked.reasons[0]
