"""Saving and loading classifiers: the tree, what was proved, and what prediction needs, without the training rows.

``save`` writes a JSON file: a run without training rows and times, so that equal models give equal files, byte for
byte. skops stores the same JSON, so a reader of either trusts one type and every field is checked. Loading executes
nothing; anything that is not such a file raises a :class:`~puretree.errors.FormatError` that names the cause. Pickle
keeps everything, and is for trusted files only.
"""

from __future__ import annotations

import copyreg
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._support.strict_json import parse_json, to_json
from .._support.text import quantity
from ..errors import DataNotFoundError, FormatError
from ..outcome import Outcome
from ..runs import Run, is_run, load_run, replace_file
from ..selection.fit_result import FitResult
from ..table import label_array
from ..tree import Tree

FORMAT = "puretree model 2"


@dataclass(frozen=True, slots=True)
class SavedModel:
    """The part of a fitted classifier that is saved.

    Parameters
    ----------
    run : Run
        The tree, the claim and the class frequencies in the leaves; its history is empty and its seconds are 0.
    feature_names : tuple of str or None
        The columns of the training table, if the classifier has feature names.
    estimator : str, default="PureTreeClassifier"
        The name of the class.
    """

    run: Run
    feature_names: tuple[str, ...] | None
    estimator: str = "PureTreeClassifier"

    @classmethod
    def of(
        cls, result: FitResult, parameters: Mapping[str, Any], feature_names: tuple[str, ...] | None, estimator: str
    ) -> SavedModel:
        """Take from the result of a fit what is saved.

        Parameters
        ----------
        result : FitResult
        parameters : mapping of str to value
            Of the classifier; only plain values are saved.
        feature_names : tuple of str or None
        estimator : str
        """
        plain = {name: value for name, value in parameters.items() if _is_plain(value)}
        run = Run.from_fit(result, plain)
        return cls(replace(run, outcome=replace(run.outcome, history=(), seconds=0.0)), feature_names, estimator)

    def to_json(self) -> str:
        """Return the model as JSON."""
        data = {
            "format": FORMAT,
            "estimator": self.estimator,
            "feature_names": None if self.feature_names is None else list(self.feature_names),
            "tree": self.run.tree.to_dict(),
            "outcome": self.run.summary(),
            "certificate": self.run.certificate,
            "data": self.run.data_dict(),
        }
        return to_json(data)

    @classmethod
    def from_json(cls, text: str) -> SavedModel:
        """Read the result of :meth:`to_json`; anything else raises a FormatError."""
        data = parse_json(text)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise FormatError(f"'format' is not {FORMAT!r}{_other_format(data)}")
        tree = Tree.from_dict(data.get("tree"))  # type: ignore[arg-type]  # checked there
        run = Run.from_parts(tree, data.get("outcome"), (), data.get("certificate"), data.get("data"))
        if len(run.data.columns) != tree.n_columns:
            raise FormatError(
                f"the data have {quantity(len(run.data.columns), 'column')}, the tree has {tree.n_columns}"
            )
        estimator = data.get("estimator", "PureTreeClassifier")  # not in older files
        return cls(run, _feature_names(data.get("feature_names"), run), str(estimator))


def save_model(model: SavedModel, path: Path) -> None:
    """Write a model to a file atomically."""
    replace_file(path, model.to_json().encode("utf-8", "backslashreplace"))


def load_model(path: Path) -> SavedModel:
    """Read a model from a file, or from the folder of a run; errors name the path."""
    if path.is_dir():
        if not is_run(path):
            raise FormatError(f"{path} is a folder but not a run; give the file of a model, or the folder of a run")
        run = load_run(path)
        return SavedModel(run, run.data.columns, "OptimalTreeClassifier" if run.allows_errors else "PureTreeClassifier")
    try:
        return SavedModel.from_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataNotFoundError(f"there is no file {path}; 'save' of a classifier writes one") from None
    except (FormatError, UnicodeDecodeError) as error:
        raise FormatError(f"{path} is not a saved puretree classifier, or is incomplete: {error}") from None


def load_if_saved(path: Path) -> SavedModel | None:
    """Read a model if the file has that format; None if it has another one, such as that of a tree."""
    with path.open("rb") as file:
        is_model = FORMAT.encode() in file.read(len(FORMAT) + 40)
    return load_model(path) if is_model else None


