"""The model card: one or two pages for whoever has to decide whether the tree may be used."""

from __future__ import annotations

from . import claims, tables
from .content import Block, Document, Drawing, Items, Paragraph, Section, ToFill
from .facts import Facts
from .limits import limits, remark

MOST_QUESTIONS = 5


def card(facts: Facts) -> Document:
    """Write the card of a run."""
    run = facts.run
    return Document(
        title=f"Model card: {run.data.target} ({facts.source})",
        lead=(
            claims.verdict(facts),
            Paragraph(
                f"A decision tree that predicts {run.data.target} from {_columns(facts)}. It has "
                f"{claims.size_of(run)}. It is right on {claims.training_rows(facts)}."
            ),
        ),
        sections=(
            Section("The tree", (_drawing(facts), Items(tuple(map(str, facts.tree.rules()))))),
            Section("Intended use", _intended_use()),
            Section("Data", (tables.data(facts),)),
            Section("How it was chosen", _choice(facts)),
            Section("How often it is right", _metrics(facts)),
            Section("Proof", (Paragraph(proof_status(facts)),)),
            Section("Limits of the claim", (Items(limits(facts)),)),
        ),
        closing=closing(facts, "The dossier beside it has every parameter, question, figure and hash."),
    )


def _columns(facts: Facts) -> str:
    tree, n_columns = facts.run.tree, len(facts.run.data.columns)
    used = {tree.predicate(feature).column.name for feature in tree.features}
    return f"{len(used)} of {claims.n_of(n_columns, 'column')}"


def _drawing(facts: Facts) -> Drawing:
    return Drawing(facts.tree, "Each leaf tells its answer and how many training rows reach it.")


def _intended_use() -> tuple[ToFill, ...]:
    return (
        ToFill("For which decisions is the tree meant, by whom, about whom? Which uses are out of scope?"),
        ToFill("Who oversees its use, who may overrule it, and whom can those concerned ask?"),
    )


def _choice(facts: Facts) -> tuple[Block, ...]:
    told = Paragraph(f"{claims.how_many(facts)} {claims.how_chosen(facts)}")
    if facts.trees.why_not:
        return told, Paragraph(f"{facts.trees.why_not} Which questions they ask is therefore not told.")
    return told, tables.usage(facts, MOST_QUESTIONS)


def _metrics(facts: Facts) -> tuple[Block, ...]:
    """Tell the parts in sum, and those that did not train by class."""
    others = [tables.by_class(part) for part in facts.parts if part.name != "training"]
    return tables.accuracies(facts), Items(tuple(map(remark, facts.parts))), *others


def proof_status(facts: Facts) -> str:
    """Tell whether others can check the claim."""
    if facts.proof is None:
        return "Not certified yet: run “puretree certify” to make a proof that others can check."
    lacking = "; ".join(f"{name} ({why})" for name, why in facts.proof.not_made.items())
    title = f"Certified in part, without: {lacking}." if lacking else "Certified."
    if not facts.proof.has_bound:
        title = f"Only that the tree is right is certified, not that it is smallest: {lacking}."
    return f"{title} The seal of the proof is {facts.proof.seal}. Not checked here: “puretree verify” does that."


def closing(facts: Facts, more: str) -> str:
    """Return the last line."""
    return f"Written by puretree {facts.version}. Supports documentation. {more}"
