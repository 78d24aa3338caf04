"""All that is written of an experiment: its rows for programs, its tables for papers, and a page with all of it.

Everything is made of rows, so it can be written again at any time; each file appears when it is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from ..._support.text import escape
from ...errors import InputError
from ...runs.atomic import replace_file
from ..cell import ResultTable, Row
from .columns import to_csv, to_parquet
from .typesetting import to_latex, to_markdown


def write_report(
    folder: Path,
    name: str,
    tables: Sequence[ResultTable],
    rows: Sequence[Row],
    plot: Callable[[Path], list[Path]],
    notes: Sequence[str],
) -> tuple[list[Path], list[str]]:
    """Write ``{name}.csv``, ``{name}.parquet``, a page ``{name}.md``, a LaTeX file for each table, and pictures.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    name : str
        Of the experiment.
    tables : sequence of ResultTable
        What it shows.
    rows : sequence of Row
        What it is made of.
    plot : callable
        Draws pictures into a folder and returns their files.
    notes : sequence of str
        What is said before the tables: command, versions, seeds.

    Returns
    -------
    paths : list of Path
        What was written, the page first.
    left_out : list of str
        What was not because a package is missing, and the remedy.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pictures, left_out = _with_remedy(lambda: plot(folder))
    parquet, more_left_out = _with_remedy(lambda: [_written(folder / f"{name}.parquet", to_parquet(rows))])
    left_out += more_left_out
    page = _page(folder, name, tables, pictures, [*notes, *left_out])
    paths = [
        _written(folder / f"{name}.md", page.encode()),
        _written(folder / f"{name}.csv", to_csv(rows)),
        *parquet,
        *(_written(folder / f"{table.name}.tex", to_latex(table).encode()) for table in tables),
        *pictures,
    ]
    return paths, left_out


def _with_remedy(write: Callable[[], list[Path]]) -> tuple[list[Path], list[str]]:
    """Write what may need a package that is not there: then nothing is written, and the message says what to do."""
    try:
        return write(), []
    except InputError as error:
        return [], [str(error)]


def _written(path: Path, content: bytes) -> Path:
    replace_file(path, content)
    return path


def _page(
    folder: Path, name: str, tables: Sequence[ResultTable], pictures: Sequence[Path], notes: Sequence[str]
) -> str:
    parts = [f"# {escape(name)}\n"]
    if notes:
        parts.append("".join(f"- {escape(note)}\n" for note in notes))
    parts += [f"## {escape(table.name)}\n\n{to_markdown(table)}" for table in tables]
    parts += [_link(picture.relative_to(folder)) for picture in pictures]
    return "\n".join(parts)


def _link(picture: Path) -> str:
    return f"![{escape(picture.stem)}]({quote(picture.as_posix())})\n"
