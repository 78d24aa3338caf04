"""Data sets by name: from a folder, built in as formulas, from scikit-learn, or on request from the network.

>>> monks = load("formula:monks-1")
>>> monks.n_rows, monks.table.names
(432, ('a', 'b', 'c', 'd', 'e', 'f'))
"""

from __future__ import annotations

import os
from collections.abc import Callable

from ..errors import DataNotFoundError
from .builtin import BUNDLED, FORMULAS, load_bundled
from .dataset import Dataset
from .files import ENVIRONMENT_VARIABLE, find_folder, load_file, read_csv, read_file, read_manifest
from .formats import format_of
from .openml import fetch_openml
from .pmlb import fetch_pmlb

SOURCES = ("file", "formula", "sklearn", "openml", "pmlb")
__all__ = ["Dataset", "load", "names", "read_csv", "read_file"]


def load(name: str, *, folder: str | os.PathLike[str] | None = None, target: str = "class") -> Dataset:
    """Load a data set, or a file.

    Parameters
    ----------
    name : str
        ``source:name`` with source one of file, formula, sklearn, openml, pmlb. A name without source is searched in
        the folder of data sets if there is one, then among the formulas and in scikit-learn, never on the network. A
        name with the suffix of a table, such as ``.csv``, ``.csv.gz``, ``.parquet`` or ``.feather``, is the path of a
        file: see :func:`read_file`.
    folder : path, optional
        The folder of data sets; by default the environment variable PURETREE_DATA.
    target : str, default="class"
        The column of a file to predict; data sets have their own.

    Returns
    -------
    Dataset
    """
    source, _, rest = name.rpartition(":")
    if format_of(name) is not None and source not in SOURCES:
        return read_file(name, target=target)
    if source:
        return _from_source(source, rest, folder)
    if folder or os.environ.get(ENVIRONMENT_VARIABLE):
        path = find_folder(folder)
        if name in read_manifest(path):
            return load_file(name, path)
    if name in FORMULAS:
        return FORMULAS[name]()
    if name in BUNDLED:
        return load_bundled(name)
    raise DataNotFoundError(
        f"there is no data set {name!r}; available are {', '.join(names(folder=folder))}; "
        "to download one, write openml:NAME or pmlb:NAME"
    )


def names(*, folder: str | os.PathLike[str] | None = None) -> list[str]:
    """Return the names that :func:`load` accepts without a source."""
    known = {*FORMULAS, *BUNDLED}
    if folder or os.environ.get(ENVIRONMENT_VARIABLE):
        known |= read_manifest(find_folder(folder)).keys()
    return sorted(known)


def _from_source(source: str, name: str, folder: str | os.PathLike[str] | None) -> Dataset:
    loaders: dict[str, Callable[[], Dataset]] = {
        "file": lambda: load_file(name, find_folder(folder)),
        "formula": lambda: FORMULAS[name](),
        "sklearn": lambda: load_bundled(name),
        "openml": lambda: fetch_openml(name),
        "pmlb": lambda: fetch_pmlb(name),
    }
    if source not in loaders:
        raise DataNotFoundError(f"source {source!r} is unknown; use one of {', '.join(loaders)}")
    known = {"formula": FORMULAS.keys(), "sklearn": BUNDLED.keys()}.get(source)
    if known is not None and name not in known:
        raise DataNotFoundError(f"{source} has no data set {name!r}; it has {', '.join(known)}")
    return loaders[source]()
