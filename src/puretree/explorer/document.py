"""The page as one HTML file: its parts lie in the folder ``page``, and nothing is loaded from elsewhere.

The scripts are ECMAScript modules, which become one: imports are removed, and the modules follow each other in the
order in which they import each other. A content security policy allows exactly this script and this style sheet, by
their hashes, and no request. The data are JSON in an element that is never executed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

# A module imports only earlier ones.
LOGIC = ("data", "graph", "filters", "trees", "rows", "usage", "choices", "search", "counterfactual")
VIEW = (
    *("dom", "layout", "explorer", "tree-view", "front-view", "filter-view", "choice-view", "row-view", "compare-view"),
    *("favourites", "page"),
)

_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(async )?function|class|const|let)", re.MULTILINE)


def script(modules: Sequence[str] = LOGIC + VIEW) -> str:
    """Return some modules as one script."""
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", _part(f"{module}.js"))) for module in modules)


def to_html(content: dict[str, Any]) -> str:
    """Return the page of some content, which is JSON values."""
    code, style = script(), _part("style.css")
    # In JSON, "<" occurs in strings only; escaped, no text of the data can end the element.
    data = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    parts = {
        "policy": f"default-src 'none'; script-src '{_hash(code)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'",
        "title": escape(content["title"]),
        "style": style,
        "data": data,
        "script": code,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _part("page.html"))


def _part(name: str) -> str:
    return (files(__package__) / "page" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the source expression of a content security policy that allows a text."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
