"""The names of a certificate's files, in one place."""

from __future__ import annotations

from importlib.resources import files

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
