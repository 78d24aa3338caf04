"""Helpers for tests that run experiments."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from puretree.bench.cell import Row

TESTS = Path(__file__).parent.parent
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])}


def rows_of(path: Path) -> list[Row]:
    """Return all rows of a results file, including several rows of the same cell."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [Row.from_dict(line) for line in lines if "session" not in line]


def numbers(rows: list[Row]) -> list[object]:
    """Return the numbers of the cells of rows, sorted."""
    return sorted(row.key["number"] for row in rows)  # type: ignore[type-var]


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds, at most a minute."""
    limit = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < limit, "the condition did not become true within 60 seconds"
        time.sleep(0.02)
