"""The four files of a report: each document as Markdown and as HTML, each ending in a checksum.

People complete the documents by hand, and writing a report again must not overwrite their text by accident. Every file
therefore ends with the hash of everything before it: if the hash does not match, the file was edited.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from ..errors import InputError, shorten
from ..runs.atomic import replace_folder
from .card import model_card
from .dossier import dossier
from .facts import Facts
from .html import to_html
from .markdown import to_markdown

DOCUMENTS = ("card.md", "card.html", "dossier.md", "dossier.html")
_CHECKSUM = re.compile(rb"<!-- SHA-256 of all before this line, as puretree wrote it: ([0-9a-f]{64}) -->\n")


def write_documents(facts: Facts) -> dict[str, bytes]:
    """Return the content of each file of a report; the same facts give the same bytes."""
    documents = {"card": model_card(facts), "dossier": dossier(facts)}
    texts = {f"{name}.md": to_markdown(document) for name, document in documents.items()}
    texts |= {f"{name}.html": to_html(document) for name, document in documents.items()}
    return {name: _with_checksum(texts[name].encode()) for name in DOCUMENTS}


def _with_checksum(content: bytes) -> bytes:
    digest = hashlib.sha256(content).hexdigest()
    return content + f"<!-- SHA-256 of all before this line, as puretree wrote it: {digest} -->\n".encode()


def is_unmodified(content: bytes) -> bool:
    """Whether a document is as puretree wrote it."""
    body, _, last = content.rstrip(b"\n").rpartition(b"\n")
    match = _CHECKSUM.fullmatch(last + b"\n")
    return match is not None and hashlib.sha256(body + b"\n").hexdigest().encode() == match[1]


def require_report_folder(folder: Path, *, force: bool) -> None:
    """Raise InputError if a folder holds edited documents or anything that is not a report.

    Parameters
    ----------
    folder : Path
        Where a report is to be saved.
    force : bool
        Whether edited documents may be replaced. Other files are never replaced.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(f"{folder} is a file; a report needs a separate folder")
    if Path.cwd().is_relative_to(folder.resolve()):
        raise InputError(f"{folder} is or contains the current directory; change the directory, or pass another --out")
    others = sorted(path.name for path in folder.iterdir() if path.name not in DOCUMENTS or not path.is_file())
    if others:
        raise InputError(f"{folder} holds {shorten(others)}, which is not part of a report; use another folder")
    edited = sorted(path.name for path in folder.iterdir() if not is_unmodified(path.read_bytes()))
    if edited and not force:
        raise InputError(
            f"{folder} holds edited documents: {shorten(edited)}; move them elsewhere, or use --force to replace them"
        )


def save_report(facts: Facts, folder: Path, *, force: bool = False) -> dict[str, bytes]:
    """Write a report into a folder, all files or none, replacing an older one; return the content of each file."""
    require_report_folder(folder, force=force)
    contents = write_documents(facts)
    replace_folder(folder, contents)
    return contents
