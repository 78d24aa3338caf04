"""Reports of trees with errors say what is proved, and how the size was chosen."""

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.reporting import Page, fit_with_errors
from markdown_it import MarkdownIt

from puretree import UnfinishedWarning
from puretree.errors import FormatError
from puretree.report import Facts, collect_facts, write_documents
from puretree.report.claims import describe_proof, describe_size_choice, describe_tree_count, verdict

IRIS = "sklearn:iris"
HOSTILE = "<script>alert(1)</script>"


def facts_of(source: Path | str = IRIS, target: str | None = None, **parameters: object) -> Facts:
    """Collect the facts of a fit."""
    return collect_facts(*fit_with_errors(source, target, **parameters))


def test_the_claim_is_about_the_size_and_never_about_purity() -> None:
    """The verdict, the size, the number of trees and the scores of every size are stated."""
    facts = facts_of()
    claim = verdict(facts)
    assert (claim.is_proved, claim.title) == (True, "Proved optimal for its size")
    assert "at most 7 nodes misclassifies fewer than 3 of the 150 training rows" in claim.text
    assert "every smaller one misclassifies more" in claim.text
    assert "cross-validation with 5 folds" in describe_size_choice(facts)
    assert describe_tree_count(facts).startswith("There are 12 trees of this size")
    assert "Not certified" in describe_proof(facts)
    documents = {name: content.decode() for name, content in write_documents(facts).items()}
    for name, text in documents.items():
        plain = Page(text).text if name.endswith(".html") else text
        assert "pure tree" not in plain.replace("puretree", "")
        assert "inimum tree" not in plain.replace("certificates are about minimum trees without errors", "")
        assert "It misclassifies 3 of the 150 training rows" in plain


def test_the_front_is_a_picture_and_a_table() -> None:
    """HTML has both, Markdown the table; its numbers are those of the front and of the cross-validation."""
    facts = facts_of()
    assert facts.run.front is not None
    documents = {name: content.decode() for name, content in write_documents(facts).items()}
    for name in ("card", "dossier"):
        page = Page(documents[f"{name}.html"])
        assert "circle" in page.tags
        table = next(rows for caption, rows in page.tables.items() if caption.startswith("The fewest training errors"))
        assert len(table) == 1 + len(facts.run.front.points)
        assert table[4] == ["7", "3", "proved", "94.0% ± 3.9%", "5 of 5", "chosen"]
        assert "| 7 | 3 | proved | 94.0% ± 3.9% | 5 of 5 | chosen |" in documents[f"{name}.md"]
        assert "<table>" in MarkdownIt("commonmark").enable("table").render(documents[f"{name}.md"])


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"max_errors": 3}, "The smallest tree with at most 3 training errors was asked for."),
        ({"alpha": 0.02}, "a price of 0.02 for each leaf"),
        ({"alpha": 0.0, "max_leaf_nodes": 3}, "The best tree for the training rows within the constraints"),
        ({"rule": "one-se"}, "the smallest whose mean is within one standard error of the best mean"),
        ({"class_weight": {"setosa": 2.0}}, "The mean cost per row"),
    ],
)
def test_every_choice_of_the_size_is_described(parameters: dict[str, object], text: str) -> None:
    """Prices, limits and rules are named; the documents can be written for all of them."""
    facts = facts_of(**parameters)
    assert text in describe_size_choice(facts)
    assert write_documents(facts) == write_documents(facts)


def test_a_tree_without_errors_is_described() -> None:
    """Then every smaller tree makes one."""
    facts = facts_of(max_errors=0)
    assert "Every decision tree" in verdict(facts).text
    assert "misclassifies at least one of the 150 training rows" in verdict(facts).text


def test_what_is_not_proved_is_said() -> None:
    """The bounds are named, and the trees of the point are not counted."""
    with pytest.warns(UnfinishedWarning):
        facts = facts_of("sklearn:breast-cancer", alpha=0.0, max_leaf_nodes=15, time_limit=0.5)
    claim = verdict(facts)
    assert (claim.is_proved, claim.title) == (False, "Optimality not proved")
    assert "lies between" in claim.text
    assert "is unknown" in describe_tree_count(facts)
    assert "a tree of this size with fewer errors may exist" in write_documents(facts)["card.md"].decode()


def test_other_data_or_another_tree_are_rejected() -> None:
    """The number of errors is counted again."""
    run, dataset = fit_with_errors(IRIS, None)
    with pytest.raises(FormatError, match="misclassifies 3 training rows"):
        collect_facts(replace(run, outcome=replace(run.outcome, n_errors=2)), dataset)


def test_names_are_escaped(tmp_path: Path) -> None:
    """Columns and classes with markup are text in all documents."""
    table = tmp_path / "table.csv"
    rows = [f"{number},{number % 3},{HOSTILE if number > 11 or number == 3 else 'b'}\n" for number in range(24)]
    table.write_text(f"<b>x</b>,<i>z</i>,{HOSTILE}\n" + "".join(rows))
    facts = facts_of(table, HOSTILE)
    for name, content in write_documents(facts).items():
        page = content.decode() if name.endswith(".html") else MarkdownIt("commonmark").render(content.decode())
        assert {"script", "b", "i"}.isdisjoint(Page(page).tags)
