"""Built-in data sets, which need neither a file nor the network: truth tables of formulas, and those of scikit-learn.

The formulas are the monks problems (Thrun et al. 1991), multiplexers, corral (John, Kohavi, Pfleger 1994) and the
balloons of Pazzani (1991), as complete truth tables with categorical columns. Rows that the published file repeats are
repeated here as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from ..table import read_columns
from .dataset import Dataset

Row = tuple[str, ...]


def _make(
    name: str,
    domains: Mapping[str, Sequence[str]],
    label: Callable[[Row], str],
    copies: Callable[[Row, str], int] = lambda row, label: 1,
) -> Dataset:
    rows = [(row, label(row)) for row in product(*domains.values())]
    rows = [pair for pair in rows for _ in range(copies(*pair))]
    columns = {name: [row[i] for row, _ in rows] for i, name in enumerate(domains)}
    target = np.array([label for _, label in rows])
    return Dataset(name, read_columns(columns), target, source="formula")


def multiplexer(n_address_bits: int) -> Dataset:
    """Return a multiplexer: the class is the data bit at the address; mux6 has all 64 rows twice, as published."""
    n_data_bits = 2**n_address_bits
    names = [f"Address_bit_{i + 1}" for i in range(n_address_bits)]
    names += [f"Bit_{i}" for i in range(n_data_bits)]
    name = f"mux{len(names)}"
    n_copies = 2 if name == "mux6" else 1

    def label(row: Row) -> str:
        address = int("".join(row[:n_address_bits]), base=2)
        return row[n_address_bits + address]

    return _make(name, dict.fromkeys(names, "01"), label, lambda row, label: n_copies)


def _monks(number: int, holds: Callable[..., bool]) -> Dataset:
    domains = {"a": "123", "b": "123", "c": "12", "d": "123", "e": "1234", "f": "12"}
    return _make(f"monks-{number}", domains, lambda row: str(int(holds(*row))))


def monks_1() -> Dataset:
    """Return all 432 rows of: a = b or e = 1."""
    return _monks(1, lambda a, b, c, d, e, f: a == b or e == "1")


def monks_2() -> Dataset:
    """Return all 432 rows of: exactly two columns are 1."""
    return _monks(2, lambda *row: row.count("1") == 2)


def monks_3() -> Dataset:
    """Return all 432 rows of: (e = 3 and d = 1) or (e ≠ 4 and b ≠ 3), without the published noise."""
    return _monks(3, lambda a, b, c, d, e, f: (e == "3" and d == "1") or (e != "4" and b != "3"))


def corral() -> Dataset:
    """Return (A0 ∧ A1) ∨ (B0 ∧ B1), with an irrelevant column and one that equals the class in 80 % of the rows."""
    names = ("A0", "A1", "B0", "B1", "Irrelevant", "Correlated")
    return _make(
        "corral",
        dict.fromkeys(names, "01"),
        lambda row: str(int(row[:2] == ("1", "1") or row[2:4] == ("1", "1"))),
        lambda row, label: 4 if row[-1] == label else 1,
    )


def _balloons(number: int, holds: Callable[..., bool], twice: str) -> Dataset:
    domains = {
        "color": ("YELLOW", "PURPLE"),
        "size": ("SMALL", "LARGE"),
        "act": ("STRETCH", "DIP"),
        "age": ("ADULT", "CHILD"),
    }
    return _make(
        f"balloons{number}",
        domains,
        lambda row: "T" if holds(*row) else "F",
        lambda row, label: 2 if label == twice else 1,
    )


def _is_small_yellow(color: str, size: str) -> bool:
    return color == "YELLOW" and size == "SMALL"


def balloons_1() -> Dataset:
    """Return balloons inflated if an adult stretches; positive rows occur twice."""
    return _balloons(1, lambda c, s, act, age: act == "STRETCH" and age == "ADULT", twice="T")


def balloons_2() -> Dataset:
    """Return balloons inflated if stretched or by an adult; negative rows occur twice."""
    return _balloons(2, lambda c, s, act, age: act == "STRETCH" or age == "ADULT", twice="F")


def balloons_3() -> Dataset:
    """Return balloons inflated if small and yellow, or if an adult stretches."""

    def holds(color: str, size: str, act: str, age: str) -> bool:
        return _is_small_yellow(color, size) or (act == "STRETCH" and age == "ADULT")

    return _balloons(3, holds, twice="")


def balloons_4() -> Dataset:
    """Return balloons inflated if small and yellow; positive rows occur twice."""
    return _balloons(4, lambda color, size, act, age: _is_small_yellow(color, size), twice="T")


FORMULAS: dict[str, Callable[[], Dataset]] = {
    "mux6": lambda: multiplexer(2),
    "mux11": lambda: multiplexer(3),
    "monks-1": monks_1,
    "monks-2": monks_2,
    "monks-3": monks_3,
    "corral": corral,
    "balloons1": balloons_1,
    "balloons2": balloons_2,
    "balloons3": balloons_3,
    "balloons4": balloons_4,
}

BUNDLED: dict[str, Callable[[], Any]] = {
    "iris": load_iris,
    "wine": load_wine,
    "breast-cancer": load_breast_cancer,
}


def load_bundled(name: str) -> Dataset:
    """Load one of scikit-learn's small data sets, with numeric columns."""
    bunch = BUNDLED[name]()
    columns = zip(bunch.feature_names, bunch.data.T, strict=True)
    table = read_columns({str(column).removesuffix(" (cm)"): values for column, values in columns})
    return Dataset(name, table, bunch.target_names[bunch.target], source="scikit-learn")
