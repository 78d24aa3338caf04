"""The claims about a tree, as sentences that can be quoted: which trees and rows they cover, and what is proved."""

from __future__ import annotations

from .._support.text import format_count, quantity
from ..outcome import number
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
    "were guessed from boosted trees, fitted to the training rows. With other midpoints, a smaller tree, or one with "
    "fewer errors, may exist.",
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
    if run.allows_errors:
        return _verdict_with_errors(facts, trees, condition)
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


def _verdict_with_errors(facts: Facts, trees: str, condition: str) -> Verdict:
    """State whether it is proved that no tree of this size has fewer errors."""
    outcome, n_nodes = facts.run.outcome, quantity(facts.run.tree.n_nodes, "node")
    rows = quantity(facts.n_training, "training row")
    counts_errors = outcome.minimised == "errors"
    lower, upper = number(outcome.lower_bound), number(outcome.upper_bound or 0)
    if outcome.status == "optimal" and counts_errors and not outcome.n_errors:
        text = f"Every {trees} that {condition}has fewer than {n_nodes} misclassifies at least one of the {rows}."
        return Verdict(True, "Proved optimal for its size", text)
    if outcome.status == "optimal":
        less = (
            f"misclassifies fewer than {upper} of the {rows}"
            if counts_errors
            else f"costs less than {upper} on the {rows}, whose errors have weights"
        )
        text = f"No {trees} that {condition}has at most {n_nodes} {less}; every smaller one "
        text += "misclassifies more." if counts_errors else "costs more."
        return Verdict(True, "Proved optimal for its size", text)
    least = "The least number of misclassified training rows" if counts_errors else "The least cost"
    text = f"{least} of a {trees} that {condition}has at most {n_nodes} lies between {lower} and {upper}; this tree "
    text += f"misclassifies {upper}" if counts_errors else f"costs {upper}"
    text += f". The run ended before the proof was complete: {STOP_REASONS[outcome.status]}."
    return Verdict(False, "Optimality not proved", text)


def describe_fit(facts: Facts) -> str:
    """State how many training rows the tree classifies correctly."""
    if not facts.run.allows_errors:
        return f"It correctly classifies {describe_training_rows(facts)}."
    n_rows, n_wrong = facts.n_training, facts.run.outcome.n_errors
    return (
        f"It misclassifies {n_wrong:,} of the {quantity(n_rows, 'training row')} and correctly classifies the others "
        f"({1 - n_wrong / n_rows:.1%})."
    )


def describe_size_choice(facts: Facts) -> str:
    """State how the number of nodes was chosen where errors are allowed."""
    parameters, front = facts.run.parameters, facts.run.front
    alpha, max_errors = parameters.get("alpha"), parameters.get("max_errors")
    if max_errors is not None:
        return f"The smallest tree with at most {quantity(max_errors, 'training error')} was asked for."
    if alpha == 0:
        return "The best tree for the training rows within the constraints was asked for, the smallest of several."
    if alpha != "cv":
        return (
            f"The size follows from a price of {alpha:g} for each leaf: the tree minimises the fraction of training "
            "errors (their cost by weight) plus the price of its leaves."
        )
    score = None if front is None else front.chosen_score
    if front is None or score is None:
        return (
            "The size was to be chosen by cross-validation, but a limit was reached before it. Each leaf of the tree "
            "saves at least two training rows instead."
        )
    measure = "accuracy" if front.scores_accuracy else "cost per row"
    mean = f"{score.mean:.1%} ± {score.std:.1%}" if front.scores_accuracy else f"{-score.mean:.4g} ± {score.std:.4g}"
    one_se = "the smallest whose mean is within one standard error of the best mean"
    chosen = one_se if parameters.get("rule") == "one-se" else "the one with the best mean"
    trees = "the trees with the fewest errors" if front.counts_errors else "the trees of the lowest cost"
    text = (
        f"The size was chosen by cross-validation with {quantity(front.n_folds, 'fold')}: for each fold, {trees} were "
        f"found again on the other rows, and scored on its own. Of all sizes, {chosen} was chosen. The mean {measure} "
        f"of this size is {mean} (standard deviation over the folds). Since the size was chosen by these scores, they "
        "are probably better than on new rows."
    )
    return text if front.is_validated else f"{text} A limit was reached in some fold, so another size may be better."


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
    """State how many minimum trees there are, or where errors are allowed, trees of this size and cost."""
    has_errors = facts.run.allows_errors
    if has_errors and facts.run.outcome.status != "optimal":
        return "The number of trees that are as good is unknown: the least number of errors is not proved."
    if not (has_errors or facts.run.outcome.is_minimum):
        return "The number of minimum trees is unknown: the minimum is not proved."
    n_trees = facts.trees.n_trees
    size = "this size and cost" if facts.run.outcome.minimised == "nodes-then-cost" else "this size"
    scope = "over the same candidate splits"
    if _describe_constraints(facts.run):
        scope += " and under the same constraints"
    verb, rest = ("correctly classify", "correctly classifies"), "the same rows"
    if has_errors:
        is_count = facts.run.outcome.minimised == "errors"
        verb, rest = (("make", "makes"), "as few errors") if is_count else (("cost", "costs"), "as little")
    if n_trees is None:
        return f"It is unknown how many trees of {size}, {scope}, {verb[0]} {rest}."
    if n_trees == 1:
        return f"It is the only tree of {size}, {scope}, that {verb[1]} {rest}."
    return f"There are {format_count(n_trees)} trees of {size}, {scope}, that {verb[0]} {rest}."


def describe_selection(facts: Facts) -> str:
    """State how the tree was selected, and from how many."""
    selection = facts.run.selection
    n_candidates, rule = selection["n_candidates"], str(selection["rule"])
    if rule == "adopted":
        note = " ".join(str(selection.get("note", "")).split())
        return "This tree was chosen by hand among trees of its size." + (f" The note on it: “{note}”." if note else "")
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
    if facts.run.allows_errors:
        return (
            "Not certified: certificates are about minimum trees without errors. The bounds are puretree’s own "
            "statement; “puretree fit” with the same parameters repeats the search, and minimum_tree with engine "
            "“maxsat” answers the same question for a small table in another way."
        )
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
