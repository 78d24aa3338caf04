"""Reading a tree that somebody exported to adopt it: the JSON of a tree, or favourites of the explorer.

Favourites are trees with notes. The file comes from a page in a browser, so nothing in it is trusted.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._support.fields import read_field
from .._support.strict_json import parse_json
from ..errors import DataNotFoundError, FormatError, InputError, shorten
from ..tree import Tree

FORMAT = "puretree-favourites"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Favourite:
    """A tree with a note.

    Parameters
    ----------
    tree : Tree
    note : str
        Empty if there is none.
    """

    tree: Tree
    note: str = ""


def read_favourite(path: Path) -> Favourite:
    """Read a file with one tree: its JSON, or favourites; errors name the file.

    Raises
    ------
    DataNotFoundError
        If there is no file.
    FormatError
        If the file has another format.
    InputError
        If there are several trees, or none.
    """
    try:
        data = parse_json(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            return Favourite(Tree.from_dict(data))
        favourites = parse_favourites(data)
    except (FileNotFoundError, IsADirectoryError):
        raise DataNotFoundError(f"there is no file {path}; give the JSON of a tree, or exported favourites") from None
    except (FormatError, UnicodeDecodeError) as error:
        raise FormatError(f"{path} contains neither a tree nor favourites, or is incomplete: {error}") from None
    if len(favourites) != 1:
        notes = shorten([repr(favourite.note) if favourite.note else "no note" for favourite in favourites], 10)
        what = f"{len(favourites)} trees ({notes})" if favourites else "no tree"
        raise InputError(f"{path} contains {what}; export a single favourite, the tree to adopt")
    return favourites[0]


def parse_favourites(data: dict[str, Any]) -> list[Favourite]:
    """Return the trees of parsed favourites; anything else raises a FormatError."""
    version = data.get("version")
    if version != VERSION or isinstance(version, bool):
        raise FormatError(
            f"version {version!r} of favourites is not supported (this release reads version {VERSION}); use the "
            "release of puretree that made the page"
        )
    favourites = []
    for index, item in enumerate(read_field(data, "trees", list)):
        try:
            tree = Tree.from_dict(_with_decimal_points(read_field(item, "tree", dict)))
            note = read_field({"note": "", **item}, "note", str)
        except FormatError as error:
            raise FormatError(f"in trees[{index}]: {error}") from None
        favourites.append(Favourite(tree, note))
    return favourites


def _with_decimal_points(tree: dict[str, Any]) -> dict[str, Any]:
    """Return a tree with floats as thresholds: JavaScript writes 2.0 as 2."""
    tests = tree.get("tests")
    return tree | {"tests": [_with_floats(test) for test in tests]} if isinstance(tests, list) else tree


def _with_floats(test: Any) -> Any:
    if not isinstance(test, dict) or not isinstance(test.get("edges"), list):
        return test
    try:
        return test | {"edges": [float(edge) if type(edge) is int else edge for edge in test["edges"]]}
    except OverflowError:
        raise FormatError("a threshold is too large to be a number") from None
