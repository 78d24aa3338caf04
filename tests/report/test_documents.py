"""The documents are correct, complete and reproducible, and no name from the data becomes markup."""

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
from puretree.report import (
    DOCUMENTS,
    Facts,
    ProofRecord,
    collect_facts,
    require_report_folder,
    save_report,
    write_documents,
)
from puretree.report.claims import BINARISER_DESCRIPTIONS, RULE_DESCRIPTIONS, STOP_REASONS
from puretree.report.content import Document, Drawing
from puretree.report.documents import is_unmodified
from puretree.report.markdown import to_markdown
from puretree.report.tables import leaves_in_order
from puretree.selection import RULES

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
    """Collect the facts of a small table with contradictory rows and a test set."""
    table, test = tmp_path / "loans.csv", tmp_path / "test.csv"
    table.write_text(LOANS, encoding="utf-8")
    test.write_text("income,owns,risk\n30,yes,high\n100,yes,high\n1,no,low\n", encoding="utf-8")
    run, dataset = fit_run(table, "risk", on_conflict="majority")
    return collect_facts(run, dataset, tests=[test], files={"model.json": "ab" * 32})


def pages(facts: Facts) -> tuple[Page, Page]:
    """Parse the HTML of the card and the dossier."""
    contents = write_documents(facts)
    return Page(contents["card.html"].decode()), Page(contents["dossier.html"].decode())


def test_claim_states_its_scope(facts: Facts) -> None:
    """Both documents state which trees and rows the claim covers; here one of eight rows is excluded."""
    for page in pages(facts):
        assert (
            "Proved minimum. No smaller tree exists: every decision tree over the 7 candidate splits that correctly "
            "classifies all 7 training rows that were kept (1 contradictory row excluded) has at least 5 nodes."
            in page.text
        )
        assert "supports documentation" in page.text
        assert "Not certified yet: run “puretree certify”" in page.text


def test_no_document_claims_compliance(facts: Facts) -> None:
    """The documents support documentation; none contains the word "compliant"."""
    for content in write_documents(facts).values():
        assert b"compliant" not in content.lower()
        assert b"supports documentation" in content


def test_metrics_by_class(facts: Facts) -> None:
    """In the test set, one "high" row and the "low" row are classified correctly, and one "high" row is not."""
    _, page = pages(facts)
    assert page.tables["Test set (test.csv): metrics by class"] == [
        ["class", "precision", "recall", "F1", "rows"],
        ["high", "1.000", "0.500", "0.667", "2"],
        ["low", "0.500", "1.000", "0.667", "1"],
    ]
    matrix = page.tables["Test set (test.csv): confusion matrix, one line per true class"]
    assert matrix == [["true \\ predicted", "high", "low"], ["high", "1", "1"], ["low", "0", "1"]]
    assert page.tables["Accuracy of the tree"][1:] == [
        ["Training set", "8", "7", "87.5%", "90.0%"],  # all 3 "high" rows and 4 of 5 "low" rows
        ["Test set (test.csv)", "3", "2", "66.7%", "75.0%"],
    ]


def test_rules_with_support_and_class_fractions(facts: Facts) -> None:
    """Each rule shows its training rows; class fractions include the excluded row, as those of the run do."""
    _, page = pages(facts)
    _, *rules = next(table for caption, table in page.tables.items() if caption.startswith("One rule per leaf"))
    assert any("the fractions include the excluded rows" in caption for caption in page.tables)
    assert sum(int(rule[3]) for rule in rules) == 7
    high = next(rule for rule in rules if rule[2] == "high")
    assert high[3:] == ["3", "high 75.0%, low 25.0%"]
    fractions = facts.run.shares_at(np.array(leaves_in_order(facts.tree)))
    assert [rule[4] for rule in rules] == [
        ", ".join(f"{label} {fraction:.1%}" for label, fraction in zip(("high", "low"), leaf, strict=True) if fraction)
        for leaf in fractions.tolist()
    ]


def test_contradictory_rows_are_listed(facts: Facts) -> None:
    """Rows 6 and 7 contradict each other, and one of them is excluded."""
    _, page = pages(facts)
    assert "excluded 1 training row" in page.text
    assert "if labels are equally frequent, the first in sorted order" in page.text
    assert page.tables["Contradictory rows, numbered from 0 after the header"][1:] == [
        ["1", "2 rows", "row 6 (high), row 7 (low)", "high"]
    ]


