"""The model card: one or two pages for the person who decides whether the tree may be used."""

from __future__ import annotations

from .._support.text import quantity
from ..tuning import FrontRecord
from . import claims, tables
from .caveats import describe_evaluation, limitations
from .content import Block, BulletList, Document, Drawing, FrontPicture, Paragraph, Placeholder, Section
from .facts import Facts

MAX_SPLITS = 5  # in the table of the splits that minimum trees use
MAX_SIZES = 15  # in the table of the front

DRAWING_CAPTION = "Each leaf shows the predicted class and the number of training rows that reach it."


def model_card(facts: Facts) -> Document:
    """Return the model card of a run."""
    target = facts.run.data.target
    return Document(
        title=f"Model card: {target} ({facts.source})",
        lead=(
            claims.verdict(facts),
            Paragraph(
                f"A decision tree that predicts {target} from {_count_used_columns(facts)}. It has "
                f"{claims.describe_size(facts.tree)}. {claims.describe_fit(facts)}"
            ),
        ),
        sections=(
            Section("The tree", (Drawing(facts.tree, DRAWING_CAPTION), BulletList(_format_rules(facts)))),
            Section("Intended use", _intended_use()),
            Section("Data", (tables.data(facts),)),
            *front_section(facts, MAX_SIZES),
            Section("Selection of the tree", _selection(facts)),
            Section("Accuracy", _accuracy(facts)),
            Section("Proof", (Paragraph(claims.describe_proof(facts)),)),
            Section("Limitations", (BulletList(limitations(facts)),)),
        ),
        footer=f"Written by puretree {facts.version} to support documentation. The dossier in the same folder lists "
        "all parameters, candidate splits, metrics and hashes.",
    )


def front_section(facts: Facts, max_sizes: int | None = None) -> tuple[Section, ...]:
    """Return the section about the size of a tree where errors are allowed; the table has some or all sizes."""
    if not facts.run.allows_errors:
        return ()
    text, front = Paragraph(claims.describe_size_choice(facts)), facts.run.front
    if front is None:
        return (Section("Size and errors", (text,)),)
    return (Section("Size and errors", (text, FrontPicture(front, _caption(front)), tables.front(front, max_sizes))),)


def _caption(front: FrontRecord) -> str:
    text = f"{tables.describe_front(front)}."
    if not front.scores:
        return text
    return (
        f"{text} The cross-validated values are for as many rows as the training rows; where the curves part, larger "
        "trees fit the noise."
    )


def _count_used_columns(facts: Facts) -> str:
    tree, n_columns = facts.tree, len(facts.run.data.columns)
    used = {tree.predicate(feature).column.name for feature in tree.features}
    return f"{len(used)} of {quantity(n_columns, 'column')}"


def _format_rules(facts: Facts) -> tuple[str, ...]:
    return tuple(map(str, facts.tree.rules()))


def _intended_use() -> tuple[Placeholder, ...]:
    return (
        Placeholder(
            "Which decisions is the tree intended for? Who makes them, and about whom? Which uses are out of scope?"
        ),
        Placeholder("Who oversees its use? Who may overrule it? Whom can the people affected contact?"),
    )


def _selection(facts: Facts) -> tuple[Block, ...]:
    text = Paragraph(f"{claims.describe_tree_count(facts)} {claims.describe_selection(facts)}")
    if facts.trees.unknown_reason:
        return text, Paragraph(tables.usage_unknown(facts))
    return text, tables.usage(facts, MAX_SPLITS)


def _accuracy(facts: Facts) -> tuple[Block, ...]:
    """Return the overall metrics of all sets, and those by class of the sets that were not used for training."""
    by_class = [tables.by_class(evaluation) for evaluation in facts.evaluations if evaluation.name != "training"]
    notes = [describe_evaluation(of, allows_errors=facts.run.allows_errors) for of in facts.evaluations]
    return tables.accuracies(facts), BulletList(tuple(notes)), *by_class
