r"""Reading and writing WCNF files, with variable names as comments.

Two formats are in use. The *old* one starts with ``p wcnf VARIABLES CLAUSES TOP``, and clauses of weight TOP or more
are hard; the *new* one, of the MaxSAT Evaluations since 2022, has no such line and marks hard clauses with ``h``. Both
are written, and both are read, as is plain ``p cnf``.

A comment ``c var 17 a[3,5]`` names a variable. Names may contain any characters: unprintable ones are escaped by their
code point, such as ``\{a}`` for a line break, and unescaped on reading.
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
from .._support.permissions import copy_permissions
from ..errors import FormatError, InputError
from .clauses import Block
from .wcnf import Soft, Wcnf

Style = Literal["new", "old"]
STYLES: tuple[Style, ...] = ("new", "old")

_CHUNK = 1 << 20  # literals formatted at a time: some megabytes of text; the clock is checked after each chunk

_NAMED_COMMENT = re.compile(r"c (?:var ([1-9][0-9]{0,9}) (.*)|n_vars ([0-9]{1,10}))", re.DOTALL)
_ESCAPE = re.compile(r"\\\{([0-9a-f]{1,6})\}")


def write_wcnf(formula: Wcnf, path: Path | str, *, style: Style = "new", clock: Clock = NO_LIMIT) -> None:
    """Write a formula to a file.

    The file is replaced atomically: on failure the previous content stays, and no partial file is left.

    Parameters
    ----------
    formula : Wcnf
    path : Path or str
    style : {"new", "old"}, default="new"
        With ``h`` lines (since 2022) or with a ``p wcnf`` line.
    clock : Clock, optional

    Raises
    ------
    TimeLimitReached
        If the time limit is reached first.
    """
    if style not in STYLES:
        raise InputError(f"is unknown; use {' or '.join(map(repr, STYLES))}", parameter="style", value=style)
    soft = [clause for clause in formula.soft if clause.weight]
    if any(clause.weight < 0 for clause in soft):
        raise InputError("a soft clause has a negative weight; make its negation soft, with a positive weight")
    top = formula.total_weight + 1
    hard = b"h " if style == "new" else b"%d " % top
    with _open_atomic(Path(path)) as file:
        file.write(b"c n_vars %d\n" % formula.n_vars)
        file.writelines(f"c var {var} {_escape(name)}\n".encode() for var, name in formula.names.items())
        if style == "old":
            file.write(b"p wcnf %d %d %d\n" % (formula.n_vars, formula.n_hard + len(soft), top))
        formula.write_hard(ClauseLines(file, hard, clock))
        file.writelines(
            b"%d %s0\n" % (clause.weight, b"".join(b"%d " % lit for lit in clause.literals)) for clause in soft
        )


def read_wcnf(path: Path | str) -> Wcnf:
    """Read a formula from a file in any of the formats.

    The hard clauses are grouped into blocks by length, so their order differs from the file's.

    Raises
    ------
    FormatError
        If the file is not a valid formula; the message names the line and the expected token.
    """
    text = Path(path).read_bytes()
    try:
        hard, hard_ends, soft, soft_ends, weights, comments, counts = _native.parse_dimacs(text)
    except ValueError as error:
        offset, expected = error.args
        line = text.count(b"\n", 0, offset) + 1
        raise FormatError(f"{path}, line {line}: expected {expected}, found {_quote_token(text, offset)}") from None
    max_var, n_vars, n_clauses = counts
    n_read = len(hard_ends) + len(soft_ends)
    if n_clauses not in (-1, n_read):
        raise FormatError(f"{path}: expected {n_clauses} clauses, as in its p line, found {n_read}; is it complete?")
    names, n_declared = _read_comments(text, comments)
    return Wcnf(
        n_vars=max(max_var, n_vars, n_declared),
        hard=list(_blocks(hard, hard_ends)),
        soft=list(_read_soft(text, weights, soft, soft_ends)),
        names=names,
    )


class _Writable(Protocol):
    def write(self, data: bytes, /) -> int: ...


class ClauseLines:
    """A sink that writes one line per clause.

    Parameters
    ----------
    file : binary file, or any object with a ``write`` method for bytes
    prefix : bytes
        The beginning of each line.
    clock : Clock
        Checked between chunks; TimeLimitReached is raised when the time limit is reached.
    """

    def __init__(self, file: _Writable, prefix: bytes, clock: Clock) -> None:
        self._file = file
        self._prefix = prefix
        self._clock = clock

    def add(self, block: Block) -> None:
        """Write a block of clauses."""
        step = max(1, _CHUNK // max(1, block.shape[1]))
        for start in range(0, len(block), step):
            self._clock.require_time()
            rows = np.ascontiguousarray(block[start : start + step], dtype=np.int32)
            self._file.write(_native.format_clauses(rows, self._prefix))


@contextmanager
def _open_atomic(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file in the same folder and rename it to the path once it is complete.

    A file that is replaced keeps its permissions, and a symbolic link to it is kept.
    """
    is_old = path.exists()
    path = path.resolve() if is_old else path
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        temporary.touch(0o600 if is_old else 0o666, exist_ok=False)
        with temporary.open("wb") as file:
            yield file
        copy_permissions(path, temporary)
        os.replace(temporary, path)  # noqa: PTH105  # documented as atomic
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _escape(name: str) -> str:
    r"""Escape unprintable characters, leading and trailing blanks and ``\`` by their code points.

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
        return chr(code) if code <= 0x10FFFF else match[0]  # not a code point, so not written by _escape

    return _ESCAPE.sub(char, text)


def _read_comments(text: bytes, comments: NDArray[np.int64]) -> tuple[dict[int, str], int]:
    """Return the variable names and the number of variables stated in comments; other comments are ignored."""
    names, n_vars = {}, 0
    max_var = int(np.iinfo(np.int32).max)
    for begin, end in comments.tolist():
        match = _NAMED_COMMENT.fullmatch(text[begin:end].decode(errors="replace"))
        if match and match[1] and int(match[1]) <= max_var:
            names[int(match[1])] = _unescape(match[2])
        elif match and match[3] and int(match[3]) <= max_var:
            n_vars = int(match[3])
    return names, n_vars


def _blocks(literals: NDArray[np.int32], ends: NDArray[np.int64]) -> Iterator[Block]:
    """Yield clauses grouped by length, so that no block needs padding."""
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


def _quote_token(text: bytes, offset: int) -> str:
    """Return the token at an offset as a printable string."""
    match = re.compile(rb"\S{0,41}").match(text, offset)
    token = match[0].decode(errors="backslashreplace") if match else ""
    if not token:
        return "the end of the file"
    return repr(token if len(token) <= 40 else f"{token[:40]}…")
