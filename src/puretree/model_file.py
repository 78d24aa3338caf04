"""A fitted classifier as one JSON file: the tree, what was proved of it, and what it takes to predict.

It is a run without the training rows and without times, so the same model is the same file, byte for byte. Reading
trusts nothing: every field is checked, whatever is not such a file is a :class:`~puretree.errors.FormatError` that
names the cause, and nothing in it is ever executed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .certificate import certificate
from .chosen import Chosen
from .errors import DataNotFoundError, FormatError
from .runs import DataRecord, Run, is_run, load_run, parse_json, replace_file
from .tree import Tree

FORMAT = "puretree model 1"


@dataclass(frozen=True, slots=True)
class SavedModel:
    """What of a fitted classifier is kept.

    Parameters
    ----------
    run : Run
        The tree, the claim, the shares at the leaves; its history is empty and its seconds are 0.
    feature_names : tuple of str or None
        The columns of the training table, where the classifier knows them by name.
    """

    run: Run
    feature_names: tuple[str, ...] | None

    @classmethod
    def of(
        cls, chosen: Chosen, parameters: Mapping[str, Any], feature_names: tuple[str, ...] | None, *, drops: bool
    ) -> SavedModel:
        """Take what is kept from a tree that was just chosen.

        Parameters
        ----------
        chosen : Chosen
        parameters : mapping of str to value
            Of the classifier; only plain values are kept.
        feature_names : tuple of str or None
        drops : bool
            Whether rows that contradict each other count nowhere.
        """
        tree, table = chosen.tree, chosen.prepared.table
        claim = certificate(chosen.prepared, chosen.outcome, tree, chosen.steering)
        shares = chosen.leaf_shares(with_conflicts=not drops)[tree.left < 0]
        run = Run(
            outcome=replace(chosen.outcome, tree=tree, history=(), seconds=0.0),
            n_trees=chosen.found.n_smallest,
            selection=chosen.scores,
            parameters={name: value for name, value in parameters.items() if _is_plain(value)},
            certificate=claim,
            data=DataRecord("", False, None, claim["data"], "", table.names, table.ranges()),
            leaf_shares=tuple(map(tuple, shares.tolist())),
        )
        return cls(run, feature_names)

    def to_json(self) -> str:
        """Return it as JSON text."""
        data = {
            "format": FORMAT,
            "feature_names": None if self.feature_names is None else list(self.feature_names),
            "tree": self.run.tree.to_dict(),
            "outcome": self.run.summary(),
            "certificate": self.run.certificate,
            "data": self.run.data_dict(),
        }
        return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> SavedModel:
        """Read what :meth:`to_json` wrote; anything else is a FormatError."""
        data = parse_json(text)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise FormatError(f"'format' is not {FORMAT!r}{_what_else(data)}")
        tree = Tree.from_dict(data.get("tree"))  # type: ignore[arg-type]  # it looks itself
        run = Run.from_parts(tree, data.get("outcome"), (), data.get("certificate"), data.get("data"))
        if len(run.data.columns) != tree.n_columns:
            raise FormatError(f"the data have {len(run.data.columns)} columns, the tree is of {tree.n_columns}")
        return cls(run, _feature_names(data.get("feature_names"), run))


def save_model(model: SavedModel, path: Path) -> None:
    """Write a model, all of it or nothing."""
    replace_file(path, model.to_json().encode("utf-8", "backslashreplace"))


def load_model(path: Path) -> SavedModel:
    """Read a model from its file, or from the folder of a run; errors name the path."""
    if path.is_dir():
        if not is_run(path):
            raise FormatError(f"{path} is a folder and no run; give the file of a model, or the folder of a run")
        run = load_run(path)
        return SavedModel(run, run.data.columns)
    try:
        return SavedModel.from_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataNotFoundError(f"there is no file {path}; 'PureTreeClassifier.save' writes one") from None
    except (FormatError, UnicodeDecodeError) as error:
        raise FormatError(f"{path} is not a saved classifier of puretree, or not all of it: {error}") from None


def load_if_saved(path: Path) -> SavedModel | None:
    """Read a model if the file says that it is one; None if it is something else, such as a tree."""
    with path.open("rb") as file:
        says_so = FORMAT.encode() in file.read(len(FORMAT) + 40)
    return load_model(path) if says_so else None


def _is_plain(value: Any) -> bool:
    """Whether JSON gives a value back as it was."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or type(value) in (str, bool, int) or (type(value) is float and abs(value) < float("inf"))


def _feature_names(names: Any, run: Run) -> tuple[str, ...] | None:
    if names is None:
        return None
    if names != list(run.data.columns) or not all(isinstance(name, str) for name in names):
        raise FormatError("'feature_names' must be null or the names of the columns, as 'data' tells them")
    return tuple(names)


def _what_else(data: Any) -> str:
    """Say what a file is instead, where that is known."""
    told = data.get("format") if isinstance(data, dict) else None
    if told == "puretree/tree":
        return ": it holds a tree and nothing else, which Tree.from_json reads"
    return f" but {told!r}; update puretree" if isinstance(told, str) and told.startswith("puretree model ") else ""
