"""Reading a tree to adopt: the JSON of a tree, or favourites."""

import json
from pathlib import Path
from typing import Any

import pytest

from puretree import DataNotFoundError, FormatError, InputError, Tree, minimum_tree
from puretree.runs import read_favourite


def some_tree() -> Tree:
    """Return a tree over columns, with thresholds that are integers."""
    tree = minimum_tree([["red", 1], ["red", 3], ["blue", 1]], ["stop", "go", "go"]).tree
    assert tree is not None
    return tree


def favourites(*trees: Any, **fields: Any) -> str:
    """Return favourites as a browser writes them: a float without decimals as an integer."""
    data = {"format": "puretree-favourites", "version": 1, "trees": list(trees)} | fields
    return json.dumps(_as_in_javascript(data))


def _as_in_javascript(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _as_in_javascript(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_as_in_javascript(value) for value in data]
    return int(data) if isinstance(data, float) and data.is_integer() else data


def read(path: Path, text: str) -> Any:
    """Write a file, and read it as a favourite."""
    path.write_text(text)
    return read_favourite(path)


def test_a_tree_and_a_single_favourite_are_read(tmp_path: Path) -> None:
    """A tree has no note; a favourite has one, which may be empty or absent."""
    tree, path = some_tree(), tmp_path / "favourite.json"
    plain = read(path, tree.to_json())
    assert (plain.tree, plain.note) == (tree, "")
    noted = read(path, favourites({"tree": tree.to_dict(), "note": "short & clear"}))
    assert (noted.tree, noted.note) == (tree, "short & clear")
    assert read(path, favourites({"tree": tree.to_dict()})).note == ""


def test_several_favourites_are_an_error_with_their_notes(tmp_path: Path) -> None:
    """It names the notes and the remedy."""
    item = {"tree": some_tree().to_dict()}
    with pytest.raises(InputError, match=r"contains 2 trees \('first', no note\); export a single favourite"):
        read(tmp_path / "several.json", favourites({**item, "note": "first"}, item))
    with pytest.raises(InputError, match="contains no tree; export a single favourite"):
        read(tmp_path / "none.json", favourites())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "neither a tree nor favourites, or is incomplete"),
        ("[]", "this is not a tree"),
        ('{"format": "puretree-favourites"}', "version None of favourites is not supported"),
        (favourites(version=True), "version True of favourites"),
        (favourites(version=2), "version 2 of favourites"),
        (favourites(trees={}), "'trees' has the invalid value"),
        (favourites(3), r"in trees\[0\]: 'tree' is missing"),
        (favourites({"tree": 3}), r"in trees\[0\]: 'tree' has the invalid value 3"),
        (favourites({"tree": {"format": "puretree/tree", "version": 9}}), "tree format version 9"),
        (favourites({"tree": some_tree().to_dict(), "note": 3}), "'note' has the invalid value 3"),
        (favourites({"tree": some_tree().to_dict() | {"tests": [{"edges": [10**999]}]}}), "too large to be a number"),
        (favourites({"tree": some_tree().to_dict() | {"tests": [3]}}), "'tests.0.' must be an object"),
        ('{"format": "puretree-favourites", "format": 1}', "occurs twice"),
        ('{"format": "puretree-favourites", "version": 1, "trees": [NaN]}', "NaN is not a finite number"),
    ],
)
def test_other_files_are_rejected(tmp_path: Path, text: str, message: str) -> None:
    """The error names the file and the fault."""
    with pytest.raises(FormatError, match=rf"favourite\.json contains .*{message}"):
        read(tmp_path / "favourite.json", text)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    """A folder is none, either."""
    for path in (tmp_path / "absent.json", tmp_path):
        with pytest.raises(DataNotFoundError, match="there is no file"):
            read_favourite(path)
