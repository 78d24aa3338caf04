"""The built-in RUP check, compared with proofs of solvers and a naive checker: no invalid proof is accepted."""

import random
from io import BytesIO
from math import inf
from pathlib import Path

import pytest
from helpers.oracles.rup import Step, refutes
from helpers.random_proofs import dimacs, line, proofs

from puretree import _native
from puretree._support.clock import Clock, TimeLimitReached
from puretree.proof.checkers import lrat
from puretree.proof.rup import RupVerdict, check_rup

LARGE = 10**9
PIGEONS = [[1, 2], [3, 4], [5, 6], *([-a, -b] for a, b in [(1, 3), (1, 5), (3, 5), (2, 4), (2, 6), (4, 6)])]
"""Three pigeons and two holes: unsatisfiable, but not by unit propagation alone."""


def verdict(clauses: list[list[int]], proof: bytes, n_vars: int = 6) -> tuple[bool, int | None]:
    """Return whether a proof refutes a formula, and the offset of the step that does not follow."""
    result = _native.check_rup(dimacs(n_vars, clauses), proof, None, LARGE, inf)
    assert result is not None
    return result[:2]


def steps_of(proof: bytes) -> list[Step]:
    """Parse a well-formed proof."""
    lines = [text.split() for text in proof.splitlines()]
    return [(words[0] == b"d", [int(word) for word in words if word not in (b"d", b"0")]) for words in lines]


def test_proofs_of_solvers_and_their_lrat_versions_hold() -> None:
    """Proofs of four solvers are accepted, and the LRAT checker accepts their conversion."""
    n_lemmas = 0
    for n_vars, clauses, proof in proofs(400, seed=0):
        pieces: list[bytes] = []
        formula = dimacs(n_vars, clauses)
        result = _native.check_rup(formula, proof, pieces.append, LARGE, inf)
        assert result is not None
        assert result[0]
        assert lrat.check(formula.splitlines(), b"".join(pieces).splitlines()) == result[3]
        n_lemmas += result[2]
    assert n_lemmas > 1000


def test_changed_proofs_are_accepted_only_if_valid() -> None:
    """After changing, removing, moving or truncating steps, the verdict is that of the naive checker."""
    rng = random.Random(1)
    n_of_verdict = {True: 0, False: 0}
    for n_vars, clauses, proof in proofs(700, seed=2, max_vars=14):
        lines = proof.splitlines()
        if not lines:
            continue
        index = rng.randrange(len(lines))
        change = rng.choice(("literal", "remove", "truncate", "swap", "early", "delete"))
        if change == "literal":
            words = lines[index].split()
            words[-1:-1] = [b"%d" % rng.choice([v for v in range(-n_vars, n_vars + 1) if v])]
            lines[index] = b" ".join(words[:1] + words[2:] if len(words) > 3 else words)
        elif change == "remove":
            del lines[index]
        elif change == "truncate":
            del lines[index:]
        elif change == "swap":
            other = rng.randrange(len(lines))
            lines[index], lines[other] = lines[other], lines[index]
        elif change == "early":
            lines.insert(index, b"0")
        else:
            lines.insert(index, b"d " + line(rng.choice(clauses)).strip())
        changed = b"".join(text + b"\n" for text in lines)
        expected = refutes(clauses, steps_of(changed))
        assert verdict(clauses, changed, n_vars)[0] == expected, (clauses, changed)
        n_of_verdict[expected] += 1
    assert min(n_of_verdict.values()) > 50


def test_flipped_bits_never_prove_anything_false() -> None:
    """A proof with a flipped bit is malformed, or has the verdict of the naive checker."""
    rng = random.Random(3)
    n_malformed = 0
    for n_vars, clauses, proof in proofs(700, seed=4, max_vars=12):
        if not proof:
            continue
        changed = bytearray(proof)
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
        try:
            is_refuted, _ = verdict(clauses, bytes(changed), n_vars)
        except ValueError:
            n_malformed += 1
            continue
        content = b"\n".join(b"" if text.startswith(b"c") else text for text in bytes(changed).split(b"\n"))
        words = content.replace(b" 0 ", b" 0\n").split()
        steps: list[Step] = []
        current: list[bytes] = []
        for word in words:
            if word.strip(b"-0") or word == b"d":
                current.append(word)
            else:
                steps.append((current[:1] == [b"d"], [int(literal) for literal in current if literal != b"d"]))
                current = []
        assert is_refuted == refutes(clauses, steps), (clauses, bytes(changed))
    assert n_malformed > 100


