"""All that the documents tell, put together once and checked against the run: the documents only word it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePath
from typing import Any

from ..forest.usage import FeatureUsage
from ..problem import Prepared
from ..proof import PROOF, Manifest
from ..proof.manifest import MANIFEST
from ..runs import Run
from ..tree import Tree
from .metrics import Part


@dataclass(frozen=True, slots=True)
class ProofRecord:
    """What is known of the proof that is kept with a run.

    Parameters
    ----------
    seal : str
        The hash that stands for all of it.
    hashes : mapping of str to str
        SHA-256 of each file, by name.
    made : mapping of str to str
        How each part was made, and its size. The parts are called purity, bound and refutation.
    not_made : mapping of str to str
        Why other parts are not there.
    """

    seal: str
    hashes: Mapping[str, str]
    made: Mapping[str, str]
    not_made: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run, folder: Path) -> ProofRecord | None:
        """Read the record of a run's certificate; None if there is none, a FormatError if it is not that run's."""
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
        """Whether any part of it proves how small a tree can be."""
        return not self.made.keys().isdisjoint(("bound", "refutation"))


@dataclass(frozen=True, slots=True)
class AllTrees:
    """What is known of all smallest trees.

    Parameters
    ----------
    n_trees : int or None
        How many there are; None if that is not known.
    usage : tuple of FeatureUsage
        How many of them ask each question.
    why_not : str or None
        Why the usage is not known.
    """

    n_trees: int | None
    usage: tuple[FeatureUsage, ...] = ()
    why_not: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What there is to tell of a run.

    Parameters
    ----------
    run : Run
    tree : Tree
        Its tree, with the training rows counted anew.
    prepared : Prepared
        The rows that trained, and how they were asked: made again from the data, and found to be the same.
    n_rows : int
        All rows of the data.
    parts : tuple of Part
        What the tree was measured on: training, then selection if rows were kept back, then the tests.
    trees : AllTrees
    files : mapping of str to str
        SHA-256 of each file of the run, by name.
    proof : ProofRecord or None
        None if the run was not certified.
    version : str
        The version of puretree that tells all this; the run may be older.
    """

    run: Run
    tree: Tree
    prepared: Prepared
    n_rows: int
    parts: tuple[Part, ...]
    trees: AllTrees
    files: Mapping[str, str]
    proof: ProofRecord | None
    version: str

    @property
    def source(self) -> str:
        """What the data are called, without the folders of somebody's machine."""
        return source_name(self.run)

    @property
    def n_training(self) -> int:
        """The rows that were given for training."""
        return self.prepared.table.n_rows

    @property
    def n_left_out(self) -> int:
        """The training rows that do not count because others contradict them."""
        return self.n_training - len(self.prepared.problem.kept_rows)

    def questions_by_column(self) -> list[tuple[str, int]]:
        """Return how many questions may be asked of each column, in the order of the columns."""
        questions = self.prepared.binarizer.features_
        counts = Counter(questions[feature].column.index for feature in self.prepared.asked.order)
        return [(column.name, counts[place]) for place, column in enumerate(self.prepared.table)]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for programs."""
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
            "questions": dict(self.questions_by_column()),
            "parts": [part.to_dict() for part in self.parts],
            "n_trees": self.trees.n_trees,
            "features": [_use_to_dict(use) for use in self.trees.usage],
            "features_not_known": self.trees.why_not,
            "files": dict(self.files),
            "proof": None if self.proof is None else asdict(self.proof),
            "written_by": f"puretree {self.version}",
        }


def source_name(run: Run) -> str:
    """Return what the data of a run are called, without the folders of somebody's machine."""
    return PurePath(run.data.source).name if run.data.is_file else run.data.source


def _use_to_dict(use: FeatureUsage) -> dict[str, Any]:
    return {
        "question": str(use.predicate),
        "n_trees": use.n_trees,
        "n_roots": use.n_roots,
        "is_necessary": use.is_necessary,
    }
