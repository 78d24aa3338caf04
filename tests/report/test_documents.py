"""The documents: true, complete, the same each time, and no name of the data is ever markup."""

import csv
import hashlib
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.reporting import Page, fit_run
from markdown_it import MarkdownIt

from puretree import InputError, Tree
from puretree.outcome import Bounds
from puretree.report import DOCUMENTS, Facts, ProofRecord, documents, gather, require_place, save_report
from puretree.report.claims import BINARISERS, ENDINGS, RULES
from puretree.report.content import Document, Drawing
from puretree.report.documents import is_untouched
from puretree.report.markdown import to_markdown
from puretree.report.tables import leaves_in_order
from puretree.selection import RULES as SELECTION_RULES

LOANS = """income,owns,risk
30,yes,high
20,yes,high
80,no,low
55,yes,low
10,no,low
90,yes,low
40,yes,high
40,yes,low
"""
HOSTILE = (
    "<script>alert(1)</script>",
    "a|b`c``` \n# x",
    "www.evil.example http://e.vil/?a=1&b=2 x@y.z",
    "odd\u202e\x00\x1b[31m",
    "--> ]]> <!-- [l](javascript:1) *b* _i_ ~s~",
)
HOSTILE_CLASSES = ("<svg/onload=alert(1)>", "no | `yes`\n\n# h")


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    """Gather what there is of a small table with a contradiction and a test."""
    table, test = tmp_path / "loans.csv", tmp_path / "test.csv"
    table.write_text(LOANS, encoding="utf-8")
    test.write_text("income,owns,risk\n30,yes,high\n100,yes,high\n1,no,low\n", encoding="utf-8")
    run, given = fit_run(table, "risk", on_conflict="majority")
    return gather(run, given.dataset, tests=[test], files={"model.json": "ab" * 32})


def pages(facts: Facts) -> tuple[Page, Page]:
    """Read the card and the dossier as a browser does."""
    written = documents(facts)
    return Page(written["card.html"].decode()), Page(written["dossier.html"].decode())


def test_the_claim_in_plain_words(facts: Facts) -> None:
    """Both documents say of which trees and rows it is; here eight rows, one of which is left out."""
    for page in pages(facts):
        assert (
            "Proved to be smallest. No tree of these questions with fewer than 5 nodes is right on all 7 training rows "
            "that count (1 more left out: others contradict them)." in page.text
        )
        assert "supports documentation" in page.text
        assert "Not certified yet: run “puretree certify”" in page.text


def test_the_word_compliant_is_never_said(facts: Facts) -> None:
    """What is kept here is a record, not a verdict on its use."""
    for content in documents(facts).values():
        assert b"compliant" not in content.lower()
        assert b"supports documentation" in content


def test_figures_by_class(facts: Facts) -> None:
    """The test part by hand: a high one and a low one are found, and one high one is taken for low."""
    _, page = pages(facts)
    assert page.tables["Test part (test.csv): by class"] == [
        ["class", "precision", "recall", "F1", "rows"],
        ["high", "1.000", "0.500", "0.667", "2"],
        ["low", "0.500", "1.000", "0.667", "1"],
    ]
    matrix = page.tables["Test part (test.csv): confusion matrix, a line for each true class"]
    assert matrix == [["is \\ said to be", "high", "low"], ["high", "1", "1"], ["low", "0", "1"]]
    assert page.tables["How often the tree is right"][1:] == [
        ["Training part", "8", "7", "87.5%", "90.0%"],  # all 3 low ones but one are found, which makes 4 of 5
        ["Test part (test.csv)", "3", "2", "66.7%", "75.0%"],
    ]


def test_rules_with_support_and_shares(facts: Facts) -> None:
    """The rows at each leaf are counted; shares count the row that was left out as well, as the run keeps them."""
    _, page = pages(facts)
    _, *rules = next(table for caption, table in page.tables.items() if caption.startswith("A rule for each leaf"))
    assert any("shares count the rows that were left out, too" in caption for caption in page.tables)
    assert sum(int(rule[3]) for rule in rules) == 7
    high = next(rule for rule in rules if rule[2] == "high")
    assert high[3:] == ["3", "high 75.0%, low 25.0%"]
    kept = facts.run.shares_at(np.array(leaves_in_order(facts.tree)))
    assert [rule[4] for rule in rules] == [
        ", ".join(f"{label} {share:.1%}" for label, share in zip(("high", "low"), leaf, strict=True) if share)
        for leaf in kept.tolist()
    ]


