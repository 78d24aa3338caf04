"""The dossier: everything that is known about a run, for the person who has to check it."""

from __future__ import annotations

from .._support.text import quantity
from ..outcome import number
from . import claims, tables
from .card import DRAWING_CAPTION, front_section
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
    has_errors = facts.run.allows_errors
    sections = (
        Section("The tree", _tree(facts)),
        Section("Data", _data(facts)),
        Section("Candidate splits", _candidate_splits(facts)),
        Section("Parameters", (tables.parameters(facts),)),
        Section("Bounds", _bounds(facts)),
        *front_section(facts),
        Section("All trees of this size and cost" if has_errors else "All minimum trees", _minimum_trees(facts)),
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
        Paragraph(f"The tree has {claims.describe_size(facts.tree)}. {claims.describe_fit(facts)}"),
        Drawing(facts.tree, DRAWING_CAPTION),
        tables.rules(facts),
    )


def _data(facts: Facts) -> tuple[Block, ...]:
    if facts.run.allows_errors:
        return tables.data(facts), Paragraph("Contradictory rows need no rule: what a tree cannot separate are errors.")
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
    if facts.run.allows_errors:
        unit = "number of errors" if outcome.minimised == "errors" else "cost"
        text = (
            f"The least {unit} of a tree of this size: at least {number(outcome.lower_bound)}, at most "
            f"{number(outcome.upper_bound)}. Status of the run: {outcome.status}."
        )
        return (Paragraph(text),)
    lower, upper = (quantity(int(bound), "node") for bound in (outcome.lower_bound, outcome.upper_bound))
    bounds = f"Lower bound: {lower}. Upper bound: {upper}."
    return Paragraph(f"{bounds} Status of the run: {outcome.status}."), tables.history(facts)


def _minimum_trees(facts: Facts) -> tuple[Block, ...]:
    text = Paragraph(claims.describe_tree_count(facts))
    if facts.trees.unknown_reason:
        return text, Paragraph(tables.usage_unknown(facts))
    none = "None of these trees" if facts.run.allows_errors else "No minimum tree"
    return text, Paragraph(f"{none} uses any candidate split that is not listed here."), tables.usage(facts)


def _accuracy(facts: Facts) -> tuple[Block, ...]:
    blocks: list[Block] = [tables.accuracies(facts)]
    for evaluation in facts.evaluations:
        blocks += [
            Paragraph(describe_evaluation(evaluation, allows_errors=facts.run.allows_errors)),
            tables.by_class(evaluation),
            tables.confusion(evaluation),
        ]
    return tuple(blocks)


def _proof(facts: Facts) -> tuple[Block, ...]:
    text = Paragraph(claims.describe_proof(facts))
    if facts.proof is None:
        return (text,)
    return text, tables.proof_components(facts), tables.proof_files(facts)
