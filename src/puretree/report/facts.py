"""The facts that a report states, collected once and checked against the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePath
from typing import Any

from ..forest.usage import FeatureUsage
from ..problem import Prepared, PreparedCosts
from ..proof import PROOF, Manifest
from ..proof.claim import count_left_out
from ..proof.manifest import MANIFEST
from ..runs import Run
from ..tree import Tree
from .metrics import Evaluation


@dataclass(frozen=True, slots=True)
class ProofRecord:
    """The proof in a run folder, as its manifest describes it.

    Parameters
    ----------
    seal : str
        The hash over the hashes of all its files.
    hashes : mapping of str to str
        SHA-256 of each file, by name.
    made : mapping of str to str
        How each component was made, and its size. The components are table, purity, bound and refutation.
    not_made : mapping of str to str
        Why each missing component is missing.
    """

    seal: str
    hashes: Mapping[str, str]
    made: Mapping[str, str]
    not_made: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, run: Run, folder: Path) -> ProofRecord | None:
        """Read the manifest in a run folder; None if there is none, FormatError if it is that of another run."""
        proof = folder / PROOF
        if not (proof / MANIFEST).is_file():
            return None
        manifest = Manifest.from_bytes((proof / MANIFEST).read_bytes())
        manifest.require_files(proof)
        manifest.require_run(run, folder)
        return cls(
            manifest.seal,
            {name: str(file["sha256"]) for name, file in manifest.files.items()},
            {name: part["detail"] for name, part in manifest.parts.items() if part["made"]},
            {name: part["detail"] for name, part in manifest.parts.items() if not part["made"]},
        )

    @property
    def has_bound(self) -> bool:
        """Whether any component proves the lower bound."""
        return not self.made.keys().isdisjoint(("bound", "refutation"))


@dataclass(frozen=True, slots=True)
class MinimumTrees:
    """All minimum trees, or where errors are allowed, all trees of this size and cost, as far as they are known.

    Parameters
    ----------
    n_trees : int or None
        Their number; None if it is unknown.
    usage : tuple of FeatureUsage
        How many of them use each candidate split.
    unknown_reason : str or None
        Why the usage is unknown; None if it is known.
    """

    n_trees: int | None
    usage: tuple[FeatureUsage, ...] = ()
    unknown_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that a report states about a run.

    Parameters
    ----------
    run : Run
    tree : Tree
        Its tree, with the training rows counted again.
    prepared : Prepared
        The training rows and their features, computed again from the data and verified to be those of the run.
    n_rows : int
        The number of rows of the data.
    evaluations : tuple of Evaluation
        The training set, then the selection set if rows were held out, then the test sets.
    trees : MinimumTrees
    files : mapping of str to str
        SHA-256 of each file of the run, by name.
    proof : ProofRecord or None
        None if the run is not certified.
    version : str
        The version of puretree that writes the report; the run may be older.
    """

    run: Run
    tree: Tree
    prepared: Prepared | PreparedCosts
    n_rows: int
    evaluations: tuple[Evaluation, ...]
    trees: MinimumTrees
    files: Mapping[str, str]
    proof: ProofRecord | None
    version: str

    @property
    def source(self) -> str:
        """The name of the data, without the path of the file."""
        return source_name(self.run)

    @property
    def n_training(self) -> int:
        """The number of rows used for training, including contradictory ones."""
        return self.prepared.table.total_weight

    @property
    def n_left_out(self) -> int:
        """The number of training rows excluded because other rows contradict them."""
        return count_left_out(self.prepared)

    @property
    def n_candidate_splits(self) -> int:
        """The number of splits that the tree may use."""
        return len(self.prepared.policy.allowed)

    def splits_by_column(self) -> list[tuple[str, int]]:
        """Return the number of candidate splits of each column, in the order of the columns."""
        predicates = self.prepared.binarizer.features_
        counts = Counter(predicates[feature].column.index for feature in self.prepared.policy.allowed)
        return [(column.name, counts[index]) for index, column in enumerate(self.prepared.table)]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can represent."""
        run = self.run
        return {
            "data": run.data_dict() | {"source": self.source},
            "n_rows": self.n_rows,
            "n_training": self.n_training,
            "n_left_out": self.n_left_out,
            **{name: value for name, value in run.summary().items() if name not in ("format", "leaf_shares")},
            "tree": run.tree.digest,
            "rules": [str(rule) for rule in self.tree.rules()],
            "history": [asdict(bounds) for bounds in run.outcome.history],
            "questions": dict(self.splits_by_column()),
            "parts": [evaluation.to_dict() for evaluation in self.evaluations],
            "n_trees": self.trees.n_trees,
            "features": [_usage_to_dict(usage) for usage in self.trees.usage],
            "features_not_known": self.trees.unknown_reason,
            "files": dict(self.files),
            "proof": None if self.proof is None else asdict(self.proof),
            "written_by": f"puretree {self.version}",
        }


def source_name(run: Run) -> str:
    """Return the name of a run's data, without the path of the file."""
    return PurePath(run.data.source).name if run.data.is_file else run.data.source


def _usage_to_dict(usage: FeatureUsage) -> dict[str, Any]:
    return {
        "question": str(usage.predicate),
        "n_trees": usage.n_trees,
        "n_roots": usage.n_roots,
        "is_necessary": usage.is_necessary,
    }
