"""The claims about a tree, as sentences that can be quoted: which trees and rows they cover, and what is proved."""

from __future__ import annotations

from .._support.text import format_count, quantity
from ..runs import Run
from ..tree import Tree
from .content import Verdict
from .facts import Facts

STOP_REASONS = {
    "time_limit": "the time limit was reached",
    "memory_limit": "the memory limit was reached",
    "interrupted": "the run was interrupted",
    "failed": "a solver failed",
    "unproved": "the engine does not prove minimality",
}

_SYNTHETIC_ROWS = "on synthetic rows, each of which combines the values of two training rows"
_BEST_ON_HELD_OUT = "a tree with the highest accuracy on rows held out from training, or within the tolerance delta"

RULE_DESCRIPTIONS = {
    "consensus": f"the tree that agrees most often with the vote of all of them, {_SYNTHETIC_ROWS}",
    "teacher": f"the tree that agrees most often with a random forest fitted to the same rows, {_SYNTHETIC_ROWS}",
    "teacher-extra-trees": "the tree that agrees most often with extremely randomised trees fitted to the same rows, "
    f"{_SYNTHETIC_ROWS}",
    "holdout": f"{_BEST_ON_HELD_OUT}; ties are broken at random",
    "holdout-teacher": f"{_BEST_ON_HELD_OUT}; ties are broken by a random forest",
    "first": "the first in a fixed order",
}

BINARISER_DESCRIPTIONS = {
    "thresholds": "For a numeric column: value ≤ t, where t is the midpoint between two neighbouring training values, "
    "rounded down if all values of the column are integers. For a column of 0 and 1: value = 1, or value = 0 if the "
    "column has missing values. For an ordered categorical column: value ≤ level. For any other categorical column: "
    "value is a particular level. For a column with missing values, additionally: value is missing.",
    "guessed": "As for “thresholds”, but if numeric columns have more than 100 midpoints together, only those that "
    "were guessed from boosted trees, fitted to the training rows. With other midpoints, a smaller tree may exist.",
    "onehot": "Numeric columns are divided into 8 bins of equal width. There is one candidate split for each value or "
    "bin of a column.",
    "bits": "Numeric columns are divided into 8 bins of equal width. The values or bins of a column are numbered, and "
    "there is one candidate split for each bit of the number. A split is written as the set of values that it stands "
    "for.",
}


def describe_size(tree: Tree) -> str:
    """Describe the size of a tree."""
    splits, leaves = quantity(tree.n_nodes - tree.n_leaves, "split"), quantity(tree.n_leaves, "leaf", "leaves")
    depth = f"depth {tree.depth} (at most {quantity(tree.depth, 'split')} for any row)"
    return f"{quantity(tree.n_nodes, 'node')} ({splits} and {leaves}) and {depth}"


def verdict(facts: Facts) -> Verdict:
    """State whether the tree is proved minimum, with both bounds."""
    run, outcome = facts.run, facts.run.outcome
    trees = f"decision tree over the {quantity(facts.n_candidate_splits, 'candidate split')}"
    if run.parameters.get("binarize") == "guessed":
        trees += ", whose cuts of numeric columns were guessed from boosted trees if there were more than 100,"
    constraints = _describe_constraints(run)
    condition = f"satisfies the constraints ({constraints}) and " if constraints else ""
    condition += f"correctly classifies {describe_training_rows(facts)}"
    if outcome.is_minimum:
        text = (
            f"No smaller tree exists: every {trees} that {condition} has at least {quantity(run.tree.n_nodes, 'node')}."
        )
        if outcome.minimised == "nodes-then-cost":
            text += f" Among the trees of this size, none has a lower cost than {outcome.cost}."
        return Verdict(True, "Proved minimum", text)
    return Verdict(
        False,
        "Minimum not proved",
        f"The smallest {trees} that {condition} has between {outcome.lower_bound} and {outcome.upper_bound} nodes; "
        f"this tree has {run.tree.n_nodes}. The run ended before the proof was complete: "
        f"{STOP_REASONS[outcome.status]}.",
    )


