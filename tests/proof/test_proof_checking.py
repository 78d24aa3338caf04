"""Whoever checks a proof: only a clear yes counts as one, and something is always checked."""

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
    """Let PATH be a folder without checkers."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def program(path: Path, source: str) -> Path:
    """Write a program in Python."""
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
    """Check a proof of the formula of all four clauses over two variables."""
    (folder / "formula.cnf").write_bytes(FORMULA)
    (folder / "proof").write_bytes(proof)
    return check_proof(folder / "formula.cnf", folder / "proof", form, checker=checker, clock=clock, small=small)


@pytest.mark.parametrize(("form", "proof", "by"), [("drat", DRAT, "RUP"), ("lrat", LRAT, "LRAT")])
def test_without_programs_the_built_in_check_is_made(tmp_path: Path, form: Form, proof: bytes, by: str) -> None:
    """However large the proof is."""
    checked = check(tmp_path, proof, form, small=0)
    assert (checked.verdict, checked.how, checked.reasons) == (True, f"built-in {by} check", ())
    broken = check(tmp_path, proof[: len(proof) // 2 - 2], form)
    assert broken.verdict is False
    assert broken.how == ""
    assert broken.reasons[0]


def test_a_program_on_the_path_is_asked_too(tmp_path: Path, path: Path) -> None:
    """A small proof is checked by both, a large one by the program alone."""
    program(path / "drat-trim", HONEST)
    assert check(tmp_path).how == "built-in RUP check, drat-trim"
    assert check(tmp_path, small=0).how == "drat-trim"
    assert check(tmp_path, LRAT, "lrat").how == "built-in LRAT check"  # which drat-trim does not read
    program(path / "cake_lpr", CAKE)
    assert check(tmp_path, LRAT, "lrat").how == "built-in LRAT check, cake_lpr"


def test_drat_becomes_lrat_for_cake_lpr(tmp_path: Path, path: Path) -> None:
    """And a proof that does not hold does not get so far."""
    program(path / "cake_lpr", CAKE)
    assert check(tmp_path, small=0).how == "cake_lpr"
    assert check(tmp_path, WRONG_DRAT).verdict is False


def test_a_checker_can_be_given(tmp_path: Path) -> None:
    """By a path that ends with its name, or with its kind before the path; no shell sees it."""
    named = program(tmp_path / "drat-trim", HONEST)
    other = program(tmp_path / "a checker; exit 1", HONEST)
    for given in (str(named), f"drat-trim:{other}"):
        assert check(tmp_path, checker=given, small=0).how == "drat-trim"


@pytest.mark.parametrize(
    ("given", "form", "words"),
    [
        ("/nowhere/drat-trim", "drat", "was not found, or may not be run; give its full path"),
        ("cake_lpr:/nowhere", "drat", "was not found"),
        ("/bin/true", "drat", "of no kind that is known; write it as drat-trim:PATH or cake_lpr:PATH"),
        ("drat-trim:/bin/sh", "lrat", "does not read LRAT proofs; use cake_lpr"),
    ],
)
def test_a_checker_that_cannot_be_used_is_refused(tmp_path: Path, given: str, form: Form, words: str) -> None:
    """It was asked for: to go on without it would be to say yes to another question."""
    with pytest.raises(InputError) as caught:
        check(tmp_path, checker=given, form=form)
    assert words in str(caught.value)


def test_a_checker_that_says_no_has_its_way(tmp_path: Path, path: Path) -> None:
    """Even if the built-in check says yes: one of them is wrong, and then nothing is verified."""
    program(path / "drat-trim", NO)
    checked = check(tmp_path)
    assert checked.verdict is False
    assert "drat-trim says that the proof does not hold: c RAT check failed | s NOT VERIFIED" in checked.reasons[0]


def test_a_checker_that_lies_does_not_save_a_bad_proof(tmp_path: Path, path: Path) -> None:
    """The built-in check says no."""
    program(path / "drat-trim", HONEST)
    checked = check(tmp_path, WRONG_DRAT)
    assert checked.verdict is False
    assert "not a RUP step" in checked.reasons[0]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("pass", "gives no verdict (exit code 0)"),
        ('print("s VERIFIED"); sys.exit(1)', "contradicts itself"),
        ('print("s VERIFIED"); print("s NOT VERIFIED")', "contradicts itself"),
        ('print("c s VERIFIED")', "gives no verdict"),
        ('print("s VERIFIED UNSAT?")', "gives no verdict"),
        ('print("s TIMEOUT"); sys.exit(1)', "gives no verdict (exit code 1). Its last words: s TIMEOUT"),
        ('print("s VERIFIED", flush=True); os.kill(os.getpid(), signal.SIGSEGV)', "ended by signal 11 (SIGSEGV)"),
        ('sys.exit("\\x1b[31mout of memory")', "�[31mout of memory"),
        ('while True: print("c" * 100000)', "prints without end"),
    ],
)
def test_what_is_no_verdict_is_none(tmp_path: Path, path: Path, source: str, words: str) -> None:
    """It is told, and the built-in check decides, however large the proof is."""
    program(path / "drat-trim", source)
    checked = check(tmp_path, small=0)
    assert [each.verdict for each in checked.checks] == [None, True]
    assert checked.how == "built-in RUP check"
    assert words in checked.reasons[0]
    assert check(tmp_path, WRONG_DRAT, small=0).verdict is False


def test_a_program_that_is_none_is_told(tmp_path: Path, path: Path) -> None:
    """Its first line names an interpreter that is not there."""
    (path / "drat-trim").write_text("#!/nowhere/python\n")
    (path / "drat-trim").chmod(0o755)
    assert "drat-trim cannot be started" in check(tmp_path).reasons[0]


def test_a_checker_that_hangs_is_stopped(tmp_path: Path, path: Path) -> None:
    """At the limit, with what it started; a small proof was checked before, and a large one has half of the time."""
    mark = tmp_path / "mark"
    program(path / "drat-trim", f"if os.fork() == 0: time.sleep(2); open({str(mark)!r}, 'w')\ntime.sleep(60)")
    for small in (10**6, 0):
        clock = Clock(0.6)
        checked = check(tmp_path, clock=clock, small=small)
        assert clock.seconds < 1.5
        assert (checked.verdict, checked.how) == (True, "built-in RUP check")
        assert "not done when the time was over" in checked.reasons[0]
    time.sleep(max(0, 2 - clock.seconds))
    assert not mark.exists()


def test_no_time_is_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is no memory."""
    chain = dimacs(80_000, [[1], *([-i, i + 1] for i in range(1, 80_000)), [-80_000]])
    (tmp_path / "f").write_bytes(chain)
    (tmp_path / "p").write_bytes(b"c\n" * 10_000)
    for form in ("drat", "lrat"):
        checked = check_proof(tmp_path / "f", tmp_path / "p", form, clock=Clock(0))  # type: ignore[arg-type]
        assert (checked.verdict, checked.how) == (None, "")
        assert "the time was over before the proof was checked" in checked.reasons[0]
    for n_bytes in (1000, len(chain) + 30_000):  # too few for the files, and for what is made of them
        monkeypatch.setattr(resources, "free_bytes", lambda _, n_bytes=n_bytes: n_bytes)
        checked = check_proof(tmp_path / "f", tmp_path / "p", "drat", clock=NO_LIMIT)
        assert checked.verdict is None
        assert "more than half of the memory" in checked.reasons[0]
