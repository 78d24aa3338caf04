"""The dossier: everything that is known about a run, for the person who has to check it."""

from __future__ import annotations

from .._support.text import quantity
from . import claims, tables
from .card import DRAWING_CAPTION
from .caveats import describe_evaluation, limitations
from .content import Block, BulletList, Document, Drawing, Paragraph, Section
from .facts import Facts

CONFLICT_RULES = {
    "warn": "of each group of contradictory rows, those with the most frequent label are kept; if labels are equally "
    "frequent, the first in sorted order",
    "majority": "of each group of contradictory rows, those with the most frequent label are kept; if labels are "
    "equally frequent, the first in sorted order",
    "drop": "all contradictory rows are excluded",
}


def dossier(facts: Facts) -> Document:
    """Return the dossier of a run."""
    sections = (
        Section("The tree", _tree(facts)),
        Section("Data", _data(facts)),
        Section("Candidate splits", _candidate_splits(facts)),
        Section("Parameters", (tables.parameters(facts),)),
        Section("Bounds", _bounds(facts)),
        Section("All minimum trees", _minimum_trees(facts)),
        Section("Selection of the tree", (Paragraph(claims.describe_selection(facts)),)),
        Section("Accuracy", _accuracy(facts)),
        Section("Proof", _proof(facts)),
        Section("Versions and hashes", (tables.versions(facts), tables.hashes(facts))),
        Section("Limitations", (BulletList(limitations(facts)),)),
    )
    return Document(
        title=f"Dossier: {facts.run.data.target} ({facts.source})",
        lead=(claims.verdict(facts),),
        sections=sections,
        footer=f"Written by puretree {facts.version} to support documentation. The model card in the same folder is a "
        "summary.",
        has_contents=True,
    )


def _tree(facts: Facts) -> tuple[Block, ...]:
    return (
        Paragraph(
            f"The tree has {claims.describe_size(facts.tree)}. It correctly classifies "
            f"{claims.describe_training_rows(facts)}."
        ),
        Drawing(facts.tree, DRAWING_CAPTION),
        tables.rules(facts),
    )


def _data(facts: Facts) -> tuple[Block, ...]:
    conflicts = tables.conflicts(facts)
    if conflicts is None:
        return tables.data(facts), Paragraph("There are no contradictory training rows; none was excluded.")
    option = str(facts.run.parameters.get("on_conflict"))
    rule = f": {CONFLICT_RULES[option]}" if option in CONFLICT_RULES else ""
    text = (
        "Contradictory rows agree on every candidate split but have different labels. The option "
        f"on_conflict=“{option}” excluded {quantity(facts.n_left_out, 'training row')}{rule}."
    )
    return tables.data(facts), Paragraph(text), conflicts


def _candidate_splits(facts: Facts) -> tuple[Block, ...]:
    binariser = str(facts.run.parameters.get("binarize", "thresholds"))
    problem = facts.prepared.problem
    return (
        Paragraph(f"Binariser: “{binariser}”. {claims.BINARISER_DESCRIPTIONS.get(binariser, '')}".rstrip()),
        Paragraph(
            f"The tree may use {quantity(facts.n_candidate_splits, 'candidate split')}; "
            f"{problem.n_features:,} of them divide the training rows in different ways. Rows that agree on all of "
            f"them count as one example, which makes {quantity(problem.n_examples, 'example')}."
        ),
        tables.columns(facts),
    )


def _bounds(facts: Facts) -> tuple[Block, ...]:
    outcome = facts.run.outcome
    assert outcome.upper_bound is not None  # every run has a tree
    lower, upper = (quantity(int(bound), "node") for bound in (outcome.lower_bound, outcome.upper_bound))
    bounds = f"Lower bound: {lower}. Upper bound: {upper}."
    return Paragraph(f"{bounds} Status of the run: {outcome.status}."), tables.history(facts)


def _minimum_trees(facts: Facts) -> tuple[Block, ...]:
    text = Paragraph(claims.describe_tree_count(facts))
    if facts.trees.unknown_reason:
        return text, Paragraph(tables.usage_unknown(facts))
    return text, Paragraph("No minimum tree uses any candidate split that is not listed here."), tables.usage(facts)


def _accuracy(facts: Facts) -> tuple[Block, ...]:
    blocks: list[Block] = [tables.accuracies(facts)]
    for evaluation in facts.evaluations:
        blocks += [
            Paragraph(describe_evaluation(evaluation)),
            tables.by_class(evaluation),
            tables.confusion(evaluation),
        ]
    return tuple(blocks)


def _proof(facts: Facts) -> tuple[Block, ...]:
    text = Paragraph(claims.describe_proof(facts))
    if facts.proof is None:
        return (text,)
    return text, tables.proof_components(facts), tables.proof_files(facts)
