"""Every fault in docs/faults.md is covered by the test that it names."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CELLS = re.compile(r"(?<!\\)\|")


def rows() -> list[list[str]]:
    """Return the rows of the table as lists of cells."""
    lines = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8").splitlines()
    table = [[cell.strip() for cell in CELLS.split(line)[1:-1]] for line in lines if line.startswith("|")]
    return table[2:]


def test_there_is_a_table() -> None:
    """The table lists at least 15 distinct faults."""
    assert len(rows()) >= 15
    assert len({row[0] for row in rows()}) == len(rows())


@pytest.mark.parametrize("row", rows(), ids=[row[0] for row in rows()])
def test_every_row_names_a_test(row: list[str]) -> None:
    """The test exists in the named file; the exit code is a documented one, or one of the shell."""
    fault, result, code, where = row
    assert fault
    assert result
    assert int(code) in (0, 1, 2, 10, 20, 130, 137, 141)
    file, _, test = where.strip("`").partition("::")
    module = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert test in {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