def test_dossier_lists_everything_in_the_run(facts: Facts) -> None:
    """Parameters, versions, hashes, candidate splits by column and bounds over time are those of the run."""
    _, page = pages(facts)
    parameters = dict(row for row in page.tables["All parameters of the run"][1:])
    assert parameters == {name: "none" if value is None else str(value) for name, value in facts.run.parameters.items()}
    assert dict(page.tables["Package versions of the run"][1:]) == facts.run.certificate["versions"]
    hashes = dict(page.tables["SHA-256 hashes of the run"][1:])
    assert hashes["File model.json"] == "ab" * 32
    assert hashes["Candidate splits"] == facts.run.certificate["questions"]
    columns = page.tables["The columns and their candidate splits"][1:]
    assert [(row[0], row[1], row[2]) for row in columns] == [
        ("income", "number", "0"),
        ("owns", "category, 2 levels", "0"),
    ]
    assert [int(row[3]) for row in columns] == [6, 1]  # seven distinct incomes, and one split for two levels
    history = page.tables["Bounds on the number of nodes, at each improvement"][1:]
    assert [(row[1], row[2]) for row in history] == [
        (str(at.lower), "–" if at.upper is None else str(at.upper)) for at in facts.run.outcome.history
    ]


def test_path_of_the_data_is_not_disclosed(facts: Facts, tmp_path: Path) -> None:
    """The documents contain the name of the data file, but not its folder."""
    for content in write_documents(facts).values():
        assert b"loans.csv" in content
        assert str(tmp_path).encode() not in content


def test_unproved_minimum_is_stated(facts: Facts) -> None:
    """Without a proof, the documents state both bounds and the reason, and list no minimum trees."""
    outcome = replace(facts.run.outcome, status="time_limit", lower_bound=3, history=(Bounds(0.5, 3, 5),))
    run = replace(facts.run, outcome=outcome, n_trees=None)
    _, dataset = fit_run(Path(facts.run.data.source), "risk", on_conflict="majority")
    for page in pages(collect_facts(run, dataset)):
        assert "Minimum not proved. The smallest decision tree over the 7 candidate splits" in page.text
        assert (
            "has between 3 and 5 nodes; this tree has 5. The run ended before the proof was complete: the time limit "
            "was reached." in page.text
        )
        assert "The minimum is not proved, so the minimum trees are not known." in page.text
        assert "Proved minimum" not in page.text


def test_constraints_are_part_of_the_claim(tmp_path: Path) -> None:
    """A claim about trees under constraints names the constraints."""
    path = tmp_path / "loans.csv"
    path.write_text(LOANS, encoding="utf-8")
    run, dataset = fit_run(
        path, "risk", on_conflict="drop", max_depth=3, root="owns", forbidden=["income"], feature_costs=None
    )
    card, dossier = pages(collect_facts(run, dataset))
    assert (
        "that satisfies the constraints (depth at most 3; root splits on column owns; no split on column income) and "
        "correctly classifies" in card.text
    )
    assert [row[3] for row in dossier.tables["The columns and their candidate splits"][1:]] == [
        "0",
        "1",
    ]


def test_costs_are_part_of_the_claim(tmp_path: Path) -> None:
    """Only the minimum trees of lowest cost are counted, and the claim says so."""
    path = tmp_path / "loans.csv"
    path.write_text("a,b,class\n1,1,no\n2,2,yes\n", encoding="utf-8")
    run, dataset = fit_run(path, "class", feature_costs={"a": 7, "b": 2})
    card, dossier = pages(collect_facts(run, dataset))
    assert "Among the trees of this size, none has a lower cost than 2." in card.text
    assert (
        "It is the only tree of this size and cost, over the same candidate splits, that correctly classifies the same "
        "rows." in card.text
    )
    assert [row[0] for row in dossier.tables["Splits that minimum trees use"][1:]] == ["b ≤ 1"]


def test_trees_whose_diversity_is_not_proved_are_counted(facts: Facts) -> None:
    """If some candidates are not proved farthest, card and dossier say how many; not if there are none or unknown."""
    selection = {"rule": "holdout", "score": 0.9, "n_candidates": 5, "n_unproved": 3}
    text = "The diversity of 3 trees is not proved"
    for page in pages(replace(facts, run=replace(facts.run, selection=selection))):
        assert text in page.text
    for n_unproved in (0, None):
        run = replace(facts.run, selection=selection | {"n_unproved": n_unproved})
        assert not any("The diversity of" in page.text for page in pages(replace(facts, run=run)))


