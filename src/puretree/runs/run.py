"""A run: the result of a fit as plain values that a folder or a model file stores, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from .._support.fields import read_field
from .._support.strict_json import read_integer
from .._support.text import format_count
from ..errors import FormatError
from ..outcome import UNITS, WITH_ERRORS, Bounds, Outcome, Status
from ..proof.claim import certificate
from ..selection.fit_result import FitResult
from ..tree import Tree
from ..tuning import FrontRecord, OptimalFitResult

FORMAT = "puretree run 3"


@dataclass(frozen=True, slots=True)
class DataRecord:
    """The data of a run.

    Parameters
    ----------
    source : str
        The path of a CSV file, or the name of a data set; empty if the rows came from Python.
    is_file : bool
        Whether ``source`` is a path.
    sha256 : str or None
        The SHA-256 hash of the file.
    data_hash : str
        The hash of the table: names, kinds, values and labels.
    target : str
        The column to predict.
    columns : tuple of str
        The other columns.
    ranges : dict of str to float
        The range (maximum minus minimum) of each numeric column.
    missing_values : tuple of str or None
        The texts that were read as missing values, besides empty cells; None if the rows came from Python.
    """

    source: str
    is_file: bool
    sha256: str | None
    data_hash: str
    target: str
    columns: tuple[str, ...]
    ranges: Mapping[str, float]
    missing_values: tuple[str, ...] | None = None

    @classmethod
    def from_dict(cls, data: Any) -> DataRecord:
        """Read the result of ``asdict``."""
        fields = {name: read_field(data, name, kinds) for name, kinds in _DATA_FIELDS.items()}
        for name in fields["ranges"]:
            read_field(fields["ranges"], name, int | float)
        return cls(
            **{**fields, "columns": tuple(map(str, fields["columns"]))}, missing_values=_missing_values(data, fields)
        )


def _missing_values(data: Any, fields: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Read the spellings of missing values; runs of earlier releases recognised none in files."""
    values = read_field({"missing_values": [] if fields["source"] else None, **data}, "missing_values", list | None)
    if values is None:
        return None
    if not all(isinstance(value, str) for value in values):
        raise FormatError(f"'missing_values' has the invalid value {values!r}")
    return tuple(values)


_DATA_FIELDS: dict[str, Any] = {
    "source": str,
    "is_file": bool,
    "sha256": str | None,
    "data_hash": str,
    "target": str,
    "columns": list,
    "ranges": dict,
}


_SELECTION_FIELDS: dict[str, Any] = {
    "rule": str,
    "score": int | float | None,
    "n_candidates": int,
    "n_unproved": int | None,
}
_SELECTION_COUNTS = ("n_candidates", "n_best")


