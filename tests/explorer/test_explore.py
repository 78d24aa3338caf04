"""What a page contains: all trees or one, with or without rows, and no markup or request of the data."""

import base64
import hashlib
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.command_line import LOANS, Puretree
from helpers.explorer_scripts import content_of
from helpers.small_forests import small_forest
from sklearn.datasets import load_iris

from puretree import (
    InputError,
    OptimalTreeClassifier,
    PureTreeClassifier,
    UnfinishedError,
    UnfinishedWarning,
    front,
    minimum_trees,
)
from puretree.datasets import load
from puretree.explorer import content, document, explore
from puretree.explorer.document import LOGIC, VIEW, script, to_html
from puretree.forest import Forest
from puretree.forest.graph import count_trees

NOISY_X = [[i % 7, i % 4, i % 3] for i in range(40)]
NOISY_Y = ["ab"[(i * i + i // 5) % 2] for i in range(40)]


def iris_forest() -> Forest:
    """Return all minimum trees of iris."""
    iris = load("sklearn:iris")
    return minimum_trees(iris.table, iris.target)


def test_the_graph_of_a_tree_has_this_tree() -> None:
    """It has one tree, whose features, labels and sizes are those of the tree."""
    for seed in range(6):
        forest = small_forest(seed, 1).forest
        tree = forest[-1]
        graph = content.graph_of_tree(tree)
        assert count_trees(graph)[graph.roots[0]] == 1
        assert forest._subforest(graph)[0] == tree


def test_numbers_are_packed_by_significance() -> None:
    """Unpacking in Python returns the integers, negative ones included."""
    numbers = np.array([0, 1, -1, 2**31 - 1, -(2**31), 12345], dtype=np.int32)
    planes = np.frombuffer(zlib.decompress(base64.b64decode(content.pack(numbers))), dtype=np.uint8)
    assert (planes.reshape(4, -1).T.copy().view("<i4")[:, 0] == numbers).all()


def test_a_policy_allows_this_script_alone(tmp_path: Path) -> None:
    """The page has one script and one style sheet, allowed by their hashes, and nothing else is allowed."""
    text = iris_forest().explorer(tmp_path / "page.html").read_text(encoding="utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    rules = dict(rule.split(" ", 1) for rule in policy[1].split("; "))
    assert set(rules) == {"default-src", "script-src", "style-src", "base-uri", "form-action"}
    assert {rules[name] for name in ("default-src", "base-uri", "form-action")} == {"'none'"}
    for name, pattern in (
        ("script-src", r'<script type="module">(.*?)</script>'),
        ("style-src", r"<style>(.*?)</style>"),
    ):
        [part] = re.findall(pattern, text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"
    assert not re.search(r'\b(src|href)="(?!#)', text.split('<script type="application/json"')[0])
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "fetch(", "XMLHttp"):
        assert forbidden not in script()


def test_every_script_is_part_of_the_page() -> None:
    """All modules of the folder are listed, and no import or export is left."""
    folder = Path(document.__file__).parent / "page"
    assert {path.stem for path in folder.glob("*.js")} == {*LOGIC, *VIEW}
    assert not re.search(r"^(import|export) ", script(), re.MULTILINE)
    for i, module in enumerate(LOGIC + VIEW):
        imported = re.findall(
            r'^import [^;]* from "\./([\w-]+)\.js";', (folder / f"{module}.js").read_text(), re.MULTILINE
        )
        assert set(imported) <= set((LOGIC + VIEW)[:i])


def test_names_are_no_markup() -> None:
    """No text of the data can end the element that contains them, or the title."""
    hostile = "</script><script>alert(1)</script><!--"
    text = to_html({"title": hostile, "columns": [hostile, "{{script}}"]})
    assert "alert(1)</script>" not in text
    assert text.count("</script>") == 2
    assert text.count("<!--") == 0
    assert '"{{script}}"' in text


def test_rows_are_left_out_on_request(tmp_path: Path) -> None:
    """Without data there are no rows, and the page says so; the numbers of rows in the leaves stay."""
    forest = iris_forest()
    with_rows, without = (content_of(forest.explorer(tmp_path / "page.html", data=data)) for data in (True, False))
    assert len(with_rows["rows"]["columns"]) == 4
    assert with_rows["no_rows"] == ""
    assert without["rows"] is None
    assert "without the training rows" in without["no_rows"]
    assert without["points"] == with_rows["points"]


def test_too_many_rows_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page of a large table says how many rows are left out."""
    monkeypatch.setattr(explore, "MAX_ROWS", 149)
    page = content_of(iris_forest().explorer(tmp_path / "page.html"))
    assert page["rows"] is None
    assert "150 training rows are too many" in page["no_rows"]


def test_too_large_a_graph_has_one_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page of a graph that it could not hold has one tree, and says so."""
    monkeypatch.setattr(explore, "MAX_EDGES", 10)
    forest = iris_forest()
    [point] = content_of(forest.explorer(tmp_path / "page.html"))["points"]
    assert f"has {forest.graph.n_edges:,} edges" in point["note"]


def test_points_without_all_trees_have_one(tmp_path: Path) -> None:
    """A point that is not proved, or whose trees were not found in time, has its one tree, and says so."""
    found = front(NOISY_X, NOISY_Y)
    pages = [content_of(found.explorer(tmp_path / "page.html", time_limit=limit)) for limit in (None, 0)]
    complete, cut = ([bool(point["note"]) for point in page["points"]] for page in pages)
    assert not any(complete)
    assert any(cut)
    assert all("a limit was reached" in point["note"] for point in pages[1]["points"] if point["note"])
    assert pages[0]["start"] == len(found) - 1
    with pytest.warns(UnfinishedWarning):
        open_front = front(NOISY_X, NOISY_Y, time_limit=0)
    notes = [point["note"] for point in content_of(open_front.explorer(tmp_path / "page.html"))["points"]]
    proved = [point.status == "optimal" for point in open_front]
    assert not all(proved)
    assert [("not proved" in note) for note in notes] == [not is_proved for is_proved in proved]


def test_a_band_has_larger_trees_with_more_errors(tmp_path: Path) -> None:
    """The roots of a point have the sizes and costs of the band, each with its count of trees."""
    found = front(NOISY_X, NOISY_Y)
    path = found.explorer(tmp_path / "page.html", extra_nodes=2, extra_errors=1)
    for point, of_page in zip(found, content_of(path)["points"], strict=True):
        counts = point.forest(2, 1).counts_by_cost
        assert {(root["n_nodes"], root["cost"]) for root in of_page["graph"]["roots"]} == set(counts)


def test_a_page_of_a_classifier_opens_with_its_tree(tmp_path: Path) -> None:
    """The classifiers write the pages of their forests and fronts."""
    X, y = load_iris(return_X_y=True)
    pure = PureTreeClassifier(random_state=0).fit(X, y)
    page = content_of(pure.explorer(tmp_path / "pure.html"))
    assert page["points"][0]["tree"].count(-1) == pure.get_n_leaves()
    optimal = OptimalTreeClassifier(random_state=0).fit(X, y)
    page = content_of(optimal.explorer(tmp_path / "optimal.html", X_select=X, y_select=y))
    assert [point["n_nodes"] for point in page["points"]] == [point.n_nodes for point in optimal.front_]
    assert page["points"][page["start"]]["n_nodes"] == optimal.n_nodes_
    assert page["selection"] is not None


def test_an_unproved_tree_is_alone(tmp_path: Path) -> None:
    """The page of a classifier whose tree is not proved minimum has this tree, and says so."""
    X, y = load_iris(return_X_y=True)
    model = PureTreeClassifier(engine="local-search", time_limit=0.5, random_state=0)
    with pytest.warns(UnfinishedWarning):
        model.fit(X, y)
    [point] = content_of(model.explorer(tmp_path / "page.html"))["points"]
    assert point["status"] != "optimal"
    assert "Only one tree" in point["note"]


def test_errors_name_the_cause(tmp_path: Path) -> None:
    """A missing folder, half of the selection rows, and limits."""
    forest = small_forest(3, "band").forest
    with pytest.raises(InputError, match="no folder"):
        forest.explorer(tmp_path / "none" / "page.html")
    with pytest.raises(InputError, match="X_select and y_select"):
        forest.explorer(tmp_path / "page.html", X_select=[[1]])
    with pytest.raises(UnfinishedError, match="time limit reached"):
        forest.explorer(tmp_path / "page.html", time_limit=0)
    assert not (tmp_path / "page.html").exists()


def test_the_command_writes_the_page(puretree: Puretree, tmp_path: Path, loans: Path) -> None:
    """Of a file, of a run, and of a run that allows errors, which opens at its point."""
    page, run = tmp_path / "page.html", tmp_path / "run"

    def explored(*arguments: Any) -> dict[str, Any]:
        result = puretree("explore", *arguments, "--out", page)
        assert result.code == 0, result.err
        assert str(page) in result.err
        return content_of(page)

    of_file = explored(loans, "--target", "risk", "--no-data")
    assert of_file["rows"] is None
    assert of_file["title"] == "loans"
    assert puretree("fit", loans, "--target", "risk", "--out", run, "--quiet").code == 0
    assert explored(run, "--select", loans)["selection"] is not None
    assert puretree("fit", loans, "--target", "risk", "--max-nodes", "3", "--out", run, "--force", "--quiet").code == 0
    with_errors = explored(run)
    assert with_errors["points"][with_errors["start"]]["n_nodes"] == 3
    assert len(with_errors["points"]) > 1
    assert len(explored(loans, "--target", "risk", "--front", "--max-nodes", "3")["points"]) == 2
    assert puretree("explore", run, "--front", "--alpha", "0.1", "--out", page).code == 2
    assert LOANS.count("\n") - 1 == with_errors["n_rows"]