def test_complete_proof_is_described(facts: Facts) -> None:
    """A certified run shows the seal, the hash of each file and the description of each component."""
    proof = ProofRecord("cd" * 32, {"bound.log": "ef" * 32}, {"bound": "12 lines, 0.1 s"})
    card, dossier = pages(replace(facts, proof=proof))
    assert f"The seal of the proof (the hash over the hashes of its files) is {'cd' * 32}" in card.text
    assert dossier.tables["SHA-256 hashes of the proof"][1:] == [
        ["Seal of the proof", "cd" * 32],
        ["File bound.log", "ef" * 32],
    ]
    assert dossier.tables["Components of the proof"][1:] == [["bound", "12 lines, 0.1 s"]]
    assert "Not certified" not in card.text + dossier.text
    assert "The search and the SAT solver need not be trusted." in card.text


def test_partial_proof_is_described_as_partial(facts: Facts) -> None:
    """Missing components are named with reasons; without a proof of the bound, puretree must be trusted."""
    proof = ProofRecord("cd" * 32, {}, {"purity": "8 rows"}, {"bound": "no time", "refutation": "too large"})
    card, dossier = pages(replace(facts, proof=proof))
    assert (
        "Certified in part: that the tree correctly classifies the training rows, but not that it is minimum. "
        "Missing: bound (no time); refutation (too large)." in card.text
    )
    partial = ProofRecord("cd" * 32, {}, {"purity": "8 rows", "bound": "9 lines"}, {"refutation": "too large"})
    card, _ = pages(replace(facts, proof=partial))
    assert "Certified in part. Missing: refutation (too large)." in card.text
    assert "What must be trusted: the checkers and the Python interpreter that runs them." in card.text  # no formula
    card, _ = pages(replace(facts, proof=proof))
    assert "What must be trusted: puretree itself." in card.text
    assert dossier.tables["Components of the proof"][2] == ["bound", "not made: no time"]


def test_the_claim_names_guessed_cuts(tmp_path: Path) -> None:
    """With guessed cuts, the claim and the dossier say that the proof is about these cuts only."""
    table = tmp_path / "loans.csv"
    table.write_text(LOANS, encoding="utf-8")
    card, dossier = pages(collect_facts(*fit_run(table, "risk", on_conflict="majority", binarize="guessed")))
    for page in (card, dossier):
        assert "cuts of numeric columns were guessed from boosted trees if there were more than 100, that" in page.text
    assert "Binariser: “guessed”. As for “thresholds”, but if numeric columns have more than 100" in dossier.text


def test_every_option_has_a_description() -> None:
    """Every selection rule, binariser and status without proof has a description."""
    assert RULE_DESCRIPTIONS.keys() == RULES.keys()
    assert BINARISER_DESCRIPTIONS.keys() == {"thresholds", "guessed", "onehot", "bits"}
    assert STOP_REASONS.keys() == {"time_limit", "memory_limit", "interrupted", "failed", "unproved"}


@pytest.fixture
def hostile(tmp_path: Path) -> Facts:
    """Collect the facts of a table whose names and levels contain markup."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([*HOSTILE, "</title><b>class"])
    for row in range(12):
        level = ("<img src=x onerror=alert(1)>", "x|y", "`q`")[row % 3]
        writer.writerow([level, row % 4, row % 5, "é", "k", HOSTILE_CLASSES[(row % 4 > 1) != (row % 3 == 1)]])
    path = tmp_path / "a&b<i>.csv"
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    run, dataset = fit_run(path, "</title><b>class")
    return collect_facts(run, dataset, tests=[path])


def test_names_never_become_html(hostile: Facts) -> None:
    """A page contains only the tags that we write, no event handlers or sources, and every tag is closed."""
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
    for content in write_documents(hostile).values():
        assert not {char for char in content.decode() if not char.isprintable()} - {"\n", "\xa0"}


def test_pages_make_no_requests(hostile: Facts) -> None:
    """A page loads no scripts, images or style sheets, and its content security policy forbids them."""
    for name in ("card.html", "dossier.html"):
        page = write_documents(hostile)[name].decode()
        assert "default-src 'none'" in page
        assert "url(" not in page
        assert "@import" not in page
        assert '<html lang="en">' in page


def test_names_never_become_markdown(hostile: Facts) -> None:
    """A Markdown parser finds no HTML, links, images or emphasis from names, and intact tables."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for name in ("card.md", "dossier.md"):
        tokens = parser.parse(write_documents(hostile)[name].decode())
        inline = [child for token in tokens for child in token.children or ()]
        kinds = {token.type for token in inline} | {token.type for token in tokens}
        assert not kinds & {"html_inline", "link_open", "image", "em_open", "s_open", "code_inline", "hardbreak"}
        html = [token.content for token in tokens if token.type == "html_block"]
        assert all(content.startswith("<!-- SHA-256") for content in html)
        assert sum(token.type == "fence" for token in tokens) == 1
        assert not [token for token in tokens if token.type == "heading_open" and token.tag not in ("h1", "h2")]
        text = "\n".join(token.content for token in inline if token.type in ("text", "text_special"))
        assert "alert(1)" in text
        assert "evil.example" in text or name == "card.md"  # the tree does not use this column


