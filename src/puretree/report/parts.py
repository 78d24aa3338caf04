"""What the figures of each part mean, and what they do not."""

from __future__ import annotations

from .claims import n_of
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