@dataclass(frozen=True, slots=True, repr=False)
class Run:
    """A tree, its proof, and the data and parameters it was fitted with.

    Parameters
    ----------
    outcome : Outcome
        The proof, with the chosen tree.
    n_trees : int or None
        The number of minimum trees, or where errors are allowed, of trees of this size and cost; None if unknown.
    selection : dict
        The selection rule and its scores.
    parameters : dict
        The parameters of :func:`~puretree.pipeline.choose_tree`, or where errors are allowed, of
        :func:`~puretree.pipeline.choose_optimal_tree`.
    certificate : dict
        The claim; see :mod:`puretree.proof.claim`.
    data : DataRecord
    leaf_shares : tuple of tuple of float
        The class frequencies of the training rows in each leaf, in the order of nodes.
    training_rows : tuple of int or None
        The numbers of the training rows, if the selection rule held rows out; else None.
    training_weights : tuple of int or None
        How many rows of the source each of them stands for, if rows were held out of a table with weights; else None.
    front : FrontRecord or None
        The front and the cross-validation, where errors are allowed; else None.
    """

    outcome: Outcome
    n_trees: int | None
    selection: Mapping[str, Any]
    parameters: Mapping[str, Any]
    certificate: Mapping[str, Any]
    data: DataRecord
    leaf_shares: tuple[tuple[float, ...], ...]
    training_rows: tuple[int, ...] | None = None
    training_weights: tuple[int, ...] | None = None
    front: FrontRecord | None = None

    @classmethod
    def from_fit(
        cls,
        result: FitResult,
        parameters: Mapping[str, Any],
        data: DataRecord | None = None,
        n_rows: int | None = None,
    ) -> Run:
        """Record the result of a fit.

        Parameters
        ----------
        result : FitResult
        parameters : mapping of str to value
            What the fit was called with.
        data : DataRecord, optional
            The source of the rows; by default only the table as it was read.
        n_rows : int, optional
            The number of rows of the source before some were held out for selection; by default none were.
        """
        tree, prepared = result.tree, result.prepared
        claim = certificate(prepared, result.outcome, tree, result.constraints)
        shares = result.leaf_shares()[tree.left < 0]
        is_part, weights = n_rows is not None and n_rows != prepared.table.total_weight, prepared.table.weights
        return cls(
            outcome=replace(result.outcome, tree=tree),
            n_trees=result.candidates.n_minimum_trees,
            selection=result.scores,
            parameters=parameters,
            certificate=claim,
            data=data or DataRecord("", False, None, claim["data"], "", prepared.table.names, prepared.table.ranges()),
            leaf_shares=tuple(map(tuple, shares.tolist())),
            training_rows=tuple(prepared.row_numbers.tolist()) if is_part else None,
            training_weights=tuple(weights.tolist()) if is_part and weights is not None else None,
            front=FrontRecord.of(result) if isinstance(result, OptimalFitResult) else None,
        )

    def __repr__(self) -> str:
        n_trees = "" if self.n_trees is None else f", {format_count(self.n_trees)} minimum trees"
        return f"<Run: {self.outcome}{n_trees}>"

    @property
    def tree(self) -> Tree:
        """The tree."""
        assert self.outcome.tree is not None  # every run has one
        return self.outcome.tree

    @property
    def allows_errors(self) -> bool:
        """Whether the tree may misclassify training rows: it has the fewest errors for its size."""
        return self.outcome.minimised in WITH_ERRORS

    @property
    def wants_validation(self) -> bool:
        """Whether the size was to be chosen by cross-validation."""
        parameters = self.parameters
        return self.allows_errors and parameters.get("alpha") == "cv" and parameters.get("max_errors") is None

    @property
    def is_finished(self) -> bool:
        """Whether the tree is proved optimal, and the cross-validation, if there is one, was not cut short."""
        is_validated = self.front is not None and self.front.is_validated
        return self.outcome.status == "optimal" and (is_validated or not self.wants_validation)

    def shares_at(self, leaves: NDArray[Any]) -> NDArray[np.float64]:
        """Return the class frequencies at leaves, given by their node numbers."""
        index = np.cumsum(self.tree.left < 0) - 1  # of a leaf among the leaves
        shares: NDArray[np.float64] = np.array(self.leaf_shares)[index[leaves]]
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
            "engine": outcome.engine,
            "cost": outcome.cost,
            "n_errors": outcome.n_errors,
            "n_trees": self.n_trees,
            "seconds": round(outcome.seconds, 3),
            "selection": dict(self.selection),
            "leaf_shares": [list(shares) for shares in self.leaf_shares],
            "training_rows": None if self.training_rows is None else list(self.training_rows),
            "training_weights": None if self.training_weights is None else list(self.training_weights),
            "front": None if self.front is None else self.front.to_dict(),
            "parameters": dict(self.parameters),
            "versions": dict(self.certificate["versions"]),  # at the time of the fit
        }

    def data_dict(self) -> dict[str, Any]:
        """Return the data record as plain values."""
        return asdict(self.data)

    @classmethod
    def from_parts(cls, tree: Tree, summary: Any, history: tuple[Bounds, ...], certificate: Any, data: Any) -> Run:
        """Build a run from the files of a folder; raise FormatError if they are inconsistent."""
        if read_field(summary, "format", str) != FORMAT:
            raise FormatError(
                f"outcome.json is of format {summary['format']!r}, not {FORMAT!r}; use the release of puretree that "
                "wrote it, or fit again"
            )
        status = read_field(summary, "status", str)
        if status not in get_args(Status):
            raise FormatError(f"outcome.json: status {status!r} is unknown")
        if read_field(summary, "minimised", str) not in UNITS:
            raise FormatError(f"outcome.json: objective {summary['minimised']!r} is unknown")
        outcome = Outcome(
            tree,
            read_field(summary, "lower_bound", int | float),
            read_field(summary, "upper_bound", int | float | None),
            status,
            history,
            float(read_field(summary, "seconds", int | float)),
            read_field(summary, "cost", int | None),
            read_field(summary, "minimised", str),
            n_errors=read_field({"n_errors": 0, **summary}, "n_errors", int),  # not in older files
            engine=read_field(summary, "engine", str),
        )
        if read_field(certificate, "tree", str) != tree.digest:
            raise FormatError("the tree of model.json is not that of certificate.json; fit again")
        read_field(certificate, "versions", dict)
        _require_sound_bounds(outcome)
        training_rows = _training_rows(read_field(summary, "training_rows", list | None))
        return cls(
            outcome,
            read_field(_with_integers(summary, "n_trees"), "n_trees", int | None),
            _checked(_selection(summary), _SELECTION_FIELDS),
            read_field(summary, "parameters", dict),
            certificate,
            DataRecord.from_dict(data),
            _leaf_shares(read_field(summary, "leaf_shares", list), tree),
            training_rows,
            _training_weights(summary.get("training_weights"), training_rows),  # not in older files
            _front(summary.get("front"), outcome),  # the same
        )