def test_contradictions_are_listed(facts: Facts) -> None:
    """Rows 6 and 7 are equal, and one of them is left out."""
    _, page = pages(facts)
    assert "1 training row left out" in page.text
    assert "of equally frequent ones the first in their order" in page.text
    assert page.tables["Rows that contradict each other, counted from 0 after the header"][1:] == [
        ["1", "2 rows", "row 6 (high), row 7 (low)", "high"]
    ]


def test_everything_that_was_asked_for_is_told(facts: Facts) -> None:
    """Parameters, versions, hashes, questions by column and the history are those of the run."""
    _, page = pages(facts)
    told = dict(row for row in page.tables["All parameters of the run"][1:])
    assert told == {name: "none" if value is None else str(value) for name, value in facts.run.parameters.items()}
    assert dict(page.tables["Versions that made the run"][1:]) == facts.run.certificate["versions"]
    hashes = dict(page.tables["SHA-256 of what the run holds"][1:])
    assert hashes["File model.json"] == "ab" * 32
    assert hashes["The questions"] == facts.run.certificate["questions"]
    columns = page.tables["The columns, and the questions that may be asked of them"][1:]
    assert [(row[0], row[1], row[2]) for row in columns] == [
        ("income", "number", "0"),
        ("owns", "category, 2 levels", "0"),
    ]
    assert [int(row[3]) for row in columns] == [6, 1]  # seven different incomes, and one question of two levels
    history = page.tables["Both bounds on the number of nodes, at each improvement"][1:]
    assert [(row[1], row[2]) for row in history] == [
        (str(at.lower), "–" if at.upper is None else str(at.upper)) for at in facts.run.outcome.history
    ]


def test_the_path_of_the_data_is_nobodys_business(facts: Facts, tmp_path: Path) -> None:
    """The name of the file is told, the folders of somebody's machine are not."""
    for content in documents(facts).values():
        assert b"loans.csv" in content
        assert str(tmp_path).encode() not in content


def test_not_proved_is_said_first(facts: Facts) -> None:
    """Both bounds, why it ended, and no word of smallest trees that nobody knows."""
    outcome = replace(facts.run.outcome, status="time_limit", lower_bound=3, history=(Bounds(0.5, 3, 5),))
    run = replace(facts.run, outcome=outcome, n_trees=None)
    dataset = fit_run(Path(facts.run.data.source), "risk", on_conflict="majority")[1].dataset
    for page in pages(gather(run, dataset)):
        assert "Not proved to be smallest. The smallest tree of these questions" in page.text
        assert (
            "has between 3 and 5 nodes; this one has 5. The run ended before the proof: the time was over." in page.text
        )
        assert "The minimum is not proved, so the smallest trees are not known." in page.text
        assert "Proved to be smallest" not in page.text


def test_wishes_are_part_of_the_claim(tmp_path: Path) -> None:
    """A proof about trees of some depth and columns is not one about all trees."""
    path = tmp_path / "loans.csv"
    path.write_text(LOANS, encoding="utf-8")
    run, given = fit_run(path, "risk", on_conflict="drop", max_depth=3, root="owns", forbidden=["income"], costs=None)
    card, dossier = pages(gather(run, given.dataset))
    assert (
        "(at most 3 questions for any row; the first question about the column owns; no question about the columns "
        "income)" in card.text
    )
    assert [row[3] for row in dossier.tables["The columns, and the questions that may be asked of them"][1:]] == [
        "0",
        "1",
    ]


def test_costs_are_part_of_the_claim(tmp_path: Path) -> None:
    """Only the cheapest of the smallest trees are counted, and that is said."""
    path = tmp_path / "loans.csv"
    path.write_text("a,b,class\n1,1,no\n2,2,yes\n", encoding="utf-8")
    run, given = fit_run(path, "class", costs={"a": 7, "b": 2})
    card, dossier = pages(gather(run, given.dataset))
    assert "Of the trees of this size, none costs less than 2." in card.text
    assert "It is the only tree of this size and cost that is right on the same rows." in card.text
    assert [row[0] for row in dossier.tables["Questions that smallest trees ask"][1:]] == ["b ≤ 1.5"]


