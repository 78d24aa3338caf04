"""Printing: colours on a terminal, plain text in a pipe; names from data are never interpreted as markup."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.text import Text

from .._support.strict_json import to_json
from .._support.text import format_count, quantity, text_table

if TYPE_CHECKING:
    from ..outcome import Outcome
    from ..tree import Tree

_GUIDES = re.compile(r"^(?P<lines>[│├└─ ]*)(?P<answer>yes: |no: |no or missing: )?")
_ROWS = re.compile(r" \(\d+\)$")
MOST_LINES = 40  # of a tree on a terminal
STATUS_TEXT = {
    "time_limit": "time limit reached",
    "memory_limit": "memory limit reached",
    "interrupted": "interrupted",
    "failed": "a solver failed",
    "unproved": "the engine does not prove optimality",
}


def printable(text: str) -> str:
    r"""Escape control characters, which a terminal would interpret; line breaks stay.

    >>> print(printable("bell \x07"))
    bell \x07
    """
    return "".join(char if char.isprintable() or char == "\n" else repr(char)[1:-1] for char in text)


class _Console(Console):
    """A console that reports a broken pipe as an exception."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


@cache
def console(*, stderr: bool = False) -> Console:
    """Return a console without markup and line wrapping."""
    return _Console(stderr=stderr, markup=False, highlight=False, soft_wrap=True, emoji=False)


def put(*parts: str | Text) -> None:
    """Print a line of data."""
    line = Text()
    for part in parts:
        line.append_text(part) if isinstance(part, Text) else line.append(printable(part))
    console().print(line)


def note(text: str) -> None:
    """Print a note to standard error."""
    console(stderr=True).print(Text(printable(text), style="dim"))


def put_marked(is_good: bool, text: str) -> None:
    """Print a line of data after a check mark or a circle."""
    put(Text("✔ " if is_good else "○ ", style="green" if is_good else "yellow"), text)


def put_json(data: Any) -> None:
    """Print one JSON document."""
    text = to_json(data)
    put_text("".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text))


def put_text(text: str) -> None:
    """Print text unchanged for programs; on a terminal, escape control characters."""
    try:
        sys.stdout.write(printable(text) if sys.stdout.isatty() else text)
    except BrokenPipeError:
        raise BrokenPipeError from None  # without errno, which makes typer exit with its own code


def put_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print columns under a header."""
    first, *others = text_table(header, [[printable(str(cell)) for cell in row] for row in rows])
    put(Text(first, style="bold"))
    for line in others:
        put(line)


def put_tree(tree: Tree, *, is_complete: bool = False) -> None:
    """Print a tree, with its lines and counts dimmed and its labels in bold.

    Parameters
    ----------
    tree : Tree
    is_complete : bool, default=False
        Print all nodes. Otherwise, only the top of a large tree is printed on a terminal; a pipe always gets all.
    """
    n_nodes_to_depth = np.bincount(tree.depths).cumsum()
    max_depth = None
    if tree.n_nodes > MOST_LINES and console().is_terminal and not is_complete:
        max_depth = max(1, int((n_nodes_to_depth <= MOST_LINES).sum()) - 1)
    for line in tree.to_text(max_depth).splitlines():
        text = Text(printable(line))
        guides = _GUIDES.match(text.plain)
        assert guides is not None  # it matches the empty string
        text.stylize("dim", 0, guides.end("lines"))
        if rows := _ROWS.search(text.plain):
            text.stylize("bold", guides.end(), rows.start())
            text.stylize("dim", rows.start())
        put(text)
    if max_depth is not None:
        below = quantity(tree.n_nodes - int(n_nodes_to_depth[max_depth]), "node")
        put(Text(f"… the tree to depth {max_depth}; for the {below} below: puretree show RUN --all, or | less", "dim"))


def put_rules(tree: Tree) -> None:
    """Print a rule for each leaf."""
    for rule in tree.rules():
        put(str(rule))


def put_status(outcome: Outcome, n_trees: int | None) -> None:
    """Print the size of the tree, and whether it is proved minimum, or optimal where errors are allowed."""
    from ..outcome import UNITS, WITH_ERRORS, number  # here, so that the command line starts quickly

    has_cost, has_errors = outcome.minimised != "nodes", outcome.minimised in WITH_ERRORS
    assert outcome.n_nodes is not None
    size = quantity(outcome.n_nodes, "node")
    size += f", {quantity(outcome.n_errors, 'error')}" if has_errors else f" of cost {outcome.cost}" * has_cost
    if outcome.status == "optimal":
        many = "" if n_trees is None else f"; {count_trees(n_trees)} of this size" + " and cost" * has_cost
        proved = f"{size}, proved {'optimal for its size' if has_errors else 'minimum'}"
        put(Text("✔ ", style="green"), Text(proved, style="bold green"), many)
        return
    what = f"the minimum {UNITS[outcome.minimised]} of this size" if has_errors else "the minimum"
    bounds = f"{what} lies between {number(outcome.lower_bound)} and {number(outcome.upper_bound or 0)}"
    put(Text("○ ", style="yellow"), Text(f"{size}, not proved", style="bold yellow"), f": {bounds}")


def count_trees(count: int) -> str:
    """Format a number of trees.

    >>> count_trees(1), count_trees(5616), count_trees(10**40)
    ('1 tree', '5,616 trees', 'about 1.00e40 trees')
    """
    return f"{format_count(count)} {'tree' if count == 1 else 'trees'}"