def _selection(summary: dict[str, Any]) -> dict[str, Any]:
    """Return the selection rule and its scores; the number of unproved trees is None, unknown, in older files."""
    selection = _with_integers(read_field(summary, "selection", dict), *_SELECTION_COUNTS)
    read_field({"note": "", **selection}, "note", str)  # of an adopted tree
    return selection | {"n_unproved": selection.get("n_unproved")}


def _require_sound_bounds(outcome: Outcome) -> None:
    """Reject bounds that contradict each other, the status or the size of the tree."""
    lower, upper = outcome.lower_bound, outcome.upper_bound
    is_sound = upper is not None and 0 <= lower <= upper and (outcome.status != "optimal" or lower == upper)
    if UNITS[outcome.minimised] == "size":
        is_sound = is_sound and upper == outcome.n_nodes
    if not is_sound:
        raise FormatError(
            f"the bounds {lower} and {upper} are inconsistent with the tree or with the status {outcome.status!r}; "
            "fit again"
        )


def _front(data: Any, outcome: Outcome) -> FrontRecord | None:
    """Read the front; its chosen point is the tree of the run."""
    if data is None:
        return None
    front = FrontRecord.from_dict(data)
    point = front.point
    has_other_errors = outcome.minimised == "errors" and point.errors != outcome.n_errors  # not if errors have weights
    if point.n_nodes != outcome.n_nodes or has_other_errors:
        raise FormatError("the chosen point of 'front' is not the tree of model.json; fit again")
    return front


def _leaf_shares(rows: list[Any], tree: Tree) -> tuple[tuple[float, ...], ...]:
    """Check that there is a row for each leaf, with a frequency for each class."""
    if len(rows) != int((tree.left < 0).sum()):
        raise FormatError(f"'leaf_shares' has {len(rows)} leaves, which is not the tree of model.json; fit again")
    for shares in rows:
        if not _are_shares(shares) or len(shares) != len(tree.classes):
            raise FormatError(
                f"'leaf_shares' contains {shares!r}; each row needs a frequency for each class, with a sum of at most 1"
            )
    return tuple(tuple(map(float, shares)) for shares in rows)


def _training_rows(rows: list[Any] | None) -> tuple[int, ...] | None:
    """Check that rows are distinct numbers in ascending order."""
    if rows is None:
        return None
    if not all(type(row) is int and row >= 0 for row in rows) or rows != sorted(set(rows)):
        raise FormatError("'training_rows' must be distinct row numbers in ascending order")
    return tuple(rows)


def _training_weights(weights: Any, rows: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Check that there is a positive weight for each training row."""
    if weights is None:
        return None
    is_list = isinstance(weights, list) and rows is not None and len(weights) == len(rows)
    if not is_list or not all(type(weight) is int and 0 < weight < 2**62 for weight in weights):
        raise FormatError("'training_weights' must be a positive integer for each of the training rows")
    return tuple(weights)


def _are_shares(values: Any) -> bool:
    if not isinstance(values, list) or not all(type(value) in (int, float) and 0 <= value <= 1 for value in values):
        return False
    return bool(sum(values) <= 1 + 1e-9)


def _with_integers(data: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return a dictionary with integers that were written as strings, because they are long, as integers again."""
    return data | {name: read_integer(data[name]) for name in names if name in data}


def _checked(data: dict[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    for name, kinds in fields.items():
        read_field(data, name, kinds)
    return data
