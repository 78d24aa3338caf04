"""Write the output files of an experiment: data files, tables, plots, and a report page.

All output depends on the rows alone, so it can be regenerated at any time. Files are written atomically.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from ..._support.text import escape
from ...errors import InputError
from ...runs.atomic import replace_file
from ..cell import Row
from ..result_table import ResultTable
from .columns import to_csv, to_parquet
from .markup import to_latex, to_markdown


def write_report(
    folder: Path,
    name: str,
    tables: Sequence[ResultTable],
    rows: Sequence[Row],
    plot: Callable[[Path], list[Path]],
    notes: Sequence[str],
) -> tuple[list[Path], list[str]]:
    """Write ``{name}.csv``, ``{name}.parquet``, a page ``{name}.md``, a LaTeX file for each table, and plots.

    Parameters
    ----------
    folder : Path
        Created if missing.
    name : str
        The name of the experiment.
    tables : sequence of ResultTable
    rows : sequence of Row
        The rows for the CSV and Parquet files.
    plot : callable
        Writes plots into a folder and returns their paths.
    notes : sequence of str
        Listed before the tables: command, versions, seeds.

    Returns
    -------
    paths : list of Path
        The files written, the page first.
    skipped : list of str
        Messages about files that were skipped because a package is missing, and how to install it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    plot_paths, skipped = _skip_if_missing(lambda: plot(folder))
    parquet_paths, skipped_parquet = _skip_if_missing(lambda: [_write(folder / f"{name}.parquet", to_parquet(rows))])
    skipped += skipped_parquet
    page = _page(folder, name, tables, plot_paths, [*notes, *skipped])
    paths = [
        _write(folder / f"{name}.md", page.encode()),
        _write(folder / f"{name}.csv", to_csv(rows)),
        *parquet_paths,
        *(_write(folder / f"{table.name}.tex", to_latex(table).encode()) for table in tables),
        *plot_paths,
    ]
    return paths, skipped


def _skip_if_missing(write: Callable[[], list[Path]]) -> tuple[list[Path], list[str]]:
    """Write files that need an optional package; if it is missing, return the error message instead."""
    try:
        return write(), []
    except InputError as error:
        return [], [str(error)]


def _write(path: Path, content: bytes) -> Path:
    replace_file(path, content)
    return path


def _page(
    folder: Path, name: str, tables: Sequence[ResultTable], plot_paths: Sequence[Path], notes: Sequence[str]
) -> str:
    sections = [f"# {escape(name)}\n"]
    if notes:
        sections.append("".join(f"- {escape(note)}\n" for note in notes))
    sections += [f"## {escape(table.name)}\n\n{to_markdown(table)}" for table in tables]
    sections += [_image_link(path.relative_to(folder)) for path in plot_paths]
    return "\n".join(sections)


def _image_link(path: Path) -> str:
    return f"![{escape(path.stem)}]({quote(path.as_posix())})\n"
