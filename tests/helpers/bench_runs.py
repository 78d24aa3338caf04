"""What tests of runs share."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from puretree.bench.cell import Row

TESTS = Path(__file__).parent.parent
ENVIRONMENT = os.environ | {"PYTHONPATH": str(TESTS)}


def rows_of(path: Path) -> list[Row]:
    """Return the rows of a file as its lines say, without what makes one of two."""
    plain = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [Row.from_dict(each) for each in plain if "session" not in each]


def numbers(rows: list[Row]) -> list[object]:
    """Return which cells rows are of."""
    return sorted(row.key["number"] for row in rows)  # type: ignore[type-var]


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    limit = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < limit, "it never came to be"
        time.sleep(0.02)
