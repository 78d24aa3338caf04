"""Save and load a run folder: five files in text formats."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from .._support.strict_json import parse_finite, parse_json, to_json
from ..errors import DataNotFoundError, FormatError, InputError, shorten
from ..outcome import Bounds
from ..tree import Tree
from .atomic import replace_folder, require_parent
from .run import Run
from .temporary import is_temporary

MODEL, OUTCOME, HISTORY, CERTIFICATE, DATA = FILES = (
    "model.json",
    "outcome.json",
    "history.csv",
    "certificate.json",
    "data.json",
)
FOLDERS = ("proof", "report")  # added by certify and report; removed with the run they belong to


def is_run(folder: Path) -> bool:
    """Return whether a folder looks like a run folder."""
    return (folder / MODEL).is_file() and (folder / OUTCOME).is_file()


def require_free(folder: Path, *, force: bool) -> None:
    """Raise InputError if a run cannot be saved to a folder; called before the work, not only after it.

    Parameters
    ----------
    folder : Path
        The run folder to write.
    force : bool
        Whether an existing run may be replaced. Other contents are never replaced.
    """
    require_parent(folder)
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(f"{folder} is a file; use a folder")
    if Path.cwd().is_relative_to(folder.resolve()):  # else the working directory would be deleted
        raise InputError(
            f"{folder} is the current folder or contains it; use a separate folder for the run, such as ./run"
        )
    run_names = (*FILES, *FOLDERS) if is_run(folder) else FILES  # without a run, a folder called report is not ours
    others = sorted(
        path.name for path in folder.iterdir() if path.name not in run_names and not is_temporary(path, FOLDERS)
    )
    if others:
        raise InputError(
            f"{folder} holds {shorten(others)}, which is not part of a run; move it, or use another folder"
        )
    if is_run(folder) and not force:
        raise InputError(f"{folder} already holds a run; use another folder, or --force to replace it")


def save_run(run: Run, folder: Path, *, force: bool = False) -> None:
    """Save a run atomically: whatever happens, the folder holds either the old run or the new one.

    Parameters
    ----------
    run : Run
    folder : Path
        Created if it does not exist.
    force : bool, default=False
        Replace an existing run. If two processes save at the same time, the later run replaces the earlier one; without
        ``force``, the later one raises InputError.
    """
    require_free(folder, force=force)
    texts = {
        MODEL: run.tree.to_json(),
        OUTCOME: to_json(run.summary()),
        HISTORY: _to_csv(run.outcome.history),
        CERTIFICATE: to_json(run.certificate),
        DATA: to_json(run.data_dict()),
    }
    contents = {name: text.encode("utf-8", "backslashreplace") for name, text in texts.items()}
    replace_folder(folder, contents, force=force)


def load_run(folder: Path) -> Run:
    """Load a run; errors name the file that is missing or invalid."""
    if not folder.is_dir():
        raise DataNotFoundError(f"there is no folder {folder}")
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise FormatError(
            f"{folder} is not a run folder: it has no {shorten(missing)}; 'puretree fit --out' writes one"
        )
    tree = read_model(folder / MODEL)
    summary, certificate, data = (read_json(folder / name) for name in (OUTCOME, CERTIFICATE, DATA))
    try:
        return Run.from_parts(tree, summary, _from_csv(folder / HISTORY), certificate, data)
    except FormatError as error:
        raise FormatError(f"{folder}: {error}") from None


def read_model(path: Path) -> Tree:
    """Read a tree from a JSON file; errors name the file."""
    try:
        return Tree.from_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataNotFoundError(f"there is no file {path}") from None
    except (FormatError, UnicodeDecodeError) as error:
        raise FormatError(f"{path} is not a complete puretree model: {error}") from None


def read_json(path: Path) -> Any:
    """Read a JSON file; errors name the file."""
    try:
        return parse_json(path.read_text(encoding="utf-8"))
    except (FormatError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: {error}") from None


def _to_csv(history: tuple[Bounds, ...]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["seconds", "lower", "upper", "by"])
    writer.writerows([f"{bounds.seconds:.6f}", bounds.lower, bounds.upper, bounds.by] for bounds in history)
    return text.getvalue()


def _from_csv(path: Path) -> tuple[Bounds, ...]:
    """Read a history; runs of earlier releases do not say who made the improvements."""
    try:
        _, *lines = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
        return tuple(
            Bounds(parse_finite(seconds), int(lower), int(upper) if upper else None, by)
            for seconds, lower, upper, by in (line if len(line) > 3 else [*line, ""] for line in lines)
        )
    except ValueError as error:
        raise FormatError(f"{path} is not a history of bounds: {error}") from None
