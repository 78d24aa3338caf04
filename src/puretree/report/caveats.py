"""The caveats of a report: how to read the metrics, and what is not claimed.

They are as specific as the claim itself; vaguer ones would let readers take the claim for more than it is.
"""

from __future__ import annotations

from .._support.text import quantity
from .claims import verdict
from .facts import Facts
from .metrics import Evaluation

DOCUMENTATION_ONLY = (
    "This document supports documentation. It is neither a statement of compliance with any law or standard nor an "
    "assessment of how the tree is used."
)

UNSEEN_VALUES = (
    "Unseen values: a level of a categorical column that did not occur in training, and a missing value in a column "
    "that had none in training, take the “no” branch of every split on the column. A number outside the training range "
    "is treated like the nearest number within it. No training row supports the predictions for such rows."
)


def describe_evaluation(evaluation: Evaluation, *, allows_errors: bool = False) -> str:
    """State how to read the metrics of one set of rows."""
    n_wrong = evaluation.metrics.n_rows - evaluation.metrics.n_right
    if evaluation.name == "training" and allows_errors:
        return "Training set: the tree was found to make few errors on these rows. On new rows, it probably makes more."
    if evaluation.name == "training":
        exception = f", except {quantity(n_wrong, 'contradictory row')}" if n_wrong else ""
        return (
            f"Training set: by construction, the tree classifies every row correctly{exception}. The metrics say "
            "nothing about new rows."
        )
    if evaluation.name == "selection":
        text = (
            "Selection set: these rows were not used for training, but they were used to select the tree among the "
            "minimum trees, so the metrics are probably better than on new rows."
        )
    elif evaluation.is_training_file:
        text = f"Test set ({evaluation.source}): this is the file that the tree was trained on, so it is not a test."
    else:
        text = (
            f"Test set ({evaluation.source}): the metrics apply to new rows as far as these rows resemble them and "
            "were used neither for training nor for selection. puretree cannot check either condition."
        )
    return text + _describe_unknown_labels(evaluation) + _describe_unseen_values(evaluation)


def _describe_unknown_labels(evaluation: Evaluation) -> str:
    n_rows = evaluation.metrics.n_unknown
    return f" Rows with a label that the tree cannot predict, counted as misclassified: {n_rows:,}." if n_rows else ""


def _describe_unseen_values(evaluation: Evaluation) -> str:
    if not evaluation.n_unfamiliar:
        return ""
    return (
        " Rows with a level or a missing value that did not occur in training, in a column that the tree uses: "
        f"{evaluation.n_unfamiliar:,}."
    )


def limitations(facts: Facts) -> tuple[str, ...]:
    """Return the limitations of the claim, including those specific to this run."""
    texts = [
        *(_claims_with_errors(facts) if facts.run.allows_errors else _claims_of_minimum(facts)),
        "The tree reflects its data: errors, missing values and unfair bias in the training rows carry over to the "
        "tree. puretree did not assess whether any column should be used.",
        UNSEEN_VALUES,
    ]
    if facts.n_left_out:
        texts.append(
            f"Excluded as contradictory: {quantity(facts.n_left_out, 'training row')}. Contradictory rows agree on "
            "every candidate split but have different labels. The tree may misclassify excluded rows."
        )
    return (*texts, _describe_trust(facts), DOCUMENTATION_ONLY)


def _claims_of_minimum(facts: Facts) -> list[str]:
    is_open = not facts.run.outcome.is_minimum
    return [
        *([f"{verdict(facts).title}: a smaller tree may exist."] if is_open else []),
        f"“Minimum” refers to decision trees over the {quantity(facts.n_candidate_splits, 'candidate split')} derived "
        "from the training rows, each a condition on a single column. Other splits, such as splits on two columns at "
        "once or with finer bins, may allow a smaller tree.",
        "The claim concerns the training rows only. Classifying them correctly says nothing about new rows; only rows "
        "that were used neither for training nor for selection can show how accurate the tree is on new rows.",
        "Small does not mean accurate: a minimum tree is easy to read and to check, but a larger one may be more "
        "accurate.",
    ]


def _claims_with_errors(facts: Facts) -> list[str]:
    is_open = facts.run.outcome.status != "optimal"
    return [
        *([f"{verdict(facts).title}: a tree of this size with fewer errors may exist."] if is_open else []),
        f"The proof covers decision trees over the {quantity(facts.n_candidate_splits, 'candidate split')} derived "
        "from the training rows, each a condition on a single column. With other splits, such as splits on two columns "
        "at once or with finer bins, a tree of this size may make fewer errors.",
        "The claim concerns errors on the training rows only. Few errors there say little about new rows; only rows "
        "that were used neither for training nor for choosing the size can show how accurate the tree is on new rows.",
        "Optimal for its size does not mean accurate: another tree of the same size, or of another size, may be more "
        "accurate on new rows.",
    ]


def _describe_trust(facts: Facts) -> str:
    if facts.run.allows_errors:
        return "What must be trusted: puretree itself. The bounds are its own statement, without a certificate."
    if facts.proof is None or not facts.proof.has_bound:
        return (
            "What must be trusted: puretree itself. The bounds are its own statement until “puretree certify” produces "
            "a proof of them; others can then check the bounds without trusting the search."
        )
    encoder = (
        "that the formula states “a smaller tree classifies every example correctly” (the encoder; the log of the "
        "bound does not depend on it), and "
    )
    return (
        f"What must be trusted: {encoder if 'refutation' in facts.proof.made else ''}the checkers and the Python "
        "interpreter that runs them. The search and the SAT solver need not be trusted. Nor need the code that reads "
        "the data: a checker evaluates every candidate split again from the table."
    )
