"""What a run folder holds, as plain values and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import FormatError
from ..outcome import UNITS, Bounds, Outcome, Status
from ..tree import Tree

FORMAT = "puretree run 2"


@dataclass(frozen=True, slots=True)
class DataRecord:
    """Of which data a run is.

    Parameters
    ----------
    source : str
        The path of a CSV file, or the name of a data set.
    is_file : bool
        Which of the two.
    sha256 : str or None
        Of the bytes of the file.
    data_hash : str
        Of the table as it was read: names, kinds, values and labels.
    target : str
        The column that is predicted.
    columns : tuple of str
        The other columns.
    ranges : dict of str to float
        How far the numbers of a column reach.
    """

    source: str
    is_file: bool
    sha256: str | None
    data_hash: str
    target: str
    columns: tuple[str, ...]
    ranges: Mapping[str, float]

    @classmethod
    def from_dict(cls, data: Any) -> DataRecord:
        """Read what ``asdict`` made."""
        fields = {name: _get(data, name, kinds) for name, kinds in _DATA_FIELDS.items()}
        for name in fields["ranges"]:
            _get(fields["ranges"], name, int | float)
        return cls(**{**fields, "columns": tuple(map(str, fields["columns"]))})


_DATA_FIELDS: dict[str, Any] = {
    "source": str,
    "is_file": bool,
    "sha256": str | None,
    "data_hash": str,
    "target": str,
    "columns": list,
    "ranges": dict,
}


_SELECTION_FIELDS: dict[str, Any] = {"rule": str, "score": int | float | None, "n_candidates": int}


@dataclass(frozen=True, slots=True)
class Run:
    """A tree and what is known of it.

    Parameters
    ----------
    outcome : Outcome
        The proof, with the tree that was chosen.
    n_trees : int or None
        How many trees of this size there are; None if that is not known.
    selection : dict
        How the tree was chosen.
    parameters : dict
        What was asked for, as :func:`~puretree.pipeline.choose_tree` takes it.
    certificate : dict
        What is claimed.
    data : DataRecord
        Of what.
    leaf_shares : tuple of tuple of float
        For each leaf, in the order of nodes, the share of each class among the training rows there; below 1 if rows
        that contradict each other count.
    training_rows : tuple of int or None
        The numbers of the rows that trained, where the rule of selection kept others back; None if all did.
    """

    outcome: Outcome
    n_trees: int | None
    selection: Mapping[str, Any]
    parameters: Mapping[str, Any]
    certificate: Mapping[str, Any]
    data: DataRecord
    leaf_shares: tuple[tuple[float, ...], ...]
    training_rows: tuple[int, ...] | None = None

    @property
    def tree(self) -> Tree:
        """The tree."""
        assert self.outcome.tree is not None  # a run without one is never made
        return self.outcome.tree

    def shares_at(self, leaves: NDArray[Any]) -> NDArray[np.float64]:
        """Return the shares of the classes at nodes that are leaves."""
        place = np.cumsum(self.tree.left < 0) - 1  # of a leaf among the leaves
        shares: NDArray[np.float64] = np.array(self.leaf_shares)[place[leaves]]
        return shares

    def summary(self) -> dict[str, Any]:
        """Return everything but the tree, the history, the certificate and the data."""
        outcome = self.outcome
        return {
            "format": FORMAT,
            "status": outcome.status,
            "n_nodes": outcome.n_nodes,
            "lower_bound": outcome.lower_bound,
            "upper_bound": outcome.upper_bound,
            "minimised": outcome.minimised,
            "cost": outcome.cost,
            "n_trees": self.n_trees,
            "seconds": round(outcome.seconds, 3),
            "selection": dict(self.selection),
            "leaf_shares": [list(shares) for shares in self.leaf_shares],
            "training_rows": None if self.training_rows is None else list(self.training_rows),
            "parameters": dict(self.parameters),
            "versions": dict(self.certificate["versions"]),  # those of the run, also when it is read years later
        }

    def data_dict(self) -> dict[str, Any]:
        """Return the record of the data as plain values."""
        return asdict(self.data)

    @classmethod
    def from_parts(cls, tree: Tree, summary: Any, history: tuple[Bounds, ...], certificate: Any, data: Any) -> Run:
        """Put together what a folder holds; what does not fit is a FormatError."""
        if _get(summary, "format", str) != FORMAT:
            raise FormatError(
                f"outcome.json is of format {summary['format']!r}, not {FORMAT!r}; use the release of puretree that "
                "wrote it, or fit again"
            )
        status = _get(summary, "status", str)
        if status not in get_args(Status):
            raise FormatError(f"outcome.json: status {status!r} is not known")
        if _get(summary, "minimised", str) not in UNITS:
            raise FormatError(f"outcome.json: what was minimised, {summary['minimised']!r}, is not known")
        outcome = Outcome(
            tree,
            _get(summary, "lower_bound", int),
            _get(summary, "upper_bound", int | None),
            status,
            history,
            float(_get(summary, "seconds", int | float)),
            _get(summary, "cost", int | None),
            _get(summary, "minimised", str),
        )
        if _get(certificate, "tree", str) != tree.digest:
            raise FormatError("model.json does not hold the tree that certificate.json speaks of; fit again")
        _get(certificate, "versions", dict)
        _require_sound_bounds(outcome)
        return cls(
            outcome,
            _get(summary, "n_trees", int | None),
            _checked(_get(summary, "selection", dict), _SELECTION_FIELDS),
            _get(summary, "parameters", dict),
            certificate,
            DataRecord.from_dict(data),
            _leaf_shares(_get(summary, "leaf_shares", list), tree),
            _training_rows(_get(summary, "training_rows", list | None)),
        )


def _require_sound_bounds(outcome: Outcome) -> None:
    """Refuse bounds that contradict each other, the status, or the tree whose size they are of."""
    lower, upper = outcome.lower_bound, outcome.upper_bound
    is_sound = upper is not None and 0 <= lower <= upper and (outcome.status != "optimal" or lower == upper)
    if UNITS[outcome.minimised] == "size":
        is_sound = is_sound and upper == outcome.n_nodes
    if not is_sound:
        raise FormatError(f"the bounds {lower} and {upper} do not fit the tree, which is {outcome.status}; fit again")


def _leaf_shares(rows: list[Any], tree: Tree) -> tuple[tuple[float, ...], ...]:
    """Check that there is a row for each leaf, with a share for each class."""
    if len(rows) != int((tree.left < 0).sum()):
        raise FormatError(f"'leaf_shares' is of {len(rows)} leaves, and model.json is of another tree; fit again")
    for shares in rows:
        if not _are_shares(shares) or len(shares) != len(tree.classes):
            raise FormatError(
                f"'leaf_shares' cannot hold {shares!r}; a share of each class is needed, at most 1 in all"
            )
    return tuple(tuple(map(float, shares)) for shares in rows)


def _training_rows(rows: list[Any] | None) -> tuple[int, ...] | None:
    """Check that rows are told by their numbers, each once and in order."""
    if rows is None:
        return None
    if not all(type(row) is int and row >= 0 for row in rows) or rows != sorted(set(rows)):
        raise FormatError("'training_rows' must be the numbers of rows, each once and in order")
    return tuple(rows)


def _are_shares(values: Any) -> bool:
    if not isinstance(values, list) or not all(type(value) in (int, float) and 0 <= value <= 1 for value in values):
        return False
    return bool(sum(values) <= 1 + 1e-9)


def _checked(data: dict[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    for name, kinds in fields.items():
        _get(data, name, kinds)
    return data


def _get(data: Any, name: str, kinds: Any) -> Any:
    if not isinstance(data, dict) or name not in data:
        raise FormatError(f"{name!r} is not there; is it complete?")
    value = data[name]
    is_odd = isinstance(value, bool) and kinds is not bool
    if is_odd or not isinstance(value, kinds) or (isinstance(0.0, kinds) and not _is_float(value)):
        raise FormatError(f"{name!r} cannot be {value!r}")
    return value


def _is_float(value: Any) -> bool:
    """Whether a number is finite and, if it is whole, not beyond all numbers with a point."""
    try:
        return value is None or math.isfinite(value)
    except OverflowError:
        return False
