"""Text that goes into Markdown and is read there as it is, whatever names of data it holds."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"[\\`*_\[\]{}|~$#^@]|(?<=www)\.|(?<=:)/(?=/)")  # the last three would make links of names
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}  # not every reader knows a backslash before these


def escape(text: str) -> str:
    r"""Write text such that it is read as it is, wherever in a line it stands.

    >>> print(escape("a|b_<i>"))
    a\|b\_&lt;i&gt;
    """
    on_one_line = " ".join(text.split())
    without_html = "".join(_ENTITIES.get(letter, letter) for letter in on_one_line)
    return _MARKUP.sub(lambda match: "\\" + match[0], without_html)