def test_no_proof_refutes_a_formula_with_a_model() -> None:
    """Random steps never refute a satisfiable formula."""
    rng = random.Random(5)
    for _ in range(1000):
        model = [rng.choice((1, -1)) * var for var in range(1, 7)]
        drawn = [[rng.choice((1, -1)) * rng.randint(1, 6) for _ in range(3)] for _ in range(20)]
        clauses = [clause for clause in drawn if set(clause) & set(model)]
        steps = [rng.choice((b"", b"", b"d ")) + line(rng.choice(drawn)[: rng.randint(0, 3)]) for _ in range(20)]
        assert not verdict(clauses, b"".join(steps))[0]


def test_a_proof_written_by_hand() -> None:
    """If pigeon 1 is in hole 1, the others are both in hole 2; so it is not, and unit propagation does the rest."""
    assert verdict(PIGEONS, b"-1 0\n0\n") == (True, None)
    assert verdict(PIGEONS, b"-1 0\n") == (True, None)  # the checker finds the empty clause itself
    assert verdict(PIGEONS, b"c a comment\n-1\n0\n") == (True, None)
    assert verdict(PIGEONS, b"") == (False, None)
    assert verdict(PIGEONS, b"0\n") == (False, 0)
    assert verdict(PIGEONS, b"1 3 5 0\n-1 0\n0\n") == (True, None)
    assert verdict([[1, 2], [-1, 2], [1, -2]], b"1 0\n-2 0\n") == (False, 4)  # it has the model 1, 2


def test_deleted_clauses_are_not_used() -> None:
    """A step that needs a deleted clause is rejected; copies are deleted one at a time, in any order of literals."""
    assert verdict(PIGEONS, b"d -3 -1 0\n-1 0\n0\n") == (False, 10)
    assert verdict([[-3, -1], *PIGEONS], b"d -3 -1 0\n-1 0\n0\n") == (True, None)
    assert verdict([[-3, -1], *PIGEONS], b"d -3 -1 0\nd -1 -3 0\n-1 0\n0\n")[0] is False
    assert verdict(PIGEONS, b"d 1 3 0\n-1 0\n0\n") == (True, None)  # no such clause exists


def test_root_units_survive_the_deletion_of_their_clauses() -> None:
    """As in drat-trim, literals implied at the root stay true when solvers delete the clauses that implied them."""
    clauses = [[1], [-1, 2], [-2, 3, 4], [-2, 3, -4], [-2, -3, 4], [-2, -3, -4]]
    assert verdict(clauses, b"d 1 0\nd -1 2 0\n3 0\n0\n") == (True, None)


