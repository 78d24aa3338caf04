"""The table "Fidelity" in docs/results.md names a module for everything the paper describes."""

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from puretree.encoding import clause_groups
from puretree.engines import ENGINES, make_engine

PAGE = Path(__file__).parents[1] / "docs" / "results.md"
NAME = re.compile(r"`(puretree(?:\.\w+)+)`")
NUMBER = re.compile(r"\d+")


def read_rows() -> list[tuple[str, list[str], str]]:
    """Return what is described, the modules, and how they differ, for each row of the table."""
    _, _, section = PAGE.read_text().partition("\n## Fidelity\n")
    section = section.partition("\n## ")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    return [(described, NAME.findall(modules), verdict) for described, modules, verdict in cells[2:]]


ROWS = read_rows()
DESCRIBED = [described for described, _, _ in ROWS]


def resolve(name: str) -> Any:
    """Return the module, class, function or attribute of a dotted name."""
    parts = name.split(".")
    for n_parts in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:n_parts]))
        except ModuleNotFoundError:
            continue
        for part in parts[n_parts:]:
            found = getattr(found, part)
        return found
    raise AssertionError(name)


@pytest.mark.parametrize(("described", "names", "verdict"), ROWS, ids=DESCRIBED)
def test_modules_exist(described: str, names: list[str], verdict: str) -> None:
    """Every row names what implements it, and says whether it is faithful."""
    assert names
    for name in names:
        found = resolve(name)
        is_code = inspect.ismodule(found) or callable(found) or isinstance(found, property)
        assert inspect.getdoc(found) if is_code else found, name
    assert verdict


def test_equations_are_in_their_functions() -> None:
    """Each of the 26 equations has one row, and the functions for it are those whose docstring names it."""
    rows = {number: names for text, names, _ in ROWS if text.startswith("Eq. ") for number in _numbers(text)}
    assert sorted(rows) == list(range(1, 27))
    functions = dict(inspect.getmembers(clause_groups, inspect.isfunction))
    for number, names in rows.items():
        named = {name.rpartition(".")[2] for name in names if "clause_groups" in name}
        assert named == {name for name, function in functions.items() if number in _equations(function)}, number


def test_everything_is_listed() -> None:
    """The algorithms, the proposition, the tables and the systems of the paper have a row each."""
    expected = {
        *("Algorithm 1", "Algorithm 2", "Algorithm 3", "Proposition 1", "SoftN", "Table 3", "Table 4"),
        *("Table of symbols and functions", "Table of variables", "Table of data sets", "Table of systems"),
        *("MPDT", "MinDT", "Bessiere et al.", "Infer-depth", "Infer-size", "dtfinder", "DT(max)", "ITI"),
        *("satlike-c", "satlike-ck", "TT-Open-WBO-Inc-21", "psk", "lsk", "ask", "Preprocessing"),
        *("mpdt-1", "mpdt-nd", "mpdt", "mpdt-lay-nd", "mpdt-lay"),
    }
    listed = {item.strip() for described in DESCRIBED for item in re.split(r"[,:]", described)}
    assert expected <= listed


def test_engines_of_other_authors_are_listed() -> None:
    """Every engine that reimplements a system of other authors is in the table."""
    modules = {module for _, names, _ in ROWS for name in names for module in _prefixes(name)}
    for name in set(ENGINES) - {"auto", "search", "dl85", "streed"}:
        assert type(make_engine(name)).__module__ in modules, name


def _numbers(text: str) -> list[int]:
    return [int(number) for number in NUMBER.findall(text)]


def _equations(function: Any) -> list[int]:
    """Return the equations that the docstring of a function names, as in "Eq. 17, 18, and 24 with its sign …"."""
    listed = re.match(r"Eq\. ((?:\d+|, | and |and )+)", inspect.getdoc(function) or "")
    return [] if listed is None else _numbers(listed[1])


def _prefixes(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:n_parts]) for n_parts in range(1, len(parts) + 1)]