def test_a_proof_is_told_by_its_seal(facts: Facts) -> None:
    """The hash of each file and how each part was made, and nothing about a lack of it."""
    proof = ProofRecord("cd" * 32, {"bound.log": "ef" * 32}, {"bound": "12 lines, 0.1 s"})
    card, dossier = pages(replace(facts, proof=proof))
    assert f"The seal of the proof is {'cd' * 32}" in card.text
    assert dossier.tables["SHA-256 of the proof"][1:] == [
        ["Seal of the proof", "cd" * 32],
        ["File bound.log", "ef" * 32],
    ]
    assert dossier.tables["How the proof was made"][1:] == [["bound", "12 lines, 0.1 s"]]
    assert "Not certified" not in card.text + dossier.text
    assert "The search and the SAT solver need not be trusted." in card.text


def test_half_a_proof_is_not_told_as_a_whole_one(facts: Facts) -> None:
    """What was not made is named with its reason, and without a proof of the bound puretree has to be trusted."""
    proof = ProofRecord("cd" * 32, {}, {"purity": "8 rows"}, {"bound": "no time", "refutation": "too large"})
    card, dossier = pages(replace(facts, proof=proof))
    told = "Only that the tree is right is certified, not that it is smallest: bound (no time); refutation (too large)."
    assert told in card.text
    half = ProofRecord("cd" * 32, {}, {"purity": "8 rows", "bound": "9 lines"}, {"refutation": "too large"})
    card, _ = pages(replace(facts, proof=half))
    assert "Certified in part, without: refutation (too large)." in card.text
    assert "What has to be trusted: the checkers with the Python that runs them." in card.text  # there is no formula
    card, _ = pages(replace(facts, proof=proof))
    assert "What has to be trusted: puretree itself." in card.text
    assert dossier.tables["How the proof was made"][2] == ["bound", "not made: no time"]


def test_every_choice_has_its_words() -> None:
    """A new rule, binariser or status is put into words here, too."""
    assert RULES.keys() == SELECTION_RULES.keys()
    assert BINARISERS.keys() == {"thresholds", "onehot", "bits"}
    assert ENDINGS.keys() == {"time_limit", "memory_limit", "interrupted", "failed", "unproved"}


