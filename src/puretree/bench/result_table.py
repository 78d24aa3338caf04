"""A table of results, before anybody decided whether it is printed, typeset or read by a program."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its standard error, None where there is no more than one draw."""

    mean: float
    error: float | None = None


@dataclass(frozen=True, slots=True)
class Beside:
    """Our figure with the paper's beside it; None where one of them does not exist."""

    ours: int | float | Estimate | None
    paper: int | float | None


Value = str | int | float | Estimate | Beside | None


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Columns under a header.

    Parameters
    ----------
    name : str
        For the name of its file: ``table3``, ``differences``.
    caption : str
        What it shows, in a sentence.
    header : tuple of str
    rows : tuple of tuple
        As many values as the header has names.
    groups : tuple of (str, int), default=()
        A line above the header, as the paper's Table 4 has: words over so many columns each.
    rules : tuple of int, default=()
        The rows before which a line is drawn: where means follow, or another sample size begins.
    digits : int, default=2
        Decimals of floats.
    """

    name: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    groups: tuple[tuple[str, int], ...] = ()
    rules: tuple[int, ...] = ()
    digits: int = 2

    @property
    def columns(self) -> tuple[str, ...]:
        """The names in the header, with the words above them: each column has its own.

        >>> ResultTable("t", "", ("data set", "size", "size"), (), (("", 1), ("psk", 1), ("ask", 1))).columns
        ('data set', 'psk size', 'ask size')
        """
        above = [words for words, n_columns in self.groups or (("", len(self.header)),) for _ in range(n_columns)]
        return tuple(f"{words} {name}".strip() for words, name in zip(above, self.header, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, each row by the names of the columns."""
        rows = [dict(zip(self.columns, values, strict=True)) for values in asdict(self)["rows"]]
        return {"name": self.name, "caption": self.caption, "rows": rows}
