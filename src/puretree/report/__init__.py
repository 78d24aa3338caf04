"""What is handed to others of a run: a model card and a dossier, which support documentation and claim no more."""

from .collect import gather
from .documents import DOCUMENTS, documents, require_place, save_report
from .facts import Facts, ProofRecord

__all__ = ["DOCUMENTS", "Facts", "ProofRecord", "documents", "gather", "require_place", "save_report"]
