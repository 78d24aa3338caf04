"""What is claimed of the tree, in sentences that hold word by word: of which trees, of which rows, how far proved."""

from __future__ import annotations

from ..runs import Run
from ..tree import format_count
from .content import Verdict
from .facts import Facts

ENDINGS = {
    "time_limit": "the time was over",
    "memory_limit": "the memory was not enough",
    "interrupted": "it was interrupted",
    "failed": "a solver failed",
    "unproved": "its engine proves nothing",
}

RULES = {
    "consensus": "the tree that agrees most with the vote of all of them, on rows mixed of training rows",
    "teacher": "the tree that agrees most with a random forest of the same rows, on rows mixed of training rows",
    "teacher-extra-trees": "the tree that agrees most with extremely randomised trees of the same rows, on rows mixed "
    "of training rows",
    "holdout": "a tree that is right most often on rows kept back from training, or nearly so; chance decides ties",
    "holdout-teacher": "a tree that is right most often on rows kept back from training, or nearly so; a random forest "
    "decides ties",
    "first": "the first in a fixed order",
}

BINARISERS = {
    "thresholds": "Numbers are asked whether they are at most t, for the midpoint t of each two neighbouring training "
    "values; ordered categories whether they are at most a level; other categories whether they are a level; columns "
    "with gaps whether the value is missing.",
    "onehot": "Numbers are put into 8 bins of equal width; each value or bin is asked for by itself.",
    "bits": "Numbers are put into 8 bins of equal width; the values or bins of a column are numbered, and each bit of "
    "the number is asked for, told as the values that it stands for.",
}


def n_of(number: int, one: str, many: str | None = None) -> str:
    """Write how many there are.

    >>> n_of(1, "row"), n_of(1200, "row"), n_of(2, "leaf", "leaves")
    ('1 row', '1,200 rows', '2 leaves')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size_of(run: Run) -> str:
    """Tell how large the tree is."""
    tree = run.tree
    tests, leaves = n_of(tree.n_nodes - tree.n_leaves, "question"), n_of(tree.n_leaves, "leaf", "leaves")
    return f"{n_of(tree.n_nodes, 'node')}: {tests} and {leaves}; at most {n_of(tree.depth, 'question')} for any row"


def verdict(facts: Facts) -> Verdict:
    """Tell whether the tree is proved to be smallest, with both bounds, in plain words."""
    run, outcome = facts.run, facts.run.outcome
    trees, rows = f"tree of these questions{_wishes(run)}", training_rows(facts)
    if outcome.is_minimum:
        cheaper = (
            f" Of the trees of this size, none costs less than {outcome.cost}."
            if outcome.minimised == "nodes-then-cost"
            else ""
        )
        text = f"No {trees} with fewer than {n_of(run.tree.n_nodes, 'node')} is right on {rows}.{cheaper}"
        return Verdict(True, "Proved to be smallest", text)
    return Verdict(
        False,
        "Not proved to be smallest",
        f"The smallest {trees} that is right on {rows} has between {outcome.lower_bound} and {outcome.upper_bound} "
        f"nodes; this one has {run.tree.n_nodes}. The run ended before the proof: {ENDINGS[outcome.status]}.",
    )


def training_rows(facts: Facts) -> str:
    """Tell which rows the tree is right on."""
    kept, left_out = facts.n_training - facts.n_left_out, facts.n_left_out
    if not left_out:
        return f"all {n_of(kept, 'training row')}"
    return f"all {n_of(kept, 'training row')} that count ({left_out:,} more left out: others contradict them)"


def _wishes(run: Run) -> str:
    """Tell what else was asked of the tree: the proof is about such trees only."""
    depth, root, forbidden = (run.parameters.get(name) for name in ("max_depth", "root", "forbidden"))
    told = [
        f"at most {depth} questions for any row" if depth is not None else "",
        f"the first question about the column {root}" if root is not None else "",
        f"no question about the columns {', '.join(map(str, forbidden))}" if forbidden else "",
    ]
    wishes = [wish for wish in told if wish]
    return f" ({'; '.join(wishes)})" if wishes else ""


def how_many(facts: Facts) -> str:
    """Tell how many trees are as small."""
    n_trees = facts.trees.n_trees
    size = "this size and cost" if facts.run.outcome.minimised == "nodes-then-cost" else "this size"
    if not facts.run.outcome.is_minimum:
        return "It is not known how many smallest trees there are: the minimum is not proved."
    if n_trees is None:
        return f"It is not known how many trees of {size} are right on the same rows."
    if n_trees == 1:
        return f"It is the only tree of {size} that is right on the same rows."
    return f"There are {format_count(n_trees)} trees of {size} that are right on the same rows."


def how_chosen(facts: Facts) -> str:
    """Tell how the tree was chosen, and among how many."""
    selection = facts.run.selection
    n_candidates, rule = selection["n_candidates"], str(selection["rule"])
    if n_candidates < 2 and not selection.get("is_exact", True):
        return "It was not chosen: other trees of its size were not found within the limits of time and memory."
    if n_candidates < 2:
        return "One tree was found, so there was nothing to choose."
    text = f"FitResult among {format_count(n_candidates)} by the rule {rule}: {RULES.get(rule, 'a rule of its own')}."
    if selection["score"] is not None:
        what = "accuracy on the rows kept back" if rule.startswith("holdout") else "agreement"
        text += f" The best score was {selection['score']:.1%} {what}"
        n_best = selection.get("n_best")
        text += f"; {n_of(n_best, 'tree')} were good enough." if isinstance(n_best, int) else "."
    if not selection.get("is_exact", True):
        text += " Only a sample of the trees was looked at: the time or the memory was not enough for all."
    return text
