"""Check that a formula has no model: read ``formula.cnf`` and its proof ``proof.lrat``, and trust neither.

Run it as ``python check_lrat.py FOLDER``. It needs Python 3.11 and nothing else, and shares no code with the programs
that wrote the files.

Each line of the proof adds a clause and lists the clauses it follows from. Assume that all literals of the new clause
are false: then each listed clause in turn must become unit, which makes its last literal true, until one of them has no
literal left. This contradicts the assumption, so the clause is implied. Once the empty clause is implied, the formula
has no model. Only proofs by this rule (RUP) are accepted; the other rule of LRAT (RAT) is rejected.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from itertools import filterfalse
from pathlib import Path

Clause = tuple[int, ...]

_LITERAL = re.compile(rb"-?[1-9][0-9]{0,9}")
_HEADER = re.compile(rb"p cnf ([1-9][0-9]{0,9}) (0|[1-9][0-9]{0,9})\s*")
_NUMBER = re.compile(rb"[1-9][0-9]{0,17}")
_LINES_PER_TICK = 1000


class Rejected(Exception):  # noqa: N818  a verdict
    """The formula or the proof is invalid; the message says where."""


class _Literals(dict[bytes, int]):
    """Literals by their text, each converted once; a word that is not a literal of the formula is rejected."""

    def __init__(self, n_vars: int) -> None:
        super().__init__()
        self._n_vars = n_vars

    def __missing__(self, word: bytes) -> int:
        if not _LITERAL.fullmatch(word) or abs(int(word)) > self._n_vars:
            raise Rejected(f"{_quote(word)} is not a literal of the formula")
        return self.setdefault(word, int(word))


def check(formula: Iterable[bytes], proof: Iterable[bytes], tick: Callable[[], None] | None = None) -> int:
    """Check that a proof refutes a formula.

    Parameters
    ----------
    formula, proof : iterable of bytes
        Their lines, for example files opened in binary mode.
    tick : callable, optional
        Called regularly; may raise an exception to stop the check.

    Returns
    -------
    int
        Number of clauses that the proof derives.

    Raises
    ------
    Rejected
    """
    literals, clauses = _read_formula(formula)
    newest, n_derived = len(clauses), 0
    for line, text in enumerate(proof, 1):
        if tick is not None and line % _LINES_PER_TICK == 0:
            tick()
        words = text.split()
        if not words or words[0] == b"c":
            continue
        try:
            if words[1:2] == [b"d"]:
                _delete(words, clauses)
                continue
            number, clause = _derive(words, literals, clauses, newest)
        except Rejected as reason:
            raise Rejected(f"line {line} of the proof: {reason}") from None
        newest, n_derived = number, n_derived + 1
        clauses[words[0]] = clause
        if not clause:
            return n_derived
    raise Rejected("the proof ends without the empty clause; is it complete?")


def _read_formula(lines: Iterable[bytes]) -> tuple[_Literals, dict[bytes, Clause]]:
    """Read a formula in DIMACS format; clauses are keyed by the text of their numbers."""
    literals: _Literals | None = None
    clauses: dict[bytes, Clause] = {}
    n_clauses, current = 0, list[bytes]()
    for line, text in enumerate(lines, 1):
        if text.startswith(b"c"):
            continue
        try:
            if literals is None:
                literals, n_clauses = _read_header(text)
                continue
            words, start = text.split(), 0
            for _ in range(words.count(b"0")):
                end = words.index(b"0", start)
                current += words[start:end]
                clauses[b"%d" % (len(clauses) + 1)] = tuple(map(literals.__getitem__, current))
                current, start = [], end + 1
            current += words[start:]
        except Rejected as reason:
            raise Rejected(f"line {line} of the formula: {reason}") from None
    if literals is None:
        raise Rejected("the formula has no line 'p cnf VARIABLES CLAUSES'")
    if current or len(clauses) != n_clauses:
        raise Rejected(f"the formula has {len(clauses)} clauses, but its p line says {n_clauses}; is it complete?")
    return literals, clauses


def _read_header(text: bytes) -> tuple[_Literals, int]:
    match = _HEADER.fullmatch(text)
    if not match:
        raise Rejected(f"expected 'p cnf VARIABLES CLAUSES', found {_quote(text)}")
    return _Literals(int(match[1])), int(match[2])


def _delete(words: list[bytes], clauses: dict[bytes, Clause]) -> None:
    if words[-1] != b"0":
        raise Rejected("its last word is not 0; is the file complete?")
    for name in words[2:-1]:
        if clauses.pop(name, None) is None:
            raise Rejected(f"there is no clause {_quote(name)} to delete")


def _derive(words: list[bytes], literals: _Literals, clauses: dict[bytes, Clause], newest: int) -> tuple[int, Clause]:
    """Return the number and the literals of a new clause, after checking that it is implied."""
    if words.count(b"0") != 2 or words[-1] != b"0":
        raise Rejected("expected a number, literals, 0, the numbers of clauses, 0; is the file complete?")
    if not _NUMBER.fullmatch(words[0]) or int(words[0]) <= newest:
        raise Rejected(f"{_quote(words[0])} is not a number above {newest}, that of the previous clause")
    middle = words.index(b"0")
    clause = tuple(map(literals.__getitem__, words[1:middle]))
    false = set(clause)
    for name in words[middle + 1 : -1]:
        if name not in clauses:
            raise Rejected(_describe_unknown(name))
        rest = list(filterfalse(false.__contains__, clauses[name]))
        if not rest:
            return int(words[0]), clause
        if rest.count(rest[0]) != len(rest):
            raise Rejected(f"clause {_quote(name)} has more than one literal left")
        false.add(-rest[0])
    raise Rejected("the clauses it lists do not contradict the assumption that all its literals are false")


def _describe_unknown(name: bytes) -> str:
    if name.startswith(b"-"):
        return "this is a RAT step; the program checks RUP steps only"
    return f"there is no clause {_quote(name)}, or it was deleted"


def _quote(word: bytes) -> str:
    return repr(word[:40].decode("ascii", "backslashreplace"))


def main(arguments: list[str]) -> int:
    """Check the files of a folder and print the verdict; return 0 if the proof holds, 1 if not, 2 without files."""
    if len(arguments) != 1:
        print("usage: check_lrat.py FOLDER (that holds formula.cnf and proof.lrat)", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    for path in (folder / "formula.cnf", folder / "proof.lrat"):
        if not path.is_file():
            print(f"CANNOT BE CHECKED: there is no file {path}; 'puretree certify --proof lrat' makes one")
            return 2
    try:
        with (folder / "formula.cnf").open("rb") as formula, (folder / "proof.lrat").open("rb") as proof:
            n_derived = check(formula, proof)
    except OSError as error:
        print(f"cannot be checked: {error}", file=sys.stderr)
        return 2
    except Rejected as reason:
        print(f"REJECTED: {reason}")
        return 1
    print(f"VERIFIED: the formula has no model ({n_derived} clauses derived)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
