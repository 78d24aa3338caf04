"""The manifest of a certificate: the names and hashes of its files, the claim, and a seal over all of it.

The manifest has a canonical form, and the seal is the hash of that form: a change to any byte of any file, of the
manifest or of the seal is detected. A seal does not identify its author. The sender of a certificate can communicate
the seal through another channel, and ``verify --seal`` compares them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from .._support.strict_json import parse_json
from ..errors import FormatError, shorten
from ..runs import Run
from ..runs.store import FILES
from . import checkers
from .refutation import FORMS

FORMAT = "puretree proof 3"

PROOF = "proof"
"""The folder of the certificate in the run folder."""

MANIFEST = "manifest.json"
MODEL, PROBLEM, TABLE, LOG, FORMULA = "model.json", "problem.json", "table.csv", "bound.log", "formula.cnf"
COMPONENTS = ("table", "purity", "bound", "refutation")

_FIELDS = ("claim", "files", "left_out", "run", "parts", "versions")
_FILE_ENTRY = {"bytes": int, "sha256": str}
_COMPONENT_ENTRY = {"made": bool, "detail": str}
_CLAIM = {"n_nodes": int, "lower_bound": int, "is_minimum": bool, "tree": str}


def proof_name(form: str) -> str:
    """Return the file name of a refutation in a proof format."""
    return f"proof.{form}"


def file_names() -> frozenset[str]:
    """Return the names that files of a certificate can have."""
    proofs = (proof_name(form) for form in FORMS)
    return frozenset((MODEL, PROBLEM, TABLE, LOG, FORMULA, *proofs, *checker_sources()))


def checker_sources() -> dict[str, bytes]:
    """Return the sources of the programs that check a certificate, by their file names in it."""
    return {
        f"check_{name}.py": (files(checkers) / f"{name}.py").read_bytes()
        for name in ("table", "purity", "bound", "lrat")
    }


@dataclass(frozen=True, slots=True)
class Manifest:
    """Contents of a certificate.

    Parameters
    ----------
    claim : dict
        What the certificate proves.
    files : dict of str to dict
        Hash and size of each file of the certificate, by name.
    left_out : dict of str to dict
        Hash and size of files that belong to the proof but are not included: the table, if the user keeps it back.
    run : dict of str to dict
        Hash and size of the files of the run.
    parts : dict of str to dict
        For each component whether it was ``made``, and a ``detail``: what it proves, or why it was not made. The time
        it took is not recorded, so that the same proof has the same seal.
    versions : dict of str to str
        Versions of the packages that made the certificate.
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
            The run folder.
        proof : Path
            The folder of the certificate, complete except for the manifest.
        parts : dict of str to dict
            The components.
        leave_out : collection of str
            Files that the certificate will not include.
        """
        all_files = {path.name: describe_file(path) for path in sorted(proof.iterdir())}
        files = {name: entry for name, entry in all_files.items() if name not in leave_out}
        left_out = {name: entry for name, entry in all_files.items() if name in leave_out}
        run_files = {name: describe_file(folder / name) for name in FILES}
        versions = {name: version(name) for name in ("puretree", "numpy", "python-sat")}
        return cls(claim_of(run), files, left_out, run_files, parts, versions)

    @property
    def seal(self) -> str:
        """The hash of the whole manifest."""
        return hashlib.sha256(_canonical({"format": FORMAT} | asdict(self))).hexdigest()

    @property
    def table(self) -> Mapping[str, Any] | None:
        """Hash and size of the table, whether it is included or not."""
        return self.files.get(TABLE) or self.left_out.get(TABLE)

    @property
    def needs_proof(self) -> bool:
        """Whether the claimed bound needs a proof: no tree is smaller than a single leaf."""
        return bool(self.claim["lower_bound"] > 1)

    @property
    def has_proof(self) -> bool:
        """Whether the bound has a proof, or needs none."""
        return not self.needs_proof or any(self.parts[name]["made"] for name in ("bound", "refutation"))

    def to_bytes(self) -> bytes:
        """Return the canonical form of the manifest, with its seal."""
        return _canonical({"format": FORMAT, "seal": self.seal} | asdict(self))

    @classmethod
    def from_bytes(cls, data: bytes) -> Manifest:
        """Read a manifest; raise FormatError if any byte was changed."""
        try:
            content = parse_json(data.decode("ascii"))
        except (FormatError, UnicodeDecodeError) as error:
            raise FormatError(f"{MANIFEST} was changed or is incomplete: {error}") from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise FormatError(f"{MANIFEST} is not of format {FORMAT!r}; certify the run again")
        if not all(isinstance(content.get(name), dict) for name in _FIELDS):
            raise FormatError(f"{MANIFEST} must hold {', '.join(_FIELDS)}")
        manifest = cls(*(content[name] for name in _FIELDS))
        if content.get("seal") != manifest.seal or data != manifest.to_bytes():
            raise FormatError(f"{MANIFEST} was changed: its seal does not match")
        manifest._require_valid()
        return manifest

    def _require_valid(self) -> None:
        """Reject contents that certify cannot have written, above all paths out of the folder: seals can be forged."""
        names = file_names() | set(FILES)
        for name, entry in (*self.files.items(), *self.left_out.items(), *self.run.items()):
            if name not in names or not _has_fields(entry, _FILE_ENTRY):
                raise FormatError(f"{MANIFEST}: {name!r} is not a file of a certificate")
        if not {MODEL, PROBLEM} <= set(self.files):
            raise FormatError(f"{MANIFEST}: a certificate must hold at least {MODEL} and {PROBLEM}")
        if set(self.parts) != set(COMPONENTS) or not all(
            _has_fields(component, _COMPONENT_ENTRY) for component in self.parts.values()
        ):
            raise FormatError(f"{MANIFEST}: 'parts' must describe {', '.join(COMPONENTS)}")
        if not _has_fields(self.claim, _CLAIM):
            raise FormatError(f"{MANIFEST}: 'claim' must hold {', '.join(_CLAIM)}")
        self._require_consistent_bounds()

    def _require_consistent_bounds(self) -> None:
        """Reject a claim whose bound, size and minimality contradict each other."""
        n_nodes, lower_bound = self.claim["n_nodes"], self.claim["lower_bound"]
        is_bound = 0 <= lower_bound <= n_nodes and (lower_bound % 2 == 1 or lower_bound == 0)
        if n_nodes % 2 == 0 or not is_bound or self.claim["is_minimum"] != (lower_bound == n_nodes):
            raise FormatError(f"{MANIFEST}: 'claim' contradicts itself: {n_nodes} nodes, lower bound {lower_bound}")

    def require_files(self, proof: Path) -> None:
        """Reject a certificate with files that are missing, changed or not listed."""
        _require_files(self.files, proof)
        unlisted = sorted({path.name for path in proof.iterdir()} - {*self.files, MANIFEST})
        if unlisted:
            raise FormatError(f"{proof} holds {shorten(unlisted)}, which {MANIFEST} does not list; remove it")

    def require_run(self, run: Run, folder: Path) -> None:
        """Reject a run that is not the one this certificate was made for."""
        if set(self.run) != set(FILES):
            raise FormatError(f"{MANIFEST}: 'run' must list {', '.join(FILES)}")
        _require_files(self.run, folder)
        if claim_of(run) != self.claim:
            raise FormatError(f"the claim of the certificate is not that of the run in {folder}")


def claim_of(run: Run) -> dict[str, Any]:
    """Return the claim of a run's certificate; bounds are numbers of nodes."""
    return {
        "n_nodes": run.tree.n_nodes,
        "lower_bound": run.outcome.lower_bound,
        "is_minimum": run.outcome.lower_bound == run.tree.n_nodes,
        "tree": run.tree.digest,
    }


def describe_file(path: Path) -> dict[str, Any]:
    """Return the entry of a file in the manifest."""
    with path.open("rb") as file:
        return {"sha256": hashlib.file_digest(file, "sha256").hexdigest(), "bytes": file.tell()}


def _require_files(files: Mapping[str, Mapping[str, Any]], folder: Path) -> None:
    for name, entry in files.items():
        path = folder / name
        if path.is_symlink() or not path.is_file():
            raise FormatError(f"{path} is missing, or is not a regular file")
        if describe_file(path) != entry:
            raise FormatError(f"{path} was changed: its hash is not the one in {MANIFEST}")


def _has_fields(data: Any, fields: Mapping[str, Any]) -> bool:
    """Return whether data is a dictionary with exactly these keys, and values of these types."""
    if not isinstance(data, dict) or set(data) != set(fields):
        return False
    return all(
        isinstance(data[name], kind) and (kind is bool or not isinstance(data[name], bool))
        for name, kind in fields.items()
    )


def _canonical(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=1, sort_keys=True, allow_nan=False) + "\n").encode("ascii")
