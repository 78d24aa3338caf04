"""Classifiers into files and back: what it takes to predict and what was proved, without the training rows.

JSON by ``save`` and ``load``; skops keeps the same JSON, so whoever reads a file of either kind trusts one type and has
every field checked. Pickle keeps everything, and is for files of one's own.
"""

from __future__ import annotations

import copyreg
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .chosen import Chosen
from .errors import FormatError
from .labels import label_array
from .model_file import SavedModel, load_model, save_model
from .outcome import Outcome
from .tree import Tree


class Saving:
    """The part of a classifier that writes and reads it; the rest is a scikit-learn estimator."""

    _fit: Chosen | SavedModel
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
