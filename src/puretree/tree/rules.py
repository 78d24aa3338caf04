"""A tree in words: one rule per leaf, or the whole tree drawn with letters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..binarize.predicate import Predicate, format_level
from ..table import Level

if TYPE_CHECKING:
    from .tree import Tree


Conditions = dict[int, Predicate]  # what holds at a node, by column


@dataclass(frozen=True, slots=True, repr=False)
class Rule:
    """The way to one leaf.

    Parameters
    ----------
    conditions : tuple of Predicate
        What must hold, at most one condition per column.
    label : str, int, float or bool
        What the tree answers then.
    n_rows : int or None
        How many training rows it covers, where that is known.
    """

    conditions: tuple[Predicate, ...]
    label: Level
    n_rows: int | None = None

    def __str__(self) -> str:
        answer = format_level(self.label) + _rows_in_brackets(self.n_rows)
        if not self.conditions:
            return f"ALWAYS {answer}"
        return f"IF {' AND '.join(self.words())} THEN {answer}"

    def words(self) -> list[str]:
        """Put each condition into words, in brackets where it could be taken for two."""
        words = [str(condition) for condition in self.conditions]
        return [f"({word})" if " or " in word and len(words) > 1 else word for word in words]

    def __repr__(self) -> str:
        return f"<Rule: {self}>"


def tree_rules(tree: Tree) -> list[Rule]:
    """Return a rule per leaf, "yes" branches first; conditions on one column are drawn together."""
    rules = []
    waiting: list[tuple[int, Conditions]] = [(0, {})]
    while waiting:
        node, conditions = waiting.pop()
        left = int(tree.left[node])
        if left < 0:
            rules.append(Rule(tuple(conditions.values()), _label(tree, node), _n_rows(tree, node)))
            continue
        test = tree.predicate(int(tree.feature[node]))
        waiting.append((left, narrowed(conditions, ~test)))
        waiting.append((left + 1, narrowed(conditions, test)))
    return rules


def narrowed(conditions: Conditions, condition: Predicate) -> Conditions:
    """Return the conditions with one more, drawn together with what was known of its column."""
    index = condition.column.index
    if index in conditions:
        condition = Predicate(condition.column, conditions[index].region & condition.region)
    return {**conditions, index: condition}


def tree_text(tree: Tree) -> str:
    """Draw the tree, "yes" branches first; "no or missing" where training had gaps that go this way."""
    lines: list[str] = []
    # A node, what holds there, the answer that leads to it, the indent of its line and of those below.
    waiting: list[tuple[int, Conditions, str, str, str]] = [(0, {}, "", "", "")]
    while waiting:
        node, conditions, answer, indent, below = waiting.pop()
        left = int(tree.left[node])
        if left < 0:
            rows = _rows_in_brackets(_n_rows(tree, node))
            lines.append(f"{indent}{answer}{format_level(_label(tree, node))}{rows}")
            continue
        test = tree.predicate(int(tree.feature[node]))
        lines.append(f"{indent}{answer}{test}?")
        if_no, if_yes = narrowed(conditions, ~test), narrowed(conditions, test)
        index = test.column.index
        gaps_go_on = test.column.has_missing and if_no[index].region.holds_missing
        waiting.append((left, if_no, "no or missing: " if gaps_go_on else "no: ", below + "└─ ", below + "   "))
        waiting.append((left + 1, if_yes, "yes: ", below + "├─ ", below + "│  "))
    return "\n".join(lines)


def _label(tree: Tree, leaf: int) -> Level:
    return tree.classes[int(tree.label[leaf])]


def _n_rows(tree: Tree, node: int) -> int | None:
    return None if tree.counts is None else int(tree.counts[node].sum())


def _rows_in_brackets(n_rows: int | None) -> str:
    return "" if n_rows is None else f" ({n_rows})"


def format_count(count: int) -> str:
    """Write a number of trees; a large one in round, and without a float, which may be too small for it."""
    if count < 10**15:
        return f"{count:,}"
    exponent = math.floor(math.log10(count))
    return f"about {count / 10**exponent:.2f}e{exponent}"
