"""Choose one of many equally small trees by a named rule.

Every rule assigns a score to each row and class and finds the trees with the greatest sum. Over a forest this is exact:
dynamic programming over all minimum trees, however many there are.
"""

from __future__ import annotations

from collections.abc import Callable

from .._support.clock import TimeLimitReached
from ..errors import InputError, UnfinishedError
from ..forest import TreeList
from ..tree import Tree
from .agreement import Consensus
from .holdout import Holdout, check_delta
from .rules import Candidates, Choice, Evidence, First, Rows, SelectionRule, split_rows
from .teacher import Teacher

__all__ = [
    "RULES",
    "Candidates",
    "Choice",
    "Consensus",
    "Evidence",
    "First",
    "Holdout",
    "Rows",
    "SelectionRule",
    "Teacher",
    "choose",
    "make_rule",
    "make_training_rule",
    "split_rows",
]

RULES: dict[str, Callable[[float], SelectionRule]] = {
    "consensus": lambda delta: Consensus(),
    "teacher": lambda delta: Teacher(),
    "teacher-extra-trees": lambda delta: Teacher("extra-trees"),
    "holdout": lambda delta: Holdout(delta),
    "holdout-teacher": lambda delta: Holdout(delta, Teacher()),
    "first": lambda delta: First(),
}


def choose(rule: SelectionRule, candidates: Candidates, evidence: Evidence, known: Tree) -> Choice:
    """Choose a tree by a rule; if a limit is reached or the user interrupts (Ctrl-C), keep the tree that is known.

    Parameters
    ----------
    rule : SelectionRule
    candidates : Forest or TreeList
    evidence : Evidence
        Its clock is stopped by an interrupt.
    known : Tree
        One of the candidates.
    """
    try:
        return rule.choose(candidates, evidence)
    except KeyboardInterrupt:
        evidence.clock.stop()
    except (TimeLimitReached, UnfinishedError, MemoryError):
        pass
    return Choice(known, TreeList([known]), None, False)


def make_rule(rule: str | SelectionRule, delta: float = 0.0) -> SelectionRule:
    """Return the rule of a name; a rule is returned unchanged."""
    check_delta(delta)
    if not isinstance(rule, str):
        if not hasattr(rule, "choose") or isinstance(rule, type):
            raise InputError(
                f"is not a rule; use one of {', '.join(RULES)}, or a rule such as Consensus()",
                parameter="selection",
                value=rule,
            )
        return rule
    if rule not in RULES:
        raise InputError(f"is unknown; use one of {', '.join(RULES)}", parameter="selection", value=rule)
    return RULES[rule](delta)


def make_training_rule(rule: str | SelectionRule, delta: float = 0.0) -> SelectionRule:
    """Return the rule of a name, which must not need a selection set."""
    made = make_rule(rule, delta)
    if made.needs_selection:
        raise InputError(
            "needs rows that are held out, and here all rows are for training; use another rule, and call select with "
            "other rows after the fit",
            parameter="selection",
            value=made.name,
        )
    return made
