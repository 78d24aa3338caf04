"""The cells that were not measured."""

from puretree.bench.cell import Row, failed_rows


def test_only_what_is_not_done_is_told() -> None:
    """Each row that is not done is a line with its reason, and the caption says of how many."""
    rows = [
        Row("scale", {"family": "random", "size": 8}, "done", "", 1.0),
        Row("scale", {"family": "random", "size": 9}, "memory_limit", "took more than 1 GB", 2.0),
    ]
    table = failed_rows(rows)
    assert table is not None
    assert table.caption == "1 of 2 cells were not measured."
    assert table.rows == (("random 9", "memory_limit", "took more than 1 GB", 2.0),)


def test_no_table_of_nothing() -> None:
    """Where all is done there is nothing to tell."""
    assert failed_rows([Row("scale", {}, "done", "", 1.0)]) is None
    assert failed_rows([]) is None
