"""A tree in words: one rule per leaf, or the whole tree drawn with letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .predicate import Level, Predicate, format_level

if TYPE_CHECKING:
    from .tree import Tree


@dataclass(frozen=True, slots=True)
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
        words = [str(condition) for condition in self.conditions]
        if len(words) > 1:
            words = [f"({condition})" if " or " in condition else condition for condition in words]
        return f"IF {' AND '.join(words)} THEN {answer}"


def tree_rules(tree: Tree) -> list[Rule]:
    """Return a rule per leaf, "yes" branches first; conditions on one column are drawn together."""
    rules = []
    waiting: list[tuple[int, tuple[Predicate, ...]]] = [(0, ())]
    while waiting:
        node, conditions = waiting.pop()
        left = int(tree.left[node])
        if left < 0:
            rules.append(Rule(_drawn_together(conditions), _label(tree, node), _n_rows(tree, node)))
            continue
        test = tree.predicate(int(tree.feature[node]))
        waiting.append((left, (*conditions, ~test)))
        waiting.append((left + 1, (*conditions, test)))
    return rules


def tree_text(tree: Tree) -> str:
    """Draw the tree, "yes" branches first."""
    lines: list[str] = []
    waiting = [(0, "", "", "")]  # node, its answer's branch, indent of its line, indent below
    while waiting:
        node, branch, indent, below = waiting.pop()
        left = int(tree.left[node])
        if left < 0:
            rows = _rows_in_brackets(_n_rows(tree, node))
            lines.append(f"{indent}{branch}{format_level(_label(tree, node))}{rows}")
            continue
        lines.append(f"{indent}{branch}{tree.predicate(int(tree.feature[node]))}?")
        waiting.append((left, "no: ", below + "└─ ", below + "   "))
        waiting.append((left + 1, "yes: ", below + "├─ ", below + "│  "))
    return "\n".join(lines)


def _drawn_together(conditions: tuple[Predicate, ...]) -> tuple[Predicate, ...]:
    by_column: dict[object, Predicate] = {}
    for condition in conditions:
        earlier = by_column.get(condition.column)
        if earlier is not None:
            condition = Predicate(condition.column, earlier.region & condition.region)
        by_column[condition.column] = condition
    return tuple(by_column.values())


def _label(tree: Tree, leaf: int) -> Level:
    return tree.classes[int(tree.label[leaf])]


def _n_rows(tree: Tree, node: int) -> int | None:
    return None if tree.counts is None else int(tree.counts[node].sum())


def _rows_in_brackets(n_rows: int | None) -> str:
    return "" if n_rows is None else f" ({n_rows})"
