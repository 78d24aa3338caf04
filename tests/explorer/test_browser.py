"""The page in a real browser: counts after clicks, the keyboard, favourites, and tables with hostile names."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.browser import Browser, open_browser
from helpers.explorer_filters import costs_of_trees, satisfies
from helpers.explorer_scripts import content_of

from puretree import Forest, PureTreeClassifier, Tree, front, minimum_trees
from puretree.datasets import load

EMPTY: dict[str, Any] = {
    **dict.fromkeys(("root", "maxDepth", "minSamplesLeaf", "maxNodes", "maxCost")),
    **{name: [] for name in ("uses", "avoids", "agreesWith")},
}
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</script><svg onload=alert(3)>",
    "عمر المريض",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Open a browser for all tests of this file."""
    with open_browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="module")
def forest() -> Forest:
    """Find all minimum trees of iris."""
    iris = load("sklearn:iris")
    return minimum_trees(iris.table, iris.target)


@pytest.fixture(scope="module")
def iris_page(forest: Forest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of iris, with selection rows."""
    iris = load("sklearn:iris")
    path = tmp_path_factory.mktemp("pages") / "iris.html"
    return forest.explorer(path, title="iris", X_select=iris.table, y_select=iris.target)


@pytest.fixture
def page(browser: Browser, iris_page: Path) -> Iterator[Browser]:
    """Open the page of iris; there must be no message in the console, and no request."""
    browser.open(iris_page)
    browser.run("localStorage.clear()")
    browser.open(iris_page)
    yield browser
    assert browser.errors() == []
    assert browser.requests() == []
    browser.resize(1280, 800)


def n_satisfying(forest: Forest, content: dict[str, Any], **filters: Any) -> int:
    """Count the trees that satisfy some filters, one by one."""
    trees = zip(forest, costs_of_trees(forest), strict=True)
    return sum(satisfies(tree, cost, EMPTY | filters, content) for tree, cost in trees)


def toggle(kind: str, name: str) -> str:
    """Return the selector of a filter button."""
    return f'.toggle.{kind}[aria-label$="{name}"]'


def drawn(page: Browser) -> list[str]:
    """Return the names of the nodes of the drawn tree, for a screen reader."""
    page.settle()
    names = page.run(
        "return [...document.querySelectorAll('#tree [role=treeitem]')].map(x => x.getAttribute('aria-label'))"
    )
    return list(names)


def test_the_page_shows_the_trees(page: Browser, forest: Forest) -> None:
    """The number of trees, a drawn tree in view, and the necessary columns."""
    assert page.count() == forest.count
    assert "15 nodes on 150 training rows, proved minimum" in page.text("#claim")
    assert len(drawn(page)) == forest.n_nodes
    box = page.run(
        "const box = document.querySelector('#tree [role=treeitem]').getBoundingClientRect();"
        "return [box.top, box.left, box.bottom]"
    )
    assert 0 < box[0] < box[2] < 800
    assert 0 < box[1] < 1280
    assert "in all" in page.text("#columns li")


def test_clicks_filter_the_trees(page: Browser, forest: Forest, iris_page: Path) -> None:
    """Root, require, avoid, depth and rows of leaves: the count is that of brute force after each click."""
    content = content_of(iris_page)
    column = {column["name"]: {"column": i} for i, column in enumerate(content["columns"])}
    page.click(toggle("avoids", "sepal length"))
    assert page.count() == n_satisfying(forest, content, avoids=[column["sepal length"]])
    page.click(toggle("root", "petal width"))
    filters = {"avoids": [column["sepal length"]], "root": column["petal width"]}
    assert page.count() == n_satisfying(forest, content, **filters)
    page.enter("#max-depth", "5")
    assert page.count() == n_satisfying(forest, content, **filters, maxDepth=5)
    page.enter("#max-depth", "")
    page.click(toggle("avoids", "sepal length"))
    page.click(toggle("uses", "sepal length"))
    page.enter("#min-samples-leaf", "2")
    wanted = n_satisfying(forest, content, uses=[column["sepal length"]], root=column["petal width"], minSamplesLeaf=2)
    assert page.count() == wanted
    page.click("#clear")
    assert page.count() == forest.count
    page.click("#undo")
    assert page.count() == wanted


def test_a_single_test_can_be_required(page: Browser, forest: Forest, iris_page: Path) -> None:
    """The tests of a column are listed on request, each with its own filters."""
    page.click('[aria-label="Tests of petal length"]')
    page.wait("document.querySelector('.tests .toggle.uses')")
    name = page.text(".tests .name")
    page.click(".tests .toggle.uses")
    content = content_of(iris_page)
    test = [test["text"] for test in content["tests"]].index(name)
    assert page.count() == n_satisfying(forest, content, uses=[{"test": test}])


def test_a_tree_is_built_test_by_test(page: Browser, forest: Forest) -> None:
    """A choice at a node keeps as many trees as the table says, and is drawn and fixed; it can be released."""
    page.run("document.querySelectorAll('.choice')[2].scrollIntoView()")
    name = page.text("tbody tr:nth-child(3) .choice")
    n_trees = page.run("return document.querySelector('tbody tr:nth-child(3) td').title")
    page.click("tbody tr:nth-child(3) .choice")
    assert drawn(page)[0] == f"{name}, fixed"
    assert f"{page.count():,} trees" == n_trees
    page.click('#tree [data-key="node n"]')
    page.run("document.querySelector('.choice').click()")
    assert 0 < page.count() <= int(n_trees.split()[0].replace(",", ""))
    assert drawn(page)[0].endswith("fixed")
    page.run("document.querySelector('[data-key=release]').click()")
    assert page.count() == forest.count


@pytest.mark.parametrize("command", ["next", "previous", "random", "different", "best", "vote"])
def test_other_trees_are_among_the_remaining_ones(page: Browser, forest: Forest, iris_page: Path, command: str) -> None:
    """Each command draws a tree that satisfies the filters; favourites contain it as Python writes it."""
    content = content_of(iris_page)
    page.click(toggle("avoids", "sepal length"))
    page.click(f"#{command}")
    page.click("#favourite")
    stored = page.run("return Object.values(localStorage)[0]")
    tree = Tree.from_json(json.loads(stored)[0]["json"])
    avoids = [{"column": [column["name"] for column in content["columns"]].index("sepal length")}]
    assert tree in forest
    assert satisfies(tree, 0, EMPTY | {"avoids": avoids}, content)
    assert tree.to_dict() == forest[forest.rank(tree)].to_dict()


def test_favourites_are_exported_for_python(page: Browser, forest: Forest, tmp_path: Path) -> None:
    """The downloaded file has the trees and the notes; the page still has them when it is opened again."""
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    page.click("#favourite")
    page.click("#random")
    page.click("#favourite")
    page.click("#tab-favourites")
    page.enter('[aria-label="Note on favourite 1"]', 'für Ärzte: "kurz" <b>')
    page.run("location.reload()")
    page.wait("document.documentElement.dataset.ready === 'true'")
    page.click("#tab-favourites")
    page.click("#export")
    path, end = tmp_path / "favourites.json", time.monotonic() + 20
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.05)
    exported = json.loads(path.read_text(encoding="utf-8"))
    assert (exported["format"], exported["version"]) == ("puretree-favourites", 1)
    assert [item["note"] for item in exported["trees"]] == ['für Ärzte: "kurz" <b>', ""]
    trees = [Tree.from_dict(item["tree"]) for item in exported["trees"]]
    assert all(tree in forest for tree in trees)
    assert [item["tree"] for item in exported["trees"]] == [forest[forest.rank(tree)].to_dict() for tree in trees]
    one = tmp_path / "one.json"
    one.write_text(json.dumps(exported | {"trees": exported["trees"][:1]}), encoding="utf-8")
    iris = load("sklearn:iris")
    model = PureTreeClassifier().fit(iris.table, iris.target).adopt(one)
    assert (model.tree_, model.selection_scores_["note"]) == (trees[0], 'für Ärzte: "kurz" <b>')


def test_the_keyboard_reaches_everything(page: Browser, forest: Forest) -> None:
    """Tab reaches the buttons and the tree, arrows move in it, Space collapses a subtree, arrows change the tab."""
    reached = set()
    page.run("document.activeElement.blur(); window.scrollTo(0, 0)")
    for _ in range(60):
        page.keys("TAB")
        reached.add(
            page.run("return document.activeElement.id || document.activeElement.getAttribute('data-key') || ''")
        )
    assert {"previous", "random", "pin", "favourite", "zoom-in", "node ", "max-depth", "tab-node"} <= reached
    page.run("document.querySelector('#tree [tabindex=\"0\"]').focus()")
    page.keys("ARROW_DOWN")
    assert page.run("return document.activeElement.getAttribute('data-key')") == "node y"
    page.keys("ARROW_RIGHT")
    assert page.run("return document.activeElement.getAttribute('data-key')") == "node n"
    outline = page.run("return getComputedStyle(document.activeElement.querySelector('rect')).strokeWidth")
    assert outline == "4px"
    page.keys("ARROW_UP", " ")
    assert len(drawn(page)) == 1
    assert page.run("return document.activeElement.getAttribute('aria-expanded')") == "false"
    page.keys(" ")
    assert len(drawn(page)) == forest.n_nodes
    page.run("document.querySelector('#tab-node').focus()")
    page.keys("ARROW_RIGHT")
    assert page.run("return document.activeElement.id") == "tab-row"
    assert page.run("return document.querySelector('#panel-node').hidden")


def test_a_large_tree_opens_collapsed(browser: Browser, tmp_path: Path) -> None:
    """Only the nodes near the root are drawn at first, and all of them on demand, then also of other trees."""
    monks = load("formula:monks-2")
    found = minimum_trees(monks.table, monks.target)
    browser.open(found.explorer(tmp_path / "monks.html"))
    assert 20 < len(drawn(browser)) <= 45 < found.n_nodes
    browser.click("#expand")
    assert len(drawn(browser)) == found.n_nodes
    browser.click("#random")
    assert len(drawn(browser)) == found.n_nodes
    assert browser.errors() == []


def test_a_row_has_a_path_and_votes(page: Browser, forest: Forest) -> None:
    """A training row has its class; of another row the votes are those of Python, and trees can be kept by them."""
    page.click("#tab-row")
    page.enter("#row-number", "0")
    assert "predicts setosa" in page.text("#row-result h3")
    rows = np.random.default_rng(0).uniform([4.3, 2.0, 1.0, 0.1], [7.9, 4.4, 6.9, 2.5], (200, 4)).round(1)
    all_shares = forest.predict_distribution(rows)
    shares, row = min(zip(all_shares, rows, strict=True), key=lambda pair: pair[0].max())  # trees disagree most
    values = dict(zip(forest.prepared.table.names, map(str, row), strict=True))
    for i, name in enumerate(
        page.run("return [...document.querySelectorAll('#row-fields bdi')].map(x => x.textContent)")
    ):
        page.enter(f"#field-{i}", values[name])
    shown = page.run("return [...document.querySelectorAll('.votes .share')].map(x => x.textContent)")
    assert sorted(shown) == sorted(f"{100 * share:.1f}%" for share in shares if share)
    assert "Nearest change" in page.text("#row-result")
    assert page.run("return document.querySelectorAll('.on-path').length") > 1
    label = page.text(".votes .name")
    page.click(".votes button")
    assert page.count() == round(shares[forest.classes.index(label)] * forest.count)


def test_trees_are_compared_side_by_side(browser: Browser, tmp_path: Path) -> None:
    """Up to four trees, and the rows on which they differ: as many as Python finds."""
    rng = np.random.default_rng(3)  # trees with other tests may predict the same; with this table they do not
    X, y = rng.integers(0, 6, (60, 3)), rng.integers(0, 2, 60)
    found = front(X, y, max_nodes=7)
    browser.open(found.explorer(tmp_path / "front.html", extra_errors=2))
    browser.click("#favourite")
    browser.click("#pin")
    browser.click("#different")
    browser.click("#favourite")
    stored = json.loads(browser.run("return Object.values(localStorage).find(text => text.length > 10)"))
    first, second = (Tree.from_json(item["json"]).predict(X) for item in stored)
    n_different = int((first != second).sum())
    assert n_different > 0
    assert f"differ on {n_different} of 60 training rows" in browser.text("#differences p")
    assert browser.run("return document.querySelectorAll('#differences tbody tr').length") == n_different
    for _ in range(4):
        browser.run("document.querySelector('#pin').click(); document.querySelector('#random').click()")
        browser.settle()
    assert browser.run("return document.querySelectorAll('#compared figure').length") <= 4
    browser.run("localStorage.clear()")
    assert browser.errors() == []


def test_the_front_is_a_curve_to_move_along(browser: Browser, tmp_path: Path) -> None:
    """The slider, which arrow keys move, shows the trees of each point; filters stay."""
    X = [[i % 7, i % 4, i % 3] for i in range(40)]
    found = front(X, ["ab"[(i * i + i // 5) % 2] for i in range(40)], max_nodes=9)
    browser.open(found.explorer(tmp_path / "front.html"))
    browser.run("document.querySelector('#front-slider').focus()")
    for point in reversed(found):
        assert browser.count() == point.forest().count
        assert browser.text("#front-text").startswith(f"{point.n_nodes} node")
        browser.keys("ARROW_LEFT")
    browser.keys("END")
    browser.click(".toggle.avoids")
    count = browser.count()
    browser.keys("TAB")
    browser.run("document.querySelector('#front-slider').focus()")
    browser.keys("ARROW_LEFT", "ARROW_RIGHT")
    assert browser.count() == count < found[-1].forest().count
    assert browser.errors() == []


def hostile_page(folder: Path) -> tuple[Forest, Path]:
    """Write the page of a table with hostile names and 10,000 levels."""
    n_rows = 10_000
    rng = np.random.default_rng(0)
    levels = [f"<img src=x onerror=alert({i})>" for i in range(n_rows)]
    columns = {
        HOSTILE[0]: rng.integers(0, 4, n_rows).tolist(),
        HOSTILE[1]: [("نعم" if bit else "לא") for bit in rng.integers(0, 2, n_rows)],
        HOSTILE[2]: levels,
        HOSTILE[3]: rng.integers(0, 3, n_rows).tolist(),
    }
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(columns)
    label = (X[HOSTILE[0]] > 1) ^ (X[HOSTILE[1]] == "نعم")
    label[X[HOSTILE[2]] == levels[17]] = ~label[X[HOSTILE[2]] == levels[17]]
    y = np.where(label, "<b>ja</b>", "</script>是")
    found = minimum_trees(X, y, time_limit=100)
    return found, found.explorer(folder / "hostile.html", title=HOSTILE[0])


def test_a_hostile_table_executes_nothing(browser: Browser, tmp_path: Path) -> None:
    """Names that look like markup, right-to-left text and 10,000 levels are shown as they are, and nothing runs."""
    found, path = hostile_page(tmp_path)
    browser.run("window.alert = null") if browser.driver.current_url.startswith("file") else None
    browser.open(path)
    browser.run("localStorage.clear()")
    assert browser.run("return document.querySelectorAll('img, svg[onload], script').length") == 2  # data and script
    assert browser.text("h1") == HOSTILE[0]
    assert browser.count() == found.count
    names = set(browser.run("return [...document.querySelectorAll('#columns .name')].map(x => x.textContent)"))
    assert set(HOSTILE[:3]) <= names
    titles = " ".join(drawn(browser))
    assert "<img src=x onerror=alert(17)>" in titles
    assert "</script>是" in titles
    for command in ("random", "pin", "different", "favourite"):
        browser.run("document.querySelector(arguments[0]).click()", f"#{command}")
        browser.settle()
    browser.click("#tab-row")
    browser.enter("#row-number", "17")
    browser.wait("document.querySelector('#row-result h3')")
    field = browser.run("return document.querySelector('input[list]').id")
    browser.enter(f"#{field}", "onerror=alert(99")
    assert 0 < browser.run("return document.querySelectorAll('datalist option').length") <= 50
    stored = json.loads(browser.run("return Object.values(localStorage).find(text => text.length > 10)"))
    assert Tree.from_json(stored[0]["json"]) in found
    browser.run("localStorage.clear()")
    assert browser.errors() == []
    assert browser.requests() == []


@pytest.mark.parametrize(("width", "height"), [(320, 640), (768, 1024), (3840, 2160)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_sticks_out(page: Browser, width: int, height: int, scheme: str) -> None:
    """From 320 pixels to 4k the page is not wider than the window, and its text has contrast."""
    page.resize(width, height, prefers_color_scheme=scheme)
    assert page.run("return document.documentElement.scrollWidth") <= width
    colours = page.run(
        "const style = getComputedStyle(document.body);"
        "return [style.color, style.backgroundColor].map(colour => colour.match(/\\d+/g).map(Number))"
    )
    luminances = sorted(relative_luminance(colour) for colour in colours)
    assert (luminances[1] + 0.05) / (luminances[0] + 0.05) > 7
    assert (sum(colours[1]) < 200) == (scheme == "dark")


def relative_luminance(colour: list[int]) -> float:
    """Return the luminance of a colour as WCAG defines it."""
    linear = [
        c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (value / 255 for value in colour[:3])
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_a_page_is_printed(page: Browser) -> None:
    """On paper there is the tree and no button."""
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    visible = page.run(
        "return [...document.querySelectorAll('main button')].filter(x => x.offsetParent !== null).length"
    )
    assert visible == 0
    assert page.run("return document.querySelector('#tree svg').getBoundingClientRect().height") > 100
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
