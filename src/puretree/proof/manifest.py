"""The names of a certificate's files, in one place."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..errors import FormatError, shorten
from ..runs import Run, parse_json
from ..runs.store import FILES
from . import checkers
from .refutation import FORMS

PROOF = "proof"
"""The folder of the certificate in that of the run."""

MODEL, PROBLEM, TABLE, LOG, FORMULA = "model.json", "problem.json", "table.csv", "bound.log", "formula.cnf"


def proof_name(form: str) -> str:
    """Return the name of the refutation's file."""
    return f"proof.{form}"


def file_names() -> frozenset[str]:
    """Return the names that files of a certificate can have."""
    proofs = (proof_name(form) for form in FORMS)
    return frozenset((MODEL, PROBLEM, TABLE, LOG, FORMULA, *proofs, *checker_sources()))


def checker_sources() -> dict[str, bytes]:
    """Return the programs that check a certificate, by the names they have in it."""
    return {f"check_{name}.py": (files(checkers) / f"{name}.py").read_bytes() for name in ("purity", "bound", "lrat")}


# The list of what a certificate holds: a hash of every file, the claim, and a seal over all of it.
#
# The list is written in one form only, and the seal is the hash of that form: change any byte of any file, of the list
# or of the seal, and nothing fits. A seal cannot tell who made it. Whoever hands a certificate over can hand over the
# seal by another way, and ``verify --seal`` compares them.

FORMAT = "puretree proof 1"
MANIFEST = "manifest.json"

