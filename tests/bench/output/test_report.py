"""The output files of an experiment."""

import re
import sys
from pathlib import Path

import pytest
from helpers.result_tables import NASTY, ROWS, TABLES

from puretree.bench.output.columns import to_csv
from puretree.bench.output.markup import to_latex, to_markdown
from puretree.bench.output.report import write_report
from puretree.errors import InputError

pytest.importorskip("polars")


def plot(folder: Path) -> list[Path]:
    """Write a fake plot, with a name that a link must escape."""
    path = folder / "over time.png"
    path.write_bytes(b"plot")
    return [path]


def no_plot(folder: Path) -> list[Path]:
    """Raise the error of a missing matplotlib."""
    raise InputError("plots need matplotlib")


def test_all_files_are_written(tmp_path: Path) -> None:
    """Rows, tables, plots and the page are written; the returned paths are exactly the files in the folder."""
    folder = tmp_path / "new" / "folder"
    paths, skipped = write_report(folder, "runtime", TABLES, ROWS, plot, ["seed 0"])
    assert skipped == []
    assert sorted(paths) == sorted(folder.iterdir())
    assert paths[0] == folder / "runtime.md"
    assert {path.name for path in paths} == {
        *("runtime.md", "runtime.csv", "runtime.parquet", "table3.tex", "table_4.tex", "empty.tex", "over time.png"),
    }  # fmt: skip
    assert (folder / "runtime.csv").read_bytes() == to_csv(ROWS)
    assert (folder / "table3.tex").read_text(encoding="utf-8") == to_latex(TABLES[0])


def test_the_page_has_notes_tables_and_plots(tmp_path: Path) -> None:
    """The page has all notes and tables, and every link points to a file."""
    write_report(tmp_path, "runtime", TABLES, ROWS, plot, [f"command: bench {NASTY}"])
    page = (tmp_path / "runtime.md").read_text(encoding="utf-8")
    assert page.startswith("# runtime\n\n- command: bench a\\|b\\_&lt;script&gt;\\$%\n\n## table3\n")
    assert all(to_markdown(table) in page for table in TABLES)
    links = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", page)
    assert links == ["over%20time.png"]


def test_a_report_can_be_regenerated(tmp_path: Path) -> None:
    """Writing a report twice gives the same files."""
    first, _ = write_report(tmp_path, "runtime", TABLES, ROWS, plot, [])
    page = first[0].read_bytes()
    second, _ = write_report(tmp_path, "runtime", TABLES, ROWS, plot, [])
    assert second == first
    assert second[0].read_bytes() == page


def test_files_that_need_a_missing_package_are_skipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without polars and matplotlib all other files are written, and the page lists what is missing."""
    monkeypatch.setitem(sys.modules, "polars", None)
    paths, skipped = write_report(tmp_path, "runtime", TABLES, ROWS, no_plot, [])
    assert {path.suffix for path in paths} == {".md", ".csv", ".tex"}
    assert [message.split(":")[0] for message in skipped] == ["plots need matplotlib", "Parquet needs polars"]
    assert "Parquet needs polars" in (tmp_path / "runtime.md").read_text(encoding="utf-8")
