"""The table of failed cells."""

from puretree.bench.cell import Row
from puretree.bench.result_table import failed_cells


def test_failed_cells_are_listed_with_their_reasons() -> None:
    """Each row that is not done has a line with its reason, and the caption has the counts."""
    rows = [
        Row("scale", {"family": "random", "size": 8}, "done", "", 1.0),
        Row("scale", {"family": "random", "size": 9}, "memory_limit", "took more than 1 GB", 2.0),
    ]
    table = failed_cells(rows)
    assert table is not None
    assert table.caption == "1 of 2 cells were not measured."
    assert table.rows == (("random 9", "memory_limit", "took more than 1 GB", 2.0),)


def test_without_failures_there_is_no_table() -> None:
    """If all rows are done, or there are none, the result is None."""
    assert failed_cells([Row("scale", {}, "done", "", 1.0)]) is None
    assert failed_cells([]) is None
