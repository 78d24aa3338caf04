"""The LRAT checker in plain Python: it accepts only valid proofs."""

import random
import subprocess
import sys
from math import inf
from pathlib import Path

import pytest
from helpers.random_proofs import dimacs, proofs
from pysat.solvers import Solver

from puretree import _native
from puretree._support.clock import Clock
from puretree.proof.checkers import lrat

FORMULA = b"c two variables, all four clauses\np cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n"
PROOF = b"c by hand\n5 1 0 1 2 0\n5 d 1 2 0\n6 2 0 5 3 0\n9 0 5 6 4 0\n"


def check(formula: bytes, proof: bytes) -> int:
    """Check a proof for a formula, both as text."""
    return lrat.check(formula.splitlines(keepends=True), proof.splitlines(keepends=True))


def test_a_proof_written_by_hand() -> None:
    """1 follows from the first two clauses, 2 from it and the third, which contradicts the fourth."""
    assert check(FORMULA, PROOF) == 3
    assert check(b"p cnf 1 2\n1\n0 -1\n0\n", b"3 0 1 2 0\n") == 1  # clauses end with 0, not with their line
    assert check(b"p cnf 1 1\n0\n", b"2 0 1 0\n") == 1
    assert check(b"p cnf 2 2\n1 1 0\n-1 -1 0\n", b"3 0 1 2 0\n") == 1


@pytest.mark.parametrize(
    ("proof", "reason"),
    [
        (b"", "ends without the empty clause"),
        (b"5 1 0 1 2 0\n", "ends without the empty clause"),
        (b"5 0 1 2 0\n", "line 1 of the proof: clause '1' has more than one literal left"),
        (b"5 1 0 1 0\n", "line 1 of the proof: the clauses it lists do not contradict"),
        (b"5 1 0 0\n", "line 1 of the proof: the clauses it lists do not contradict"),
        (b"5 1 0 1 7 0\n", "there is no clause '7', or it was deleted"),
        (b"5 d 1 0\n6 1 0 1 2 0\n", "line 2 of the proof: there is no clause '1', or it was deleted"),
        (b"5 d 1 1 0\n", "there is no clause '1' to delete"),
        (b"5 d 1\n", "its last word is not 0"),
        (b"5 1 0 1 2\n", "is the file complete"),
        (b"5 1 0\n", "is the file complete"),
        (b"5 1 2 0\n", "is the file complete"),
        (b"5\n", "is the file complete"),
        (b"0 1 0 1 2 0\n", "is the file complete"),
        (b"4 1 0 1 2 0\n", "'4' is not a number above 4"),
        (b"five 1 0 1 2 0\n", "'five' is not a number"),
        (b"5 3 0 1 2 0\n", "'3' is not a literal of the formula"),
        (b"5 +1 0 1 2 0\n", "is not a literal"),
        (b"5 1_0 0 1 2 0\n", "is not a literal"),
        (b"5 1 0 01 2 0\n", "there is no clause '01'"),
        (b"5 1 0 -1 2 0\n", "RAT step; the program checks RUP steps only"),
        (b"5 \xff 0 1 2 0\n", "is not a literal"),
        (b"9" * 5000 + b" 1 0 1 2 0\n", "is not a number above"),
    ],
)
def test_an_invalid_proof_is_rejected(proof: bytes, reason: str) -> None:
    """An invalid proof is rejected with the line and the reason."""
    with pytest.raises(lrat.Rejected) as caught:
        check(FORMULA, proof)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        (b"", "no line 'p cnf"),
        (b"p wcnf 1 2 3\n", "line 1 of the formula: expected 'p cnf VARIABLES CLAUSES'"),
        (b"p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n", "has 3 clauses, but its p line says 4"),
        (b"p cnf 2 3\n1 2 0\n1 -2 0\n-1 2 0\n1", "is it complete"),
        (b"p cnf 2 1\n3 0\n", "line 2 of the formula: '3' is not a literal"),
        (b"p cnf 2 1\n1 x 0\n", "'x' is not a literal"),
    ],
)
def test_an_invalid_formula_is_rejected(formula: bytes, reason: str) -> None:
    """A malformed or incomplete formula is rejected."""
    with pytest.raises(lrat.Rejected) as caught:
        check(formula, PROOF)
    assert reason in str(caught.value)


def test_corrupted_files_never_refute_a_satisfiable_formula() -> None:
    """If a proof is still accepted after a random change to it or the formula, the formula has no model."""
    rng = random.Random(7)
    n_rejected = n_accepted = 0
    for n_vars, clauses, proof in proofs(400, seed=8, max_vars=20):
        pieces: list[bytes] = []
        formula = dimacs(n_vars, clauses)
        assert _native.check_rup(formula, proof, pieces.append, 10**9, inf)
        texts = [bytearray(formula), bytearray(b"".join(pieces))]
        changed = rng.choice(texts)
        changed[rng.randrange(len(changed))] = rng.choice(b"0123456789 -\nd\xff")
        try:
            check(bytes(texts[0]), bytes(texts[1]))
        except lrat.Rejected:
            n_rejected += 1
            continue
        n_accepted += 1
        words = b" ".join(text for text in bytes(texts[0]).split(b"\n") if text[:1] not in b"pc").split(b" 0")
        remaining = [[int(word) for word in text.split() if int(word)] for text in words if text.split()]
        with Solver(name="glucose4", bootstrap_with=remaining) as solver:
            assert not solver.solve()
    assert n_rejected > 100
    assert n_accepted > 10


def test_it_runs_without_packages(tmp_path: Path) -> None:
    """The file is a program that an isolated Python without packages runs; output and exit code are the verdict."""
    copy = tmp_path / "check_lrat.py"
    copy.write_bytes(Path(lrat.__file__).read_bytes())

    def run(*arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-I", "-S", str(copy), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr

    assert run(str(tmp_path))[0] == 2
    assert "usage" in run()[1]
    (tmp_path / "formula.cnf").write_bytes(FORMULA)
    (tmp_path / "proof.lrat").write_bytes(PROOF)
    assert run(str(tmp_path)) == (0, "VERIFIED: the formula has no model (3 clauses derived)\n")
    (tmp_path / "proof.lrat").write_bytes(PROOF[:-10])
    code, output = run(str(tmp_path))
    assert (code, output[:9]) == (1, "REJECTED:")


def test_the_callback_can_stop_it() -> None:
    """The check calls ``tick`` regularly, which may raise."""

    def stop() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        lrat.check(FORMULA.splitlines(), [b"c\n"] * 100_000, stop)


@pytest.mark.parametrize("lines", [[b"1 0 " * 40_000], [b"1\n"] * 40_000 + [b"0\n"]], ids=["one line", "one clause"])
def test_reading_time_is_linear_for_any_line_breaks(lines: list[bytes]) -> None:
    """Reading time grows linearly, not quadratically, with the length: 40,000 words once took seconds."""
    head = b"p cnf 1 %d\n" % b"".join(lines).count(b"0")
    clock = Clock()
    with pytest.raises(lrat.Rejected, match="without the empty clause"):
        lrat.check([head, *lines], [])
    assert clock.seconds < 2
