"""The dossier: everything that is known of a run, for whoever has to check it."""

from __future__ import annotations

from . import claims, tables
from .card import closing, proof_status
from .content import Block, Document, Drawing, Items, Paragraph, Section
from .facts import Facts
from .limits import limits, remark

CONFLICT_RULES = {
    "majority": ": the most frequent label of a group counts, and of equally frequent ones the first in their order",
    "drop": ": none of them counts",
}


def dossier(facts: Facts) -> Document:
    """Write the dossier of a run."""
    run = facts.run
    sections = (
        Section("The tree", _tree(facts)),
        Section("Data", _data(facts)),
        Section("Questions", _questions(facts)),
        Section("Parameters", (tables.parameters(facts),)),
        Section("Bounds", _bounds(facts)),
        Section("All smallest trees", _all_trees(facts)),
        Section("How the tree was chosen", (Paragraph(claims.how_chosen(facts)),)),
        Section("How often it is right", _metrics(facts)),
        Section("Proof", _proof(facts)),
        Section("Versions and hashes", (tables.versions(facts), tables.hashes(facts))),
        Section("Limits of the claim", (Items(limits(facts)),)),
    )
    title = f"Dossier: {run.data.target} ({facts.source})"
    return Document(title, (claims.verdict(facts),), sections, closing(facts, "The card beside it is a summary."), True)


def _tree(facts: Facts) -> tuple[Block, ...]:
    caption = "Each leaf tells its answer and how many training rows reach it."
    return (
        Paragraph(f"{claims.size_of(facts.run)}. It is right on {claims.training_rows(facts)}."),
        Drawing(facts.tree, caption),
        tables.rules(facts),
    )


def _data(facts: Facts) -> tuple[Block, ...]:
    conflicts = tables.conflicts(facts)
    if conflicts is None:
        return tables.data(facts), Paragraph("No training rows contradict each other; none was left out.")
    how = str(facts.run.parameters.get("on_conflict"))
    told = (
        f"{claims.n_of(facts.n_left_out, 'training row')} left out: equal to others in every question that may be "
        f"asked, with another label. The run was told to treat them by “{how}”{CONFLICT_RULES.get(how, '')}."
    )
    return tables.data(facts), Paragraph(told), conflicts


def _questions(facts: Facts) -> tuple[Block, ...]:
    how = str(facts.run.parameters.get("binarize", "thresholds"))
    n_questions, problem = len(facts.prepared.policy.allowed), facts.prepared.problem
    return (
        Paragraph(f"Made by “{how}”. {claims.BINARISERS.get(how, '')}".rstrip()),
        Paragraph(
            f"{claims.n_of(n_questions, 'question')} may be asked, of which {problem.n_features:,} tell the training "
            f"rows apart in different ways; with these, the rows are {claims.n_of(problem.n_examples, 'example')}."
        ),
        tables.columns(facts),
    )


def _bounds(facts: Facts) -> tuple[Block, ...]:
    outcome = facts.run.outcome
    bounds = f"At least {outcome.lower_bound} nodes, at most {outcome.upper_bound}"
    return Paragraph(f"{bounds}; the run ended with status {outcome.status}."), tables.history(facts)


def _all_trees(facts: Facts) -> tuple[Block, ...]:
    told = Paragraph(claims.how_many(facts))
    if facts.trees.why_not:
        return told, Paragraph(f"{facts.trees.why_not} Which questions they ask is therefore not told.")
    return told, Paragraph("Questions that are not listed are asked by none of them."), tables.usage(facts)


def _metrics(facts: Facts) -> tuple[Block, ...]:
    blocks: list[Block] = [tables.accuracies(facts)]
    for part in facts.parts:
        blocks += [Paragraph(remark(part)), tables.by_class(part), tables.confusion(part)]
    return tuple(blocks)


def _proof(facts: Facts) -> tuple[Block, ...]:
    told = Paragraph(proof_status(facts))
    if facts.proof is None:
        return (told,)
    return told, tables.proof_making(facts), tables.proof_files(facts)
