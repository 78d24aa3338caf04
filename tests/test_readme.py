"""The documentation is true: its Python runs and prints what the page shows, and its links and defaults are correct."""

import ast
import contextlib
import importlib.util
import inspect
import io
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from puretree import PureTreeClassifier, choose_tree, compare, minimum_tree, minimum_trees, mpdt

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"```python\n(?P<code>.*?)```(?:\n\n```text\n(?P<output>.*?)```)?", re.DOTALL)
DEFAULT = re.compile(r"^\| `(?P<name>\w+)` \| `(?P<default>[^`]*)` \|", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#]*)(?:#(?P<anchor>[^)]*))?\)")
PAGES = sorted(str(path.relative_to(ROOT)) for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))


def blocks(page: str) -> list[re.Match[str]]:
    """Return the blocks of Python of a page, with the output below them."""
    return list(BLOCK.finditer((ROOT / page).read_text("utf-8")))


@pytest.mark.parametrize(("page", "n_blocks"), [("README.md", 1), ("docs/user-guide.md", 8)])
def test_examples_are_true(page: str, n_blocks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every block of Python runs after those before it, and prints the text below it."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    assert len(blocks(page)) == n_blocks
    for block in blocks(page):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(_without_missing_packages(block["code"]), names)
        assert printed.getvalue() == (block["output"] or "")


def test_the_examples_are_short() -> None:
    """The README's example has at most 8 lines; from a data frame to rules and a drawing it takes fewer than 15."""
    readme, guide = (blocks(page)[0]["code"] for page in ("README.md", "docs/user-guide.md"))
    assert all(word in guide for word in ("DataFrame", "None", "fit", "rules", "svg"))
    for code, n_lines in ((readme, 8), (guide, 14)):
        assert len([line for line in code.splitlines() if line]) <= n_lines


def test_the_picture_is_up_to_date(tmp_path: Path) -> None:
    """The README's picture is what ``examples/picture.py`` draws; run it if this fails."""
    spec = importlib.util.spec_from_file_location("picture", ROOT / "examples" / "picture.py")
    assert spec is not None
    assert spec.loader is not None
    picture = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(picture)
    with contextlib.redirect_stdout(io.StringIO()):
        picture.main(tmp_path / "iris.svg")
    drawn = (tmp_path / "iris.svg").read_text("utf-8")
    assert drawn == (ROOT / "docs" / "images" / "iris.svg").read_text("utf-8")
    assert "proved minimum" in drawn


def test_links_lead_somewhere() -> None:
    """Every relative link names a file that exists, and a heading of it."""
    for page in PAGES:
        text = re.sub(r"```.*?```", "", (ROOT / page).read_text("utf-8"), flags=re.DOTALL)
        for link in LINK.finditer(text):
            target = (ROOT / page).parent / link["path"] if link["path"] else ROOT / page
            assert target.exists(), f"{page}: {link[0]}"
            if link["anchor"]:
                assert link["anchor"] in _anchors(target), f"{page}: {link[0]}"


def test_every_parameter_has_the_documented_default() -> None:
    """A parameter in docs/parameters.md has its default wherever it occurs, except those of the paper's algorithm."""
    rows = DEFAULT.finditer((ROOT / "docs" / "parameters.md").read_text("utf-8"))
    documented = {row["name"]: ast.literal_eval(row["default"]) for row in rows}
    assert len(documented) == 20
    for function in (minimum_tree, minimum_trees, choose_tree, compare, mpdt, PureTreeClassifier):
        parameters = inspect.signature(function).parameters
        defaults = {name: parameters[name].default for name in documented if name in parameters}
        expected = {name: documented[name] for name in defaults}
        if function is mpdt:
            expected |= {"binarize": "bits", "n_trees": 100}
        assert defaults == expected, function


def _anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _without_missing_packages(code: str) -> str:
    """Remove the line that needs the optional package hermax if it is not installed."""
    return code if find_spec("hermax") else re.sub(r"^MaxSat\(Hermax.*\n", "", code, flags=re.MULTILINE)
