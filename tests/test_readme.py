"""The documentation is true: its code runs and prints what the page shows, and its links and defaults are correct."""

import ast
import contextlib
import importlib.util
import inspect
import io
import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers.code_blocks import main, read_blocks, run_blocks

from puretree import (
    OptimalTreeClassifier,
    PureTreeClassifier,
    choose_optimal_tree,
    choose_tree,
    compare,
    front,
    minimum_tree,
    minimum_trees,
    mpdt,
)

ROOT = Path(__file__).parents[1]
DEFAULT = re.compile(r"^\| `(?P<name>\w+)` \| `(?P<default>[^`]*)` \|", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#]*)(?:#(?P<anchor>[^)]*))?\)")
PAGES = sorted(str(path.relative_to(ROOT)) for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))


@pytest.mark.parametrize(
    ("page", "needs"), [("README.md", [None]), ("docs/user-guide.md", [None] * 16 + ["hermax"] + [None] * 3)]
)
def test_examples_are_true(page: str, needs: list[str | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every block of Python runs after those before it, and prints the text below it; one needs an extra."""
    monkeypatch.chdir(tmp_path)
    blocks = [block for block in read_blocks(ROOT / page) if block.language == "python"]
    assert [block.need for block in blocks] == needs
    run_blocks([block for block in blocks if block.need is None or find_spec(block.need)], tmp_path)


@pytest.mark.slow
def test_commands_are_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The README's commands run one after the other; only those that build from the sources need a checkout."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PURETREE_DATA", raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # the same modules as in this process
    command = tmp_path / "bin" / "puretree"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m puretree "$@"\n')
    command.chmod(0o755)
    blocks = [block for block in read_blocks(ROOT / "README.md") if block.language == "console"]
    assert [block.need for block in blocks] == ["checkout", "checkout", None]
    run_blocks([block for block in blocks if block.need is None], command.parent)


PAGE = """# Page

Some text.

```python
{code}
```

```text
1
```

{before}

```console
{command}
```
"""


@pytest.mark.parametrize(
    ("code", "before", "command", "message"),
    [
        ("print(1)", "Then:", "true", None),
        ("print(1)", 'With `pip install "puretree[onnx]"`:', "false", None),
        ("print(1)", "In a checkout:", "false", None),
        ("print(1)", "Then:", "false && true", "line 15: exit code 1"),
        ("print(1)", "Then:", "no-such-command | cat; cat no-such-file; true", "line 15: exit code 1"),
        ("print(2)", "Then:", "true", r"line 5: the block prints '2\\n', not '1\\n'"),
        ("import no_such_package", "Then:", "true", "line 5: .*No module named 'no_such_package'"),
    ],
)
def test_a_block_that_fails_is_an_error(
    code: str, before: str, command: str, message: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The check of the pages fails if a block does, unless the text before it says what it needs."""
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(code=code, before=before, command=command))
    assert main([str(page)]) == (message is not None)
    assert re.search(message or "^$", capsys.readouterr().err, re.DOTALL)


def test_the_examples_are_short() -> None:
    """The README's example has at most 8 lines; from a file to rules and a drawing it takes fewer than 15."""
    readme, guide = (
        next(block.code for block in read_blocks(ROOT / page) if block.language == "python")
        for page in ("README.md", "docs/user-guide.md")
    )
    assert all(word in guide for word in ("read_csv", '",rent', "fit", "rules", "svg"))
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
    assert len(documented) == 32
    of_errors = (choose_optimal_tree, OptimalTreeClassifier)
    for function in (minimum_tree, minimum_trees, choose_tree, front, compare, mpdt, PureTreeClassifier, *of_errors):
        parameters = inspect.signature(function).parameters
        defaults = {name: parameters[name].default for name in documented if name in parameters}
        expected = {name: documented[name] for name in defaults}
        if function is mpdt:
            expected |= {"binarize": "bits", "n_trees": 100}
        if function in of_errors:
            expected |= {"binarize": "guessed", "alpha": "cv"}
        assert defaults == expected, function


def _anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
