"""A fitted classifier as one JSON file: the tree, what was proved of it, and what it takes to predict.

It is a run without the training rows and without times, so the same model is the same file, byte for byte. Reading
trusts nothing: every field is checked, whatever is not such a file is a :class:`~puretree.errors.FormatError` that
names the cause, and nothing in it is ever executed.
"""

from __future__ import annotations

import copyreg
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..errors import DataNotFoundError, FormatError
from ..outcome import Outcome
from ..proof.claim import certificate
from ..runs import DataRecord, Run, is_run, load_run, parse_json, replace_file
from ..selection.fit_result import FitResult
from ..table import label_array
from ..tree import Tree

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
        cls, chosen: FitResult, parameters: Mapping[str, Any], feature_names: tuple[str, ...] | None, *, drops: bool
    ) -> SavedModel:
        """Take what is kept from a tree that was just chosen.

        Parameters
        ----------
        chosen : FitResult
        parameters : mapping of str to value
            Of the classifier; only plain values are kept.
        feature_names : tuple of str or None
        drops : bool
            Whether rows that contradict each other count nowhere.
        """
        tree, table = chosen.tree, chosen.prepared.table
        claim = certificate(chosen.prepared, chosen.outcome, tree, chosen.constraints)
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


# Classifiers into files and back: what it takes to predict and what was proved, without the training rows.
#
# JSON by ``save`` and ``load``; skops keeps the same JSON, so whoever reads a file of either kind trusts one type and has
# every field checked. Pickle keeps everything, and is for files of one's own.


class Saving:
    """The part of a classifier that writes and reads it; the rest is a scikit-learn estimator."""

    _fit: FitResult | SavedModel
    tree_: Tree
    classes_: NDArray[Any]
    selection_scores_: dict[str, Any]
    get_params: Any
    set_params: Any
    _validate_params: Any
    on_conflict: Any

    def to_json(self) -> str:
        """Return the fitted classifier as JSON text: the tree, what was proved, and what it takes to predict.

        The training rows are not in it, nor how long it took: the same model is the same text. Parameters that are
        objects, such as an engine, come back as their defaults; they count for training alone. One that was set to what
        ``fit`` would refuse is refused here, too.
        """
        check_is_fitted(self)
        return self._saved().to_json()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what :meth:`to_json` wrote; anything else is a FormatError. Nothing in the text is executed."""
        return cls()._restore(SavedModel.from_json(text))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what :meth:`to_json` returns into a file, all of it or nothing."""
        check_is_fitted(self)
        save_model(self._saved(), Path(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what :meth:`save` wrote, or the folder of a run that ``puretree fit --out`` made.

        Returns
        -------
        PureTreeClassifier
            Fitted: it predicts as before, and has the tree, the bounds and the certificate. What needs the training
            rows is not there: ``trees_``, ``select``, ``to_sklearn``, and probabilities of ``trees``.
        """
        saved = load_model(Path(path))
        try:
            return cls()._restore(saved)
        except FormatError as error:
            raise FormatError(f"{path}: {error}") from None

    def _saved(self) -> SavedModel:
        if isinstance(self._fit, SavedModel):
            return self._fit
        self._validate_params()  # they may have been changed since the fit, to what could not be read again
        names = tuple(self.feature_names_in_) if hasattr(self, "feature_names_in_") else None
        return SavedModel.of(self._fit, self.get_params(deep=False), names, drops=self.on_conflict == "drop")

    def _restore(self, saved: SavedModel) -> Self:
        run = saved.run
        try:
            self.set_params(**{name: run.parameters[name] for name in self.get_params() if name in run.parameters})
            self._validate_params()
        except ValueError as error:
            raise FormatError(f"the parameters of a saved classifier cannot be used: {error}") from None
        self._fit = saved
        self.classes_ = label_array(run.tree.classes)
        self.n_features_in_ = len(run.data.columns)
        if saved.feature_names is not None:
            self.feature_names_in_ = np.array(saved.feature_names, dtype=object)
        self._tell(run.outcome, run.tree, run.selection)
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Return what skops keeps: parameters, and a fit as the JSON text that is checked when it is read."""
        state: dict[str, Any] = self.get_params(deep=False)
        return state | {"saved": self.to_json()} if hasattr(self, "_fit") else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved = state.pop("saved", None)
        super().__setstate__(state)  # type: ignore[misc]  # scikit-learn's
        if saved is not None:
            parameters = self.get_params(deep=False)
            self._restore(SavedModel.from_json(saved)).set_params(**parameters)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """Return what pickle and copy keep: everything, training rows and all trees included."""
        return copyreg.__newobj__, (type(self),), dict(self.__dict__)  # type: ignore[attr-defined]

    def _tell(self, outcome: Outcome, tree: Tree, scores: Mapping[str, Any]) -> None:
        self.outcome_ = outcome
        self.tree_ = tree
        self.n_nodes_ = tree.n_nodes
        self.lower_bound_ = outcome.lower_bound
        self.upper_bound_ = outcome.upper_bound
        self.status_ = outcome.status
        self.selection_scores_ = dict(scores)