def _is_plain(value: Any) -> bool:
    """Whether a value survives a round trip through JSON."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or type(value) in (str, bool, int) or (type(value) is float and abs(value) < float("inf"))


def _feature_names(names: Any, run: Run) -> tuple[str, ...] | None:
    if names is None:
        return None
    if names != list(run.data.columns) or not all(isinstance(name, str) for name in names):
        raise FormatError("'feature_names' must be null or the names of the columns in 'data'")
    return tuple(names)


def _other_format(data: Any) -> str:
    """Describe the format of a file that is not a model, if it is known."""
    name = data.get("format") if isinstance(data, dict) else None
    if name == "puretree/tree":
        return ": the file contains only a tree; read it with Tree.from_json"
    is_version = isinstance(name, str) and name.startswith("puretree model ")
    return f" but {name!r}; use the release of puretree that wrote it, or fit again" if is_version else ""


class SavingMixin:
    """Mixin that saves and loads a classifier."""

    _fit: FitResult | SavedModel
    tree_: Tree
    classes_: NDArray[Any]
    selection_scores_: dict[str, Any]
    get_params: Any
    set_params: Any
    _validate_params: Any

    def to_json(self) -> str:
        """Return the fitted classifier as JSON: the tree, what was proved, and what prediction needs.

        Training rows and times are not included, so equal models give equal text. Parameters that are objects, such as
        an engine, are replaced by their defaults; only training uses them. Invalid parameters are rejected, as in
        ``fit``.
        """
        check_is_fitted(self)
        return self._saved().to_json()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the result of :meth:`to_json`; anything else raises a FormatError. Nothing in the text is executed."""
        return cls()._restore(SavedModel.from_json(text))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write :meth:`to_json` to a file atomically."""
        check_is_fitted(self)
        save_model(self._saved(), Path(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Load a file written by :meth:`save`, or the folder of a run written by ``puretree fit --out``.

        Returns
        -------
        classifier
            Fitted: it predicts as before, and has the tree, the bounds and the certificate. What needs the training
            rows raises an error: ``trees_``, ``select``, ``to_sklearn``, ``export("onnx")``, and predictions by several
            trees (``probabilities="trees"``, ``vote``).
        """
        saved = load_model(Path(path))
        try:
            return cls()._restore(saved)
        except FormatError as error:
            raise FormatError(f"{path}: {error}") from None

    def _saved(self) -> SavedModel:
        if isinstance(self._fit, SavedModel):
            return self._fit
        self._validate_params()  # they may have been changed since the fit
        names = tuple(self.feature_names_in_) if hasattr(self, "feature_names_in_") else None
        return SavedModel.of(self._fit, self.get_params(deep=False), names, self._estimator())

    @classmethod
    def _estimator(cls) -> str:
        """Return the name of the class, or of the one of this package that it is derived from."""
        return next(base.__name__ for base in cls.__mro__ if base.__module__.startswith(__package__))

    def _restore(self, saved: SavedModel) -> Self:
        run = saved.run
        if saved.estimator != self._estimator():
            raise FormatError(f"this is a saved {saved.estimator}, not a {self._estimator()}; load it with that class")
        try:
            self.set_params(**{name: run.parameters[name] for name in self.get_params() if name in run.parameters})
            self._validate_params()
        except ValueError as error:
            raise FormatError(f"invalid parameters of a saved classifier: {error}") from None
        self._fit = saved
        self.classes_ = label_array(run.tree.classes)
        self.n_features_in_ = len(run.data.columns)
        if saved.feature_names is not None:
            self.feature_names_in_ = np.array(saved.feature_names, dtype=object)
        self._set_fitted(run.outcome, run.tree, run.selection)
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for skops: parameters, and the fit as JSON, which is checked when it is loaded."""
        state: dict[str, Any] = self.get_params(deep=False)
        return state | {"saved": self.to_json()} if hasattr(self, "_fit") else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved = state.pop("saved", None)
        super().__setstate__(state)  # type: ignore[misc]  # scikit-learn's
        if saved is not None:
            parameters = self.get_params(deep=False)
            self._restore(SavedModel.from_json(saved)).set_params(**parameters)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """Return the state for pickle and copy: everything, training rows and all trees included."""
        return copyreg.__newobj__, (type(self),), dict(self.__dict__)  # type: ignore[attr-defined]

    def _set_fitted(self, outcome: Outcome, tree: Tree, scores: Mapping[str, Any]) -> None:
        self.outcome_ = outcome
        self.tree_ = tree
        self.n_nodes_ = tree.n_nodes
        self.lower_bound_ = outcome.lower_bound
        self.upper_bound_ = outcome.upper_bound
        self.status_ = outcome.status
        self.selection_scores_ = dict(scores)