def describe_training_rows(facts: Facts) -> str:
    """Name the rows that the tree classifies correctly."""
    n_kept, n_left_out = facts.n_training - facts.n_left_out, facts.n_left_out
    if not n_left_out:
        return f"all {quantity(n_kept, 'training row')}"
    excluded = quantity(n_left_out, "contradictory row")
    return f"all {quantity(n_kept, 'training row')} that were kept ({excluded} excluded)"


def _describe_constraints(run: Run) -> str:
    """Name the constraints on the tree, since the proof covers only trees that satisfy them."""
    depth, leaves, rows = (run.parameters.get(name) for name in ("max_depth", "max_leaf_nodes", "min_samples_leaf"))
    root, forbidden = run.parameters.get("root"), run.parameters.get("forbidden")
    constraints = [
        f"depth at most {depth}" if depth is not None else "",
        f"at most {leaves} {'leaf' if leaves == 1 else 'leaves'}" if leaves is not None else "",
        f"at least {rows} training rows in every leaf" if rows not in (None, 1) else "",
        f"root splits on column {root}" if root is not None else "",
        f"no split on column{'s' * (len(forbidden) > 1)} {', '.join(map(str, forbidden))}" if forbidden else "",
    ]
    return "; ".join(filter(None, constraints))


def describe_tree_count(facts: Facts) -> str:
    """State how many minimum trees there are."""
    if not facts.run.outcome.is_minimum:
        return "The number of minimum trees is unknown: the minimum is not proved."
    n_trees = facts.trees.n_trees
    size = "this size and cost" if facts.run.outcome.minimised == "nodes-then-cost" else "this size"
    scope = "over the same candidate splits"
    if _describe_constraints(facts.run):
        scope += " and under the same constraints"
    if n_trees is None:
        return f"It is unknown how many trees of {size}, {scope}, correctly classify the same rows."
    if n_trees == 1:
        return f"It is the only tree of {size}, {scope}, that correctly classifies the same rows."
    return f"There are {format_count(n_trees)} trees of {size}, {scope}, that correctly classify the same rows."


def describe_selection(facts: Facts) -> str:
    """State how the tree was selected, and from how many."""
    selection = facts.run.selection
    n_candidates, rule = selection["n_candidates"], str(selection["rule"])
    if n_candidates < 2 and not selection.get("is_exact", True):
        return "No selection took place: no other tree of this size was found within the limits on time and memory."
    if selection["score"] is None and not selection.get("is_exact", True):
        return (
            f"No selection took place among {format_count(n_candidates)} trees of this size: time or memory did not "
            "suffice to compare them."
        )
    if n_candidates < 2:
        return "Only one tree was found, so there was nothing to select from."
    description = RULE_DESCRIPTIONS.get(rule, "a custom rule")
    text = f"This tree was selected from {format_count(n_candidates)} trees by the rule “{rule}”: {description}."
    if selection["score"] is not None:
        is_holdout = rule.startswith("holdout")
        text += f" The best score was {selection['score']:.1%} "
        text += "accuracy on the held-out rows" if is_holdout else "agreement"
        n_best = selection.get("n_best")
        if isinstance(n_best, int):
            text += f"; {quantity(n_best, 'tree')} {'came within the tolerance' if is_holdout else 'attained it'}"
        text += "."
    if n_unproved := selection.get("n_unproved"):  # None if unknown
        text += f" The diversity of {quantity(n_unproved, 'tree')} is not proved: others may be farther from the rest."
    if not selection.get("is_exact", True):
        text += " Only a sample of the trees was compared: time or memory did not suffice for all of them."
    return text


def describe_proof(facts: Facts) -> str:
    """State whether others can check the claim."""
    if facts.proof is None:
        return "Not certified yet: run “puretree certify” to produce a proof that others can check."
    missing = "; ".join(f"{name} ({reason})" for name, reason in facts.proof.not_made.items())
    status = f"Certified in part. Missing: {missing}." if missing else "Certified."
    if not facts.proof.has_bound:
        status = (
            "Certified in part: that the tree correctly classifies the training rows, but not that it is minimum. "
            f"Missing: {missing}."
        )
    return (
        f"{status} The seal of the proof (the hash over the hashes of its files) is {facts.proof.seal}. This report "
        "does not check the proof; “puretree verify” does."
    )