def test_no_label_closes_the_fence_of_the_drawing() -> None:
    """A tree whose label is backticks is fenced by more of them."""
    for label in ("```", "`````", "a"):
        document = Document("t", (Drawing(Tree.from_nested(label), "c"),), (), "end")
        tokens = MarkdownIt("commonmark").parse(to_markdown(document))
        assert [token.content for token in tokens if token.type == "fence"] == [f"{label}\n"]


def test_markdown_and_html_have_equal_tables(facts: Facts) -> None:
    """Every table of the HTML is in the Markdown, cell by cell."""
    _, page = pages(facts)
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(write_documents(facts)["dossier.md"].decode())
    cells = [
        "".join(child.content for child in tokens[index + 1].children or ())
        for index, token in enumerate(tokens)
        if token.type in ("th_open", "td_open")
    ]
    assert cells == [cell for table in page.tables.values() for row in table for cell in row]


def test_documents_are_reproducible(facts: Facts, tmp_path: Path) -> None:
    """The same run and data give the same bytes."""
    _, dataset = fit_run(Path(facts.run.data.source), "risk", on_conflict="majority")
    repeated = collect_facts(facts.run, dataset, tests=[tmp_path / "test.csv"], files=facts.files)
    assert write_documents(repeated) == write_documents(facts)


def test_edited_documents_are_not_replaced_without_force(facts: Facts, tmp_path: Path) -> None:
    """The checksum detects an edited document, which is then replaced only with ``force``."""
    folder = tmp_path / "report"
    contents = save_report(facts, folder)
    assert sorted(contents) == sorted(DOCUMENTS) == sorted(path.name for path in folder.iterdir())
    body, _, _ = contents["card.md"].rpartition(b"<!--")
    assert hashlib.sha256(body).hexdigest().encode() in contents["card.md"]
    save_report(facts, folder)
    card = folder / "card.md"
    card.write_bytes(card.read_bytes().replace("…".encode(), b"For nurses.", 1))
    with pytest.raises(InputError, match=r"edited documents: card\.md"):
        save_report(facts, folder)
    assert b"For nurses." in card.read_bytes()
    save_report(facts, folder, force=True)
    assert card.read_bytes() == contents["card.md"]


def test_any_change_is_detected(facts: Facts) -> None:
    """Changing any byte of a document is detected."""
    content = write_documents(facts)["card.md"]
    assert is_unmodified(content)
    for index in [*range(0, len(content), 97), *range(len(content) - 120, len(content) - 1)]:
        changed = bytearray(content)
        changed[index] ^= 1
        assert not is_unmodified(bytes(changed))
    assert not is_unmodified(b"")


def test_other_files_are_never_replaced(tmp_path: Path) -> None:
    """A folder with other files, and a file, raise an error even with ``force``."""
    (tmp_path / "notes.txt").touch()
    with pytest.raises(InputError, match=r"notes\.txt, which is not part of a report"):
        require_report_folder(tmp_path, force=True)
    with pytest.raises(InputError, match="is a file"):
        require_report_folder(tmp_path / "notes.txt", force=True)


def test_current_directory_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replacing the current directory would leave the process in a deleted folder."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="is or contains the current directory"):
        require_report_folder(tmp_path, force=True)