_FIELDS = ("claim", "files", "left_out", "run", "parts", "versions")
_DESCRIPTION = {"bytes": int, "sha256": str}
_PART = {"made": bool, "told": str}


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a certificate holds.

    Parameters
    ----------
    claim : dict
        What is proved.
    files : dict of str to dict
        The hash and the size of each file of the certificate, by its name.
    left_out : dict of str to dict
        Likewise of what is part of the proof but not of the certificate: the table, if it is to stay where it is.
    run : dict of str to dict
        Likewise of the run that the certificate is of.
    parts : dict of str to dict
        Of each part whether it was ``made``, and what is ``told`` of it, or why it was not. How long it took is not
        here: the same proof has the same seal.
    versions : dict of str to str
        What made it.
    """

    claim: Mapping[str, Any]
    files: Mapping[str, Mapping[str, Any]]
    left_out: Mapping[str, Mapping[str, Any]]
    run: Mapping[str, Mapping[str, Any]]
    parts: Mapping[str, Mapping[str, Any]]
    versions: Mapping[str, str]

    @classmethod
    def of(
        cls,
        run: Run,
        folder: Path,
        proof: Path,
        parts: Mapping[str, Mapping[str, Any]],
        leave_out: Collection[str] = (),
    ) -> Manifest:
        """List the files of a certificate and of its run.

        Parameters
        ----------
        run : Run
        folder : Path
            Where the run is.
        proof : Path
            Where the certificate is, but for the list.
        parts : dict of str to dict
        leave_out : collection of str
            Files that will not be there.
        """
        all_files = {path.name: describe_file(path) for path in sorted(proof.iterdir())}
        files = {name: file for name, file in all_files.items() if name not in leave_out}
        left_out = {name: file for name, file in all_files.items() if name in leave_out}
        of_run = {name: describe_file(folder / name) for name in FILES}
        versions = {name: version(name) for name in ("puretree", "numpy", "python-sat")}
        return cls(claim_of(run), files, left_out, of_run, parts, versions)

    @property
    def seal(self) -> str:
        """The hash of everything."""
        return hashlib.sha256(_canonical({"format": FORMAT} | asdict(self))).hexdigest()

    @property
    def table(self) -> Mapping[str, Any] | None:
        """The hash and the size of the data, in the certificate or not."""
        return self.files.get(TABLE) or self.left_out.get(TABLE)

    @property
    def needs_proof(self) -> bool:
        """Whether a bound is claimed: nothing is smaller than a leaf."""
        return bool(self.claim["lower_bound"] > 1)

    @property
    def has_proof(self) -> bool:
        """Whether there is a proof of the bound, or none is needed."""
        return not self.needs_proof or any(self.parts[part]["made"] for part in ("bound", "refutation"))

    def to_bytes(self) -> bytes:
        """Write it, in the one form there is."""
        return _canonical({"format": FORMAT, "seal": self.seal} | asdict(self))

    @classmethod
    def from_bytes(cls, data: bytes) -> Manifest:
        """Read it; a FormatError if a byte is not as it was written."""
        try:
            content = parse_json(data.decode("ascii"))
        except (FormatError, UnicodeDecodeError) as error:
            raise FormatError(f"{MANIFEST} was changed, or is not all there: {error}") from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise FormatError(f"{MANIFEST} is not of format {FORMAT!r}")
        if not all(isinstance(content.get(name), dict) for name in _FIELDS):
            raise FormatError(f"{MANIFEST} must hold {', '.join(_FIELDS)}")
        manifest = cls(*(content[name] for name in _FIELDS))
        if content.get("seal") != manifest.seal or data != manifest.to_bytes():
            raise FormatError(f"{MANIFEST} was changed: its seal does not fit")
        manifest._require_sound()
        return manifest

    def _require_sound(self) -> None:
        """Refuse what could not have been written here, a path out of the folder first of all: seals can be made."""
        names = file_names() | set(FILES)
        for name, file in (*self.files.items(), *self.left_out.items(), *self.run.items()):
            if name not in names or not _has(file, _DESCRIPTION):
                raise FormatError(f"{MANIFEST}: {name!r} is not a file of a certificate")
        if not {MODEL, PROBLEM} <= set(self.files):
            raise FormatError(f"{MANIFEST}: a certificate holds {MODEL} and {PROBLEM} at least")
        if set(self.parts) != {"purity", "bound", "refutation"} or not all(
            _has(part, _PART) for part in self.parts.values()
        ):
            raise FormatError(f"{MANIFEST}: 'parts' must tell of purity, bound and refutation")
        claim = {"n_nodes": int, "lower_bound": int, "is_minimum": bool, "tree": str, "data": str}
        if not _has(self.claim, claim):
            raise FormatError(f"{MANIFEST}: 'claim' must hold {', '.join(claim)}")
        self._require_sound_bounds()

    def _require_sound_bounds(self) -> None:
        """Refuse a claim that contradicts itself: what is told of the tree must be what is proved of it."""
        n_nodes, lower = self.claim["n_nodes"], self.claim["lower_bound"]
        is_size = n_nodes % 2 == 1 and 0 <= lower <= n_nodes and (lower % 2 == 1 or lower == 0)
        if not is_size or self.claim["is_minimum"] != (lower == n_nodes):
            raise FormatError(f"{MANIFEST}: 'claim' contradicts itself: {n_nodes} nodes, and {lower} are needed")

    def require_files(self, proof: Path) -> None:
        """Refuse a certificate in which files are missing, changed, or not listed."""
        _require_files(self.files, proof)
        others = sorted({path.name for path in proof.iterdir()} - {*self.files, MANIFEST})
        if others:
            raise FormatError(f"{proof} holds {shorten(others)}, which {MANIFEST} does not list; remove it")

    def require_run(self, run: Run, folder: Path) -> None:
        """Refuse a run that the certificate is not of."""
        if set(self.run) != set(FILES):
            raise FormatError(f"{MANIFEST}: 'run' must list {', '.join(FILES)}")
        _require_files(self.run, folder)
        if claim_of(run) != self.claim:
            raise FormatError(f"the run in {folder} does not say what the certificate claims")


def claim_of(run: Run) -> dict[str, Any]:
    """Return what a certificate of a run claims: numbers are numbers of nodes."""
    return {
        "n_nodes": run.tree.n_nodes,
        "lower_bound": run.outcome.lower_bound,
        "is_minimum": run.outcome.lower_bound == run.tree.n_nodes,
        "tree": run.tree.digest,
        "data": run.data.data_hash,
    }


def describe_file(path: Path) -> dict[str, Any]:
    """Return what the list says of a file."""
    with path.open("rb") as file:
        return {"sha256": hashlib.file_digest(file, "sha256").hexdigest(), "bytes": file.tell()}


def _require_files(files: Mapping[str, Mapping[str, Any]], folder: Path) -> None:
    for name, said in files.items():
        path = folder / name
        if path.is_symlink() or not path.is_file():
            raise FormatError(f"{path} is missing, or no file of its own")
        if describe_file(path) != said:
            raise FormatError(f"{path} was changed: its hash is not the one in {MANIFEST}")


def _has(data: Any, fields: Mapping[str, Any]) -> bool:
    if not isinstance(data, dict) or set(data) != set(fields):
        return False
    return all(
        isinstance(data[name], kinds) and (kinds is bool or not isinstance(data[name], bool))
        for name, kinds in fields.items()
    )


def _canonical(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=1, sort_keys=True, allow_nan=False) + "\n").encode("ascii")
