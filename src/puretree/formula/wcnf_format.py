r"""Formulas in files, as MaxSAT solvers read them, with the names of the variables as comments.

Two formats are in use. The *old* one opens with ``p wcnf VARIABLES CLAUSES TOP``, and a clause as heavy as TOP is hard;
the *new* one, of the MaxSAT Evaluations since 2022, has no such line and marks hard clauses with ``h``. Both are
written, and both are read, as is plain ``p cnf``.

A comment ``c var 17 a[3,5]`` names a variable. Names may hold anything: what does not print is written by its
number, ``\{a}`` for a line break, and read back as it was.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.clock import NO_LIMIT, Clock
from ..errors import FormatError, InputError
from .clauses import Block
from .wcnf import Soft, Wcnf

Style = Literal["new", "old"]
STYLES: tuple[Style, ...] = ("new", "old")

_CHUNK = 1 << 20  # literals formatted at a time: some megabytes of text, and a look at the clock after each

_NOTE = re.compile(r"c (?:var ([1-9][0-9]{0,9}) (.*)|n_vars ([0-9]{1,10}))", re.DOTALL)
_ESCAPE = re.compile(r"\\\{([0-9a-f]{1,6})\}")


def write_wcnf(formula: Wcnf, path: Path | str, *, style: Style = "new", clock: Clock = NO_LIMIT) -> None:
    """Write a formula into a file.

    The file appears under its name when it is complete: a failure leaves what was there before, and no half file.

    Parameters
    ----------
    formula : Wcnf
    path : Path or str
    style : {"new", "old"}, default="new"
        With ``h`` lines, or with a ``p wcnf`` line.
    clock : Clock, optional
        Gives up when it is over.

    Raises
    ------
    TimeIsOver
        If the clock was over first.
    """
    if style not in STYLES:
        raise InputError(f"style={style!r} is not known; use {' or '.join(map(repr, STYLES))}")
    soft = [each for each in formula.soft if each.weight]
    if any(each.weight < 0 for each in soft):
        raise InputError("a soft clause has a negative weight; make its negation soft, with a positive weight")
    top = formula.total_weight + 1
    hard = b"h " if style == "new" else b"%d " % top
    with _replacing(Path(path)) as file:
        file.write(b"c n_vars %d\n" % formula.n_vars)
        file.writelines(f"c var {var} {_escape(name)}\n".encode() for var, name in formula.names.items())
        if style == "old":
            file.write(b"p wcnf %d %d %d\n" % (formula.n_vars, formula.n_hard + len(soft), top))
        formula.write_hard(ClauseLines(file, hard, clock))
        file.writelines(b"%d %s0\n" % (each.weight, b"".join(b"%d " % lit for lit in each.literals)) for each in soft)


def read_wcnf(path: Path | str) -> Wcnf:
    """Read a formula from a file in any of the formats.

    Its hard clauses come in blocks of equal length, so their order is not that of the file.

    Raises
    ------
    FormatError
        If the file holds no formula; it names the line and what was expected there.
    """
    text = Path(path).read_bytes()
    try:
        hard, hard_ends, soft, soft_ends, weights, notes, counts = _native.parse_dimacs(text)
    except ValueError as error:
        place, expected = error.args
        line = text.count(b"\n", 0, place) + 1
        raise FormatError(f"{path}, line {line}: expected {expected}, found {_found(text, place)}") from None
    max_var, n_vars, n_clauses = counts
    n_read = len(hard_ends) + len(soft_ends)
    if n_clauses not in (-1, n_read):
        raise FormatError(f"{path}: expected {n_clauses} clauses, as its p line says, found {n_read}; is it complete?")
    names, n_noted = _read_notes(text, notes)
    return Wcnf(
        n_vars=max(max_var, n_vars, n_noted),
        hard=list(_blocks(hard, hard_ends)),
        soft=list(_read_soft(text, weights, soft, soft_ends)),
        names=names,
    )


class _Writable(Protocol):
    def write(self, data: bytes, /) -> int: ...


class ClauseLines:
    """A sink that writes a line for each clause.

    Parameters
    ----------
    file : binary file, or anything that bytes can be written to
    prefix : bytes
        Opens each line.
    clock : Clock
        TimeIsOver when it is over.
    """

    def __init__(self, file: _Writable, prefix: bytes, clock: Clock) -> None:
        self._file = file
        self._prefix = prefix
        self._clock = clock

    def add(self, block: Block) -> None:
        """Write a block."""
        step = max(1, _CHUNK // max(1, block.shape[1]))
        for start in range(0, len(block), step):
            self._clock.require_time()
            rows = np.ascontiguousarray(block[start : start + step], dtype=np.int32)
            self._file.write(_native.format_clauses(rows, self._prefix))


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a neighbour of a file and put it in its place once all is written."""
    neighbour = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with neighbour.open("xb") as file:
            yield file
        os.replace(neighbour, path)  # noqa: PTH105  # atomic, and says so
    except BaseException:
        neighbour.unlink(missing_ok=True)
        raise


def _escape(name: str) -> str:
    r"""Write a name on one line: what does not print, blanks at the ends and ``\`` by their numbers.

    >>> print(_escape("two\nlines "))
    two\{a}lines\{20}
    """
    if name.isprintable() and "\\" not in name and name == name.strip():
        return name
    last = len(name) - 1
    return "".join(
        char if char.isprintable() and char != "\\" and not (char == " " and i in (0, last)) else f"\\{{{ord(char):x}}}"
        for i, char in enumerate(name)
    )


def _unescape(text: str) -> str:
    def char(match: re.Match[str]) -> str:
        code = int(match[1], 16)
        return chr(code) if code <= 0x10FFFF else match[0]  # from another hand: no name of ours is that high

    return _ESCAPE.sub(char, text)


def _read_notes(text: bytes, notes: NDArray[np.int64]) -> tuple[dict[int, str], int]:
    """Return the names of variables and how many variables the file says there are; comments of others say nothing."""
    names, n_vars = {}, 0
    most = int(np.iinfo(np.int32).max)
    for begin, end in notes.tolist():
        match = _NOTE.fullmatch(text[begin:end].decode(errors="replace"))
        if match and match[1] and int(match[1]) <= most:
            names[int(match[1])] = _unescape(match[2])
        elif match and match[3] and int(match[3]) <= most:
            n_vars = int(match[3])
    return names, n_vars


def _blocks(literals: NDArray[np.int32], ends: NDArray[np.int64]) -> Iterator[Block]:
    """Put clauses of equal length together: no padding, however long the longest is."""
    lengths = np.diff(ends, prepend=0)
    order = np.argsort(lengths, kind="stable")
    for clauses in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        if len(clauses):
            length = lengths[clauses[0]]
            yield literals[(ends[clauses] - length)[:, None] + np.arange(length)]


def _read_soft(
    text: bytes, weights: NDArray[np.int64], literals: NDArray[np.int32], ends: NDArray[np.int64]
) -> Iterator[Soft]:
    start = 0
    for (begin, stop), end in zip(weights.tolist(), ends.tolist(), strict=True):
        if weight := int(text[begin:stop]):
            yield Soft(weight, tuple(literals[start:end].tolist()))
        start = end


def _found(text: bytes, place: int) -> str:
    """Show the word at a place, in print."""
    word = re.compile(rb"\S{0,41}").match(text, place)
    shown = word[0].decode(errors="backslashreplace") if word else ""
    if not shown:
        return "the end of the file"
    return repr(shown if len(shown) <= 40 else f"{shown[:40]}…")
