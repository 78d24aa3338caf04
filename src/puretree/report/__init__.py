"""Reports on a run: a model card and a dossier. They support documentation and claim nothing beyond it."""

from .collect import collect_facts
from .documents import DOCUMENTS, require_report_folder, save_report, write_documents
from .facts import Facts, ProofRecord

__all__ = [
    "DOCUMENTS",
    "Facts",
    "ProofRecord",
    "collect_facts",
    "require_report_folder",
    "save_report",
    "write_documents",
]
