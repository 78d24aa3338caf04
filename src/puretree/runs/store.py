"""A run on disk: five files that people and programs can read."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

from ..errors import DataNotFoundError, FormatError, InputError, shorten
from ..outcome import Bounds
from ..tree import Tree
from .atomic import replace_folder, require_parent
from .run import Run
from .temporary import is_leftover

MODEL, OUTCOME, HISTORY, CERTIFICATE, DATA = FILES = (
    "model.json",
    "outcome.json",
    "history.csv",
    "certificate.json",
    "data.json",
)
FOLDERS = ("proof", "report")  # what certify and report add to a run: it goes when the run that it speaks of goes


def is_run(folder: Path) -> bool:
    """Whether a folder looks like a run."""
    return (folder / MODEL).is_file() and (folder / OUTCOME).is_file()


def require_free(folder: Path, *, force: bool) -> None:
    """Refuse a place where something else is: it is better told before the work than after it.

    Parameters
    ----------
    folder : Path
        Where a run is to be saved.
    force : bool
        Whether an older run may be replaced; anything else never is.
    """
    require_parent(folder)
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(f"{folder} is a file; a run needs a folder of its own")
    if Path.cwd().is_relative_to(folder.resolve()):  # whoever is in there would be left in a deleted folder
        raise InputError(f"{folder} is the folder you are in, or around it; give the run its own, such as ./run")
    own = (*FILES, *FOLDERS) if is_run(folder) else FILES  # a folder called report without a run is somebody else's
    others = sorted(path.name for path in folder.iterdir() if path.name not in own and not is_leftover(path, FOLDERS))
    if others:
        raise InputError(f"{folder} holds {shorten(others)}, which is no part of a run; move it, or use another folder")
    if is_run(folder) and not force:
        raise InputError(f"{folder} holds a run already; use another folder, or --force to replace it")


def save_run(run: Run, folder: Path, *, force: bool = False) -> None:
    """Save a run: whatever happens, the folder holds the old run or the new one.

    Parameters
    ----------
    run : Run
    folder : Path
        Made if it is not there.
    force : bool, default=False
        Replace an older run. Of two runs that are saved at once, the later one replaces the earlier; without it, the
        later one is refused.
    """
    require_free(folder, force=force)
    texts = {
        MODEL: run.tree.to_json(),
        OUTCOME: _to_json(run.summary()),
        HISTORY: _to_csv(run.outcome.history),
        CERTIFICATE: _to_json(run.certificate),
        DATA: _to_json(run.data_dict()),
    }
    contents = {name: text.encode("utf-8", "backslashreplace") for name, text in texts.items()}
    replace_folder(folder, contents, force=force)


def load_run(folder: Path) -> Run:
    """Read a run back; what is missing or broken is named by its file."""
    if not folder.is_dir():
        raise DataNotFoundError(f"there is no folder {folder}")
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise FormatError(f"{folder} is not a run folder: it has no {shorten(missing)}; 'puretree fit --out' makes one")
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
        raise FormatError(f"{path} is not a model of puretree, or not all of it: {error}") from None


def _to_json(data: Any) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def parse_json(text: str) -> Any:
    """Read JSON, in which NaN and infinities have no place; anything else is a FormatError."""
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this is not JSON, or not all of it: {error}") from None


def read_json(path: Path) -> Any:
    """Read a JSON file; errors name it."""
    try:
        return parse_json(path.read_text(encoding="utf-8"))
    except (FormatError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: {error}") from None


def _finite(number: str) -> float:
    value = float(number)
    return value if math.isfinite(value) else _refuse(number)  # 1e999 is read as infinity, and could not be written


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number of JSON")


def _to_csv(history: tuple[Bounds, ...]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["seconds", "lower", "upper"])
    writer.writerows([f"{bounds.seconds:.6f}", bounds.lower, bounds.upper] for bounds in history)
    return text.getvalue()


def _from_csv(path: Path) -> tuple[Bounds, ...]:
    try:
        _, *lines = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
        return tuple(
            Bounds(_finite(seconds), int(lower), int(upper) if upper else None) for seconds, lower, upper in lines
        )
    except ValueError as error:
        raise FormatError(f"{path} is not a history of bounds: {error}") from None