@pytest.fixture
def hostile(tmp_path: Path) -> Facts:
    """Gather what there is of a table whose names try to be everything but names."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([*HOSTILE, "</title><b>class"])
    for row in range(12):
        level = ("<img src=x onerror=alert(1)>", "x|y", "`q`")[row % 3]
        writer.writerow([level, row % 4, row % 5, "é", "k", HOSTILE_CLASSES[(row % 4 > 1) != (row % 3 == 1)]])
    path = tmp_path / "a&b<i>.csv"
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    run, given = fit_run(path, "</title><b>class")
    return gather(run, given.dataset, tests=[path])


def test_names_are_never_tags(hostile: Facts) -> None:
    """The tags and attributes of a page are those of a page about harmless names, and every tag is closed."""
    allowed = {
        *("html", "head", "meta", "title", "style", "body", "main", "nav", "section", "footer", "h1", "h2", "p", "ol"),
        *("ul", "li", "a", "strong", "div", "figure", "figcaption", "svg", "g", "rect", "path", "text", "wbr"),
        *("table", "caption", "thead", "tbody", "tr", "th", "td"),
    }
    for page in pages(hostile):
        assert page.tags <= allowed
        assert not {name for name in page.attributes if name.startswith("on")} | {"src", "srcset"} & page.attributes
        assert page.open == []
        assert "<script>alert(1)</script>" in page.text
        assert "<svg/onload=alert(1)>" in page.text
    for content in documents(hostile).values():
        assert not {char for char in content.decode() if not char.isprintable()} - {"\n", "\xa0"}


def test_a_page_asks_for_nothing(hostile: Facts) -> None:
    """No script, no picture, no style from elsewhere, and a policy that forbids them."""
    for name in ("card.html", "dossier.html"):
        page = documents(hostile)[name].decode()
        assert "default-src 'none'" in page
        assert "url(" not in page
        assert "@import" not in page
        assert '<html lang="en">' in page


def test_names_are_never_markdown(hostile: Facts) -> None:
    """A reader of Markdown sees no HTML, no link, no picture, no emphasis of ours, and whole tables."""
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for name in ("card.md", "dossier.md"):
        tokens = reader.parse(documents(hostile)[name].decode())
        inline = [child for token in tokens for child in token.children or ()]
        kinds = {token.type for token in inline} | {token.type for token in tokens}
        assert not kinds & {"html_inline", "link_open", "image", "em_open", "s_open", "code_inline", "hardbreak"}
        html = [token.content for token in tokens if token.type == "html_block"]
        assert all(content.startswith("<!-- SHA-256") for content in html)
        assert sum(token.type == "fence" for token in tokens) == 1
        assert not [token for token in tokens if token.type == "heading_open" and token.tag not in ("h1", "h2")]
        text = "\n".join(token.content for token in inline if token.type in ("text", "text_special"))
        assert "alert(1)" in text
        assert "evil.example" in text or name == "card.md"  # no question of the tree is about it


def test_no_label_ends_the_drawing() -> None:
    """A tree that says nothing but backticks is drawn between more of them."""
    for label in ("```", "`````", "a"):
        document = Document("t", (Drawing(Tree.from_nested(label), "c"),), (), "end")
        tokens = MarkdownIt("commonmark").parse(to_markdown(document))
        assert [token.content for token in tokens if token.type == "fence"] == [f"{label}\n"]


def test_markdown_and_html_say_the_same(facts: Facts) -> None:
    """Every table of the page is in the Markdown, cell by cell."""
    _, page = pages(facts)
    reader = MarkdownIt("commonmark").enable("table")
    tokens = reader.parse(documents(facts)["dossier.md"].decode())
    cells = [
        "".join(child.content for child in tokens[place + 1].children or ())
        for place, token in enumerate(tokens)
        if token.type in ("th_open", "td_open")
    ]
    assert cells == [cell for table in page.tables.values() for row in table for cell in row]


def test_the_same_run_gives_the_same_bytes(facts: Facts, tmp_path: Path) -> None:
    """Made again from the data, byte by byte."""
    dataset = fit_run(Path(facts.run.data.source), "risk", on_conflict="majority")[1].dataset
    again = gather(facts.run, dataset, tests=[tmp_path / "test.csv"], files=facts.files)
    assert documents(again) == documents(facts)


def test_the_imprint_tells_what_people_wrote(facts: Facts, tmp_path: Path) -> None:
    """A document is untouched until a byte changes; then it is not replaced unasked."""
    folder = tmp_path / "report"
    written = save_report(facts, folder)
    assert sorted(written) == sorted(DOCUMENTS) == sorted(path.name for path in folder.iterdir())
    body, _, _ = written["card.md"].rpartition(b"<!--")
    assert hashlib.sha256(body).hexdigest().encode() in written["card.md"]
    save_report(facts, folder)
    card = folder / "card.md"
    card.write_bytes(card.read_bytes().replace("…".encode(), b"For nurses.", 1))
    with pytest.raises(InputError, match=r"card\.md as somebody changed it"):
        save_report(facts, folder)
    assert b"For nurses." in card.read_bytes()
    save_report(facts, folder, force=True)
    assert card.read_bytes() == written["card.md"]


def test_any_change_is_noticed(facts: Facts) -> None:
    """Whichever byte it is."""
    content = documents(facts)["card.md"]
    assert is_untouched(content)
    for place in [*range(0, len(content), 97), *range(len(content) - 120, len(content) - 1)]:
        changed = bytearray(content)
        changed[place] ^= 1
        assert not is_untouched(bytes(changed))
    assert not is_untouched(b"")


def test_other_things_are_never_replaced(tmp_path: Path) -> None:
    """A folder with anything else, and a file, are refused, with --force as well."""
    (tmp_path / "notes.txt").touch()
    with pytest.raises(InputError, match=r"notes\.txt, which is no part of a report"):
        require_place(tmp_path, force=True)
    with pytest.raises(InputError, match="is a file"):
        require_place(tmp_path / "notes.txt", force=True)


def test_the_folder_one_is_in_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is in there would be left in a deleted folder."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="folder you are in"):
        require_place(tmp_path, force=True)
