"""The benchmark of large tables."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import large
import numpy as np
import pytest
from baseline import Solved, load, save
from fresh_process import Report, run
from large import Fitted, Peer, find_failures, format_case, format_comparison
from large_tables import CASES, TARGET, Requirement, read_batches, write_categories

from puretree import minimum_tree


def fill_memory(n_bytes: int, send: Callable[[Any], None]) -> None:
    """Use memory, and more of it after the first message."""
    first = bytearray(n_bytes)
    first[::1000] = b"x" * len(first[::1000])
    send(len(first))
    second = bytearray(3 * n_bytes)
    second[::1000] = b"x" * len(second[::1000])
    send(len(second))


def fail(send: Callable[[Any], None]) -> None:
    """Raise an error."""
    raise ValueError("no table")


def test_the_peak_memory_is_measured_until_the_first_message() -> None:
    """Messages arrive, and memory that is used later does not count."""
    n_bytes = 200_000_000
    report = run(fill_memory, n_bytes, limit=60, memory=1e12)
    assert (report.messages, report.reason) == ([n_bytes, 3 * n_bytes], "")
    assert n_bytes < report.peak < 3 * n_bytes


def test_a_failing_process_is_reported() -> None:
    """An error, and too much memory, are the reason."""
    assert run(fail, limit=60, memory=1e12).reason == "ValueError: no table"
    assert run(fill_memory, 200_000_000, limit=60, memory=1e6).reason == "memory"


@pytest.mark.parametrize(
    ("fitted", "peer", "gigabytes", "failure"),
    [
        (Fitted(10.5, 99, 5, "time_limit", 0), 100, 0.9, ""),
        (Fitted(11.5, 99, 5, "time_limit", 0), 100, 0.9, "11.5 s"),
        (Fitted(10.5, 100, 5, "time_limit", 0), 100, 0.9, "1.000 of scikit-learn's nodes"),
        (Fitted(10.5, 99, 5, "time_limit", 0), None, 0.9, "no scikit-learn tree"),
        (Fitted(10.5, 99, 5, "time_limit", 0), 100, 1.0, "1.00 GB"),
        (Fitted(10.5, 99, 5, "time_limit", 3), 100, 0.9, "3 rows misclassified"),
    ],
)
def test_a_requirement_fails_for_each_reason(fitted: Fitted, peer: int | None, gigabytes: float, failure: str) -> None:
    """Time, memory, size and purity are checked."""
    failures = list(find_failures(Requirement(11, 1, 1.0), fitted, peer, gigabytes))
    assert [text.startswith(failure) for text in failures] == [True] * bool(failure)


def test_a_proof_may_be_required() -> None:
    """An unproved or a larger tree is a failure."""
    needed = Requirement(10, nodes=15, proved=True)
    assert list(find_failures(needed, Fitted(1, 17, 3, "time_limit", 0), None, 0)) == [
        "17 nodes, at most 15",
        "not proved",
    ]


def test_a_row_without_a_tree_says_why() -> None:
    """A killed process has a row, too."""
    row = format_case(CASES["floats-20k"], 10, Report([], 2_000_000_000, "killed"), [Peer(1457, 1.0)])
    assert row.endswith("| 1,457 (1 of 6) | 1.0 | – | 2.00 | no: killed |")
    assert row.count("|") == len(large.HEADER) + 1


def test_quick_cases_print_rows(capsys: pytest.CaptureFixture[str]) -> None:
    """A case runs from the table to the row, beside scikit-learn."""
    large.main(["--quick", "--cases", "clean-rule-bits", "--sklearn-seconds", "60"])
    row = capsys.readouterr().out.splitlines()[-1]
    assert "| 7 | 7 | optimal |" in row
    assert "of 6) |" in row


def test_the_parquet_file_has_its_rule(tmp_path: Path) -> None:
    """The minimum tree of the rule has 15 nodes, and the batches have all rows."""
    path = tmp_path / "table.parquet"
    write_categories(path, 3000, seed=0)
    ((table, labels),) = read_batches(path)
    assert (table.shape, TARGET in table) == ((3000, 8), False)
    outcome = minimum_tree(table, labels)
    assert (outcome.n_nodes, outcome.status) == (15, "optimal")


def test_contradictory_rows_are_not_counted_as_errors() -> None:
    """Of three equal rows with two labels, one cannot be right."""
    assert large.n_contradictory(np.array([[1, 2], [1, 2], [1, 2], [3, 4]]), np.array(list("aabb"))) == 1


def test_a_baseline_is_compared(tmp_path: Path) -> None:
    """Larger trees and lost proofs are not as good; the ratio is of the seconds of two proofs."""
    proved, larger = Solved(15, 15, True, 0.5, 0.6), Solved(17, 5, False, 60.0, 60.0)
    save(tmp_path / "file.json", {}, {"paper": {"monks": proved}})
    assert load(tmp_path / "file.json", "paper") == {"monks": proved}
    assert load(tmp_path / "file.json", "proofs") == {}
    assert format_comparison("monks", proved, proved) == ["monks", "15*", "15*", "0.5", "0.5", "1.00", "yes"]
    assert format_comparison("monks", proved, larger)[-2:] == ["–", "no"]
    assert format_comparison("monks", None, larger)[-2:] == ["–", "–"]
