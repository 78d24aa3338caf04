"""Trees as text: one rule per leaf, or the whole tree drawn with line characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..binarize.predicate import Predicate, format_level
from ..table import Level

if TYPE_CHECKING:
    from .tree import Tree


Conditions = dict[int, Predicate]  # the conditions that hold at a node, by column index


@dataclass(frozen=True, slots=True, repr=False)
class Rule:
    """The conditions that lead to one leaf.

    Parameters
    ----------
    conditions : tuple of Predicate
        At most one condition per column.
    label : str, int, float or bool
        The label of the leaf.
    n_rows : int or None
        The number of training rows at the leaf, if known.
    """

    conditions: tuple[Predicate, ...]
    label: Level
    n_rows: int | None = None

    def __str__(self) -> str:
        answer = format_level(self.label) + _format_n_rows(self.n_rows)
        if not self.conditions:
            return f"ALWAYS {answer}"
        return f"IF {' AND '.join(self.condition_texts())} THEN {answer}"

    def condition_texts(self) -> list[str]:
        """Return each condition as text, in parentheses if it contains "or" and is not the only one."""
        texts = [str(condition) for condition in self.conditions]
        return [f"({text})" if " or " in text and len(texts) > 1 else text for text in texts]

    def __repr__(self) -> str:
        return f"<Rule: {self}>"


def tree_rules(tree: Tree) -> list[Rule]:
    """Return one rule per leaf, "yes" branches first; conditions on the same column are merged."""
    rules = []
    stack: list[tuple[int, Conditions]] = [(0, {})]
    while stack:
        node, conditions = stack.pop()
        left = int(tree.left[node])
        if left < 0:
            rules.append(Rule(tuple(conditions.values()), _label(tree, node), _n_rows(tree, node)))
            continue
        test = tree.predicate(int(tree.feature[node]))
        stack.append((left, add_condition(conditions, ~test)))
        stack.append((left + 1, add_condition(conditions, test)))
    return rules


def add_condition(conditions: Conditions, condition: Predicate) -> Conditions:
    """Return the conditions with one more, intersected with the condition on its column, if any."""
    index = condition.column.index
    if index in conditions:
        condition = Predicate(condition.column, conditions[index].region & condition.region)
    return {**conditions, index: condition}


def tree_text(tree: Tree, max_depth: int | None = None) -> str:
    """Draw the tree, "yes" branches first; "no or missing" where missing values of training take the "no" branch.

    Parameters
    ----------
    tree : Tree
    max_depth : int, optional
        The depth down to which nodes are drawn; an inner node at this depth is replaced by the size of its subtree.
    """
    lines: list[str] = []
    # A node, its depth, its conditions, the answer that leads to it, the indent of its line and of the lines below.
    stack: list[tuple[int, int, Conditions, str, str, str]] = [(0, 0, {}, "", "", "")]
    while stack:
        node, depth, conditions, answer, indent, below = stack.pop()
        left = int(tree.left[node])
        if left < 0:
            rows = _format_n_rows(_n_rows(tree, node))
            lines.append(f"{indent}{answer}{format_level(_label(tree, node))}{rows}")
            continue
        if depth == max_depth:
            lines.append(f"{indent}{answer}… {tree.subtree_sizes[node]} nodes")
            continue
        test = tree.predicate(int(tree.feature[node]))
        lines.append(f"{indent}{answer}{test}?")
        if_no, if_yes = add_condition(conditions, ~test), add_condition(conditions, test)
        index = test.column.index
        missing_goes_left = test.column.has_missing and if_no[index].region.holds_missing
        if_not = "no or missing: " if missing_goes_left else "no: "
        stack.append((left, depth + 1, if_no, if_not, below + "└─ ", below + "   "))
        stack.append((left + 1, depth + 1, if_yes, "yes: ", below + "├─ ", below + "│  "))
    return "\n".join(lines)


def _label(tree: Tree, leaf: int) -> Level:
    return tree.classes[int(tree.label[leaf])]


def _n_rows(tree: Tree, node: int) -> int | None:
    return None if tree.counts is None else int(tree.counts[node].sum())


def _format_n_rows(n_rows: int | None) -> str:
    return "" if n_rows is None else f" ({n_rows})"
