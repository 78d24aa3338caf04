"""What the figures of each part mean, and what they do not."""

from __future__ import annotations

from .claims import n_of, verdict
from .facts import Facts
from .metrics import Part


def remark(part: Part) -> str:
    """Tell how to read the figures of a part."""
    wrong = part.metrics.n_rows - part.metrics.n_right
    if part.name == "training":
        rest = f" It is wrong on {n_of(wrong, 'row')} that others contradict." if wrong else ""
        return f"Training part: the tree is right by construction. The figures say nothing of new rows.{rest}"
    if part.name == "selection":
        text = (
            "Selection part: these rows did not train, but the tree was chosen by them among the smallest, so the "
            "figures are likely to be better than on new rows."
        )
    elif part.is_training_file:
        text = f"Test part ({part.source}): this is the file that the tree was trained on, and so no test."
    else:
        text = (
            f"Test part ({part.source}): the figures hold for new rows as far as these rows are like them and took no "
            "part in training or choice, which puretree cannot know."
        )
    return text + _unknown(part) + _unfamiliar(part)


def _unknown(part: Part) -> str:
    n_rows = part.metrics.n_unknown
    return f" Rows with a label that the tree cannot give, and so wrong: {n_rows:,}." if n_rows else ""


def _unfamiliar(part: Part) -> str:
    if not part.n_unfamiliar:
        return ""
    return f" Rows with a level or a gap that training did not have: {part.n_unfamiliar:,}."


# What is not claimed: as specific as the claim itself, or it would be read as more than it is.

SUPPORTS = (
    "This document supports documentation. It is not a statement of compliance with any law or standard, and no "
    "assessment of the use that is made of the tree."
)

UNSEEN = (
    "A level that training did not have, and a missing value in a column without gaps in training, answer no to every "
    "question; numbers beyond those of training are answered like the nearest ones. Such rows get an answer that no "
    "training row stands for."
)


def limits(facts: Facts) -> tuple[str, ...]:
    """Return the limits of the claim, those of this run among them."""
    n_questions = len(facts.prepared.policy.allowed)
    told = [
        f"Smallest means: among decision trees of the {n_of(n_questions, 'question')} that were asked of the data. "
        "Other questions, such as those about two columns at once or with finer bins, may allow a smaller tree.",
        "The claim is about the training rows only. That the tree is right on them says nothing of new rows: how often "
        "it is right there is told by rows that took no part, if at all.",
        "Small is not accurate. A smallest tree is easy to read and to check; a larger one may be right more often.",
        "The tree follows the data: errors, gaps and unfairness in the training rows are in the tree as well, and no "
        "column was judged for whether it should be used.",
        UNSEEN,
    ]
    if not facts.run.outcome.is_minimum:
        told.insert(0, f"{verdict(facts).title}: a smaller tree may exist.")
    if facts.n_left_out:
        told.append(
            f"Left out: {n_of(facts.n_left_out, 'training row')} that others contradict: equal in every question, with "
            "another label. The tree may be wrong there."
        )
    return (*told, _trust(facts), SUPPORTS)


def _trust(facts: Facts) -> str:
    if facts.proof is None or not facts.proof.has_bound:
        return (
            "What has to be trusted: puretree itself. The bounds are its own word until a proof of them is made "
            "(puretree certify); then others can check them without trusting its search."
        )
    encoder = (
        "that the formula says \u201ca smaller tree is right on every example\u201d (the encoder; the log of the bound "
        "does not need it), and "
    )
    return (
        f"What has to be trusted: {encoder if 'refutation' in facts.proof.made else ''}the checkers with the Python "
        "that runs them. The search and the SAT solver need not be trusted. Nor need the way the data were read: a "
        "checker answers all questions anew from the table."
    )
