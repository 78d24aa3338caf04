"""The four files of a report: each document as Markdown and as HTML, and each with an imprint.

People fill in what only they know, and a report that is made again must not wipe that out unasked. So every file ends
with the hash of what stands before: where it does not fit any more, somebody has written there.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from ..errors import InputError, shorten
from ..runs.atomic import replace_folder
from .card import card
from .dossier import dossier
from .facts import Facts
from .html import to_html
from .markdown import to_markdown

DOCUMENTS = ("card.md", "card.html", "dossier.md", "dossier.html")
_IMPRINT = re.compile(rb"<!-- SHA-256 of all before this line, as puretree wrote it: ([0-9a-f]{64}) -->\n")


def documents(facts: Facts) -> dict[str, bytes]:
    """Write the card and the dossier; the same facts give the same bytes."""
    contents = {"card": card(facts), "dossier": dossier(facts)}
    written = {f"{name}.md": to_markdown(content) for name, content in contents.items()}
    written |= {f"{name}.html": to_html(content) for name, content in contents.items()}
    return {name: _with_imprint(written[name].encode()) for name in DOCUMENTS}


def _with_imprint(content: bytes) -> bytes:
    digest = hashlib.sha256(content).hexdigest()
    return content + f"<!-- SHA-256 of all before this line, as puretree wrote it: {digest} -->\n".encode()


def is_untouched(content: bytes) -> bool:
    """Whether a document is as it was written."""
    body, _, last = content.rstrip(b"\n").rpartition(b"\n")
    found = _IMPRINT.fullmatch(last + b"\n")
    return found is not None and hashlib.sha256(body + b"\n").hexdigest().encode() == found[1]


def require_place(folder: Path, *, force: bool) -> None:
    """Refuse a place where something else is, or documents that people have written in.

    Parameters
    ----------
    folder : Path
        Where a report is to be saved.
    force : bool
        Whether documents that were changed may be replaced; anything else never is.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(f"{folder} is a file; a report needs a folder of its own")
    if Path.cwd().is_relative_to(folder.resolve()):
        raise InputError(f"{folder} is the folder you are in, or around it; go elsewhere first, or give another --out")
    others = sorted(path.name for path in folder.iterdir() if path.name not in DOCUMENTS or not path.is_file())
    if others:
        raise InputError(f"{folder} holds {shorten(others)}, which is no part of a report; use another folder")
    changed = sorted(path.name for path in folder.iterdir() if not is_untouched(path.read_bytes()))
    if changed and not force:
        raise InputError(
            f"{folder} holds {shorten(changed)} as somebody changed it; keep it elsewhere, or use --force to replace it"
        )


def save_report(facts: Facts, folder: Path, *, force: bool = False) -> dict[str, bytes]:
    """Write the report into a folder, all of it or nothing, in place of an older one; return what was written."""
    require_place(folder, force=force)
    written = documents(facts)
    replace_folder(folder, written)
    return written
