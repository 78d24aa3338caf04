"""Prototypes of the front are programs that print a line for every number of tests."""

from pathlib import Path

import numpy as np
import pytest
from front_prototypes import BITS, compile_prototype, run_prototype
from front_tables import FrontTable

TABLE = FrontTable("table", np.array([[0.0], [1.0]]), np.array([0, 1], dtype=np.intc))
PROGRAM = """#!/bin/sh
read line < "$1"
echo "table of $line, $2 seconds"
echo "  k=0 E=$3  0.000s (cum 0.000)"
i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done
echo "  k=1 E=0  0.000s (cum 0.000)"
"""


def write_program(folder: Path, text: str) -> Path:
    """Write a program in the place of a prototype."""
    program = folder / "front_prototype"
    program.write_text(text)
    program.chmod(0o700)
    return program


def test_every_line_has_its_errors_and_its_processor_time(tmp_path: Path) -> None:
    """The program gets the table, the limit and the greatest k; the time of a line includes those before."""
    result = run_prototype(write_program(tmp_path, PROGRAM), TABLE, 10, most_tests=5)
    assert (result.errors, result.most_tests, result.is_whole) == ((5, 0), 1, True)
    assert 0 < result.seconds[0] < result.seconds[1]
    assert run_prototype(write_program(tmp_path, PROGRAM), TABLE, 10).errors == (40, 0)


def test_a_program_that_ignores_its_limit_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it printed before counts; a program that prints nothing has no answer."""
    monkeypatch.setattr("front_prototypes.GRACE", 0.2)
    endless = PROGRAM.replace("20000", "2000000000")
    assert run_prototype(write_program(tmp_path, endless), TABLE, 0.2).errors == (40,)
    assert run_prototype(write_program(tmp_path, "#!/bin/sh\nexit 1\n"), TABLE, 0.2).most_tests == -1


def test_the_prototypes_take_two_classes(tmp_path: Path) -> None:
    """More would be read as two."""
    table = FrontTable("table", np.eye(3), np.arange(3, dtype=np.intc))
    with pytest.raises(ValueError, match="table has 3"):
        run_prototype(tmp_path / "front_prototype", table, 1)


def test_a_prototype_is_compiled_from_its_folder(tmp_path: Path) -> None:
    """The program is in another folder."""
    (tmp_path / BITS).write_text('#include <cstdio>\nint main() { std::puts("  k=0 E=0 "); }\n')
    (target := tmp_path / "programs").mkdir()
    program = compile_prototype(tmp_path, BITS, target)
    assert run_prototype(program, TABLE, 10).errors == (0,)
