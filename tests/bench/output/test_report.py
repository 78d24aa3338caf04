"""Everything that is written of an experiment."""

import re
import sys
from pathlib import Path

import pytest
from helpers.result_tables import NASTY, ROWS, TABLES

from puretree.bench.output.columns import to_csv
from puretree.bench.output.report import write_report
from puretree.bench.output.typesetting import to_latex, to_markdown
from puretree.errors import InputError

pytest.importorskip("polars")


def plot(folder: Path) -> list[Path]:
    """Stand in for a picture, with a name that a link must escape."""
    path = folder / "over time.png"
    path.write_bytes(b"picture")
    return [path]


def no_plot(folder: Path) -> list[Path]:
    """Fail as without matplotlib."""
    raise InputError("plots need matplotlib")


def test_all_files_are_written(tmp_path: Path) -> None:
    """Rows, tables, pictures and the page: what is returned is what is there, and nothing else is."""
    folder = tmp_path / "new" / "folder"
    paths, left_out = write_report(folder, "runtime", TABLES, ROWS, plot, ["seed 0"])
    assert left_out == []
    assert sorted(paths) == sorted(folder.iterdir())
    assert paths[0] == folder / "runtime.md"
    assert {path.name for path in paths} == {
        *("runtime.md", "runtime.csv", "runtime.parquet", "table3.tex", "table_4.tex", "empty.tex", "over time.png"),
    }  # fmt: skip
    assert (folder / "runtime.csv").read_bytes() == to_csv(ROWS)
    assert (folder / "table3.tex").read_text(encoding="utf-8") == to_latex(TABLES[0])


def test_the_page_has_notes_tables_and_pictures(tmp_path: Path) -> None:
    """A reader of the page sees all of it, and every link leads to a file."""
    write_report(tmp_path, "runtime", TABLES, ROWS, plot, [f"command: bench {NASTY}"])
    page = (tmp_path / "runtime.md").read_text(encoding="utf-8")
    assert page.startswith("# runtime\n\n- command: bench a\\|b\\_&lt;script&gt;\\$%\n\n## table3\n")
    assert all(to_markdown(table) in page for table in TABLES)
    links = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", page)
    assert links == ["over%20time.png"]


def test_it_can_be_written_again(tmp_path: Path) -> None:
    """The second time gives the same files in place of the first."""
    first, _ = write_report(tmp_path, "runtime", TABLES, ROWS, plot, [])
    page = first[0].read_bytes()
    second, _ = write_report(tmp_path, "runtime", TABLES, ROWS, plot, [])
    assert second == first
    assert second[0].read_bytes() == page


def test_what_needs_a_missing_package_is_left_out_and_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without polars and matplotlib the rest is written, and the page says what is missing."""
    monkeypatch.setitem(sys.modules, "polars", None)
    paths, left_out = write_report(tmp_path, "runtime", TABLES, ROWS, no_plot, [])
    assert {path.suffix for path in paths} == {".md", ".csv", ".tex"}
    assert [message.split(":")[0] for message in left_out] == ["plots need matplotlib", "Parquet needs polars"]
    assert "Parquet needs polars" in (tmp_path / "runtime.md").read_text(encoding="utf-8")