@pytest.mark.parametrize(
    ("formula", "proof", "expected"),
    [
        (b"", b"", (True, 0, "a line 'p cnf VARIABLES CLAUSES' before all clauses")),
        (b"p wcnf 1 2 3\n3 1 0\n3 -1 0\n", b"", (True, 0, "a line 'p cnf VARIABLES CLAUSES' before all clauses")),
        (b"p cnf 1 3\n1 0\n-1 0\n", b"", (True, 19, "as many clauses as the p line says")),
        (b"p cnf 1 2\n1 0\n%\n0\n", b"", (True, 14, "a clause")),
        (b"p cnf 1 2\n1 0\n-2 0\n", b"", (True, 14, "no variable beyond those of the p line")),
        (b"p cnf 1 2\n1 0\n-1 0\n", b"1", (False, 1, "the 0 that ends a clause")),
        (b"p cnf 1 2\n1 0\n-1 0\n", b"2 0\n", (False, 0, "a variable of the formula")),
        (b"p cnf 1 2\n1 0\n-1 0\n", b"-0\n", (False, 0, "a literal, or the 0 that ends a clause")),
        (b"p cnf 1 2\n1 0\n-1 0\n", b"d1 0\n", (False, 0, "a blank behind the d")),
        (b"p cnf 1 2\n1 0\n-1 0\n", b"1 d 0\n", (False, 2, "a literal, or the 0 that ends a clause")),
        (b"p cnf 1 2\n1 0\n-1 0\n", b"0\na\x02\x00", (False, 2, "a literal, or the 0 that ends a clause")),
        (b"p cnf 1 2\n1 0\n-1 0\n", b"99999999999999999999 0\n", (False, 0, "a variable of the formula")),
    ],
)
def test_malformed_input_is_rejected(formula: bytes, proof: bytes, expected: object) -> None:
    """Malformed input, also after the empty clause, is rejected with its offset and what was expected."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011  its arguments are compared
        _native.check_rup(formula, proof, None, LARGE, inf)
    assert caught.value.args == expected


def test_random_bytes_are_rejected() -> None:
    """Random bytes raise ValueError or have a verdict; they never crash the kernel."""
    rng = random.Random(6)
    formula = dimacs(6, PIGEONS)
    for _ in range(1500):
        drawn = bytes(rng.choices(b"ad01234569- \n\x00\x80\xffc%", k=rng.randint(0, 30)))
        for texts in ((formula, drawn), (drawn, b"-1 0\n"), (b"p cnf 6 9\n" + drawn, drawn)):
            try:
                result = _native.check_rup(*texts, None, LARGE, inf)
            except ValueError:
                continue
            assert result is not None
        with pytest.raises(ValueError, match="cnf"):
            _native.check_rup(b"p cnf 2147483647 0 0 " + drawn, drawn, None, LARGE, inf)


def test_binary_proofs_are_converted_to_text() -> None:
    """The example of drat-trim's documentation is converted; an incomplete step is left for the next call."""
    raw = bytes([0x61, 0x7E, 0x83, 0x80, 0x01, 0x00, 0x64, 0x82, 0x02, 0xFF, 0x7F, 0x00])
    assert _native.drat_to_text(raw) == (b"63 -8193 0\nd 129 -8191 0\n", 12)
    for end in range(6, 12):
        assert _native.drat_to_text(raw[:end]) == (b"63 -8193 0\n", 6)
    assert _native.drat_to_text(b"a\0") == (b"0\n", 2)
    for malformed in (b"b", b"a\x01", b"a\x80\x00", b"a\xff\xff\xff\xff\xff\xff", b"1 2 0\n"):
        with pytest.raises(ValueError, match=r"letter|literal|variables"):
            _native.drat_to_text(malformed)


def test_time_and_memory_limits() -> None:
    """The memory and time limits hold, also for a formula that declares billions of variables."""
    formula = dimacs(6, PIGEONS)
    with pytest.raises(MemoryError):
        _native.check_rup(formula, b"-1 0\n", None, 100, inf)
    with pytest.raises(MemoryError):
        _native.check_rup(b"p cnf 2147483647 1\n1 0\n", b"", None, LARGE, inf)
    chain = [[1], *([-i, i + 1] for i in range(1, 80_000))]
    assert _native.check_rup(dimacs(80_000, chain), b"", None, LARGE, 0.0) is None


def test_a_verdict_names_the_line(tmp_path: Path) -> None:
    """The reason of a rejection names the line of the file."""

    def check(formula: bytes, proof: bytes) -> RupVerdict:
        (tmp_path / "f").write_bytes(formula)
        (tmp_path / "p").write_bytes(proof)
        return check_rup(tmp_path / "f", tmp_path / "p", Clock())

    formula = dimacs(6, PIGEONS)
    assert check(formula, b"-1 0\n0\n") == RupVerdict(True, "", 1)
    assert "line 2 of the proof is not a RUP step" in check(formula, b"1 3 5 0\n0\n").reason
    assert "ends without the empty clause" in check(formula, b"1 3 5 0\n").reason
    assert "line 2 of the proof: expected a literal" in check(formula, b"1 3 5 0\nx\n").reason
    assert "line 10 of the formula: expected a literal" in check(formula[:-3] + b"x 0\n", b"").reason
    (tmp_path / "f").write_bytes(dimacs(10**5, [[1], *([-i, i + 1] for i in range(1, 10**5))]))
    with pytest.raises(TimeLimitReached):
        check_rup(tmp_path / "f", tmp_path / "p", Clock(0))


def test_an_lrat_proof_has_only_the_needed_steps() -> None:
    """Steps that the empty clause does not depend on are not in the LRAT proof."""
    out = BytesIO()
    result = _native.check_rup(dimacs(6, PIGEONS), b"1 3 5 0\n1 3 6 0\n1 4 5 0\n-1 0\n0\n", out.write, LARGE, inf)
    assert result is not None
    assert result[2] == 4
    text = out.getvalue().decode()
    assert " -1 0 " in text
    assert "1 3 5 0" not in text
    assert result[3] == sum(" d " not in step for step in text.splitlines())
